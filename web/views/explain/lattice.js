// All paths through a word (Unigram, PLaMo): positions as nodes, tokens as arcs. Pure.

import { counted, escapedBytes, labelOf, scoreLabel } from "./reading.js";
import { BOX, box, label, pill, round, SMALL, shape, textWidth } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Shape} Shape */
/** @typedef {import("./scene.js").Step} Step */
/** @typedef {import("./trace.js").TracedWord} TracedWord */
/** @typedef {import("./trace.js").Arc} Arc */
/** @typedef {import("./trace.js").Path} Path */
/** @typedef {import("./reading.js").Reading} Reading */

const SLOT = 52; // pixels a character
const EDGE = 26;
const RISE = 26; // how much higher an arc is for each further character
const HIGHEST = 300;
const FOOT = 64; // below the nodes: characters and sums

/**
 * The search: nodes in its order, with the best arc into each and the sum up to there.
 * sign: 1 takes the highest sum and goes from the left (Unigram), -1 the lowest and from the right (PLaMo).
 * @param {Arc[]} arcs in the order of the search @param {number} end in bytes @param {1 | -1} sign
 */
export function search(arcs, end, sign) {
  const [first, last] = sign > 0 ? [0, end] : [end, 0];
  /** @type {Map<number, {sum: number, arc: Arc | null}>} */
  const best = new Map([[first, { sum: 0, arc: null }]]);
  for (const arc of arcs) {
    const [source, target] = sign > 0 ? [arc.start, arc.end] : [arc.end, arc.start];
    const before = best.get(source);
    if (!before || arc.score === null) continue;
    const sum = before.sum + arc.score;
    const known = best.get(target);
    if (!known || sign * sum > sign * known.sum) best.set(target, { sum, arc });
  }
  const nodes = [...best.keys()].sort((a, b) => sign * (a - b));
  return { nodes, best, first, last };
}

/** @param {string} type of the vocabulary @returns {1 | -1} */
export function directionOf(type) {
  return type === "UGM" ? 1 : -1;
}

/**
 * @param {TracedWord} word @param {Reading} read @param {(i: number) => number} tint @param {string} type
 * @returns {Scene}
 */
export function latticeScene(word, read, tint, type) {
  const sign = directionOf(type);
  const { places, total } = placesOf(word.text);
  const found = search(word.arcs, total, sign);
  const best = /** @type {Path} */ (word.best);
  const winner = spansOf(best);
  const runnerUp = word.runner_up ? spansOf(word.runner_up) : [];
  const end = found.nodes.length; // the step after the last node
  const highest = Math.min(HIGHEST, RISE * Math.max(...word.arcs.map((arc) => spanOf(arc, places)), 1) + 40);
  const base = highest * 0.75 + 24;
  const drawing = { places, base, read, data: escapedBytes(word.text), end };
  const shapes = [
    ...word.arcs.map((arc) => arcShape(arc, drawing, "arc")),
    ...found.nodes.flatMap((node, i) => nodeSteps(node, i, word.arcs, found, drawing, sign)),
    ...runnerUp
      .filter((span) => !winner.some((other) => other.start === span.start && other.end === span.end))
      .map((span) => arcShape(span, drawing, "arc runner-up", { from: end })),
    ...winner.map((span) => arcShape(span, drawing, "arc best", { from: end })),
    ...nodes(word.text, drawing),
    ...winnerLabels(winner, drawing, tint),
  ];
  const width = EDGE * 2 + SLOT * (places.size - 1);
  return { width, height: base + FOOT, shapes, steps: stepsOf(word, found, drawing, sign) };
}

/** The places between characters: byte offset to number. @param {string} text */
function placesOf(text) {
  /** @type {Map<number, number>} */
  const places = new Map([[0, 0]]);
  let at = 0;
  for (const character of text) {
    at += escapedBytes(character).length;
    places.set(at, places.size);
  }
  return { places, total: at };
}

