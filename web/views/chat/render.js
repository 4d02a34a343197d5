// A chat template -> text, in a worker of its own with a time limit.

import { TokenizerError } from "../../engine/link.js";

const START = 20; // seconds for the worker, which may have to be fetched ...
const LIMIT = 3; // ... and then for the template
const MOST = 4_000_000; // characters of the text

/** The text of a template; variables: messages, bos_token, add_generation_prompt, ... */
export async function render(template, variables) {
  const worker = new Worker(new URL("chat-worker.js", document.baseURI), { type: "module" });
  try {
    const { text, error } = await answer(worker, { template, variables });
    if (error) throw failure(`The chat template cannot be used: ${error}`);
    if (text.length > MOST) throw failure("The chat template makes too long a text.");
    return text;
  } finally {
    worker.terminate();
  }
}

function answer(worker, question) {
  let timer;
  return new Promise((resolve, reject) => {
    const limit = (seconds, what) => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(failure(`${what} takes over ${seconds} seconds.`)), 1000 * seconds);
    };
    limit(START, "The start of what renders templates");
    worker.onmessage = ({ data }) => {
      if (!data.ready) return resolve(data);
      limit(LIMIT, "The chat template");
      worker.postMessage(question);
    };
    worker.onerror = ({ message }) => reject(failure(`Templates cannot be rendered: ${message}`));
  }).finally(() => clearTimeout(timer));
}

function failure(message) {
  return new TokenizerError({ code: "chat-template", message });
}
