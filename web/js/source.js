// Where a model's bytes come from. Only the head of a file is ever read.

import { TokenizerError } from "./link.js";

const FIRST = 4 << 20; // bytes; most tokenizers fit, and reading them costs a moment
const GROWTH = 4;

/** {name, blob} of a File, Blob, ArrayBuffer, typed array, or address (string or URL). */
export async function openSource(source) {
  if (source instanceof Blob) return { name: source.name ?? "", blob: source };
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return { name: "", blob: new Blob([source]) };
  }
  const url = new URL(source, document.baseURI);
  const response = await fetch(url).catch((error) => {
    throw new TokenizerError({ code: "fetch", message: `${url} cannot be read: ${error.message}` });
  });
  if (!response.ok) {
    const message = `${url} cannot be read: the server answered ${response.status}.`;
    throw new TokenizerError({ code: "fetch", message });
  }
  return { name: url.pathname.split("/").pop(), blob: await response.blob() };
}

/** Call `load(head, complete)` with a longer head until it stops asking for more ({need}). */
export async function readHead(blob, load) {
  for (let size = FIRST; ; ) {
    const complete = size >= blob.size;
    const reply = await load(await read(blob.slice(0, size)), complete);
    if (reply.need === undefined) return reply;
    size = Math.max(size * GROWTH, reply.need);
  }
}

async function read(slice) {
  try {
    return await slice.arrayBuffer();
  } catch (error) {
    const message =
      error.name === "NotFoundError" || error.name === "NotReadableError"
        ? "The file cannot be read: it was moved, changed or removed, or it is a folder. Choose it again."
        : `The file cannot be read: ${error.message}`;
    throw new TokenizerError({ code: "file", message });
  }
}
