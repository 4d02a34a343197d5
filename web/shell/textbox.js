// The text. A text box lays all of its text out at once, which takes a second for 1 MB; so a long
// text is shown read-only, in blocks that are laid out when they come into view, until a person
// wants to edit it. Every change is a step of our own history: browsers forget theirs when a
// script puts another text into the box.

import { History } from "./history.js";

const LONG = 100_000; // UTF-16 units
const BLOCK = 4000; // of a long text: it is cut at the first line end after so many ...
const LONGEST = 16_000; // ... and at the latest after so many
const CHARACTER = 8.6; // pixels, to guess the height of what is not laid out yet
const LINE = 24;
const LOW_SURROGATE = /^[\udc00-\udfff]/;
const TYPED = /^(insertText|insertCompositionText|deleteContent(Backward|Forward))$/;
const KEYS = { z: "undo", Z: "redo", y: "redo" };

export class TextBox extends EventTarget {
  #parts;
  #history;
  #long = null; // the text, if it is shown read-only

  /** parts: elements {box, reader, bar, edit, undo, redo}. Event: "input", after a person's change. */
  constructor(parts) {
    super();
    this.#parts = parts;
    const { box, reader, edit, undo, redo } = parts;
    this.#history = new History(box.value);
    box.addEventListener("input", (event) => this.#typed(event));
    box.addEventListener("compositionend", (event) => this.#typed(event));
    for (const element of [box, reader]) {
      element.addEventListener("paste", (event) => this.#paste(event));
      element.addEventListener("keydown", (event) => this.#onKey(event));
    }
    box.addEventListener("beforeinput", (event) => this.#onHistoryInput(event));
    reader.addEventListener("beforeinput", (event) => event.preventDefault());
    edit.addEventListener("click", () => {
      this.#edit(this.#long);
      box.focus();
    });
    undo.addEventListener("click", () => this.#step("undo"));
    redo.addEventListener("click", () => this.#step("redo"));
  }

  get value() {
    return this.#long ?? this.#parts.box.value;
  }

  /** The text that a visit begins with: there is nothing before it to go back to. */
  set value(text) {
    this.#put(text);
    this.#history = new History(this.value);
    this.#tell();
  }

  /** Another text, which can be undone. */
  replace(text) {
    this.#history.record(this.value); // what a script may have put there
    this.#put(text);
    this.#history.record(this.value);
    this.#tell();
  }

  #typed({ isComposing, inputType }) {
    if (!isComposing) {
      this.#history.record(this.#parts.box.value, { typed: TYPED.test(inputType), time: performance.now() });
      this.#tell();
    }
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("input"));
  }

  #onKey(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const step = KEYS[shiftKey ? key.toUpperCase() : key];
    if (!step || altKey || !(ctrlKey || metaKey)) return;
    event.preventDefault();
    this.#step(step);
  }

  /** Undo and redo from a menu or by a gesture. */
  #onHistoryInput(event) {
    if (!event.inputType.startsWith("history")) return;
    event.preventDefault();
    this.#step(event.inputType === "historyUndo" ? "undo" : "redo");
  }

  #step(direction) {
    const { box } = this.#parts;
    const step = this.#history[direction]();
    if (!step) return;
    this.#put(step.text);
    if (this.#long === null) box.setSelectionRange(step.caret, step.caret);
    this.#tell();
    this.#changed();
  }

  /** A short paste is the browser's own; a paste over a long text replaces it. */
  #paste(event) {
    const { box } = this.#parts;
    const pasted = event.clipboardData.getData("text/plain");
    const reading = this.#long !== null;
    if (!pasted || (!reading && box.value.length + pasted.length < LONG)) return;
    event.preventDefault();
    const before = this.value;
    const [start, end] = reading ? [0, before.length] : [box.selectionStart, box.selectionEnd];
    this.replace(before.slice(0, start) + pasted + before.slice(end));
    this.#changed();
  }

  /** A text box makes "\n" of every line end, so a long text has no other either. */
  #put(given) {
    const text = given.replace(/\r\n?/g, "\n");
    if (text.length < LONG) this.#edit(text);
    else this.#read(text);
  }

  #edit(text) {
    const { box, reader } = this.#parts;
    this.#long = null;
    this.#show(box);
    reader.replaceChildren();
    box.value = text;
  }

  #read(text) {
    const { box, reader } = this.#parts;
    this.#long = text;
    reader.replaceChildren(...blocksOf(text, box.clientWidth || reader.clientWidth));
    reader.scrollTop = 0;
    this.#show(reader);
    box.value = "";
  }

  #show(element) {
    const { box, reader } = this.#parts;
    const focused = [box, reader].includes(document.activeElement);
    box.hidden = element !== box;
    reader.hidden = element !== reader;
    if (focused) element.focus();
    this.#tell();
  }

  #tell() {
    const { bar, edit, undo, redo } = this.#parts;
    edit.hidden = bar.hidden = this.#long === null;
    undo.disabled = !this.#history.canUndo;
    redo.disabled = !this.#history.canRedo;
  }
}

/** One element for each run of lines; its last line end is left to the block's own end. */
function blocksOf(text, width) {
  const blocks = [];
  for (let at = 0; at < text.length; ) {
    const line = text.indexOf("\n", at + BLOCK);
    let end = Math.min(line < 0 ? text.length : line, at + LONGEST);
    if (LOW_SURROGATE.test(text[end])) end--;
    blocks.push(block(text.slice(at, end), width));
    at = text[end] === "\n" ? end + 1 : end;
  }
  return blocks;
}

function block(text, width) {
  const element = document.createElement("div");
  element.textContent = text;
  const lines = text.split("\n").length + (text.length * CHARACTER) / width / 2;
  element.style.containIntrinsicHeight = `auto ${Math.ceil(lines) * LINE}px`;
  return element;
}
