// llama.cpp's tokens for GGUF models, for any page served from this site's origin:
//
//   import { createTokenizer } from "./client.js";
//   const tok = await createTokenizer({ gguf: fileOrUrlOrBuffer });
//   await tok.count("Hello");            // 2
//   await tok.encode("Hello");           // Int32Array
//   tok.dispose();
//
// The work is done in a web worker; nothing leaves the machine. Errors are `TokenizerError`s with
// a stable `code`.

import { launch } from "./engine/launch.js";
import { TokenizerError, WorkerLink } from "./engine/link.js";
import { openSource, readHead } from "./engine/source.js";

export { TokenizerError };

/**
 * @typedef {import("./engine/source.js").Source} Source
 * @typedef {import("./engine/launch.js").Launched} Launched
 * @typedef {{code: string, message: string}} Notice A warning; `code` is stable.
 */

/**
 * @typedef {object} Switches llama.cpp's `add_special` (true) and `parse_special` (false).
 * @property {boolean} [addSpecial]
 * @property {boolean} [parseSpecial]
 */

/**
 * What a file says about its tokenizer.
 * @typedef {object} Info
 * @property {string} name
 * @property {string} type "SPM", "BPE", "WPM", "UGM", "RWKV", "PLAMO2", ...
 * @property {string} model
 * @property {string} pre The pre-tokenizer in use.
 * @property {string | null} file_pre The one that the file names.
 * @property {string} architecture
 * @property {string} kind `general.type`.
 * @property {number} n_vocab
 * @property {number} n_merges
 * @property {number | null} context_length
 * @property {number} added How many tokens `addSpecial` adds.
 * @property {Record<string, number>} special Ids by name: "bos", "eos", ...
 * @property {number[]} eog Ids that end a generation.
 * @property {Record<string, string>} texts Texts of the special tokens, by id.
 * @property {Record<string, boolean>} flags
 * @property {string | null} chat_template
 * @property {Record<string, string>} chat_templates By name.
 * @property {number} gguf_version
 * @property {string} byteorder
 * @property {Notice[]} warnings
 */

/**
 * A text's tokens, one entry a token in each array.
 * @typedef {object} Columns
 * @property {Int32Array} ids
 * @property {Uint16Array} attrs Bits of llama_token_attr.
 * @property {Uint32Array} starts In UTF-16 units.
 * @property {Uint32Array} ends
 * @property {Uint32Array} byte_starts
 * @property {Uint32Array} byte_ends
 * @property {number} characters Length of the text in code points.
 * @property {number} bytes Length of the text in UTF-8.
 * @property {Notice[]} warnings
 */

/**
 * @typedef {object} Count
 * @property {number} tokens
 * @property {number} characters
 * @property {number} bytes
 * @property {boolean} is_utf8
 * @property {Float64Array} [cuts] Where to split, in bytes.
 * @property {Float64Array} [sizes] Of the parts, in tokens.
 */

/**
 * A row of the vocabulary.
 * @typedef {{id: number, text: string, bytes: string, attrs: string[]}} Row `bytes` in hexadecimal.
 * @typedef {Row & {score: number | null, rank: number | null, names: string[], eog: boolean}} Token
 */

/** @typedef {{handle: number, info: Info}} Opened */

const BASE = new URL("./", import.meta.url); // of the site: where worker.js is

/** One worker with Python in it; many tokenizers can live in one. */
export class Runtime extends EventTarget {
  /** @type {WorkerLink} */
  #link;
  /** @type {Set<Tokenizer>} */
  #tokenizers = new Set();
  /** What the worker does while it starts, in words; empty once it has started. */
  stage = "";

  /**
   * Events: "progress" (detail.stage), "started" (detail.how, .ms), "dead" (detail.error).
   * @param {Launched} launched The first worker, if it was started before.
   */
  constructor(launched = launch(BASE)) {
    super();
    this.#link = this.#connected(launched);
  }

