// A text cut into parts every N tokens, downloaded as one zip.

import { Runtime } from "../client.js";
import { byId, number } from "./page.js";

const MOST = 20_000; // parts

export class Splitting {
  #session;
  #rows;
  #choice = byId("split-what");
  #said = byId("split-says");
  #runtime = null;

  /** rows: of the Files view, as they are: {file}. */
  constructor(session, rows) {
    this.#session = session;
    this.#rows = rows;
    byId("split").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#runtime) this.#end("Stopped.");
      else this.#run(Number(byId("split-size").value));
    });
    this.list();
  }

  /** Offer the files that there are now. */
  list() {
    const files = this.#rows.map(({ file }, i) => new Option(file.name, i + 1));
    this.#choice.replaceChildren(new Option("the text", 0), ...files);
  }

  async #run(size) {
    const runtime = (this.#runtime = new Runtime());
    byId("split-go").textContent = "Stop";
    this.#said.textContent = "Reading the model";
    try {
      const { blob, name } = this.#source();
      const words = await this.#split(runtime, blob, name, size);
      if (this.#runtime === runtime) this.#end(words);
    } catch (error) {
      if (error.code !== "disposed") this.#end(error.message);
    }
  }

  #end(words) {
    this.#runtime.dispose();
    this.#runtime = null;
    byId("split-go").textContent = "Download the parts";
    this.#said.textContent = words;
  }

  #source() {
    const file = this.#rows[this.#choice.value - 1]?.file;
    return file ? { blob: file, name: file.name } : { blob: new Blob([this.#session.text]), name: "text.txt" };
  }

  /** Cut, save, and say what came of it. */
  async #split(runtime, blob, name, size) {
    const { models, source, model } = this.#session;
    const { addSpecial, parseSpecial } = this.#session.switches();
    const added = addSpecial ? model.info.added : 0;
    if (size <= added) return `The model adds ${added} special tokens to each part: choose more than that.`;
    const tokenizer = await source.load(models.pre, runtime);
    const onProgress = (read) => (this.#said.textContent = `${Math.round((100 * read) / blob.size)} %`);
    const { cuts, sizes, tokens } = await tokenizer.countFile(blob, { parseSpecial, split: size - added, onProgress });
    if (!cuts.length) return `It has ${number(tokens + added)} tokens: there is nothing to split.`;
    if (cuts.length >= MOST) return `That makes ${number(sizes.length)} parts: choose more tokens for each.`;
    await save(blob, name, cuts);
    const own = added ? `, ${added} of them special` : "";
    return `${number(sizes.length)} parts of ${number(Math.max(...sizes) + added)} tokens or fewer${own}. On its own, a part may have a token more or less where it was cut.`;
  }
}

/** One zip with the parts of a blob, which are left as they are. */
async function save(blob, name, cuts) {
  const { zipSync } = await import("../vendor/fflate.js");
  const [, stem, ending] = name.match(/^(.*?)(\.[^.]*)?$/s);
  const places = [0, ...cuts, blob.size];
  const width = String(places.length).length;
  const parts = {};
  for (let i = 1; i < places.length; i++) {
    const part = await blob.slice(places[i - 1], places[i]).arrayBuffer();
    parts[`${stem}-${String(i).padStart(width, "0")}${ending ?? ""}`] = new Uint8Array(part);
  }
  const zip = zipSync(parts, { level: 0 });
  download(new Blob([zip], { type: "application/zip" }), `${stem}-parts.zip`);
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
