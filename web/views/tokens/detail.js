// What is known of one token: the one under the pointer, else the one that was chosen by a click,
// a tap or the arrow keys.

import { definitions, element, number, page } from "../../shell/page.js";
import { entriesOf, kindOf, pieceOf } from "../../tokens/facts.js";
import { shown } from "../../tokens/glyphs.js";
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
  #session;

  /**
   * view: the TokenView whose tokens the card describes; session: see app.js.
   */
  constructor(view, root, session) {
    this.#view = view;
    this.#session = session;
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
      this.#session.point(null);
      page.detail.textContent = HINT;
      return null;
    }
    markToken({ id: ids[i], start: starts[i], end: ends[i] });
    this.#session.point({ start: starts[i], end: ends[i] });
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
    const token = this.#view.elementOf(i);
    const piece = element("span", pieceOf(facts));
    piece.className = `tok ${tint(token)}`;
    const list = element("dl", ...definitions(this.#entries(i, facts)));
    page.detail.replaceChildren(piece, list, this.#actions(i, facts));
    if (this.#chosen === i) uncover(token);
  }

  /** Where to go on from a token. */
  #actions(i, { id }) {
    const { starts, ends } = this.#view.columns;
    const part = { start: starts[i], end: ends[i] };
    const actions = element(
      "div",
      action("Why this split?", () => this.#session.give("explain", part)),
      action("Find in vocabulary", () => this.#session.give("vocab", { id })),
    );
    actions.className = "end";
    return actions;
  }

  #entries(i, facts) {
    const { ids, byte_starts: from, byte_ends: to } = this.#view.columns;
    const [start, end] = this.#characters(i);
    const same = ids.reduce((sum, id) => sum + (id === facts.id), 0);
    return [
      ...entriesOf(facts),
      ["characters", range(start, end)],
      ["bytes of the text", (from[i] !== start || to[i] !== end) && range(from[i], to[i])],
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
    return `${shown(pieceOf(facts))}, id ${facts.id}, ${kindOf(facts)}, token ${i + 1} of ${length}`;
  }
}

function action(words, onClick) {
  const button = element("button", words);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}

/** On a phone the card lies over the tokens: scroll the one it describes out from under it. */
function uncover(token) {
  const { position } = getComputedStyle(page.detail);
  const hidden = token.getBoundingClientRect().bottom + 12 - page.detail.getBoundingClientRect().top;
  if (position === "sticky" && hidden > 0) scrollBy({ top: hidden });
}

/** The class of an element's tint. */
function tint({ className }) {
  return className.match(/\bc\d\b/)?.[0] ?? "";
}

function range(start, end) {
  return start === end ? `at ${number(start)}` : `${number(start)}–${number(end)}`;
}
