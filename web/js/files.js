// The Files view: tokens of text files, one row each, counted by a few workers.

import { byId, element, listTexts, number, setState, showError, tableRows } from "./page.js";
import { Pool } from "./pool.js";
import { inUnits } from "./sizes.js";
import { loadSheet } from "./sheets.js";
import { Splitting } from "./split.js";

const LARGEST = 100e6; // bytes
const HEADINGS = ["file", "bytes", "tokens", "characters", "characters_per_token", "state"];

/** session: {model, models, source, text, switches()}. */
export function create(session) {
  loadSheet("files.css");
  const [body, total, notes, progress] = ["file-rows", "files-total", "files-notes", "files-progress"].map(byId);
  const [stop, again, copy, clear, picker] = ["files-stop", "files-again", "files-copy", "files-clear", "text-files"].map(byId);
  const rows = [];
  const splitting = new Splitting(session, rows);
  let pool = null;
  let queue = [];

  function add(files) {
    const added = [...files].map((file) => new Row(file));
    for (const row of added) body.append(row.element);
    rows.push(...added);
    splitting.list();
    return count(added);
  }

  async function count(wanted) {
    for (const row of wanted) row.wait();
    queue.push(...wanted.filter(({ state }) => state === "waiting"));
    show();
    if (pool || !queue.length) return;
    const { models, source } = session;
    const { pre } = models;
    const switches = session.switches();
    const [name, counted] = [source.name, key()];
    pool = new Pool((runtime) => source.load(pre, runtime));
    await pool.run(queue, async (row, tokenizer) => {
      const error = await row.count(tokenizer, { ...switches, key: counted }, show);
      show();
      return error;
    });
    pool = null;
    show();
    setState("ready", `Counted with ${name}`);
  }

  function show() {
    const done = rows.filter(({ result }) => result);
    const busy = rows.filter(({ state }) => state === "waiting" || state === "counting");
    const [read, all] = [sum(busy.concat(done), "read"), sum(busy.concat(done), "size")];
    [progress.hidden, stop.hidden] = [!busy.length, !busy.length];
    progress.value = all ? read / all : 0;
    total.textContent = rows.length ? `${number(done.length)} of ${number(rows.length)} counted` : "";
    byId("file-sum").replaceChildren(...tableRows(rows.length > 1 ? [totals(done)] : []));
    again.hidden = Boolean(busy.length) || !rows.some((row) => row.isStale(key()));
    [copy.disabled, clear.disabled] = [!done.length, !rows.length];
    byId("files-empty").hidden = rows.length > 0;
    byId("files-table").hidden = !rows.length;
  }

  /** What counts depend on besides the file. */
  function key() {
    return JSON.stringify([session.source.key, session.models.pre, session.switches()]);
  }

  function halt() {
    for (const row of queue.splice(0)) row.stopped();
    pool?.stop();
  }

  function addPicked() {
    add(picker.files);
    picker.value = ""; // so that the same files can be chosen again
  }

  picker.addEventListener("change", addPicked);
  stop.addEventListener("click", halt);
  again.addEventListener("click", () => count(rows.filter((row) => row.isStale(key()))));
  clear.addEventListener("click", () => {
    halt();
    rows.length = 0;
    body.replaceChildren();
    splitting.list();
    show();
  });
  copy.addEventListener("click", () =>
    navigator.clipboard.writeText(csv(rows)).then(() => setState("ready", "Copied: CSV"), showError),
  );
  if (picker.files.length) addPicked(); // chosen before this module was there
  return {
    refresh() {
      if (!pool) show();
    },
    receive({ files, words }) {
      listTexts(notes, words);
      return add(files);
    },
  };
}

class Row {
  state = "waiting";
  result = null;
  read = 0;
  #cells = Array.from({ length: 6 }, () => element("td"));
  #key = "";

  constructor(file) {
    this.file = file;
    this.size = file.size;
    const head = element("th", file.name);
    head.scope = "row";
    this.element = element("tr", head, ...this.#cells);
    this.#cells[0].textContent = inUnits(file.size);
  }

  /** To be counted, unless it is too large. */
  wait() {
    [this.result, this.read] = [null, 0];
    if (this.size > LARGEST) this.#say("refused", `over ${inUnits(LARGEST)}: split it, or use pyodide-tok count`);
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
      this.result = await loaded.countFile(this.file, { ...switches, onProgress: (read) => this.#progress(read, onProgress) });
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
    const { tokens, characters, bytes } = this.result ?? {};
    const told = this.result ? [number(tokens), number(characters), number(bytes), ratio(this.result)] : Array(4).fill("");
    this.#cells.slice(1).forEach((cell, i) => (cell.textContent = [...told, words][i]));
  }
}

/** The cells of the last row: all that have been counted. */
function totals(done) {
  const all = { size: sum(done, "size"), tokens: 0, characters: 0, bytes: 0 };
  for (const { result } of done) {
    for (const name of ["tokens", "characters", "bytes"]) all[name] += result[name];
  }
  return ["total", inUnits(all.size), number(all.tokens), number(all.characters), number(all.bytes), ratio(all), ""];
}

function ratio({ characters, tokens }) {
  return tokens ? (characters / tokens).toFixed(2) : "";
}

function sum(rows, name) {
  return rows.reduce((all, row) => all + row[name], 0);
}

function csv(rows) {
  const lines = rows.map(({ file, size, result, words }) => {
    const { tokens = "", characters = "" } = result ?? {};
    return [quoted(file.name), size, tokens, characters, result ? ratio(result) : "", quoted(words)].join(",");
  });
  return [HEADINGS.join(","), ...lines].join("\r\n");
}

function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}