  /** @param {Launched} launched */
  #connected(launched) {
    return new WorkerLink(launched, ({ event, ...detail }) => {
      this.stage = event === "progress" ? detail.stage : "";
      this.dispatchEvent(new CustomEvent(event, { detail }));
    });
  }

  /**
   * Call a method of pyodide_tok.page.bridge.
   * @param {string} method
   * @param {object} [params]
   * @param {Transferable[]} [transfer]
   */
  call(method, params, transfer) {
    return this.#link.call(method, params, transfer);
  }

  /**
   * A tokenizer from a file, a buffer or an address; `pre` overrides `tokenizer.ggml.pre`.
   * @param {Source} source
   * @param {{pre?: string | null}} options
   */
  load(source, { pre = null } = {}) {
    return this.#add(() => this.#open(source, pre));
  }

  /**
   * A built-in vocabulary: from the memory snapshot if it is there, else from its file.
   * @param {string} name
   * @param {string | URL} url
   */
  loadBuiltin(name, url) {
    return this.#add(async () => (await this.call("preloaded", { name })) ?? this.#open(url, null));
  }

  /** @param {() => Promise<Opened>} open */
  async #add(open) {
    const tokenizer = new Tokenizer(this, open);
    await tokenizer.loaded();
    this.#tokenizers.add(tokenizer);
    return tokenizer;
  }

  /**
   * @param {Source} source
   * @param {string | null} pre
   * @returns {Promise<Opened>}
   */
  async #open(source, pre) {
    const { name, blob } = await openSource(source);
    return readHead(blob, (head, complete) => this.call("load", { head, name, complete, pre }, [head]));
  }

  /** End the worker, whatever it does, start another, and load every living tokenizer again. */
  async restart() {
    this.#link.close();
    this.#link = this.#connected(launch(BASE));
    await Promise.all([...this.#tokenizers].map((tokenizer) => tokenizer.reload()));
  }

  /** @param {Tokenizer} tokenizer */
  forget(tokenizer) {
    this.#tokenizers.delete(tokenizer);
  }

  dispose() {
    this.#tokenizers.clear();
    this.#link.close({ code: "disposed", message: "This tokenizer was disposed of." });
  }
}

export class Tokenizer {
  #runtime;
  #open;
  /** @type {Promise<Opened>} */
  #opened; // calls wait while a new worker loads the model again
  /** @type {Info} */
  info = /** @type {any} */ (undefined); // `Runtime` gives a tokenizer away when it is loaded

  /**
   * @param {Runtime} runtime
   * @param {() => Promise<Opened>} open
   */
  constructor(runtime, open) {
    this.#runtime = runtime;
    this.#open = open;
    this.#opened = open();
  }

  async loaded() {
    this.info = (await this.#opened).info;
  }

  /** Load the model into the runtime's present worker. */
  reload() {
    this.#opened = this.#open();
    return this.loaded();
  }

  /**
   * @param {string} method
   * @param {object} [params]
   */
  async #call(method, params) {
    const { handle } = await this.#opened;
    return this.#runtime.call(method, { handle, ...params });
  }

  /**
   * @param {string} text
   * @param {Switches} switches
   * @returns {Promise<Columns>}
   */
  tokenize(text, switches = {}) {
    return this.#call("encode", { text, ...named(switches) });
  }

  /**
   * @param {string} text
   * @param {Switches} [switches]
   */
  async encode(text, switches) {
    return (await this.tokenize(text, switches)).ids;
  }

  /**
   * @param {string} text
   * @param {Switches} switches
   * @returns {Promise<number>}
   */
  count(text, switches = {}) {
    return this.#call("count", { text, ...named(switches) });
  }

  /**
   * Count a Blob or File of any size, read slice by slice.
   * @param {Blob} blob
   * @param {Switches & {split?: number, onProgress?: (bytes: number) => void}} options
   *   split: also where to cut the file every so many tokens, BOS and EOS not counted;
   *   onProgress hears how many bytes are read.
   */
  async countFile(blob, { split = 0, onProgress, ...switches } = {}) {
    const { countBlob } = await import("./engine/countblob.js");
    const { handle } = await this.#opened;
    const params = { handle, split, ...named(switches) };
    return countBlob((...message) => this.#runtime.call(...message), blob, params, onProgress);
  }

  /**
   * @param {Iterable<number>} ids
   * @param {{removeSpecial?: boolean, unparseSpecial?: boolean}} options
   * @returns {Promise<string>}
   */
  decode(ids, { removeSpecial = false, unparseSpecial = true } = {}) {
    const options = { remove_special: removeSpecial, unparse_special: unparseSpecial };
    return this.#call("decode", { ids: Int32Array.from(ids), ...options });
  }

  /**
   * The bytes of each id.
   * @param {Iterable<number>} ids
   * @returns {Promise<Uint8Array[]>}
   */
  async pieces(ids) {
    const { bytes, ends } = await this.#call("pieces", { ids: Int32Array.from(ids) });
    return Array.from(ends, (end, i) => bytes.subarray(i ? ends[i - 1] : 0, end));
  }

  /**
   * What the vocabulary says about one id.
   * @param {number} id
   * @returns {Promise<Token>}
   */
  token(id) {
    return this.#call("token", { id });
  }

  /**
   * A page of the tokens that have `query` in their text or as id.
   * how: "contains", "starts", "ends", "exact", "regex" or "bytes" (hex).
   * @param {{query?: string, kind?: string, offset?: number, limit?: number, how?: string}} options
   * @returns {Promise<{total: number, rows: Row[]}>}
   */
  search({ query = "", kind = "", offset = 0, limit = 100, how = "contains" } = {}) {
    return this.#call("search", { query, kind, offset, limit, how });
  }

  /**
   * The problems of the model's file, worst first; none for a good file.
   * @returns {Promise<{code: string, severity: string, message: string, fix: string}[]>}
   */
  problems() {
    return this.#call("problems", {});
  }

  /**
   * How a text is split, step by step: see pyodide_tok/explain/trace.py. A long text in part only.
   * @param {string} text
   * @param {Switches} switches
   * @returns {Promise<any>}
   */
  async explain(text, switches = {}) {
    return JSON.parse(await this.#call("explain", { text, ...named(switches) }));
  }

  /** Free the model's memory. */
  dispose() {
    this.#runtime.forget(this);
    this.#call("unload").catch(() => {}); // a dead worker has freed it already
  }
}

/**
 * As Python names them.
 * @param {Switches} switches
 */
function named({ addSpecial = true, parseSpecial = false }) {
  return { add_special: addSpecial, parse_special: parseSpecial };
}

/** @type {Runtime | undefined} */
let shared;

function sharedRuntime() {
  shared ??= new Runtime();
  return shared;
}

/**
 * A tokenizer. One worker serves all, unless a `runtime` is given.
 * @param {{gguf: Source, pre?: string | null, runtime?: Runtime}} options
 */
export function createTokenizer({ gguf, pre = null, runtime = sharedRuntime() }) {
  return runtime.load(gguf, { pre });
}
