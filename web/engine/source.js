// Where a model's bytes come from. Only the header of a file is ever read.

import { TokenizerError } from "./link.js";

/**
 * A Blob, or as much of one as `readHead` needs.
 * @typedef {{arrayBuffer(): Promise<ArrayBuffer>, size?: number}} Slice
 * @typedef {{size: number, limit?: number, slice(start: number, end: number): Slice}} Sliceable
 * @typedef {File | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | string | URL} Source
 */

const FIRST = 4 << 20; // bytes; most tokenizers fit, and reading them costs a moment
const GROWTH = 4;
const EMPTY = "it is empty, or it was moved or removed. Choose it again.";
const IS_GONE = ["NotFoundError", "NotReadableError", "AbortError"]; // the last is Firefox's
const GONE = "it was moved, changed or removed, or it is a folder. Choose it again.";

/**
 * @param {Source} source
 * @returns {Promise<{name: string, blob: Sliceable}>}
 */
export async function openSource(source) {
  if (source instanceof Blob) {
    if (source.size === 0) throw unreadable(EMPTY);
    return { name: source instanceof File ? source.name : "", blob: source };
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return { name: "", blob: new Blob([source]) };
  }
  const { fileAddress, RemoteFile } = await import("./remote.js"); // not every page has one
  const url = fileAddress(new URL(source, document.baseURI));
  return { name: decodeURIComponent(url.pathname.split("/").pop() ?? ""), blob: new RemoteFile(url) };
}

/**
 * Call `load(head, complete)` with a longer head until it stops asking for more.
 * @template Reply
 * @param {Sliceable} blob
 * @param {(head: ArrayBuffer, complete: boolean) => Promise<Reply | {need: number}>} load
 * @returns {Promise<Reply>}
 */
export async function readHead(blob, load) {
  for (let size = FIRST; ; ) {
    const head = await readBytes(blob.slice(0, size));
    const reply = await load(head, size >= blob.size); // a remote file may know its size only now
    if (!isShort(reply)) return reply;
    size = Math.max(Math.min(size * GROWTH, blob.limit ?? Infinity), reply.need);
  }
}

/**
 * @template Reply
 * @param {Reply | {need: number}} reply
 * @returns {reply is {need: number}}
 */
function isShort(reply) {
  return Object(reply).need !== undefined;
}

/**
 * The bytes of a Blob, or of what is like one.
 * @param {Slice} slice
 */
export async function readBytes(slice) {
  try {
    const bytes = await slice.arrayBuffer();
    if (bytes.byteLength < (slice.size ?? 0)) throw unreadable(GONE); // Firefox reads what is left
    return bytes;
  } catch (error) {
    if (error instanceof TokenizerError || !(error instanceof Error)) throw error;
    throw unreadable(IS_GONE.includes(error.name) ? GONE : error.message);
  }
}

/** @param {string} why */
function unreadable(why) {
  return new TokenizerError({ code: "file", message: `The file cannot be read: ${why}` });
}
