// Make the memory snapshot that the page starts from: Pyodide with our package imported and the
// default vocabulary loaded. See web/engine/snapshot.js for its form. Writes OUTPUT.gz, and
// OUTPUT.gz.br: the snapshot itself in Brotli, which a host sends with Content-Encoding: br.
//
//   node tools/make_snapshot.mjs WHEEL SAMPLE.gguf OUTPUT.gz

import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";
import { pack, restore, unpack } from "../web/engine/snapshot.js";

const PAGE = 65536; // bytes, of WebAssembly
// QUICK=1 saves half a minute of the build and costs 1 MB.
const BROTLI = {
  [constants.BROTLI_PARAM_QUALITY]: process.env.QUICK ? 5 : 11,
  [constants.BROTLI_PARAM_LGWIN]: 24,
};
// What the package imports only when it is used. The page has no files of it to import from.
const LATE = ["pyodide_tok.chat.templates", "pyodide_tok.explain.explainer"];

async function main(wheel, sample, output) {
  const fresh = freshMemory();
  // The flag of convertNullToNone is in the memory, so the snapshot decides about it.
  const python = await loadPyodide({ _makeSnapshot: true, convertNullToNone: true });
  python.unpackArchive(bytesOf(wheel), "wheel");
  const bridge = python.pyimport("pyodide_tok.page.bridge");
  for (const name of LATE) python.pyimport(name).destroy();
  const head = python.toPy(bytesOf(sample));
  bridge.preload(basename(sample, ".gguf"), head);
  head.destroy();
  bridge.destroy();
  python.runPython("import gc; gc.collect()");
  wipeFree(python._module);

  const snapshot = packed(python, await fresh);
  const gzipped = gzipSync(snapshot, { level: 9 });
  const brotli = brotliCompressSync(snapshot, { params: BROTLI });
  writeFileSync(output, gzipped);
  writeFileSync(`${output}.br`, brotli);
  console.log(`snapshot: ${mb(snapshot)} MB, gzip ${mb(gzipped)} MB, Brotli ${mb(brotli)} MB`);
}

/** The memory of Pyodide's instance before any code has run, a promise. */
function freshMemory() {
  const { instantiate } = WebAssembly;
  return new Promise((resolve) => {
    WebAssembly.instantiate = async (...source) => {
      const made = await instantiate(...source);
      if (made.instance?.exports.__heap_base) {
        WebAssembly.instantiate = instantiate;
        resolve(new Uint8Array(made.instance.exports.memory.buffer).slice());
      }
      return made;
    };
  });
}

function packed(python, fresh) {
  const { state, memory } = pyodideSnapshot(python);
  const snapshot = pack({ build: python._api.config.BUILD_ID, state }, memory, fresh);
  const again = new Uint8Array(memory.length);
  again.set(fresh.subarray(0, memory.length));
  restore(unpack(snapshot), again);
  if (Buffer.compare(again, memory) !== 0) throw new Error("the snapshot does not give the memory again");
  return snapshot;
}

/** What Pyodide's own form of a snapshot holds: {state, memory}; see its API.restoreSnapshot. */
function pyodideSnapshot(python) {
  const bytes = python.makeMemorySnapshot();
  const [, start, length] = new Uint32Array(bytes.buffer, 0, 3);
  const state = JSON.parse(new TextDecoder().decode(bytes.subarray(48, 48 + length)));
  return { state, memory: bytes.subarray(start, start + inPages(topOf(python._module))) };
}

// What was freed still has its old content, which packs badly: take all free pieces below the top of
// the memory, the largest first, fill them with zeros and give them back.
function wipeFree(module) {
  const top = topOf(module);
  const taken = [];
  for (let size = 1 << 20; size >= 64; size /= 2) {
    let at = module._malloc(size);
    for (; at + size <= top; at = module._malloc(size)) {
      module.HEAPU8.fill(0, at, at + size);
      taken.push(at);
    }
    module._free(at); // from above: there is no such piece left below
  }
  for (const piece of taken) module._free(piece);
}

function inPages(bytes) {
  return Math.ceil(bytes / PAGE) * PAGE;
}

function topOf({ HEAPU32, _emscripten_get_sbrk_ptr }) {
  return HEAPU32[_emscripten_get_sbrk_ptr() / 4];
}

// Pyodide knows plain typed arrays, not Node's Buffer.
function bytesOf(path) {
  return new Uint8Array(readFileSync(path));
}

function mb(bytes) {
  return (bytes.length / 1e6).toFixed(1);
}

// Caught here, for Node would print Pyodide's one line of a megabyte before the message.
main(...process.argv.slice(2)).catch((error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
