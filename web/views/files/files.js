// The Files view: tokens of text files, one row each, counted by a few workers.

import { Pool } from "../../engine/pool.js";
import { byId, element, listTexts, number, setState, showError, tableRows } from "../../shell/page.js";
import { inUnits } from "../../shell/sizes.js";
import { shown } from "../../tokens/glyphs.js";
import { Splitting } from "./split.js";

const LARGEST = 100e6; // bytes
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
    byId("file-rows").append(...added.map((row) => row.element));
    this.#rows.push(...added);
    this.#splitting.list();
    this.#count(added);
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
    const options = { ...this.#session.switches(), key: this.#key() };
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

  constructor(file) {
    this.file = file;
    this.size = file.size;
    const head = element("th", file.name);
    head.scope = "row";
    this.element = element("tr", head, ...this.#cells);
    this.#cells[0].textContent = inUnits(file.size);
    this.#cells[0].title = `${number(file.size)} bytes`;
  }

  /** To be counted, unless it is too large. */
  wait() {
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

  /** The error that it ended with, if any. */
  async count(tokenizer, { key, ...switches }, onProgress) {
    this.#say("counting", "reading the model");
    try {
      const loaded = await tokenizer;
      this.result = await loaded.countFile(this.file, {
        ...switches,
        onProgress: (read) => this.#progress(read, onProgress),
      });
    } catch (error) {
      if (error.code === "disposed") this.stopped();
      else this.#say("failed", error.message);
      return error;
    }
    this.#key = key;
    this.#say("done", this.result.is_utf8 ? "done" : "done; not UTF-8: its bytes were counted");
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
  const lines = rows.map(({ file, size, result, words }) => {
    const { tokens = "", characters = "" } = result ?? {};
    return [quoted(file.name), size, tokens, characters, result ? ratio(result) : "", quoted(words)].join(
      ",",
    );
  });
  return [HEADINGS.join(","), ...lines].join("\r\n");
}

function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}
