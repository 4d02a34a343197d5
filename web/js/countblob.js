// The tokens of a file, read slice by slice: what Python keeps of it does not grow with the file.

import { TokenizerError } from "./link.js";
import { readBytes } from "./source.js";

const SLICE = 1 << 20; // bytes; the progress is told of after each
const MOST_AT_ONCE = 16 << 20; // bytes of a file that has to be read as a whole

/**
 * {tokens, characters, bytes, is_utf8} of a Blob or File; and {cuts, sizes} if it is to be split.
 * call(method, params, transfer): of the worker; params: as `count_begin` of bridge.py takes them.
 * onProgress(bytes): how many have been read.
 */
export async function countBlob(call, blob, params, onProgress) {
  const { counter, in_parts, type } = await call("count_begin", params);
  if (!in_parts && blob.size > MOST_AT_ONCE) throw tooLarge(type);
  for (let at = 0; at < blob.size; at += SLICE) {
    const data = await readBytes(blob.slice(at, at + SLICE));
    await call("count_feed", { counter, data }, [data]);
    onProgress?.(Math.min(at + SLICE, blob.size));
  }
  return call("count_end", { counter });
}

function tooLarge(type) {
  const message =
    `This tokenizer (${type}) reads a text as a whole, which takes too much memory for files ` +
    `over ${MOST_AT_ONCE >> 20} MB. Split the file first.`;
  return new TokenizerError({ code: "too-large", message });
}
