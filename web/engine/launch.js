// Starts a worker, and at the same time everything that it needs: the page compiles WebAssembly and
// unpacks the memory snapshot while the worker evaluates Pyodide's script. Whoever takes the worker
// over hears what it said until then.

import { sizeOf } from "./snapshot.js";

/**
 * @typedef {object} Launched
 * @property {Worker} worker
 * @property {Event[]} early Its events so far.
 */

const STEP = 0.02; // of the snapshot: the progress is reported after each

/**
 * @param {string | URL} base The site's address.
 * @returns {Launched}
 */
export function launch(base) {
  const worker = new Worker(new URL("worker.js", base), { type: "module" });
  /** @type {Event[]} */
  const early = [];
  worker.onmessage =
    worker.onmessageerror =
    worker.onerror =
      (/** @type {Event} */ event) => void early.push(event);
  const report = (/** @type {string} */ stage) =>
    worker.dispatchEvent(new MessageEvent("message", { data: { event: "progress", stage } }));
  report("Loading Python");
  const stop = new AbortController();
  const wasm = compiled(new URL("pyodide/pyodide.asm.wasm", base));
  wasm.catch(() => stop.abort()); // the snapshot is of no use then
  hand(worker, "wasm", wasm);
  hand(worker, "snapshot", unpacked(new URL("snapshot.bin.gz", base), stop.signal, report));
  return { worker, early };
}

/**
 * Give the worker a part when it is there, or say why it never will be.
 * @param {Worker} worker
 * @param {string} part
 * @param {Promise<WebAssembly.Module | Uint8Array<ArrayBuffer>>} coming
 */
async function hand(worker, part, coming) {
  try {
    const value = await coming;
    worker.postMessage({ part, value }, value instanceof Uint8Array ? [value.buffer] : []);
  } catch (error) {
    worker.postMessage({ part, error: String(error) });
  }
}

/** @param {URL} url */
async function compiled(url) {
  return WebAssembly.compileStreaming(fetch(url));
}

/**
 * @param {URL} url
 * @param {AbortSignal} signal
 * @param {(stage: string) => void} report
 */
async function unpacked(url, signal, report) {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) throw new Error(`${url}: ${response.status}`);
  // A host may send it with a Content-Encoding; then the browser unpacks it.
  const isPlain = response.headers.has("content-encoding");
  const body = isPlain ? response.body : response.body.pipeThrough(new DecompressionStream("gzip"));
  const megabytes = Number(response.headers.get("content-length")) / 1e6;
  return collected(body.getReader(), (share) => {
    const read = megabytes ? `, ${(share * megabytes).toFixed(1)} of ${megabytes.toFixed(1)} MB` : "";
    report(`Loading Python: ${Math.round(100 * share)} %${read}`);
  });
}

/**
 * @param {ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>} reader
 * @param {(share: number) => void} report
 */
async function collected(reader, report) {
  let { value, done } = await reader.read();
  if (!value || value.length < 4) throw new Error("not a snapshot");
  const bytes = new Uint8Array(sizeOf(value));
  let [at, reported] = [0, 0];
  while (!done && value) {
    bytes.set(value, at); // a RangeError if there are more than it says
    at += value.length;
    if (at - reported > STEP * bytes.length) {
      report(at / bytes.length);
      reported = at;
    }
    ({ value, done } = await reader.read());
  }
  if (at < bytes.length) throw new Error("not a complete snapshot");
  report(1);
  return bytes;
}
