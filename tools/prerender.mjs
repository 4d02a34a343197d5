// Draw the sample text's tokens into index.html, with the page's own modules, so that the first paint
// is the finished page.
//
//   node tools/prerender.mjs SITE WHEEL SAMPLE.gguf

import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseHTML } from "linkedom";
import { loadPyodide } from "pyodide";
import { Tokenizer } from "../web/client.js";

const [site, wheel, sample] = process.argv.slice(2);
const path = join(site, "index.html");
const { document } = parseHTML(readFileSync(path, "utf8"));
Object.assign(globalThis, { document, window: { innerHeight: Infinity }, IntersectionObserver: Unobserved });

const name = basename(sample, ".gguf");
const tokenizer = await opened(await bridge());
await draw(document.getElementById("text").textContent.replace(/^\n/, "")); // as HTML is read
// The policy of the page refuses style attributes; scripts may set styles, and do so again.
for (const element of document.querySelectorAll("[style]")) element.removeAttribute("style");
writeFileSync(path, document.toString());

/** The page's calls, answered by Python in this process. */
async function bridge() {
  const python = await loadPyodide({ convertNullToNone: true });
  python.unpackArchive(bytesOf(wheel), "wheel");
  const { call } = python.pyimport("pyodide_tok.page.bridge");
  const options = { dict_converter: Object.fromEntries, create_pyproxies: false };
  return (method, params) => call(method, python.toPy(params)).toJs(options).result;
}

async function opened(call) {
  const open = async () => call("load", { head: bytesOf(sample), name });
  const model = new Tokenizer({ call: async (...message) => call(...message) }, open);
  await model.loaded();
  return model;
}

async function draw(text) {
  const { TokenView } = await import("../web/tokens/render.js");
  const { showCounts } = await import("../web/shell/counts.js");
  const { showChip } = await import("../web/shell/chip.js");
  const { SAMPLES } = await import("../web/shell/samples.js");
  const columns = await tokenizer.tokenize(text);
  await new TokenView(document.getElementById("tokens")).show(tokenizer, text, columns);
  showCounts(columns, tokenizer.info);
  showChip(
    SAMPLES.find((known) => known.name === name),
    tokenizer.info,
  );
}

// Pyodide knows plain typed arrays, not Node's Buffer.
function bytesOf(file) {
  return new Uint8Array(readFileSync(file));
}

function Unobserved() {
  this.observe = () => {};
}
