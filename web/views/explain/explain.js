// The Explain view: how one word is split, step by step, by one tokenizer or by two side by side.

import { Latest } from "../../shell/latest.js";
import { byId, element, showError } from "../../shell/page.js";
import { remember, setting } from "../../shell/settings.js";
import { difference } from "./difference.js";
import { lessonOf } from "./lesson.js";
import { Panel } from "./panel.js";
import { Rival } from "./rival.js";
import { Transport } from "./transport.js";
import { wordAt } from "./word.js";

/** space: with the space before it, as inside a sentence. rival: the key of the second tokenizer.
 * @typedef {{word: string, space: boolean, rival?: string}} Asked */
/** In UTF-16 units of the page's text. @typedef {{start: number, end: number}} Place */
/** @typedef {{name: string, lesson: import("./lesson.js").Lesson}} Side */

const EXAMPLES = [
  { word: "unbelievable", space: true },
  { word: "1234567", space: false },
  { word: "naïve café", space: true },
  { word: "你好世界", space: false },
  { word: "🙂👩‍🚀", space: false },
  { word: "HelloWorld", space: false },
];
const WORDS = 8; // of the page's text
const LONGEST = 2000; // characters of it that are looked at

/** @param {any} session {text, switches(), model, source, models}: see shell/app.js */
export function create(session) {
  return new Explain(session);
}

class Explain {
  #session;
  #word = /** @type {HTMLInputElement} */ (byId("word"));
  #space = /** @type {HTMLInputElement} */ (byId("word-space"));
  #root = byId("lessons");
  #why = byId("difference");
  #says = byId("difference-says");
  #panels = [0, 1].map(() => new Panel((step) => this.#transport.go(step)));
  #transport = new Transport(byId("view-explain"), (step, isShown) => this.#go(step, isShown));
  #explaining = new Latest(() => this.#explain(), showError);
  #rival;
  /** What the pictures are of: two models, and what was asked. @type {unknown[]} */
  #drawn = [];

  /** @param {any} session */
  constructor(session) {
    this.#session = session;
    this.#rival = new Rival(byId("rival"), session, () => this.#changed());
    this.#ask({ ...EXAMPLES[0], ...setting("explained") });
    byId("examples").append(...EXAMPLES.map((example) => this.#chip(example)));
    this.#word.addEventListener("input", () => this.#changed());
    this.#space.addEventListener("change", () => this.#changed());
    byId("ask-word").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  }

  refresh() {
    this.#rival.list();
    this.#listWords();
    return this.#explaining.run();
  }

  /** What a link asks for, or the word at a place of the text. @param {{link: URLSearchParams} | Place} what */
  receive(what) {
    this.#ask("link" in what ? askedBy(what.link) : wordAt(this.#session.text, what));
  }

  /** What a link says of this view. */
  link() {
    return { word: this.#word.value, space: this.#space.checked ? "1" : "0", rival: this.#rival.key };
  }

  /** @param {Partial<Asked>} asked */
  #ask({ word, space, rival }) {
    this.#word.value = word ?? this.#word.value;
    this.#space.checked = space ?? this.#space.checked;
    if (rival !== undefined) this.#rival.choose(rival);
  }

  #changed() {
    remember("explained", { word: this.#word.value, space: this.#space.checked });
    if (location.hash.includes("?")) history.replaceState(history.state, "", "#explain"); // it says another word
    this.#explaining.run();
  }

  async #explain() {
    const { model, source } = this.#session;
    const asked = { word: this.#word.value, space: this.#space.checked, ...this.#session.switches() };
    const rival = await this.#rival.tokenizer().catch(showError); // then the first side is shown alone
    const now = [model, rival?.model, ...Object.values(asked)];
    if (now.every((value, i) => value === this.#drawn[i])) return; // it stays at its step
    const sides = [await this.#side(source, model, asked)];
    if (rival) sides.push(await this.#side(rival.source, rival.model, asked));
    if (model !== this.#session.model) return;
    this.#drawn = now;
    this.#draw(sides);
  }

  /**
   * @param {{label?: string, name: string}} source @param {any} model
   * @param {{word: string, space: boolean, parseSpecial: boolean}} asked @returns {Promise<Side>}
   */
  async #side({ label, name }, model, { word, space, parseSpecial }) {
    const before = space && word && !addsSpace(model.info) ? " " : "";
    const trace = await model.explain(before + word, { addSpecial: false, parseSpecial });
    const lesson = lessonOf(trace, await piecesOf(model, trace), model.info.special.unk);
    return { name: label ?? name, lesson };
  }

  /** @param {Side[]} sides */
  #draw(sides) {
    const panels = this.#panels.slice(0, sides.length);
    this.#root.dataset.sides = String(sides.length);
    this.#root.replaceChildren(...panels.map((panel) => panel.element));
    for (const [i, { name, lesson }] of sides.entries()) panels[i].show(name, lesson, sides.length === 1);
    this.#says.textContent = sides.length === 2 ? difference(sides[0], sides[1]) : "";
    this.#why.hidden = !this.#says.textContent;
    this.#transport.set(Math.max(...panels.map(({ last }) => last)));
  }

  /** @param {number} step @param {boolean} isShown whether pictures scroll to it */
  #go(step, isShown) {
    for (const panel of this.#panels) panel.go(step, isShown);
    this.#why.classList.toggle("away", step < this.#transport.last);
  }

  #listWords() {
    const known = EXAMPLES.map(({ word }) => word);
    const found = this.#session.text.slice(0, LONGEST).match(/\S+/g) ?? [];
    const words = [...new Set(found)].filter((word) => !known.includes(word)).slice(0, WORDS);
    byId("text-words").replaceChildren(...words.map((word) => this.#chip({ word, space: true })));
  }

  /** @param {Asked} asked */
  #chip(asked) {
    const made = element("button", asked.word);
    made.setAttribute("type", "button");
    made.addEventListener("click", () => {
      this.#ask(asked);
      this.#changed();
    });
    return made;
  }
}

/** What a link asks for, as far as it does. @param {URLSearchParams} link @returns {Partial<Asked>} */
function askedBy(link) {
  const word = link.get("word");
  if (word === null) return {};
  return { word, space: link.get("space") === "1", rival: link.get("rival") ?? undefined };
}

/** Whether a tokenizer puts a space before a text by itself. @param {any} info */
function addsSpace({ type, flags }) {
  return (type === "SPM" || type === "UGM") && flags.add_space_prefix;
}

/**
 * The bytes of all tokens in a trace. @param {any} model @param {import("./trace.js").Trace} trace
 * @returns {Promise<(id: number) => Uint8Array>}
 */
async function piecesOf(model, trace) {
  const words = trace.fragments.flatMap((fragment) => fragment.words);
  const shorter = words.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === "match" ? step.shorter : [])),
  );
  const ids = [...new Set([...trace.ids, ...shorter])];
  /** @type {Uint8Array[]} */
  const pieces = await model.pieces(ids);
  const known = new Map(ids.map((id, i) => [id, pieces[i]]));
  return (id) => known.get(id) ?? new Uint8Array();
}
