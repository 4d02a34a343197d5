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

const BASE = new URL("./", import.meta.url); // of the site: where worker.js is

/** One worker with Python in it; many tokenizers can live in one. */
export class Runtime extends EventTarget {
  #link;
  #tokenizers = new Set();

  /**
   * Events: "progress" (detail.stage), "started" (detail.how, .ms), "dead" (detail.error).
   * launched: the first worker, if it was started before (launch.js).
   */
  constructor(launched = launch(BASE)) {
    super();
    this.#connect(launched);
  }

  #connect(launched) {
    this.#link = new WorkerLink(launched, ({ event, ...detail }) => {
      /** What the worker does while it starts, in words; empty once it has. */
      this.stage = event === "progress" ? detail.stage : "";
      this.dispatchEvent(new CustomEvent(event, { detail }));
    });
  }

  call(method, params, transfer) {
    return this.#link.call(method, params, transfer);
  }

  /** A tokenizer from a File, Blob, ArrayBuffer or address; pre overrides tokenizer.ggml.pre. */
  load(source, { pre = null } = {}) {
    return this.#add(() => this.#open(source, pre));
  }

  /** A built-in vocabulary: the one in the memory snapshot if it is there, else from its file. */
  loadBuiltin(name, url) {
    return this.#add(async () => (await this.call("preloaded", { name })) ?? this.#open(url, null));
  }

  async #add(open) {
    const tokenizer = new Tokenizer(this, open);
    await tokenizer.reload();
    this.#tokenizers.add(tokenizer);
    return tokenizer;
  }

  async #open(source, pre) {
    const { name, blob } = await openSource(source);
    return readHead(blob, (head, complete) => this.call("load", { head, name, complete, pre }, [head]));
  }

  /** End the worker, whatever it does, start another, and load every living tokenizer again. */
  async restart() {
    this.#link.close();
    this.#connect(launch(BASE));
    await Promise.all([...this.#tokenizers].map((tokenizer) => tokenizer.reload()));
  }

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
  #opened; // a promise: calls wait while a new worker loads the model again

  constructor(runtime, open) {
    this.#runtime = runtime;
    this.#open = open;
  }

  /** Load the model into the runtime's present worker. */
  async reload() {
    this.#opened = this.#open();
    /** What the file says: type, model, pre, special ids, flags, warnings, ... */
    this.info = (await this.#opened).info;
  }

  async #call(method, params) {
    const { handle } = await this.#opened;
    return this.#runtime.call(method, { handle, ...params });
  }

  /**
   * Columns: {ids: Int32Array, attrs: Uint16Array, starts, ends: Uint32Array in UTF-16 units,
   * byte_starts, byte_ends: Uint32Array}; and {characters, bytes} of the text, and {warnings}.
   */
  tokenize(text, { addSpecial = true, parseSpecial = false } = {}) {
    return this.#call("encode", { text, add_special: addSpecial, parse_special: parseSpecial });
  }

  async encode(text, options) {
    return (await this.tokenize(text, options)).ids;
  }

  count(text, { addSpecial = true, parseSpecial = false } = {}) {
    return this.#call("count", { text, add_special: addSpecial, parse_special: parseSpecial });
  }

  /**
   * Of a Blob or File of any size, read slice by slice: {tokens, characters, bytes, is_utf8}.
   * split: also where to cut it every so many tokens, BOS and EOS not counted: {cuts} in bytes,
   * and the {sizes} of the parts in tokens. onProgress(bytes) tells how many are read.
   */
  async countFile(blob, { addSpecial = true, parseSpecial = false, split = 0, onProgress } = {}) {
    const { countBlob } = await import("./engine/countblob.js");
    const { handle } = await this.#opened;
    const params = { handle, add_special: addSpecial, parse_special: parseSpecial, split };
    return countBlob((...message) => this.#runtime.call(...message), blob, params, onProgress);
  }

  decode(ids, { removeSpecial = false, unparseSpecial = true } = {}) {
    const options = { remove_special: removeSpecial, unparse_special: unparseSpecial };
    return this.#call("decode", { ids: Int32Array.from(ids), ...options });
  }

  /** The bytes of each id: an array of Uint8Array. */
  async pieces(ids) {
    const { bytes, ends } = await this.#call("pieces", { ids: Int32Array.from(ids) });
    return Array.from(ends, (end, i) => bytes.subarray(i ? ends[i - 1] : 0, end));
  }

  /** One id of the vocabulary: {id, text, bytes (hex), attrs, score, rank, names, eog}. */
  token(id) {
    return this.#call("token", { id });
  }

  /** A page of the tokens that have `query` in their text or as id: {total, rows}. */
  search({ query = "", kind = "", offset = 0, limit = 100 } = {}) {
    return this.#call("search", { query, kind, offset, limit });
  }

  /** How a text is split, step by step: see pyodide_tok/explain/trace.py. A long text in part only. */
  async explain(text, { addSpecial = true, parseSpecial = false } = {}) {
    const options = { add_special: addSpecial, parse_special: parseSpecial };
    return JSON.parse(await this.#call("explain", { text, ...options }));
  }

  /** Free the model's memory. */
  dispose() {
    this.#runtime.forget(this);
    this.#call("unload").catch(() => {}); // a dead worker has freed it already
  }
}

let shared;

/** A tokenizer; `gguf`: File, Blob, ArrayBuffer, typed array or address. One worker serves all. */
export function createTokenizer({ gguf, pre = null, runtime = (shared ??= new Runtime()) }) {
  return runtime.load(gguf, { pre });
}
