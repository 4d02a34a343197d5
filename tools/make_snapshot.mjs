// Make the memory snapshot that the page starts from: Pyodide with our package imported and the
// default vocabulary loaded, as one gzipped file.
//
//   node tools/make_snapshot.mjs WHEEL SAMPLE.gguf OUTPUT.gz

import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

// What the package imports only when it is used. The page has no files of it to import from.
const LATE = ["pyodide_tok.chat.templates", "pyodide_tok.explain.explainer"];

async function main(wheel, sample, output) {
  const python = await loadPyodide({ _makeSnapshot: true });
  python.unpackArchive(bytesOf(wheel), "wheel");
  const bridge = python.pyimport("pyodide_tok.page.bridge");
  LATE.forEach((name) => python.pyimport(name).destroy());
  const head = python.toPy(bytesOf(sample));
  bridge.preload(basename(sample, ".gguf"), head);
  head.destroy();
  bridge.destroy();
  python.runPython("import gc; gc.collect()");
  wipeFree(python._module);

  const snapshot = trimmed(python.makeMemorySnapshot(), python._module);
  const packed = gzipSync(snapshot, { level: 9 });
  writeFileSync(output, packed);
  console.log(`snapshot: ${mb(snapshot)} MB, ${mb(packed)} MB gzipped`);
}

// What was freed still has its old content, which packs badly: take all free pieces below the top of
// the memory, the largest first, fill them with zeros and give them back.
function wipeFree(module) {
  const top = topOf(module);
  const taken = [];
  for (let size = 1 << 20; size >= 64; size /= 2) {
    let at;
    while ((at = module._malloc(size)) + size <= top) {
      module.HEAPU8.fill(0, at, at + size);
      taken.push(at);
    }
    module._free(at); // from above: there is no such piece left below
  }
  taken.forEach((piece) => module._free(piece));
}

// Memory grows in steps: the part of it that was never handed out need not be unpacked by the page.
function trimmed(snapshot, module) {
  const unused = Math.floor((module.HEAPU8.length - topOf(module)) / 65536) * 65536;
  return snapshot.subarray(0, snapshot.length - unused);
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
