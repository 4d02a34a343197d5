// The Files view: tokens of text files, one row each, counted by a few workers.

import { Pool } from "../../engine/pool.js";
import { readBytes } from "../../engine/source.js";
import { byId, element, listTexts, number, setState, showError, tableRows } from "../../shell/page.js";
import { keep, kept } from "../../shell/session.js";
import { inUnits } from "../../shell/sizes.js";
import { shown } from "../../tokens/glyphs.js";
import { sniff, sorted } from "./sniff.js";
import { Splitting } from "./split.js";

const LARGEST = 100e6; // bytes
const HEAD = 8192; // bytes that tell a text from other files
const VALUES = {
  // of a row, by column; undefined if there is none yet
  name: ({ name }) => name,
  size: ({ size }) => size,
  tokens: ({ result }) => result?.tokens,
  characters: ({ result }) => result?.characters,
  ratio: ({ result }) => (result?.tokens ? result.characters / result.tokens : undefined),
};
const HEADINGS = ["file", "bytes", "tokens", "characters", "characters_per_token", "state"];

/** session: {model, models, source, text, switches()}. */
export function create(session) {
  return new FilesView(session);
}

class FilesView {
  #session;
  #rows = [];
  #queue = [];
  #pool = null;
  #splitting;
  #picker = byId("text-files");

  constructor(session) {
    this.#session = session;
    this.#splitting = new Splitting(session, this.#rows);
    const rows = this.#rows;
    const onClick = {
      "files-stop": () => this.#stop(),
      "files-again": () => this.#count(rows.filter((row) => row.isStale(this.#key()))),
      "files-clear": () => this.#clear(),
      "files-copy": () => copy(rows),
    };
    for (const [id, handle] of Object.entries(onClick)) byId(id).addEventListener("click", handle);
    this.#picker.addEventListener("change", () => this.#addPicked());
    byId("files-columns").addEventListener("click", ({ target }) => this.#sort(target.dataset.column));
    this.#put((kept("files") ?? []).map((row) => Row.kept(row)));
    if (this.#picker.files.length) this.#addPicked(); // chosen before this module was there
  }

  refresh() {
    if (!this.#pool) this.#show();
  }

  receive({ files, words }) {
    listTexts(byId("files-notes"), words);
    this.#add(files);
  }

  #addPicked() {
    this.#add(this.#picker.files);
    this.#picker.value = ""; // so that the same files can be chosen again
  }

  #add(files) {
    const added = [...files].map((file) => new Row(file));
    this.#put(added);
    this.#count(added);
  }

  #put(added) {
    byId("file-rows").append(...added.map((row) => row.element));
    this.#rows.push(...added);
    this.#splitting.list();
  }

  /** Sort by a column: largest first, then the other way round. */
  #sort(column) {
    if (!column) return;
    const heading = byId("files-columns").querySelector(`[data-column=${column}]`).closest("th");
    const descending =
      (heading.ariaSort ?? (column === "name" ? "descending" : "ascending")) !== "descending";
    for (const other of byId("files-columns").children) other.removeAttribute("aria-sort");
    heading.ariaSort = descending ? "descending" : "ascending";
    this.#rows.splice(0, Infinity, ...sorted(this.#rows, VALUES[column], descending));
    byId("file-rows").append(...this.#rows.map((row) => row.element));
    this.#splitting.list();
  }

  #count(wanted) {
    for (const row of wanted) row.wait();
    this.#queue.push(...wanted.filter(({ state }) => state === "waiting"));
    this.#show();
    if (!this.#pool && this.#queue.length) this.#runPool().catch(showError);
  }