/** @typedef {{start: number, end: number, text: string, ids: number[], score: number | null}} Span */

/** The parts of a path with their bytes. @param {Path} path @returns {Span[]} */
function spansOf({ parts }) {
  let end = 0;
  return parts.map(({ text, ids, score }) => {
    const start = end;
    end += escapedBytes(text).length;
    return { start, end, text, ids, score };
  });
}

/** @typedef {{places: Map<number, number>, base: number, read: Reading, data: Uint8Array, end: number}} Drawing */

/** How many characters an arc spans. @param {{start: number, end: number}} arc @param {Map<number, number>} places */
function spanOf({ start, end }, places) {
  return (places.get(end) ?? 0) - (places.get(start) ?? 0);
}

/** @param {{start: number, end: number}} arc @param {Drawing} drawing */
function curve({ start, end }, { places, base }) {
  const [from, to] = [start, end].map((at) => EDGE + SLOT * (places.get(at) ?? 0));
  const height = Math.min(HIGHEST, RISE * spanOf({ start, end }, places) + 40);
  const lean = Math.min(14, (to - from) / 5);
  const d = `M${from} ${base} C${round(from + lean)} ${round(base - height)} ${round(to - lean)} ${round(base - height)} ${to} ${base}`;
  return { d, x: (from + to) / 2, top: base - height * 0.75 };
}

/** @param {{start: number, end: number, score: number | null}} arc @param {Drawing} drawing */
function nameOf({ start, end }, { read, data }) {
  const text = new TextDecoder().decode(data.subarray(start, end));
  return labelOf(text.includes("\ufffd") ? data.subarray(start, end) : read(text));
}

/**
 * @param {{start: number, end: number, score: number | null}} arc @param {Drawing} drawing @param {string} look
 * @param {import("./scene.js").More} [more]
 */
function arcShape(arc, drawing, look, more = {}) {
  const title = `${nameOf(arc, drawing)} ${scoreLabel(arc.score)}`;
  return shape("path", { d: curve(arc, drawing).d }, look, { title, ...more });
}

/**
 * What is seen of a node: the arcs into it while it is looked at, then the best of them and the sum.
 * @param {number} node @param {number} i @param {Arc[]} arcs @param {ReturnType<typeof search>} found
 * @param {Drawing} drawing @param {1 | -1} sign
 */
function nodeSteps(node, i, arcs, { best, first }, drawing, sign) {
  if (node === first) return [];
  const known = best.get(node);
  const { places, base, end } = drawing;
  const into = arcs.filter((arc) => (sign > 0 ? arc.end : arc.start) === node);
  const shapes = into.flatMap((arc) => {
    const look = arc === known?.arc ? "chosen" : "tried";
    return arcShape(arc, drawing, `arc ${look}`, { from: i, until: i + 1 });
  });
  for (const arc of mainArcs(into, known?.arc ?? null)) {
    const { x, top } = curve(arc, drawing);
    const look = arc === known?.arc ? "chosen" : "tried";
    shapes.push(
      ...pill(`${nameOf(arc, drawing)} ${scoreLabel(arc.score)}`, x, top, look, { from: i, until: i + 1 }),
    );
  }
  if (known?.arc && i + 1 < end)
    shapes.push(arcShape(known.arc, drawing, "arc kept", { from: i + 1, until: end }));
  const x = EDGE + SLOT * (places.get(node) ?? 0);
  const sum = fitting(known?.sum ?? null, SLOT - 2);
  return [...shapes, label(sum, x, base + 48, "small sum", { from: i, lit: i })];
}

/** Of arcs that span the same characters one: the chosen arc, else the first. @param {Arc[]} arcs @param {Arc | null} chosen */
function mainArcs(arcs, chosen) {
  const rest = arcs.filter((arc) => arc !== chosen);
  const ordered = chosen ? [chosen, ...rest] : rest;
  return ordered.filter(
    (arc, i) => ordered.findIndex(({ start, end }) => start === arc.start && end === arc.end) === i,
  );
}

