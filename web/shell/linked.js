// Links a token with its place in the text box. A text box cannot mark a part of its text, so an
// unseen copy of the text lies behind it, and the part is marked there.

const LONGEST = 30_000; // UTF-16 units: to lay out a longer copy takes too long

export class Linked {
  #box;
  #mirror;
  #text = document.createTextNode("");

  constructor(box, mirror) {
    this.#box = box;
    this.#mirror = mirror;
    mirror.append(this.#text);
    box.addEventListener("scroll", () => this.#scroll(), { passive: true });
  }

  /** Mark a part of the text, in UTF-16 units; null: none. */
  mark(part) {
    if (!CSS.highlights) return; // the tokens are marked all the same
    CSS.highlights.delete("linked");
    if (!part || part.start === part.end || this.#box.hidden || this.#box.value.length > LONGEST) return;
    if (this.#text.data !== this.#box.value) this.#text.data = this.#box.value;
    const range = new StaticRange({
      startContainer: this.#text,
      startOffset: part.start,
      endContainer: this.#text,
      endOffset: Math.min(part.end, this.#text.length),
    });
    CSS.highlights.set("linked", new Highlight(range));
    this.#mirror.style.paddingRight = `${this.#box.offsetWidth - this.#box.clientWidth}px`; // its scrollbar
    this.#scroll();
  }

  #scroll() {
    this.#mirror.scrollTop = this.#box.scrollTop;
  }
}
