// Which model is in use: built-in vocabularies, files of the user's own, and the change between.

import { shown } from "../tokens/glyphs.js";
import { hideError, page, setState, showError } from "./page.js";
import { listPre } from "./pre.js";
import { runtime } from "./runtime.js";
import { SAMPLES, sampleUrl } from "./samples.js";

const FILE = "file "; // so begin the keys of files

/** What can be loaded again and again: a file, or one by its handle, or an address. */
function sourceOf({ key, name, file, handle, url }) {
  const open = async () => file ?? url ?? (await import("./recent.js")).fileOf(handle);
  const load = async (pre, on = runtime) => on.load(await open(), { pre });
  return { key, name, handle, url, load };
}

export class Models {
  /** The tokenizer in use, or null while the first is on its way. */
  current = null;
  /** The pre-tokenizer that was chosen for it in place of its own, or null. */
  pre = null;
  #sources = new Map(); // by the value of its option: {key, name, load(pre, runtime), ...}
  #chosen = null;
  #tried = null;
  #newest = 0;
  #onChange;

  /** onChange(): called when another model is in use. */
  constructor(onChange) {
    this.#onChange = onChange;
    for (const { name, label } of SAMPLES) {
      const url = sampleUrl(name);
      const load = (pre, on = runtime) => (pre ? on.load(url, { pre }) : on.loadBuiltin(name, url));
      this.#list({ key: name, name, builtin: true, load }, label);
    }
    page.vocabulary.value = SAMPLES[0].name;
    page.vocabulary.addEventListener("change", () => this.use(page.vocabulary.value));
    page.choosePre.addEventListener("submit", (event) => {
      event.preventDefault();
      this.useWith(page.otherPre.value);
    });
  }

  /** The source of the model in use: {key, name, load}. */
  get source() {
    return this.#chosen;
  }

  /** All sources that can be chosen: {key, name, load}. */
  get sources() {
    return [...this.#sources.values()];
  }

  /** A built-in vocabulary, or what was loaded before, by its key; an unknown one: the first. */
  async use(key) {
    const wish = ++this.#newest;
    const known = this.#sources.get(key) ?? (key?.startsWith(FILE) && (await this.#recalled(key)));
    if (wish === this.#newest) return this.#use(known || this.sources[0]);
  }

  /** List the models of earlier visits, too. */
  async listRecent() {
    const { recent } = await import("./recent.js");
    for (const kept of await recent()) {
      if (!this.#sources.has(kept.key)) this.#list(sourceOf(kept), kept.name);
    }
  }

  /** A file of an earlier visit, if it can be read without asking. */
  async #recalled(key) {
    try {
      const { fileOf, recent } = await import("./recent.js");
      const kept = (await recent()).find((other) => other.key === key);
      await fileOf(kept.handle, false);
      return sourceOf(kept);
    } catch {
      return null;
    }
  }

  /** The GGUF file at an address, of which only the head is read. */
  useUrl(url) {
    const name = url.split(/[?#]/)[0].split("/").pop() || url;
    return this.#use(sourceOf({ key: `url ${url}`, name, url }));
  }

  /** handle: of the file, where the browser has such; then it is remembered. */
  useFile(file, handle) {
    const { name, size, lastModified } = file; // of two files with one name, each is itself
    return this.#use(sourceOf({ key: `${FILE}${name} ${size} ${lastModified}`, name, file, handle }));
  }

  /** The model that was tried last, with another pre-tokenizer than its own. */
  useWith(pre) {
    return this.#use(this.#tried, pre);
  }

  /** Take the model of a source; the one before stays if it fails or a newer wish comes. */
  async #use(source, pre = null) {
    const wish = ++this.#newest;
    this.#tried = source;
    hideError();
    setState(this.current ? "busy" : "starting", `Reading the vocabulary of ${source.name}`);
    let loaded;
    try {
      loaded = await source.load(pre);
    } catch (error) {
      if (wish === this.#newest) this.#fail(error, source.name);
      return;
    }
    if (wish !== this.#newest) return loaded.dispose();
    this.current?.dispose();
    this.current = loaded;
    this.pre = pre;
    this.#chosen = source;
    if (!this.#sources.has(source.key)) this.#list(source, source.name);
    this.#sources.set(source.key, source);
    this.#showChoice();
    this.#onChange();
    if (source.handle || source.url) import("./recent.js").then(({ keep }) => keep(source)).catch(() => {});
  }

  #fail(error, name) {
    showError(error, name);
    this.#showChoice();
    if (error.code === "pre-tokenizer-unknown") listPre(page.otherPre, "default", error.details.near);
  }

  #list(source, label) {
    const before = this.sources.filter(({ name }) => name === source.name).length;
    this.#sources.set(source.key, source);
    page.vocabulary.append(new Option(shown(before ? `${label} (${before + 1})` : label), source.key));
  }

  #showChoice() {
    if (this.#chosen) page.vocabulary.value = this.#chosen.key;
  }
}
