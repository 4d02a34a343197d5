// The one module that knows Pyodide. It starts Python, from the memory snapshot when it can, and
// passes messages on to pyodide_tok.page.bridge:
//   in   {id, method, params}
//   out  {id, result} | {id, error: {code, message, ...}} | {event, ...}

const here = new URL("./", import.meta.url).href;
const wasmUrl = `${here}pyodide/pyodide.asm.wasm`;
const stdlibUrl = `${here}pyodide/python_stdlib.zip`;
const PACKAGE = "pyodide-tok";
const settings = {
  indexURL: `${here}pyodide/`,
  packageBaseUrl: `${here}pyodide/`,
  convertNullToNone: true,
};

const bridge = start();

self.onmessage = async ({ data: { id, method, params } }) => {
  try {
    const reply = answer(await bridge, method, params);
    self.postMessage({ id, ...reply }, buffersOf(reply.result));
  } catch (error) {
    self.postMessage({ id, error: failure(error) });
  }
};

async function start() {
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

// Everything is fetched, unpacked and compiled at the same time, and the snapshot is waited for at
// the last moment; Pyodide alone would do one thing after another.
async function fromSnapshot() {
  progress("Loading Python");
  const snapshot = unpacked(`${here}snapshot.bin.gz`);
  const wasm = WebAssembly.compileStreaming(fetch(wasmUrl));
  const script = import("./pyodide/pyodide.asm.mjs");
  for (const part of [wasm, snapshot, script]) part.catch(() => {}); // told where it is awaited
  const { loadPyodide } = await pyodide();
  const python = await withOwnFiles(wasm, (heap) =>
    loadPyodide({
      ...settings,
      _loadSnapshot: new Uint8Array(), // says that there is one; the bytes come in `restoring`
      createPyodideModule: async (emscripten) =>
        restoring(await (await script).default(emscripten), await snapshot, heap),
    }),
  );
  serveStdlib(python.FS);
  return python;
}

// Have Pyodide restore these bytes. Its memory starts with 30 MB, and must be no less than they.
function restoring(module, snapshot, heap) {
  const { API } = module;
  const { restoreSnapshot } = API;
  if (module.HEAP8.length < snapshot.length) heap.resize(snapshot.length);
  API.restoreSnapshot = () => restoreSnapshot(snapshot);
  return module;
}

// All that we use of the standard library is in the snapshot. An import of anything else reads the
// file then, by a blocking request; it is never fetched otherwise.
function serveStdlib(fs) {
  const name = fs.readdir("/lib").find((entry) => entry.endsWith(".zip"));
  fs.unlink(`/lib/${name}`);
  fs.createLazyFile("/lib", name, stdlibUrl, true, false);
}

async function plainly() {
  progress("Loading Python, the slow way");
  const { loadPyodide } = await pyodide();
  const python = await loadPyodide({ ...settings, packages: [PACKAGE] });
  if (PACKAGE in python.loadedPackages) return python; // otherwise Pyodide only logs why
  const problem = "cannot be loaded, or is not what this site was built with";
  throw new Error(`${PACKAGE} ${problem}. Reload the page.`);
}

function pyodide() {
  return import("./pyodide/pyodide.mjs");
}

// Give Pyodide the module that is being compiled already, and no standard library for now.
// load(heap): heap.resize(bytes) grows Pyodide's memory, as Python itself would.
async function withOwnFiles(wasm, load) {
  const { fetch } = self;
  const { instantiateStreaming } = WebAssembly;
  const heap = {};
  const instance = async (imports) => {
    heap.resize = imports.env.emscripten_resize_heap;
    const module = await wasm;
    return { module, instance: await WebAssembly.instantiate(module, imports) };
  };
  self.fetch = (url, ...rest) =>
    [wasmUrl, stdlibUrl].includes(String(url)) ? Promise.resolve(new Response()) : fetch(url, ...rest);
  try {
    return await new Promise((resolve, reject) => {
      WebAssembly.instantiateStreaming = (_, imports) => {
        const made = instance(imports);
        made.catch(reject); // Pyodide only warns of it, and waits for ever
        return made;
      };
      load(heap).then(resolve, reject);
    });
  } finally {
    self.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

function unpacked(url) {
  const thread = new Worker(new URL("./unpack.js", import.meta.url));
  return new Promise((resolve, reject) => {
    thread.onmessage = ({ data: { bytes, error } }) =>
      error ? reject(new Error(error)) : resolve(new Uint8Array(bytes));
    thread.onerror = () => reject(new Error("unpack.js could not be loaded"));
    thread.postMessage(url);
  }).finally(() => thread.terminate());
}

function answer({ python, entry }, method, params) {
  const input = python.toPy(params);
  const output = entry(method, input);
  input.destroy();
  const reply = output.toJs({ dict_converter: Object.fromEntries, create_pyproxies: false });
  output.destroy();
  return reply;
}

// Typed arrays made by Pyodide are copies of their own, so their buffers can move to the page.
function buffersOf(result) {
  return Object.values(result ?? {})
    .filter(ArrayBuffer.isView)
    .map((view) => view.buffer);
}

function failure(error) {
  const dead = error instanceof WebAssembly.RuntimeError || error?.pyodide_fatal_error;
  return { code: dead ? "worker-dead" : "internal", message: String(error?.message ?? error) };
}

function progress(stage) {
  self.postMessage({ event: "progress", stage });
}
