// The one module that knows Pyodide. It starts Python, from the memory snapshot when it can, and
// passes messages on to pyodide_tok.page.bridge:
//   in   {part: "wasm" | "snapshot", value | error} from launch.js; {id, method, params}
//   out  {id, result} | {id, error: {code, message, ...}} | {event, ...}

import { restore, unpack } from "./engine/snapshot.js";

/**
 * @typedef {{python: any, entry: any}} Bridge
 * @typedef {{code: string, message: string}} Failure
 */

const here = new URL("./", import.meta.url).href;
const wasmUrl = `${here}pyodide/pyodide.asm.wasm`;
const stdlibUrl = `${here}pyodide/python_stdlib.zip`;
const PACKAGE = "pyodide-tok";
const NO_WEBASSEMBLY =
  "This browser has no WebAssembly, or it is turned off. Python needs it: use a current Chrome, Edge, Firefox or Safari.";
const settings = {
  indexURL: `${here}pyodide/`,
  packageBaseUrl: `${here}pyodide/`,
  convertNullToNone: true,
};
const parts = { wasm: part(), snapshot: part() };

/** @type {Promise<Bridge>} */
const bridge = start();
bridge.catch(() => {}); // each call reports it

self.onmessage = async ({ data }) => {
  if (data.part) return parts[/** @type {keyof typeof parts} */ (data.part)].settle(data);
  const { id, method, params } = data;
  try {
    const reply = answer(await bridge, method, params);
    self.postMessage({ id, ...reply }, buffersOf(reply.result));
  } catch (error) {
    self.postMessage({ id, error: failure(error) });
  }
};

/** Something that launch.js sends. */
function part() {
  /** @type {(sent: {value: any, error?: string}) => void} */
  let settle = () => {};
  const coming = new Promise((resolve, reject) => {
    settle = ({ value, error }) => (error ? reject(new Error(error)) : resolve(value));
  });
  coming.catch(() => {}); // reported where it is awaited
  return { coming, settle };
}

/** @returns {Promise<Bridge>} */
async function start() {
  if (typeof WebAssembly === "undefined") {
    throw Object.assign(new Error(NO_WEBASSEMBLY), { code: "unsupported" });
  }
  const began = performance.now();
  let how = "snapshot";
  const python = await fromSnapshot().catch((error) => {
    console.warn("pyodide_tok: the memory snapshot failed, starting plainly:", error);
    how = "plain";
    return plainly();
  });
  const entry = python.pyimport("pyodide_tok.page.bridge").call;
  const ms = Math.round(performance.now() - began);
  console.info(`pyodide_tok: started from ${how === "plain" ? "scratch" : "the snapshot"}, ${ms} ms`);
  self.postMessage({ event: "started", how, ms });
  return { python, entry };
}

// Pyodide's script is evaluated while the page compiles and unpacks, and the snapshot is waited for
// at the last moment; Pyodide alone would do one thing after another.
async function fromSnapshot() {
  const script = imported("pyodide.asm.mjs");
  script.catch(() => {}); // reported where it is awaited
  const { loadPyodide } = await imported("pyodide.mjs");
  const python = await withOwnFiles((own) =>
    loadPyodide({
      ...settings,
      _loadSnapshot: new Uint8Array(), // says that there is one; the bytes come in `restoring`
      createPyodideModule: async (/** @type {object} */ emscripten) =>
        restoring(await (await script).default(emscripten), await parts.snapshot.coming, own.memory),
    }),
  );
  serveStdlib(python.FS);
  return python;
}

/**
 * Have Pyodide restore our snapshot instead of its own.
 * @param {any} module Emscripten's.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {Memory} memory
 */
function restoring(module, bytes, memory) {
  const snapshot = unpack(bytes);
  const { build, size, state } = snapshot.header;
  const { API } = module;
  if (build !== API.config.BUILD_ID) throw new Error("the snapshot is of another build of Pyodide");
  API.restoreSnapshot = () => {
    memory.refresh(module.HEAPU8.subarray(0, module.HEAPU32[module._emscripten_get_sbrk_ptr() / 4]));
    if (module.HEAPU8.length < size) memory.grow(size);
    restore(snapshot, module.HEAPU8);
    return state;
  };
  return module;
}

