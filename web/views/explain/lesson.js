// A trace -> what is shown of it: a picture with its steps, and the tokens. Pure.

import { COLOURS, colourOf } from "../../tokens/colours.js";
import { latticeScene } from "./lattice.js";
import { counted, escapedBytes, labelOf, readingOf, scoreLabel } from "./reading.js";
import { BOX, box, boxWidth, sideBySide } from "./scene.js";
import { grow, treeScene } from "./tree.js";
import { trieScene } from "./trie.js";
import { windowScene } from "./window.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./trace.js").TracedWord} TracedWord */
/** @typedef {import("./trace.js").Match} Match */
/** @typedef {import("./reading.js").Reading} Reading */

/** A token of the result. special: cut out before the text is split. @typedef {{id: number, label: string, tint: number, special: boolean}} Shown */
/** Bytes of the text, as the tokenizer reads it, that became these tokens. @typedef {{start: number, end: number, ids: number[]}} Cut */
/** A merge in those bytes. @typedef {{start: number, middle: number, end: number, rank: number | null, score: number | null}} Join */

/**
 * @typedef {object} Lesson
 * @property {string} type of the vocabulary
 * @property {Shown[]} tokens
 * @property {string} effort how much was done, in words
 * @property {Scene} scene
 * @property {{look: string, text: string}[]} legend
 * @property {string[]} limits what is not shown, in sentences
 * @property {Uint8Array} bytes of the text, as the tokenizer reads it
 * @property {Cut[]} cuts
 * @property {Join[]} joins
 * @property {number[]} borders where words end, in those bytes
 * @property {string[]} unknown what became the unknown token
 * @property {string[]} entire the words that needed no merge, as they are in the vocabulary
 */

const MOST_SYMBOLS = 120; // of a picture
const GAP = 26;

/**
 * @param {Trace} trace @param {(id: number) => Uint8Array} pieceOf the bytes of a token
 * @param {number} [unknownId] the unknown token, if there is one
 * @returns {Lesson}
 */
export function lessonOf(trace, pieceOf, unknownId = -1) {
  const words = trace.fragments.flatMap(({ token, words }) => (token === null ? words : [special(token)]));
  const tokens = tokensOf(words, pieceOf);
  const drawn = fitting(words);
  let token = 0;
  const scenes = drawn.map((word) => {
    const first = token;
    token += word.ids.length;
    return sceneOf(word, trace.type, (i) => tokens[first + i]?.tint ?? 0, pieceOf);
  });
  const isLattice = drawn.some(({ best }) => best);
  return {
    type: trace.type,
    tokens,
    effort: effort(words),
    scene: sideBySide(scenes, GAP, isLattice ? "bottom" : "top"),
    legend: isLattice ? legend(drawn, trace.type) : [],
    limits: limits(trace, words, drawn),
    ...bytesOf(words, trace.type),
    entire: words
      .filter(({ note }) => note === "whole-word")
      .map((word) => labelOf(readingOf(word, trace.type)(word.symbols.join("")))),
    unknown: words.flatMap((word) => unknownIn(word, trace.type, unknownId)),
  };
}

/** What became the unknown token: a word, or (Unigram) characters that no token covers.
 * @param {TracedWord} word @param {string} type @param {number} unknownId */
function unknownIn(word, type, unknownId) {
  const read = readingOf(word, type);
  if (word.note === "unknown") return [labelOf(read(word.text))];
  const parts = word.best?.parts.filter(({ ids }) => ids[0] === unknownId) ?? [];
  return parts.length ? [labelOf(read(parts.map(({ text }) => text).join("")))] : [];
}

const PLAIN = { symbols: [], steps: [], best: null, runner_up: null, pairs: [], arcs: [] };

/** A special token as a word. @param {number} token @returns {TracedWord} */
function special(token) {
  return { ...PLAIN, text: "", ids: [token], note: "special" };
}

/** @param {TracedWord[]} words @param {(id: number) => Uint8Array} pieceOf @returns {Shown[]} */
function tokensOf(words, pieceOf) {
  let before = -1;
  return words.flatMap(({ ids, note }) =>
    ids.map((id) => {
      const own = colourOf(id);
      before = own === before ? (own + 1) % COLOURS : own;
      return { id, label: labelOf(pieceOf(id)) || `token ${id}`, tint: before, special: note === "special" };
    }),
  );
}

/** The first words, as many as a picture has room for. @param {TracedWord[]} words */
function fitting(words) {
  let room = MOST_SYMBOLS;
  const end = words.findIndex((word) => {
    room -= word.symbols.length || escapedBytes(word.text).length || 1;
    return room < 0;
  });
  return end < 0 ? words : words.slice(0, end);
}

/**
 * @param {TracedWord} word @param {string} type @param {(i: number) => number} tint @param {(id: number) => Uint8Array} pieceOf
 * @returns {Scene}
 */
function sceneOf(word, type, tint, pieceOf) {
  const read = readingOf(word, type);
  if (word.best) return latticeScene(word, read, tint, type);
  if (word.symbols.length) return treeScene(word, read, tint);
  if (word.steps.length)
    return type === "RWKV"
      ? trieScene(word, tint, (id) => pieceOf(id).length)
      : windowScene(word, read, tint, type);
  const text = labelOf(word.note === "special" ? pieceOf(word.ids[0]) : read(word.text));
  return plainScene(text, `${word.note} token c${tint(0)}`);
}

