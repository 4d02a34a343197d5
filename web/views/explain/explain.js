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

/** @typedef {{word: string, space: boolean, rival?: string}} Asked */
/** @typedef {{start: number, end: number}} Place */

// space: as inside a sentence, with the space before it
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
  const view = byId("view-explain");
  const word = /** @type {HTMLInputElement} */ (byId("word"));
  const space = /** @type {HTMLInputElement} */ (byId("word-space"));
  const [root, why, says] = ["lessons", "difference", "difference-says"].map(byId);
  const panels = [0, 1].map(() => new Panel((step) => transport.go(step)));
  const rival = new Rival(byId("rival"), session, () => changed());
  const transport = new Transport(view, (step, isShown) => {
    for (const panel of panels) panel.go(step, isShown);
    why.classList.toggle("away", step < transport.last);
  });
  const explaining = new Latest(explain, showError);

  ask({ ...EXAMPLES[0], ...setting("explained") });
  byId("examples").append(...EXAMPLES.map((example) => chip(example.word, () => ask(example, true))));
  word.addEventListener("input", changed);
  space.addEventListener("change", changed);
  byId("ask-word").addEventListener("submit", (event) => event.preventDefault());

  /** @param {Partial<Asked>} asked @param {boolean} [isChange] */
  function ask(asked, isChange = false) {
    word.value = asked.word ?? word.value;
    space.checked = asked.space ?? space.checked;
    if (asked.rival !== undefined) rival.choose(asked.rival);
    if (isChange) changed();
  }

  function changed() {
    remember("explained", { word: word.value, space: space.checked });
    if (location.hash.includes("?")) history.replaceState(history.state, "", "#explain"); // it says another word
    explaining.run();
  }

  async function explain() {
    const { model, source } = session;
    const asked = word.value;
    const other = await rival.tokenizer();
    const sides = [
      { name: nameOf(source), model },
      ...(other ? [{ name: nameOf(other.source), model: other.model }] : []),
    ];
    const made = [];
    for (const side of sides) made.push({ name: side.name, lesson: await lessonFor(side.model, asked) });
    if (model !== session.model) return;
    draw(made);
  }

  /** @param {any} model @param {string} asked */
  async function lessonFor(model, asked) {
    const { parseSpecial } = session.switches();
    const before = space.checked && asked && !addsSpace(model.info) ? " " : "";
    const trace = await model.explain(before + asked, { addSpecial: false, parseSpecial });
    return lessonOf(trace, await piecesOf(model, trace), model.info.special.unk);
  }

  /** @param {{name: string, lesson: import("./lesson.js").Lesson}[]} made */
  function draw(made) {
    const shown = panels.slice(0, made.length);
    root.dataset.sides = String(made.length);
    root.replaceChildren(...shown.map(({ element }) => element));
    for (const [i, { name, lesson }] of made.entries()) panels[i].show(name, lesson);
    for (const panel of panels) panel.listed = made.length === 1;
    says.textContent = made.length === 2 ? difference(made[0], made[1]) : "";
    why.hidden = !says.textContent;
    transport.set(Math.max(...shown.map(({ last }) => last)));
  }

  function listWords() {
    const known = EXAMPLES.map((example) => example.word);
    const found = session.text.slice(0, LONGEST).match(/\S+/g) ?? [];
    const words = [...new Set(found)].filter((text) => !known.includes(text)).slice(0, WORDS);
    byId("text-words").replaceChildren(
      ...words.map((text) => chip(text, () => ask({ word: text, space: true }, true))),
    );
  }

  return {
    refresh() {
      rival.list();
      listWords();
      return explaining.run();
    },
    /** What a link asks for, or the word at a place of the text. @param {{link: URLSearchParams} | Place} what */
    receive: (what) => ask("link" in what ? askedBy(what.link) : wordAt(session.text, what)),
    /** What a link says of this view. */
    link: () => ({ word: word.value, space: space.checked ? "1" : "0", rival: rival.key }),
  };
}

/** What a link asks for, as far as it does. @param {URLSearchParams} link @returns {Partial<Asked>} */
function askedBy(link) {
  const text = link.get("word");
  if (text === null) return {};
  return { word: text, space: link.get("space") === "1", rival: link.get("rival") ?? undefined };
}

/** @param {{label?: string, name: string}} source */
function nameOf({ label, name }) {
  return label ?? name;
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

/** @param {string} text @param {() => void} onClick */
function chip(text, onClick) {
  const made = element("button", text);
  made.setAttribute("type", "button");
  made.addEventListener("click", onClick);
  return made;
}
