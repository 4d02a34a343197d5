// The coloured tokens. Text reaches the page by textContent alone.

import { Blocks } from "./blocks.js";
import { colours } from "./colours.js";
import { cropped, pieceLabel, visible } from "./glyphs.js";
import { cutBlocks, idsWithoutText, sameBlock, segments } from "./segments.js";

const CHARACTER = 8.6; // pixels, to guess the height of what is not drawn yet
const LINE = 30;
const LONG = 100_000; // characters: of a longer text, the tokens of so many ...
const HEAD = 10_000; // ... are shown first
const KINDS = [
  [8, "control"], // llama_token_attr bits
  [16, "user"],
  [32, "byte"],
  [1, "unknown"],
  [2, "unused"],
];

const NOTHING = { text: "", columns: { ids: [], starts: [], ends: [], attrs: [] }, blocks: [] };

export class TokenView {
  #root;
  #blocks;
  #now = NOTHING;
  #options = { view: "text", whitespace: false };
  #labels = new Map();
  #tokenizer = null;
  #marks = null;
  #tints = null; // of the block that is being drawn

  constructor(root) {
    this.#root = root;
    this.#blocks = new Blocks(root, (index) => this.#drawBlock(this.#now.blocks[index]));
  }

  /**
   * Show a text's tokens; columns as Tokenizer.tokenize gives them.
   * marks(start, end): classes of the tokens that have this part of the text; for comparing.
   */
  async show(tokenizer, text, columns, marks = null) {
    if (tokenizer !== this.#tokenizer) this.#labels.clear();
    this.#tokenizer = tokenizer;
    await this.#learn(idsWithoutText(columns));
    this.#marks = marks;
    this.#draw({ text, columns, blocks: cutBlocks(text, columns) }, Boolean(marks));
  }

  /** The beginning of a long text, if it is another text than the one shown; else "". */
  unseenHead(text) {
    const shown = this.#now.text;
    const edited = shown.startsWith(text.slice(0, HEAD)) || shown.endsWith(text.slice(-HEAD));
    if (text.length < LONG || edited) return "";
    return text.slice(0, text.lastIndexOf("\n", HEAD) + 1 || HEAD);
  }

  /** view: "text" or "ids"; whitespace: show glyphs for spaces and line ends. */
  setOptions(options) {
    this.#options = { ...this.#options, ...options };
    if (this.#tokenizer) this.#draw(this.#now, true);
  }

  /** Whose tokens are shown; null before there are any. */
  get tokenizer() {
    return this.#tokenizer;
  }

  /** The tokens shown, as `show` was given them. */
  get columns() {
    return this.#now.columns;
  }

  get text() {
    return this.#now.text;
  }

  /** Which token an element is: its index in the columns, or -1. */
  indexOf(element) {
    const block = element.closest(".block");
    const { from } = this.#now.blocks[this.#blocks.indexOf(block)] ?? {};
    return from === undefined ? -1 : from + [...block.querySelectorAll("[data-id]")].indexOf(element);
  }

  /** The element of token i, drawn if it was not. */
  elementOf(i) {
    const at = this.#now.blocks.findIndex(({ to }) => i < to);
    const { from } = this.#now.blocks[at];
    return this.#blocks.filled(at).querySelectorAll("[data-id]")[i - from];
  }

  async #learn(ids) {
    const unknown = [...ids].filter((id) => !this.#labels.has(id));
    if (!unknown.length) return;
    const pieces = await this.#tokenizer.pieces(unknown);
    for (const [i, id] of unknown.entries()) this.#labels.set(id, pieceLabel(pieces[i]));
  }

  #draw(next, afresh = false) {
    const before = this.#now;
    this.#now = next;
    const perLine = Math.max(10, this.#root.clientWidth / CHARACTER);
    const same = (i) =>
      !afresh &&
      i < before.blocks.length &&
      sameBlock({ ...before, block: before.blocks[i] }, { ...next, block: next.blocks[i] });
    const height = (i) => {
      const { start, end, lines } = next.blocks[i];
      return LINE * Math.ceil(lines + (end - start) / perLine);
    };
    this.#root.dataset.view = this.#options.view;
    this.#blocks.update(next.blocks.length, same, height);
  }

  #drawBlock(block) {
    const { columns, text } = this.#now;
    const fragment = document.createDocumentFragment();
    this.#tints = { from: block.from, of: colours(text, columns, block.from, block.to) };
    for (const segment of segments(columns, block)) {
      if (segment.gap) fragment.append(this.#gap(text.slice(segment.start, segment.end)));
      else if (segment.to - segment.from === 1) fragment.append(this.#token(segment.from, segment));
      else fragment.append(this.#group(segment));
    }
    return fragment;
  }

  #gap(text) {
    const element = document.createElement("span");
    element.className = "gap";
    if (this.#options.view !== "ids") fill(element, text, this.#options.whitespace);
    return element;
  }

  #token(i, { start, end }) {
    const { columns, text } = this.#now;
    const id = columns.ids[i];
    const element = this.#part(i);
    if (this.#options.view === "ids") element.textContent = id;
    else if (start === end) element.textContent = this.#labels.get(id) ?? id;
    else fill(element, cropped(text.slice(start, end)), this.#options.whitespace);
    if (start === end) element.classList.add("added");
    return element;
  }

  /** Tokens that share characters: the characters, and under them the share of each token. */
  #group({ from, to, start, end }) {
    const group = document.createElement("span");
    group.className = "group";
    const whole = document.createElement("span");
    whole.className = "whole";
    whole.textContent = visible(this.#now.text.slice(start, end), this.#options.whitespace);
    const parts = document.createElement("span");
    parts.className = "parts";
    for (let i = from; i < to; i++) {
      const part = this.#part(i);
      const id = this.#now.columns.ids[i];
      part.textContent = this.#options.view === "ids" ? id : this.#labels.get(id);
      parts.append(part);
    }
    group.append(whole, parts);
    return group;
  }

  #part(i) {
    const { ids, starts, ends, attrs } = this.#now.columns;
    const element = document.createElement("span");
    const kind = KINDS.find(([bit]) => attrs[i] & bit)?.[1] ?? "normal";
    element.className = `token c${this.#tints.of[i - this.#tints.from]} ${kind}`;
    if (this.#marks) element.classList.add(...this.#marks(starts[i], ends[i]));
    element.dataset.id = ids[i];
    element.dataset.start = starts[i];
    element.dataset.end = ends[i];
    return element;
  }
}

/** Put a text into an element, each line end with a mark that shows it. */
function fill(element, text, whitespace) {
  const [first, ...rest] = text.split("\n");
  element.textContent = visible(first, whitespace);
  for (const line of rest) element.append(lineEnd(), "\n", visible(line, whitespace));
}

function lineEnd() {
  const mark = document.createElement("i");
  mark.textContent = "↵";
  return mark;
}
