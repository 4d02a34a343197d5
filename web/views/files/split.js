// A text cut into parts every N tokens, downloaded as one zip.

import { Runtime } from "../../client.js";
import { readBytes } from "../../engine/source.js";
import { byId, number } from "../../shell/page.js";
import { inUnits } from "../../shell/sizes.js";
import { shown } from "../../tokens/glyphs.js";

const MOST = 20_000; // parts
const LARGEST = 4e9; // bytes; a zip file of the plain kind has no room for more
const AT_ONCE = 16 << 20; // bytes that are read

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

  /** Offer the files that there are now; the choice stays if it can. */
  list() {
    const { selectedIndex } = this.#choice;
    const names = ["the text", ...this.#rows.map(({ name }) => shown(name))];
    this.#choice.replaceChildren(...names.map((name) => new Option(name)));
    this.#choice.selectedIndex = selectedIndex in names ? selectedIndex : 0;
  }

  async #run(size) {
    const runtime = new Runtime();
    this.#runtime = runtime;
    byId("split-go").textContent = "Stop";
    this.#said.textContent = "Reading the model";
    const words = await this.#split(runtime, size).catch(({ message }) => message);
    if (this.#runtime === runtime) this.#end(words);
  }

  #end(words) {
    this.#runtime.dispose();
    this.#runtime = null;
    byId("split-go").textContent = "Download the parts";
    this.#said.textContent = shown(words);
  }

  #source() {
    const file = this.#rows[this.#choice.selectedIndex - 1]?.file;
    if (file && !(file instanceof Blob)) throw new Error("Choose the file again: this page was reloaded.");
    return file
      ? { blob: file, name: file.name }
      : { blob: new Blob([this.#session.text]), name: "text.txt" };
  }

  /** Cut, save, and say what came of it. */
  async #split(runtime, size) {
    const { blob, name } = this.#source();
    const { models, source, model } = this.#session;
    const { addSpecial, parseSpecial } = this.#session.switches();
    const added = addSpecial ? model.info.added : 0;
    if (blob.size > LARGEST) return `It is over ${inUnits(LARGEST)}, which one zip file cannot hold.`;
    if (size <= added) return `The model adds ${added} special tokens to each part: choose more than that.`;
    const tokenizer = await source.load(models.pre, runtime);
    const onProgress = (read) => (this.#said.textContent = `${Math.round((100 * read) / blob.size)} %`);
    const { cuts, sizes, tokens } = await tokenizer.countFile(blob, {
      parseSpecial,
      split: size - added,
      onProgress,
    });
    if (!cuts.length) return `It has ${number(tokens + added)} tokens: there is nothing to split.`;
    if (cuts.length >= MOST) return `That makes ${number(sizes.length)} parts: choose more tokens for each.`;
    await save(blob, name, cuts, () => this.#runtime === runtime);
    const own = added ? `, ${added} of them special` : "";
    return `${number(sizes.length)} parts of ${number(Math.max(...sizes) + added)} tokens or fewer${own}. On its own, a part may have a token more or less where it was cut.`;
  }
}

/** One zip with the parts of a blob, which are left as they are; given up if it is not wanted. */
async function save(blob, name, cuts, isWanted) {
  const { Zip, ZipPassThrough } = await import("fflate");
  const [, stem, ending] = name.match(/^(.*?)(\.[^.]*)?$/s);
  const places = [0, ...cuts, blob.size];
  const width = String(places.length).length;
  const pieces = []; // Blobs, which the browser can keep outside of its memory
  const zip = new Zip((_, chunk) => pieces.push(new Blob([chunk])));
  for (let i = 1; i < places.length; i++) {
    const part = new ZipPassThrough(`${stem}-${String(i).padStart(width, "0")}${ending ?? ""}`);
    zip.add(part);
    for (let at = places[i - 1]; at < places[i]; at += AT_ONCE) {
      const end = Math.min(at + AT_ONCE, places[i]);
      const data = await readBytes(blob.slice(at, end));
      if (!isWanted()) return;
      part.push(new Uint8Array(data), end === places[i]);
    }
  }
  zip.end();
  download(new Blob(pieces, { type: "application/zip" }), `${stem}-parts.zip`);
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
