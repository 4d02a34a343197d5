// A chat template -> text, in its own worker, which ends after a time or with the page's Stop button.

import { TokenizerError } from "../../engine/link.js";
import { page, setState } from "../../shell/page.js";

const START = 20; // seconds for the worker, which may have to be fetched ...
const LIMIT = 10; // ... and then for the template
const SLOW = 400; // milliseconds: most chats are rendered sooner, and need no Stop button
const RENDERING = "Rendering the chat template"; // the status line's words
const MOST = 4_000_000; // characters of the text

/** The text of a template; variables: messages, bos_token, add_generation_prompt, ... */
export async function render(template, variables) {
  const worker = new Worker(new URL("chat-worker.js", document.baseURI), { type: "module" });
  try {
    const { text, error } = await answer(worker, { template, variables });
    if (error) throw failure(error);
    if (text.length > MOST)
      throw failure(`The text of the chat is too long: over ${MOST / 1e6} million characters.`);
    return text;
  } finally {
    worker.terminate();
  }
}

function answer(worker, question) {
  let timer;
  const done = new AbortController();
  const slow = setTimeout(() => setState("busy", RENDERING), SLOW);
  return new Promise((resolve, reject) => {
    const stop = (event) => {
      event.stopImmediatePropagation(); // the tokenizer's worker has nothing to stop
      reject(failure("You stopped the chat template. It may never end."));
    };
    page.stop.addEventListener("click", stop, { capture: true, signal: done.signal });
    const limit = (seconds, what) => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(failure(`${what} takes over ${seconds} seconds.`)), 1000 * seconds);
    };
    limit(START, "Starting the renderer of chat templates");
    worker.onmessage = ({ data }) => {
      if (!data.ready) return resolve(data);
      limit(LIMIT, "The chat template");
      worker.postMessage(question);
    };
    worker.onerror = ({ message }) =>
      reject(failure(`The renderer of chat templates does not start: ${message}`));
  }).finally(() => {
    clearTimeout(timer);
    clearTimeout(slow);
    done.abort();
    if (page.status.textContent.startsWith(RENDERING)) setState("ready", "Ready");
  });
}

function failure(message) {
  return new TokenizerError({ code: "chat-template", message });
}
