// A chat template -> text, in a worker of its own with a time limit.

import { TokenizerError } from "./link.js";

const LIMIT = 3000; // milliseconds
const MOST = 4_000_000; // characters of the text

/** The text of a template; variables: messages, bos_token, add_generation_prompt, ... */
export async function render(template, variables) {
  const worker = new Worker(new URL("../chat-worker.js", import.meta.url), { type: "module" });
  try {
    const { text, error } = await answer(worker, { template, variables });
    if (error) throw failure(`The chat template cannot be used: ${error}`);
    if (text.length > MOST) throw failure("The chat template makes too long a text.");
    return text;
  } finally {
    worker.terminate();
  }
}

/** The time is counted from when the worker has started. */
function answer(worker, question) {
  return new Promise((resolve, reject) => {
    const late = () => reject(failure(`The chat template takes over ${LIMIT / 1000} seconds.`));
    worker.onmessage = ({ data }) => {
      if (!data.ready) return resolve(data);
      worker.postMessage(question);
      setTimeout(late, LIMIT);
    };
    worker.onerror = ({ message }) => reject(failure(`Templates cannot be rendered: ${message}`));
  });
}

function failure(message) {
  return new TokenizerError({ code: "chat-template", message });
}
