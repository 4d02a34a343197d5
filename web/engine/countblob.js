// The tokens of a file, read slice by slice: what Python keeps of it does not grow with the file.

import { readBytes } from "./source.js";

const SLICE = 1 << 20; // bytes; the progress is told of after each

/**
 * {tokens, characters, bytes, is_utf8} of a Blob or File; and {cuts, sizes} if it is to be split.
 * call(method, params, transfer): of the worker; params: as `count_begin` of bridge.py takes them.
 * onProgress(bytes): how many have been read.
 */
export async function countBlob(call, blob, params, onProgress) {
  const counter = await call("count_begin", params);
  try {
    for (let at = 0; at < blob.size; at += SLICE) {
      const data = await readBytes(blob.slice(at, at + SLICE));
      await call("count_feed", { counter, data }, [data]);
      onProgress?.(Math.min(at + SLICE, blob.size));
    }
    return await call("count_end", { counter });
  } catch (error) {
    call("count_drop", { counter }).catch(() => {}); // a dead worker has freed it already
    throw error;
  }
}
