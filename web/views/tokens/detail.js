// What is known of one token: the one under the pointer, else the one that was chosen by a click,
// a tap or the arrow keys.

import { definitions, number, page } from "../../shell/page.js";
import { pieceLabel, shown } from "../../tokens/glyphs.js";
import { markToken } from "../../tokens/marks.js";
import { codePoints } from "../../tokens/positions.js";
import { walk } from "../../tokens/walk.js";

const HINT = page.detail.textContent;

export class Detail {
  #view;
  #tokenizer = null;
  #facts = new Map();
  #chosen = -1;
  #shown = -1;

  /** view: the TokenView whose tokens are told of. */
  constructor(view, root) {
    this.#view = view;
    const tokenAt = ({ target }) => target.closest?.("[data-id]");
    root.addEventListener("pointerover", (event) => {
      const element = event.pointerType === "mouse" && tokenAt(event);
      if (element) this.#show(view.indexOf(element));
    });
    root.addEventListener("pointerleave", () => this.#show(this.#chosen));
    root.addEventListener("click", (event) => {
      const element = tokenAt(event);
      if (element) this.#choose(view.indexOf(element));
    });
    root.addEventListener("keydown", (event) => this.#onKey(event));
    root.addEventListener("focus", () => {
      if (this.#chosen < 0 && root.matches(":focus-visible")) this.#walkTo(0);
    });
  }

  /** Other tokens are shown now: forget what was chosen. */
  reset(tokenizer) {
    if (tokenizer !== this.#tokenizer) this.#facts.clear();
    this.#tokenizer = tokenizer;
    this.#forget();
  }

  #forget() {
    this.#chosen = -1;
    this.#show(-1);
  }

  #choose(i) {
    this.#chosen = i === this.#chosen ? -1 : i;
    this.#show(i);
  }

  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return this.#forget();
    const next = walk(this.#view, this.#chosen, event.key);
    if (next === null) return;
    event.preventDefault();
    this.#walkTo(next);
  }

  async #walkTo(i) {
    if (!this.#view.columns.ids.length) return;
    this.#chosen = i;
    this.#view.elementOf(i).scrollIntoView({ block: "nearest" });
    const facts = await this.#show(i);
    if (facts && this.#chosen === i) page.spoken.textContent = this.#sentence(i, facts);
  }

  /** Show token i (-1: none), at once what the columns tell, then what the vocabulary says. */
  async #show(i) {
    this.#shown = i;
    const { ids, starts, ends } = this.#view.columns;
    if (i < 0 || i >= ids.length) {
      markToken(null);
      page.detail.textContent = HINT;
      return null;
    }
    markToken({ id: ids[i], start: starts[i], end: ends[i] });
    const facts = await this.#learn(ids[i]);
    if (facts && this.#shown === i) this.#draw(i, facts);
    return facts;
  }

  /** The facts of an id, asked for once; null if they cannot be had now. */
  async #learn(id) {
    const known = this.#facts;
    if (!known.has(id)) known.set(id, this.#tokenizer.token(id));
    return known.get(id).catch(() => {
      known.delete(id);
      return null;
    });
  }

  #draw(i, facts) {
    const piece = document.createElement("span");
    piece.className = `tok ${tint(this.#view.elementOf(i))}`;
    piece.textContent = shown(label(facts));
    const list = document.createElement("dl");
    list.append(...definitions(this.#entries(i, facts)));
    page.detail.replaceChildren(piece, list);
  }

  #entries(i, facts) {
    const { ids, byte_starts: from, byte_ends: to } = this.#view.columns;
    const [start, end] = this.#characters(i);
    const same = ids.reduce((sum, id) => sum + (id === facts.id), 0);
    return [
      ["id", facts.id],
      ["token", facts.text],
      ["bytes", facts.bytes || "none"],
      ["kind", kind(facts)],
      ["merge rank", facts.rank?.toLocaleString("en-US")],
      ["score", facts.score?.toPrecision(6)],
      ["characters", range(start, end)],
      ["bytes of the text", range(from[i], to[i])],
      ["place", `${number(i + 1)} of ${number(ids.length)}`],
      ["of this id", same > 1 && number(same)],
    ];
  }

  /** Where token i lies, in code points. */
  #characters(i) {
    const { starts, ends } = this.#view.columns;
    const before = codePoints(this.#view.text.slice(0, starts[i]));
    return [before, before + codePoints(this.#view.text.slice(starts[i], ends[i]))];
  }

  #sentence(i, facts) {
    const { length } = this.#view.columns.ids;
    return `${shown(label(facts))}, id ${facts.id}, ${kind(facts)}, token ${i + 1} of ${length}`;
  }
}

/** The class of an element's tint. */
function tint({ className }) {
  return className.match(/\bc\d\b/)?.[0] ?? "";
}

function label({ bytes, text }) {
  if (!bytes) return text;
  return pieceLabel(Uint8Array.from(bytes.split(" "), (hex) => parseInt(hex, 16)));
}

function kind({ attrs, names, eog }) {
  const all = [...attrs, ...names.map((name) => name.toUpperCase().replace("_", " "))];
  return [...all, ...(eog ? ["ends generation"] : [])].join(", ") || "undefined";
}

function range(start, end) {
  return start === end ? `at ${number(start)}` : `${number(start)}–${number(end)}`;
}
