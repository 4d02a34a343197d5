// Which model is in use: built-in vocabularies, files, addresses, and the change between them.

import { hideError, page, setState, showError } from "./page.js";
import { listPre } from "./pre.js";
import { runtime } from "./runtime.js";
import { SAMPLES, sampleUrl } from "./samples.js";

const FILE = "file "; // the keys of files begin with this

/** What can be loaded again: a file, a file by its handle, or an address. */
function sourceOf({ key, name, file, handle, url }) {
  const open = async () => file ?? url ?? (await import("./recent.js")).fileOf(handle);
  const load = async (pre, on = runtime) => on.load(await open(), { pre });
  return { key, name, handle, url, load };
}

function nameOf(url) {
  return url.split(/[?#]/)[0].split("/").pop() || url;
}

function builtin({ name, label, facts }) {
  const url = sampleUrl(name);
  const load = (pre, on = runtime) => (pre ? on.load(url, { pre }) : on.loadBuiltin(name, url));
  return { key: name, name, label, facts, builtin: true, load };
}

export class Models {
  /** The tokenizer in use, or null while the first one loads. */
  current = null;
  /** The pre-tokenizer that was chosen in place of the file's own, or null. */
  pre = null;
  #sources = new Map(); // by key: {key, name, label, load(pre, runtime), ...}
  #chosen = null;
  #tried = null;
  #newest = 0;
  #expected = null; // {name, pre} of a file that a link asks for
  #onChange;

  /** onChange(): called when another model is in use. */
  constructor(onChange) {
    this.#onChange = onChange;
    for (const sample of SAMPLES) this.#add(builtin(sample));
    page.choosePre.addEventListener("submit", (event) => {
      event.preventDefault();
      this.useWith(page.otherPre.value);
    });
  }

  /** The source of the model in use: {key, name, label, load}. */
  get source() {
    return this.#chosen;
  }

  /** How many models were wished for so far: a newer wish goes before one that takes its time. */
  get wishes() {
    return this.#newest;
  }

  /** All sources that can be chosen: {key, name, label, load}. */
  get sources() {
    return [...this.#sources.values()];
  }

  /** A built-in vocabulary, or what was loaded before, by its key; an unknown key means the first. */
  async use(key, pre = null) {
    const wish = ++this.#newest;
    const known = this.#sources.get(key) ?? (key?.startsWith(FILE) && (await this.#recalled(key)));
    if (wish === this.#newest) return this.#use(known || this.sources[0], pre);
  }

  /** Whether the model of a key can be loaded without asking anybody. */
  async has(key) {
    return this.#sources.has(key) || !key.startsWith(FILE) || Boolean(await this.#recalled(key));
  }

  /** A source of that name, if one is listed. */
  named(name) {
    return this.sources.find((source) => source.name === name);
  }

  /** The source that was kept or linked as {key, name, url}; of a file that is not here, one that says so. */
  resolve({ key, name, url }) {
    const known = this.#sources.get(key) ?? this.named(name);
    if (known) return known;
    if (url) return this.#add(sourceOf({ key: `url ${url}`, name: nameOf(url), url }));
    const load = async () => {
      throw new Error(`Open ${name} to compare it: the file is not open here.`);
    };
    return this.#add({ key, name, load });
  }

  /** A file is asked for: when one of that name is opened, `pre` is for it. */
  expect(name, pre) {
    this.#newest++; // what is on its way is not wanted
    this.#expected = { name, pre };
    this.current?.dispose();
    this.current = this.#chosen = null;
  }

  /** List the models of earlier visits, too. */
  async listRecent() {
    const { recent } = await import("./recent.js");
    for (const kept of await recent()) {
      if (!this.#sources.has(kept.key)) this.#add(sourceOf(kept));
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

  /** The GGUF file at an address, of which only the header is read. */
  useUrl(url, pre = null) {
    return this.#use(sourceOf({ key: `url ${url}`, name: nameOf(url), url }), pre);
  }

  /** handle: of the file, in browsers that have handles; then the file is remembered. */
  useFile(file, handle, pre = null) {
    const { name, size, lastModified } = file; // tells files of one name apart
    const wanted = this.#expected?.name === name ? this.#expected.pre : null;
    const source = sourceOf({ key: `${FILE}${name} ${size} ${lastModified}`, name, file, handle });
    return this.#use(source, pre ?? wanted);
  }

  /** The model that was tried last, with another pre-tokenizer than its own. */
  useWith(pre) {
    return this.#use(this.#tried, pre);
  }

  /** Load a source's model; the one before stays if that fails or a newer wish comes. */
  async #use(source, pre) {
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
    this.#expected = null;
    this.current?.dispose();
    this.current = loaded;
    this.pre = pre;
    const known = this.#sources.get(source.key);
    this.#chosen = this.#add(known ? { ...source, label: known.label } : source);
    this.#onChange();
    if (source.handle || source.url) import("./recent.js").then(({ keep }) => keep(source)).catch(() => {});
  }

  #fail(error, name) {
    showError(error, name);
    if (error.code === "pre-tokenizer-unknown") listPre(page.otherPre, "default", error.details.near);
  }

  /** List a source; a second one of the same name gets a number. */
  #add(source) {
    const before = this.sources.filter(({ name }) => name === source.name).length;
    const label = source.label ?? (before ? `${source.name} (${before + 1})` : source.name);
    const listed = { ...source, label };
    this.#sources.set(source.key, listed);
    return listed;
  }
}