  /** Count what waits, and what comes to it meanwhile, with the model and switches of now. */
  async #runPool() {
    const { models, source } = this.#session;
    const { pre } = models;
    const options = { ...this.#session.switches(), key: this.#key(), model: source.label };
    let counted = 0;
    this.#pool = new Pool((runtime) => source.load(pre, runtime));
    try {
      await this.#pool.run(this.#queue, async (row, tokenizer) => {
        const error = await row.count(tokenizer, options, () => this.#show());
        if (!error) counted++;
        this.#show();
        return error;
      });
    } finally {
      this.#pool = null;
      this.#show();
    }
    if (counted) setState("ready", `${number(counted)} counted with ${source.name}`);
  }

  #stop() {
    for (const row of this.#queue.splice(0)) row.stopped();
    this.#pool?.stop();
  }

  #clear() {
    this.#stop();
    this.#rows.length = 0;
    byId("file-rows").replaceChildren();
    this.#splitting.list();
    this.#show();
  }

  #show() {
    const rows = this.#rows;
    const done = rows.filter(({ result }) => result);
    const busy = rows.filter(({ state }) => state === "waiting" || state === "counting");
    const [read, all] = ["read", "size"].map((name) => sum(busy.concat(done), name));
    const progress = byId("files-progress");
    progress.hidden = byId("files-stop").hidden = !busy.length;
    progress.value = all ? read / all : 0;
    byId("files-total").textContent = rows.length
      ? `${number(done.length)} of ${number(rows.length)} counted`
      : "";
    byId("file-sum").replaceChildren(...tableRows(rows.length > 1 ? [totals(done)] : []));
    const most = Math.max(1, ...done.map(({ result }) => result.tokens));
    for (const row of rows) row.mark(this.#key(), most);
    keep("files", () => rows.map((row) => row.memory));
    byId("files-again").hidden = Boolean(busy.length) || !rows.some((row) => row.isStale(this.#key()));
    byId("files-copy").disabled = !done.length;
    byId("files-clear").disabled = byId("files-table").hidden = !rows.length;
    byId("files-empty").hidden = rows.length > 0;
  }

  /** What counts depend on besides the file. */
  #key() {
    const { source, models } = this.#session;
    return JSON.stringify([source.key, models.pre, this.#session.switches()]);
  }
}

class Row {
  state = "waiting";
  result = null;
  read = 0;
  #cells = Array.from({ length: 5 }, () => element("td"));
  #key = "";
  #model = "";

  /** file: of which at least {name, size} are known. */
  constructor(file) {
    this.file = file;
    this.name = file.name;
    this.size = file.size;
    const head = element("th", file.name);
    head.scope = "row";
    this.element = element("tr", head, ...this.#cells);
    this.#cells[0].textContent = inUnits(file.size);
    this.#cells[0].title = `${number(file.size)} bytes`;
  }

  /** A row of before a reload: its count is known, its file has to be chosen again. */
  static kept({ name, size, result, words, key, model }) {
    const row = new Row({ name, size });
    row.result = result;
    [row.#key, row.#model] = [key, model];
    row.#say(result ? "done" : "stopped", result ? words : "choose the file again");
    return row;
  }

  /** What a reload keeps of it. */
  get memory() {
    const { name, size, result, words } = this;
    return { name, size, result, words, key: this.#key, model: this.#model };
  }

  get #isHere() {
    return this.file instanceof Blob;
  }

  /** To be counted, unless it is too large. */
  wait() {
    if (!this.#isHere) return this.#say("stopped", "choose the file again");
    [this.result, this.read] = [null, 0];
    if (this.size > LARGEST)
      this.#say("refused", `over ${inUnits(LARGEST)}: split it, or use pyodide-tok count`);
    else this.#say("waiting", "waiting");
  }

  stopped() {
    this.#say("stopped", "stopped");
  }

  /** Whether it was not counted, or with another model or other switches. */
  isStale(key) {
    return this.state !== "refused" && this.#key !== key;
  }

  /** Draw its bar; say so if its count is of another model than the one in use. */
  mark(key, most) {
    const isOld = Boolean(this.result) && this.#key !== key;
    this.element.toggleAttribute("data-stale", isOld);
    this.#cells[4].textContent = shown(isOld ? `${this.words}; counted with ${this.#model}` : this.words);
    const share = this.result ? (100 * this.result.tokens) / most : 0;
    this.#cells[1].style.backgroundSize = `${share}% 3px`;
  }

  /** The error that it ended with, if any. */
  async count(tokenizer, { key, model, ...switches }, onProgress) {
    this.#say("counting", "reading the model");
    let encoding = "utf-8";
    try {
      const loaded = await tokenizer;
      const found = sniff(new Uint8Array(await readBytes(this.file.slice(0, HEAD))));
      if (found.binary) return this.#say("refused", `${found.binary}, not a text`);
      encoding = found.encoding;
      this.result = await loaded.countFile(await inUtf8(this.file, encoding), {
        ...switches,
        onProgress: (read) => this.#progress(read, onProgress),
      });
    } catch (error) {
      if (error.code === "disposed") this.stopped();
      else this.#say("failed", error.message);
      return error;
    }
    [this.#key, this.#model] = [key, model];
    if (encoding !== "utf-8") this.#say("done", `done; read as ${encoding.toUpperCase()}`);
    else this.#say("done", this.result.is_utf8 ? "done" : "done; not UTF-8: its bytes were counted");
  }

  #progress(read, onProgress) {
    this.read = read;
    this.#say("counting", read < this.size ? `${Math.round((100 * read) / this.size)} %` : "counting");
    onProgress();
  }

  #say(state, words) {
    this.state = state;
    this.words = words;
    this.element.dataset.state = state;
    const told = this.result ? facts(this.result) : ["", "", ""];
    for (const [i, text] of [...told, shown(words)].entries()) this.#cells[i + 1].textContent = text;
  }
}

/** A file as UTF-8, without its byte order mark if it has another encoding. */
async function inUtf8(file, encoding) {
  if (encoding === "utf-8") return file;
  return new Blob([new TextDecoder(encoding).decode(await readBytes(file))]);
}

function facts({ tokens, characters }) {
  return [number(tokens), number(characters), ratio({ tokens, characters })];
}

/** The cells of the last row: all that have been counted. */
function totals(done) {
  const results = done.map(({ result }) => result);
  const all = { tokens: sum(results, "tokens"), characters: sum(results, "characters") };
  return ["total", inUnits(sum(done, "size")), ...facts(all), ""];
}

function ratio({ characters, tokens }) {
  return tokens ? (characters / tokens).toFixed(2) : "";
}

function sum(rows, name) {
  return rows.reduce((all, row) => all + row[name], 0);
}

function copy(rows) {
  return navigator.clipboard.writeText(csv(rows)).then(() => setState("ready", "Copied: CSV"), showError);
}

function csv(rows) {
  const lines = rows.map(({ name, size, result, words }) => {
    const { tokens = "", characters = "" } = result ?? {};
    return [quoted(name), size, tokens, characters, result ? ratio(result) : "", quoted(words)].join(",");
  });
  return [HEADINGS.join(","), ...lines].join("\r\n");
}

function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}
