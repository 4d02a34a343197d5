// The contestants in V8: JavaScript tokenizers, and ours under Pyodide, in one process.
// Lines of JSON in, {op, ...}, and one of JSON out for each, {result} or {error}; see v8.py.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "../node_modules/pyodide/pyodide.mjs";

console.log = console.error; // standard output is for the answers alone

const SHORT = "Hello, 世界! 🙂";
const SETUP = `
import sys
from array import array
from gc import collect
sys.dont_write_bytecode = True
sys.path.insert(0, "/project")
from pyodide_tok import Tokenizer

def open_tokenizer(head):
    encode = Tokenizer.from_gguf(head).encode
    return lambda text: array("i", encode(text, add_special=False))
`;

const python = await startPython();
const openTokenizer = python.globals.get("open_tokenizer");
const collect = python.globals.get("collect");
const texts = {};
const sides = {}; // name -> {make, encode}

async function startPython() {
  const python = await loadPyodide({ stdout: console.error });
  python.mountNodeFS("/project", fileURLToPath(new URL("..", import.meta.url)));
  python.runPython(SETUP);
  return python;
}

// -- contestants: path of what they read -> make(), a new tokenizer -> encode(text) -> ids ------

const CONTESTANTS = {
  pyodide_tok: (path) => () => ours(path),

  "gpt-tokenizer": async () => {
    const { GptEncoding } = await import("gpt-tokenizer/GptEncoding");
    const { default: ranks } = await import("gpt-tokenizer/bpeRanks/r50k_base");
    return () => GptEncoding.getEncodingApi("r50k_base", () => ranks).encode;
  },

  "@huggingface/tokenizers": async (path) => {
    const { Tokenizer } = await import("@huggingface/tokenizers");
    const model = JSON.parse(readFileSync(path, "utf8"));
    return () => {
      const tokenizer = new Tokenizer(model, {});
      return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
    };
  },

  "llama-tokenizer-js": async () => {
    const { LlamaTokenizer } = await import("llama-tokenizer-js");
    return () => {
      const tokenizer = new LlamaTokenizer();
      return (text) => tokenizer.encode(text, false);
    };
  },

  "ai-tokenizer": async (path) => {
    const { Tokenizer } = await import("ai-tokenizer");
    const encoding = aiEncoding(JSON.parse(readFileSync(path, "utf8")));
    return () => {
      const tokenizer = new Tokenizer(encoding);
      return (text) => tokenizer.encode(text);
    };
  },
};

/** From a JavaScript string to an Int32Array, as on the page. */
function ours(path) {
  const head = python.toPy(new Uint8Array(readFileSync(path)));
  const call = openTokenizer(head);
  head.destroy();
  const encode = (text) => {
    const ids = call(text);
    const copy = ids.toJs();
    ids.destroy();
    return copy;
  };
  encode.close = () => call.destroy();
  return encode;
}

/** What ai-tokenizer reads: tokens that are UTF-8 by their text, the others sorted by bytes. */
function aiEncoding({ pattern, tokens }) {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const [stringEncoder, binaryEncoder] = [{}, []];
  for (const [latin1, id] of tokens) {
    const bytes = new Uint8Array(Buffer.from(latin1, "latin1"));
    try {
      stringEncoder[utf8.decode(bytes)] = id;
    } catch {
      binaryEncoder.push([bytes, id]);
    }
  }
  binaryEncoder.sort(([a], [b]) => Buffer.compare(a, b));
  const rest = { name: "from GGUF", pat_str: pattern, special_tokens: {}, decoder: {} };
  return { stringEncoder, binaryEncoder, ...rest };
}

// -- operations ---------------------------------------------------------------------------------

const OPERATIONS = {
  versions: () => ({ Node: process.version, V8: process.versions.v8, Pyodide: python.version }),

  text({ name, text }) {
    texts[name] = text;
  },
  async open({ side, contestant, path }) {
    sides[side] = { make: await CONTESTANTS[contestant](path) };
  },
  fresh({ side }) {
    close(side);
    sides[side].encode = sides[side].make();
  },
  ids: ({ side, text }) => Array.from(sides[side].encode(texts[text])),
  seconds: ({ side, text }) => timed(() => sides[side].encode(texts[text])),
  close({ side }) {
    close(side);
    delete sides[side];
  },

  /** From the file to the ids of a short text. */
  load({ path }) {
    let encode;
    const seconds = timed(() => {
      encode = ours(path);
      return encode(SHORT);
    });
    encode.close();
    return seconds;
  },

  // for memory.py: what the page's worker does
  put({ path }) {
    const head = python.toPy(new Uint8Array(readFileSync(path)));
    python.globals.get("put")(head);
    head.destroy();
  },
  encode({ text }) {
    const columns = python.globals.get("encode")(texts[text]);
    columns.toJs({ create_pyproxies: false });
    columns.destroy();
  },
  python: ({ code }) => python.runPython(code),
  heap: () => python._module.HEAPU8.length,
};

function close(side) {
  sides[side].encode?.close?.();
}

// The same clock as clock.py's, in seconds.
function now() {
  if (process.env.BENCH_CLOCK !== "cpu") return performance.now() / 1000;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function timed(work) {
  globalThis.gc();
  collect();
  const start = now();
  work();
  return now() - start;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...params } = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await OPERATIONS[op](params)) ?? null };
  } catch (error) {
    answer = { error: error.stack };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
