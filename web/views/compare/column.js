// One model of the Compare view: its choice, its count, its tokens.

import { element, number } from "../../shell/page.js";
import { shown } from "../../tokens/glyphs.js";
import { TokenView } from "../../tokens/render.js";

export class Column {
  #session;
  #choice = element("select");
  #count = element("output", "–");
  #more = element("span");
  #box = element("div");
  #remove = element("button", "Remove");
  #view;
  #loaded = null; // {source, tokenizer: a promise}
  #scrolled = 0; // where we scrolled to ourselves, which is nothing to tell of

  /** on: {onChange(), onScroll(share), onRemove()}. */
  constructor(session, source, { onChange, onScroll, onRemove }) {
    this.#session = session;
    this.source = source;
    this.#choice.setAttribute("aria-label", "Model");
    this.#more.className = "dim";
    this.#remove.type = "button";
    this.#box.className = "tokens";
    this.#box.tabIndex = 0;
    this.#box.setAttribute("role", "region");
    const bar = element("div", this.#choice, element("p", this.#count, " tokens "), this.#more, this.#remove);
    bar.className = "head";
    this.element = element("section", bar, this.#box);
    this.element.className = "column";
    this.#view = new TokenView(this.#box);
    this.#choice.addEventListener("change", () => {
      this.source = session.models.sources.find(({ key }) => key === this.#choice.value);
      this.#name();
      onChange();
    });
    this.#remove.addEventListener("click", onRemove);
    this.#box.addEventListener("scroll", () => {
      const { scrollTop, scrollHeight, clientHeight } = this.#box;
      if (Math.abs(scrollTop - this.#scrolled) < 2) return;
      this.#scrolled = scrollTop;
      onScroll(scrollTop / Math.max(1, scrollHeight - clientHeight));
    });
  }

  /** List the models there are now. */
  update(removable) {
    this.#remove.hidden = !removable;
    const { sources } = this.#session.models;
    this.#choice.replaceChildren(...sources.map(({ key, label }) => new Option(shown(label), key)));
    this.#choice.value = this.source.key;
    this.#name();
  }

  #name() {
    this.#box.setAttribute("aria-label", shown(`Tokens of ${this.source.name}`));
  }

  /** The columns of the text's tokens; null when the model cannot be read, which is said. */
  async tokenize(text, switches) {
    try {
      const tokenizer = await this.#tokenizer();
      return await tokenizer.tokenize(text, switches);
    } catch (error) {
      this.#more.textContent = shown(error.message);
      this.#loaded = null;
      return null;
    }
  }

  /** The page's own tokenizer where it is of this model, else one of our own. */
  #tokenizer() {
    const { model, source } = this.#session;
    if (source.key === this.source.key) {
      this.#release();
      return model;
    }
    if (this.#loaded?.source !== this.source) {
      this.#release();
      this.#more.textContent = "reading it …";
      this.#loaded = { source: this.source, tokenizer: this.source.load(null) };
    }
    return this.#loaded.tokenizer;
  }

  async show(text, columns, differs, base) {
    if (!columns) return;
    const { length } = columns.ids;
    this.#count.textContent = number(length);
    const percent = base ? Math.round((100 * (length - base)) / base) : 0;
    this.#more.textContent = percent ? `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %` : "";
    await this.#view.show(await this.#tokenizer(), text, columns, differs);
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

  /** Free our own tokenizer, if we have one. */
  #release() {
    this.#loaded?.tokenizer.then((tokenizer) => tokenizer.dispose()).catch(() => {});
    this.#loaded = null;
  }
}
