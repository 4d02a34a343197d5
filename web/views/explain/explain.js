// The Explain view: how each word of the text was split, step by step.

import { Latest } from "../../shell/latest.js";
import { byId, element, showError } from "../../shell/page.js";
import { family } from "../../tokens/families.js";
import { visible } from "../../tokens/glyphs.js";
import { frames } from "./frames.js";
import { Player } from "./player.js";

const EXAMPLES = [
  ["A leading space", "hello hello"],
  ["Numbers", "1234567 3.14159 2026"],
  ["Emoji", "🙂 👩‍🚀 🇫🇷"],
  ["Chinese", "你好，世界"],
  ["Indented code", "def f(x):\n    if x:\n        return x"],
  ["A name", "Wolfgang Amadeus Mozart"],
  ["A long word", "unbelievably"],
];

/** session: {text, setText(text), switches(), model}. */
export function create(session) {
  const [why, words, note, ids] = ["family-says", "words", "trace-note", "word-ids"].map(byId);
  const player = new Player();
  const explaining = new Latest(explain, showError);
  byId("examples").append(...EXAMPLES.map(([label, text]) => button(label, () => session.setText(text))));
  let chosen = null;

  async function explain() {
    const { model, text } = session;
    const trace = await model.explain(text, session.switches());
    if (model !== session.model) return;
    why.textContent = family(trace.type).lesson ?? family(trace.type).sentence;
    note.textContent = trace.note && `${trace.note[0].toUpperCase()}${trace.note.slice(1)}.`;
    const items = trace.fragments.flatMap(wordsOf);
    const buttons = items.map((word) =>
      button(label(word), () => choose(word, buttons[items.indexOf(word)])),
    );
    words.replaceChildren(...buttons);
    const again = items.findIndex(({ text }) => text === chosen);
    const most = items.reduce((best, word, i) => (steps(word) > steps(items[best]) ? i : best), 0);
    if (items.length) choose(items[again < 0 ? most : again], buttons[again < 0 ? most : again]);
    else player.show([]);
    ids.hidden = !items.length;
  }

  function choose(word, pressed) {
    chosen = word.text;
    for (const other of words.children) other.setAttribute("aria-pressed", other === pressed);
    ids.textContent = word.ids.length ? `Tokens: ${word.ids.join(", ")}` : "No tokens";
    player.show(word.special ? [special(word)] : frames(word));
  }

  return { refresh: () => explaining.run() };
}

/** The words of a fragment; a special token is one, too. */
function wordsOf({ token, words }) {
  return token === null ? words : [{ text: `token ${token}`, ids: [token], special: true, steps: [] }];
}

function special({ text, ids }) {
  const says = `A special token, cut out of the text before the rest is split: ${ids[0]}.`;
  return { parts: [{ text, state: "new" }], says };
}

function steps({ steps, best }) {
  return steps.length + (best?.parts.length ?? 0);
}

function label({ text, ids }) {
  const count = element("small", String(ids.length));
  count.title = `${ids.length} tokens`;
  return [visible(text, true).replaceAll("\n", ""), count];
}

function button(content, onClick) {
  const made = element("button", ...[content].flat());
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}