/** A score in the room there is. @param {number | null} score @param {number} room in pixels */
function fitting(score, room) {
  const text = scoreLabel(score);
  if (score === null || textWidth(text, SMALL) <= room) return text;
  return score.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 2 });
}

/** @param {string} text @param {Drawing} drawing */
function nodes(text, { places, base, read }) {
  const circles = [...places.values()].map((i) =>
    shape("circle", { cx: EDGE + SLOT * i, cy: base, r: 4.5 }, "dot"),
  );
  const characters = [...text].map((character, i) =>
    label(labelOf(read(character)), EDGE + SLOT * (i + 0.5), base + 24, "character"),
  );
  return [...circles, ...characters];
}

/** @param {Span[]} winner @param {Drawing} drawing @param {(i: number) => number} tint */
function winnerLabels(winner, drawing, tint) {
  let token = -1;
  return winner.flatMap((span, i) => {
    const { x, top } = curve(span, drawing);
    const more = { from: drawing.end };
    // unknown neighbors are one token
    const isSame =
      i > 0 &&
      span.ids.length === 1 &&
      span.ids[0] === winner[i - 1].ids[0] &&
      token >= 0 &&
      span.text !== winner[i - 1].text;
    if (!isSame) token++;
    return [
      ...box(nameOf(span, drawing), x, top - BOX / 2, `token c${tint(token)}`, more),
      label(
        fitting(span.score, SLOT * spanOf(span, drawing.places) - 8),
        x,
        top + BOX / 2 + 13,
        "small rule",
        more,
      ),
    ];
  });
}

const HIGHEST_WINS = "The path with the highest total score wins.";
const LOWEST_WINS = "The path with the lowest total cost wins; the search starts at the end.";

/**
 * @param {TracedWord} word @param {ReturnType<typeof search>} found @param {Drawing} drawing @param {1 | -1} sign
 * @returns {Step[]}
 */
function stepsOf(word, { nodes, best }, drawing, sign) {
  const total = sign > 0 ? "score" : "cost";
  const fits = counted(word.arcs.length, "token of the vocabulary fits", "tokens of the vocabulary fit");
  const says = `${fits} somewhere in this word. ${sign > 0 ? HIGHEST_WINS : LOWEST_WINS}`;
  const steps = [{ what: "Start", why: counted(word.arcs.length, "candidate"), says }];
  for (const node of nodes.slice(1)) {
    const { sum, arc } = /** @type {{sum: number, arc: Arc}} */ (best.get(node));
    const name = nameOf(arc, drawing);
    const where = sign > 0 ? drawing.data.subarray(0, node) : drawing.data.subarray(node);
    const stretch = labelOf(drawing.read(new TextDecoder().decode(where)));
    const side = sign > 0 ? "ends" : "starts";
    steps.push({
      what: stretch,
      why: scoreLabel(sum),
      says: `The best path for “${stretch}” ${side} with “${name}”: total ${total} ${scoreLabel(sum)}.`,
    });
  }
  steps.push({
    what: "Best path",
    why: scoreLabel(word.best?.score ?? null),
    says: verdict(word, drawing, total),
  });
  return steps;
}

/** @param {TracedWord} word @param {Drawing} drawing @param {string} total */
function verdict({ best, runner_up }, drawing, total) {
  const sum = (/** @type {Path} */ path) =>
    spansOf(path)
      .map((span) => nameOf(span, drawing))
      .join(" + ");
  const won = best ? `The best path is ${sum(best)}: total ${total} ${scoreLabel(best.score)}.` : "";
  if (!runner_up) return `${won} It is the only path.`;
  return `${won} The runner-up, ${sum(runner_up)}, has ${scoreLabel(runner_up.score)}.`;
}
