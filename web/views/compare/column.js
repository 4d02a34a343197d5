// One model of the Compare view: its choice, its count, its tokens.

import { element, number } from "../../shell/page.js";
import { listPre } from "../../shell/pre.js";
import { plainTokens } from "../../tokens/boundaries.js";
import { shown } from "../../tokens/glyphs.js";
import { TokenView } from "../../tokens/render.js";

const OWN = ""; // the choice of the pre-tokenizer that the file names
let made = 0;

export class Column {
  #session;
  #choice = element("select");
  #pre = element("select");
  #count = element("output", "–");
  #more = element("span");
  #bar = element("i");
  #box = element("div");
  #remove = element("button", "Remove");
  #view;
  #loaded = null; // {source, pre, tokenizer: a promise}
  #scrolled = 0; // where we scrolled to ourselves, which is nothing to tell of
  #number = ++made;

  /** on: {onChange(), onScroll(share), onPoint(part), onRemove()}. */
  constructor(session, source, pre, on) {
    this.#session = session;
    this.source = source;
    this.pre = pre;
    this.element = this.#build();
    this.#view = new TokenView(this.#box);
    this.#choice.addEventListener("change", () => {
      this.source = session.models.sources.find(({ key }) => key === this.#choice.value);
      this.pre = null;
      on.onChange();
    });
    this.#pre.addEventListener("change", () => {
      this.pre = this.#pre.value || null;
      on.onChange();
    });
    this.#remove.addEventListener("click", on.onRemove);
    this.#box.addEventListener("scroll", () => this.#onScroll(on.onScroll));
    this.#box.addEventListener("pointerover", (event) => on.onPoint(this.#partAt(event)));
    this.#box.addEventListener("pointerleave", () => on.onPoint(null));
  }

  /** What to keep of it. */
  get spec() {
    const { key, name, url, builtin } = this.source;
    return { key, name, url, builtin, pre: this.pre };
  }

  #build() {
    this.#remove.type = "button";
    this.#remove.className = "small end";
    this.#more.className = "dim";
    this.#choice.className = "which";
    this.#pre.hidden = true;
    this.#box.className = "tokens";
    this.#box.tabIndex = 0;
    this.#box.setAttribute("role", "region");
    const choices = element("div", this.#choice, this.#pre, this.#remove);
    choices.className = "head";
    const count = element("p", this.#count, element("small", "tokens"));
    count.className = "n";
    const counts = element("div", count, this.#more);
    counts.className = "stats";
    const gauge = element("div", this.#bar);
    gauge.className = "gauge";
    const made = element("section", choices, counts, gauge, this.#box);
    made.className = "card column";
    return made;
  }

  /** List the models there are now. */
  update(removable) {
    this.#remove.hidden = !removable;
    const { sources } = this.#session.models;
    this.#choice.replaceChildren(...sources.map(({ key, label }) => new Option(shown(label), key)));
    this.#choice.value = this.source.key;
    const name = shown(this.source.label ?? this.source.name);
    const labels = {
      [`Model ${this.#number}`]: this.#choice,
      [`Pre-tokenizer of ${name}, model ${this.#number}`]: this.#pre,
      [`Remove ${name}, model ${this.#number}`]: this.#remove,
      [`Tokens of ${name}, model ${this.#number}`]: this.#box,
    };
    for (const [label, control] of Object.entries(labels)) control.setAttribute("aria-label", label);
  }

  /** The columns of the text's tokens; null when the model cannot be read, which is said. */
  async tokenize(text, switches) {
    try {
      const tokenizer = await this.#tokenizer();
      await this.#offerPre(tokenizer.info);
      return await tokenizer.tokenize(text, switches);
    } catch (error) {
      this.#more.textContent = shown(error.message);
      this.#count.textContent = "–";
      this.#loaded = null;
      return null;
    }
  }

  async #offerPre({ type, file_pre }) {
    this.#pre.hidden = type !== "BPE";
    if (this.#pre.hidden) return;
    await listPre(this.#pre, this.pre ?? OWN);
    this.#pre.prepend(
      new Option(file_pre ? `as the file says (${shown(file_pre)})` : "as the file says", OWN),
    );
    this.#pre.value = this.pre ?? OWN;
  }

  /** The page's own tokenizer if it is the same, else one of our own. */
  #tokenizer() {
    const { model, models, source } = this.#session;
    if (source.key === this.source.key && models.pre === this.pre) {
      this.#release();
      return model;
    }
    if (this.#loaded?.source !== this.source || this.#loaded.pre !== this.pre) {
      this.#release();
      this.#more.textContent = "reading it …";
      this.#loaded = { source: this.source, pre: this.pre, tokenizer: this.source.load(this.pre) };
    }
    return this.#loaded.tokenizer;
  }

  /** facts: {marks, base, most}: see TokenView; the first model's count, and the largest. */
  async show(text, columns, { marks, base, most }) {
    if (!columns) return;
    const plain = plainTokens(columns);
    this.#count.textContent = number(columns.ids.length);
    this.#bar.style.width = `${(100 * plain) / most}%`;
    const percent = base ? Math.round((100 * (plain - base)) / base) : 0;
    const special = columns.ids.length - plain;
    const words = [
      percent && `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`,
      special && `${number(special)} special`,
    ];
    this.#more.textContent = words.filter(Boolean).join(" · ");
    await this.#view.show(await this.#tokenizer(), text, columns, marks);
  }

  /** Light up the tokens of a part of the text; null: none. */
  link(part) {
    for (const before of this.#box.querySelectorAll(".linked")) before.classList.remove("linked");
    if (!part) return;
    const { starts, ends } = this.#view.columns;
    for (let i = firstFrom(starts, ends, part.start); i < starts.length && starts[i] < part.end; i++) {
      if (ends[i] > part.start) this.#view.elementOf(i).classList.add("linked");
    }
  }

  scrollTo(share) {
    const { scrollHeight, clientHeight } = this.#box;
    this.#box.scrollTop = share * (scrollHeight - clientHeight);
    this.#scrolled = this.#box.scrollTop;
  }

  dispose() {
    this.#release();
    this.element.remove();
  }

  #onScroll(tell) {
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    if (Math.abs(scrollTop - this.#scrolled) < 2) return;
    this.#scrolled = scrollTop;
    tell(scrollTop / Math.max(1, scrollHeight - clientHeight));
  }

  #partAt({ target }) {
    const token = target.closest?.("[data-id]");
    return token ? { start: Number(token.dataset.start), end: Number(token.dataset.end) } : null;
  }

  /** Free our own tokenizer, if we have one. */
  #release() {
    this.#loaded?.tokenizer.then((tokenizer) => tokenizer.dispose()).catch(() => {});
    this.#loaded = null;
  }
}

/** The first token that can reach beyond a position; positions never go back. */
function firstFrom(starts, ends, position) {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
