// The text. A text box lays all of its text out at once, which takes a second for 1 MB; so a long
// text is shown to be read, in blocks that are laid out when they come into view, until a person
// wants to edit it.

const LONG = 100_000; // UTF-16 units
const BLOCK = 4000; // of a long text: it is cut at the first line end after so many ...
const LONGEST = 16_000; // ... and at the latest after so many
const CHARACTER = 8.6; // pixels, to guess the height of what is not laid out yet
const LINE = 24;
const LOW_SURROGATE = /^[\udc00-\udfff]/;

export class TextBox extends EventTarget {
  #parts;
  #long = null; // the text, if it is shown to be read
  #before = null; // the text before a change that the browser cannot undo

  /** parts: elements {box, reader, bar, edit, undo}. Event: "input", after a person's change. */
  constructor(parts) {
    super();
    this.#parts = parts;
    const { box, reader, edit, undo } = parts;
    box.addEventListener("input", () => {
      this.#before = null;
      this.#tell();
      this.#changed();
    });
    for (const element of [box, reader]) {
      element.addEventListener("paste", (event) => this.#paste(event));
    }
    reader.addEventListener("beforeinput", (event) => event.preventDefault());
    edit.addEventListener("click", () => {
      this.#edit(this.#long);
      box.focus();
    });
    undo.addEventListener("click", () => {
      this.value = this.#before;
      this.#changed();
    });
  }

  get value() {
    return this.#long ?? this.#parts.box.value;
  }

  set value(text) {
    this.#put(text, null);
  }

  /** Another text, which can be undone. */
  replace(text) {
    this.#put(text, this.value);
  }

  #changed() {
    this.dispatchEvent(new Event("input"));
  }

  /** A short paste is the browser's own; a paste over a long text takes its place. */
  #paste(event) {
    const { box } = this.#parts;
    const pasted = event.clipboardData.getData("text/plain");
    const reading = this.#long !== null;
    if (!pasted || (!reading && box.value.length + pasted.length < LONG)) return;
    event.preventDefault();
    const before = this.value;
    const [start, end] = reading ? [0, before.length] : [box.selectionStart, box.selectionEnd];
    this.#put(before.slice(0, start) + pasted + before.slice(end), before);
    this.#changed();
  }

  /** A text box makes "\n" of every line end, so a long text has no other either. */
  #put(given, before) {
    const text = given.replace(/\r\n?/g, "\n");
    this.#before = before;
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
    const { bar, edit, undo } = this.#parts;
    const reading = this.#long !== null;
    edit.hidden = bar.hidden = !reading;
    undo.disabled = this.#before === null;
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