// All that we use of the standard library is in the snapshot. An import of anything else reads the
// file then, by a blocking request; it is never fetched otherwise.
/** @param {any} fs */
function serveStdlib(fs) {
  const name = fs.readdir("/lib").find((/** @type {string} */ entry) => entry.endsWith(".zip"));
  fs.unlink(`/lib/${name}`);
  fs.createLazyFile("/lib", name, stdlibUrl, true, false);
}

async function plainly() {
  progress("Loading Python, the slow way");
  const { loadPyodide } = await imported("pyodide.mjs");
  const python = await loadPyodide({ ...settings, packages: [PACKAGE] });
  if (PACKAGE in python.loadedPackages) return python; // otherwise Pyodide only logs why
  const problem = "cannot be loaded, or is not what this site was built with";
  throw new Error(`${PACKAGE} ${problem}. Reload the page.`);
}

/**
 * One of Pyodide's own scripts.
 * @param {string} name
 */
function imported(name) {
  return import(settings.indexURL + name);
}

/** Pyodide's memory. */
class Memory {
  #data; // static data, as it was before any code ran
  #end;

  /**
   * @param {WebAssembly.Instance} fresh
   * @param {(bytes: number) => unknown} grow
   */
  constructor({ exports }, grow) {
    const { memory, __stack_low: low, __heap_base: heap } = /** @type {any} */ (exports);
    this.#data = new Uint8Array(memory.buffer, 0, low.value).slice();
    this.#end = heap.value;
    this.grow = grow;
  }

  /**
   * Make the used part of the memory what it was at first; what is left on the stack is never read.
   * @param {Uint8Array} used
   */
  refresh(used) {
    used.set(this.#data);
    used.fill(0, this.#end);
  }
}

/**
 * Give Pyodide the module that the page compiles, and no standard library for now.
 * @param {(own: {memory: Memory}) => Promise<any>} load
 */
async function withOwnFiles(load) {
  const { fetch } = self;
  const { instantiateStreaming } = WebAssembly;
  const own = { memory: /** @type {any} */ (null) };
  const instantiate = async (/** @type {any} */ imports) => {
    /** @type {WebAssembly.Module} */
    const module = await parts.wasm.coming;
    const instance = await WebAssembly.instantiate(module, imports);
    own.memory = new Memory(instance, imports.env.emscripten_resize_heap);
    return { module, instance };
  };
  self.fetch = (url, ...rest) =>
    [wasmUrl, stdlibUrl].includes(String(url)) ? Promise.resolve(new Response()) : fetch(url, ...rest);
  try {
    return await new Promise((resolve, reject) => {
      WebAssembly.instantiateStreaming = (_, imports) => {
        const made = instantiate(imports);
        made.catch(reject); // Pyodide only warns of it, and waits for ever
        return made;
      };
      load(own).then(resolve, reject);
    });
  } finally {
    self.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/**
 * @param {Bridge} bridge
 * @param {string} method
 * @param {object} params
 */
function answer({ python, entry }, method, params) {
  const input = python.toPy(params);
  const output = entry(method, input);
  input.destroy();
  const reply = output.toJs({ dict_converter: Object.fromEntries, create_pyproxies: false });
  output.destroy();
  return reply;
}

/**
 * Typed arrays made by Pyodide are copies, so their buffers can move to the page.
 * @param {object} result
 */
function buffersOf(result) {
  return Object.values(result ?? {})
    .filter(ArrayBuffer.isView)
    .map((view) => view.buffer);
}

/**
 * @param {any} error
 * @returns {Failure}
 */
function failure(error) {
  const isDead = error?.name === "RuntimeError" || error?.pyodide_fatal_error; // WebAssembly's
  const code = isDead ? "worker-dead" : (error?.code ?? "internal");
  return { code, message: String(error?.message ?? error) };
}

/** @param {string} stage */
function progress(stage) {
  self.postMessage({ event: "progress", stage });
}