/** A box, and nothing that happens. @param {string} text @param {string} look @returns {Scene} */
function plainScene(text, look) {
  const width = boxWidth(text) + 8;
  return {
    width,
    height: BOX + 16,
    shapes: box(text, width / 2, 8, look),
    steps: [{ what: "Start", why: "", says: "A special token is cut out before the rest is split." }],
  };
}

/** @param {TracedWord[]} words */
function effort(words) {
  const steps = words.flatMap((word) => word.steps);
  const merges = steps.filter(({ kind }) => kind === "merge").length;
  const arcs = words.reduce((sum, word) => sum + word.arcs.length, 0);
  if (arcs) return `of ${counted(arcs, "candidate")}`;
  if (words.some(({ symbols }) => symbols.length)) return counted(merges, "merge");
  const matches = /** @type {Match[]} */ (steps.filter(({ kind }) => kind === "match"));
  return counted(
    matches.reduce((sum, { tried, id }) => sum + tried + (id === null ? 0 : 1), 0),
    "lookup",
  );
}

/** @param {TracedWord[]} words @param {string} type */
function legend(words, type) {
  const only = words.length === 1 ? words[0] : null;
  const sum = (/** @type {import("./trace.js").Path | null | undefined} */ path) =>
    path ? `: ${scoreLabel(path.score)}` : "";
  const all = [{ look: "best", text: `Best path${sum(only?.best)}` }];
  if (words.some(({ runner_up }) => runner_up))
    all.push({ look: "runner-up", text: `Runner-up${sum(only?.runner_up)}` });
  return [
    ...all,
    { look: "arc", text: `Other candidates; hover over one for its ${type === "UGM" ? "score" : "cost"}` },
  ];
}

/** @param {Trace} trace @param {TracedWord[]} words @param {TracedWord[]} drawn */
function limits(trace, words, drawn) {
  const all = [];
  if (!drawn.length && words.length) {
    all.push(
      `The first word is too long to draw: a picture has room for ${MOST_SYMBOLS} symbols. The tokens are below.`,
    );
  } else if (drawn.length < words.length) {
    all.push(
      `The picture shows the first ${counted(drawn.length, "word")} of ${words.length}: it has room for ${MOST_SYMBOLS} symbols.`,
    );
  }
  if (trace.note) all.push(`${trace.note[0].toUpperCase()}${trace.note.slice(1)}.`);
  return all;
}

/** Where the text is cut, in the bytes that the tokenizer reads. @param {TracedWord[]} words @param {string} type */
function bytesOf(words, type) {
  /** @type {number[]} */
  const bytes = [];
  /** @type {Cut[]} */
  const cuts = [];
  /** @type {Join[]} */
  const joins = [];
  /** @type {number[]} */
  const borders = [];
  for (const word of words) {
    const start = bytes.length;
    const read = readingOf(word, type);
    const { parts, joined } = partsOf(word, read);
    cuts.push(...parts.map((part) => ({ ...part, start: part.start + start, end: part.end + start })));
    joins.push(
      ...joined.map((join) => ({
        ...join,
        start: join.start + start,
        middle: join.middle + start,
        end: join.end + start,
      })),
    );
    bytes.push(...read(word.symbols.join("") || word.text));
    borders.push(bytes.length);
  }
  return { bytes: Uint8Array.from(bytes), cuts, joins, borders };
}

/** @param {TracedWord} word @param {Reading} read @returns {{parts: Cut[], joined: Join[]}} */
function partsOf(word, read) {
  if (word.symbols.length && word.note !== "whole-word") return treeParts(word, read);
  const texts =
    word.best?.parts ??
    /** @type {Match[]} */ (word.steps).map(({ text, id }) => ({ text, ids: id === null ? [] : [id] }));
  const whole = [{ text: word.symbols.join("") || word.text, ids: word.ids }];
  let end = 0;
  const parts = (word.note || !texts.length ? whole : texts).map(({ text, ids }) => {
    const start = end;
    end += read(text).length;
    return { start, end, ids };
  });
  return { parts, joined: [] };
}

/** @param {TracedWord} word @param {Reading} read */
function treeParts(word, read) {
  const { nodes, now } = grow(word);
  const at = [0];
  for (const symbol of word.symbols) at.push(at[at.length - 1] + read(symbol).length);
  let token = 0;
  const falls = new Map(
    word.steps.filter(({ kind }) => kind === "bytes").map((step) => [step.position, step]),
  );
  const parts = now.map(({ first, end }, i) => {
    const fall = /** @type {import("./trace.js").ByteFallback | undefined} */ (falls.get(i));
    const count = fall ? fall.ids.filter((id) => id !== null).length : 1;
    const ids = word.ids.slice(token, token + count);
    token += count;
    return { start: at[first], end: at[end], ids };
  });
  const joined = nodes
    .filter(({ rule }) => rule)
    .map(({ first, end, parts: [left], rule }) => ({
      start: at[first],
      middle: at[left.end],
      end: at[end],
      rank: rule?.rank ?? null,
      score: rule?.score ?? null,
    }));
  return { parts, joined };
}
