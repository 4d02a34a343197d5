// The tokens of a file, read slice by slice: what Python keeps of it does not grow with the file.

import { readBytes } from "./source.js";

const SLICE = 1 << 20; // bytes; progress is reported after each

/**
 * @param {(method: string, params: object, transfer?: Transferable[]) => Promise<any>} call Of the worker.
 * @param {import("./source.js").Sliceable} blob
 * @param {object} params As `count_begin` of bridge.py accepts them.
 * @param {(bytes: number) => void} [onProgress] Hears how many have been read.
 * @returns {Promise<import("../client.js").Count>}
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
