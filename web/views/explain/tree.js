// The merges of a word (BPE, SPM) as a tree that grows down from its symbols. Pure.

import { counted, hex, labelOf, ruleLabel } from "./reading.js";
import { BOX, box, label, pill, pillWidth, round, shape } from "./scene.js";

/** @typedef {import("./scene.js").Shape} Shape */
/** @typedef {import("./scene.js").Step} Step */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./trace.js").TracedWord} TracedWord */
/** @typedef {import("./trace.js").Merge} Merge */
/** @typedef {import("./trace.js").ByteFallback} ByteFallback */
/** @typedef {import("./reading.js").Reading} Reading */

/**
 * A symbol: of the beginning (level 0), or made by a merge. first, end: its leaves.
 * @typedef {{text: string, first: number, end: number, level: number, step: number, parts: TreeNode[],
 *   rule: {rank: number | null, score: number | null} | null}} TreeNode
 */

/**
 * Two neighbours at some moment. rule: null if none joins them. lit: when it is the next to merge.
 * @typedef {{left: TreeNode, right: TreeNode, from: number, until: number, lit: number,
 *   rule: {rank: number | null, score: number | null} | null}} Candidate
 */

const SLOT = 46; // pixels a symbol
const LEVEL = 48; // from the top of a box to that of the next level
const BAR = 14; // how far above a box its bracket lies
const LANE = 18;
const EDGE = 8;

/**
 * What happens in a word: its symbols at the end, all nodes, and all pairs of neighbours.
 * @param {TracedWord} word
 */
export function grow(word) {
  /** @type {TreeNode[]} */
  const leaves = word.symbols.map((text, i) => leaf(text, i));
  const nodes = [...leaves];
  const rules = new Map(word.pairs.map((pair) => [`${pair.left}\0${pair.right}`, pair]));
  /** @type {Candidate[]} */
  const candidates = [];
  const meet = (/** @type {TreeNode} */ left, /** @type {TreeNode} */ right, /** @type {number} */ from) => {
    const rule = rules.get(`${left.text}\0${right.text}`) ?? null;
    const met = { left, right, from, until: Infinity, lit: -1, rule };
    candidates.push(met);
    return met;
  };
  const now = [...leaves];
  const between = leaves.slice(1).map((right, i) => meet(leaves[i], right, 0));
  const merges = /** @type {Merge[]} */ (word.steps.filter(({ kind }) => kind === "merge"));
  merges.forEach(({ position, text, rank, score }, i) => {
    const parts = now.slice(position, position + 2);
    const level = 1 + Math.max(...parts.map((part) => part.level));
    const [left, right] = parts;
    const node = {
      text,
      first: left.first,
      end: right.end,
      level,
      step: i + 1,
      parts,
      rule: { rank, score },
    };
    between[position].lit = i;
    for (const met of between.slice(Math.max(position - 1, 0), position + 2)) met.until = i + 1;
    now.splice(position, 2, node);
    nodes.push(node);
    between.splice(position, 1);
    if (position > 0) between[position - 1] = meet(now[position - 1], node, i + 1);
    if (position < between.length) between[position] = meet(node, now[position + 1], i + 1);
  });
  return { leaves, nodes, candidates, now, merges };
}

/** @param {string} text @param {number} i @returns {TreeNode} */
function leaf(text, i) {
  return { text, first: i, end: i + 1, level: 0, step: 0, parts: [], rule: null };
}

/**
 * @param {TracedWord} word @param {Reading} read @param {(i: number) => number} tint of the word's token i
 * @returns {Scene}
 */
export function treeScene(word, read, tint) {
  const tree = grow(word);
  const falls = /** @type {ByteFallback[]} */ (word.steps.filter(({ kind }) => kind === "bytes"));
  falls.forEach(({ position }, i) => {
    for (const met of tree.candidates) {
      const isFallen = [met.left, met.right].includes(tree.now[position]);
      if (isFallen) met.until = Math.min(met.until, tree.merges.length + i + 1);
    }
  });
  const { at, width } = placeLeaves(tree, falls);
  const characters = charactersAbove(word, at);
  const top = EDGE + (characters.length ? 32 : 0);
  const place = placer(at, top);
  const done = tree.merges.length;
  const end = done + falls.length + (word.note === "whole-word" ? 1 : 0);
  const drawing = { read, place, end };
  const shapes = [
    ...characters,
    ...(word.note ? [] : tree.candidates.flatMap(candidateShapes(tree.candidates, place))),
    ...tree.nodes.flatMap((node) => nodeShapes(node, drawing)),
    ...(word.note === "whole-word"
      ? wholeShapes(tree.leaves, word, drawing, tint)
      : endShapes(tree, falls, drawing, tint)),
  ];
  const steps = stepsOf(word, tree, falls, read);
  return { width, height: heightOf(shapes), shapes, steps };
}

/**
 * Where the middle of each leaf is. A symbol that becomes bytes gets the room for them.
 * @param {ReturnType<typeof grow>} tree @param {ByteFallback[]} falls
 */
function placeLeaves({ leaves, now }, falls) {
  const slots = leaves.map(() => 1);
  for (const { position, bytes } of falls) {
    const { first, end } = now[position];
    slots[end - 1] += Math.max(0, bytes.length - (end - first));
  }
  let x = EDGE;
  const at = slots.map((count) => {
    const middle = x + (count * SLOT) / 2;
    x += count * SLOT;
    return middle;
  });
  return { at, width: x + EDGE };
}

/** @param {number[]} at @param {number} top */
function placer(at, top) {
  /** @param {TreeNode} node @returns {number} */
  const x = (node) => (node.parts.length ? (x(node.parts[0]) + x(node.parts[1])) / 2 : at[node.first]);
  const y = (/** @type {number} */ level) => top + level * LEVEL;
  return { x, y };
}

/** @typedef {{read: Reading, place: ReturnType<typeof placer>, end: number}} Drawing */

/**
 * The characters that are written as several bytes, above their bytes.
 * @param {TracedWord} word @param {number[]} at
 */
function charactersAbove(word, at) {
  if (word.symbols.join("") === word.text) return []; // symbols are characters
  /** @type {Shape[]} */
  const shapes = [];
  let first = 0;
  for (const character of word.text) {
    const bytes = new TextEncoder().encode(character);
    const end = first + bytes.length;
    if (bytes.length > 1 && end <= at.length) {
      const [left, right] = [at[first] - 14, at[end - 1] + 14];
      const text = labelOf(bytes);
      shapes.push(
        label(text, (left + right) / 2, EDGE + 13, "character"),
        shape("path", { d: `M${left} ${EDGE + 26} V${EDGE + 21} H${right} V${EDGE + 26}` }, "line faint"),
      );
    }
    first = end;
  }
  return shapes;
}

/** @param {TreeNode} node @param {Drawing} drawing */
function nodeShapes(node, { read, place }) {
  const [x, y] = [place.x(node), place.y(node.level)];
  const from = node.step;
  const bytes = read(node.text);
  const text = labelOf(bytes);
  const title = node.text === text ? "" : `In the vocabulary: ${node.text}`;
  const boxes = box(text, x, y, node.level ? "node" : "leaf", { from, title });
  if (!node.rule) return boxes;
  const rule = ruleLabel(node.rule);
  return [
    ...node.parts.map((part) => bracket(place.x(part), place.y(part.level) + BOX, x, y, "line", { from })),
    label(rule, x, y - BAR + 3.5, "small rule", { from }),
    ...boxes,
  ];
}

/**
 * Half a bracket: down from a part to the bar, and along it to the box.
 * @param {number} fromX @param {number} fromY @param {number} x @param {number} y
 * @param {string} look @param {import("./scene.js").More} more
 */
function bracket(fromX, fromY, x, y, look, more) {
  return shape("path", { d: `M${round(fromX)} ${fromY} V${y - BAR} H${round(x)} V${y}` }, look, more);
}

/**
 * A pair of neighbours is where their bracket would be; a second lane takes what would overlap.
 * @param {Candidate[]} all @param {ReturnType<typeof placer>} place
 */
function candidateShapes(all, place) {
  const spans = all.map(({ left, right, rule, from, until }) => {
    const x = (place.x(left) + place.x(right)) / 2;
    const half = pillWidth(rule ? ruleLabel(rule) : NO_RULE) / 2 + 1;
    return {
      x,
      left: x - half,
      right: x + half,
      level: 1 + Math.max(left.level, right.level),
      from,
      until,
      lane: 0,
    };
  });
  spans.forEach((span, i) => {
    const beside = spans
      .slice(0, i)
      .filter(
        (other) =>
          other.level === span.level &&
          other.from < span.until &&
          span.from < other.until &&
          other.left < span.right &&
          span.left < other.right,
      )
      .map(({ lane }) => lane);
    span.lane = [0, 1, 2].find((lane) => !beside.includes(lane)) ?? 2;
  });
  return (/** @type {Candidate} */ { rule, from, until, lit, left, right }, /** @type {number} */ i) => {
    const { x, level, lane } = spans[i];
    const y = place.y(level) - BAR + lane * LANE;
    const more = { from, until, lit };
    const look = rule ? "candidate" : "candidate none";
    return [
      ...[left, right].map((part) => {
        const d = `M${round(place.x(part))} ${place.y(part.level) + BOX} V${y} H${round(x)}`;
        return shape("path", { d }, `line ${look}`, more);
      }),
      ...pill(rule ? ruleLabel(rule) : NO_RULE, x, y, look, more),
    ];
  };
}

const NO_RULE = "no rule";

/**
 * The tokens of the end: symbols in their tints, or their bytes.
 * @param {ReturnType<typeof grow>} tree @param {ByteFallback[]} falls @param {Drawing} drawing
 * @param {(i: number) => number} tint
 */
function endShapes({ now, merges }, falls, { read, place, end }, tint) {
  let token = 0;
  return now.flatMap((node, i) => {
    const [x, y] = [place.x(node), place.y(node.level)];
    const at = falls.findIndex(({ position }) => position === i);
    if (at < 0) return box(labelOf(read(node.text)), x, y, `token c${tint(token++)}`, { from: end });
    const { bytes, ids } = falls[at];
    const from = merges.length + at + 1;
    return bytes.flatMap((byte, n) => {
      const middle = x + (n - (bytes.length - 1) / 2) * SLOT;
      const id = ids[Math.min(n, ids.length - 1)];
      const look = id === null ? "node lost" : `token c${tint(ids.length > n ? token++ : token - 1)}`;
      return [
        bracket(x, y + BOX, middle, y + LEVEL, "line", { from }),
        ...box(hex(byte), middle, y + LEVEL, look, { from, title: id === null ? "No token: dropped" : "" }),
      ];
    });
  });
}

/**
 * A word that is a token by itself: all symbols under one bracket.
 * @param {TreeNode[]} leaves @param {TracedWord} word @param {Drawing} drawing @param {(i: number) => number} tint
 */
function wholeShapes(leaves, word, { read, place, end }, tint) {
  const x = (place.x(leaves[0]) + place.x(leaves[leaves.length - 1])) / 2;
  const text = labelOf(read(leaves.map((one) => one.text).join("")));
  const y = place.y(1);
  return [
    ...leaves.map((one) => bracket(place.x(one), place.y(0) + BOX, x, y, "line", { from: end })),
    label("whole word", x, y - BAR + 3.5, "small rule", { from: end }),
    ...box(text, x, y, `token c${tint(0)}`, { from: end, title: word.text }),
  ];
}

/** @param {Shape[]} shapes */
function heightOf(shapes) {
  const bottoms = shapes.map(({ tag, at }) => {
    if (tag === "rect") return Number(at.y) + Number(at.height);
    return tag === "text" ? Number(at.y) + 4 : 0;
  });
  return Math.max(...bottoms) + EDGE;
}

/**
 * @param {TracedWord} word @param {ReturnType<typeof grow>} tree @param {ByteFallback[]} falls @param {Reading} read
 * @returns {Step[]}
 */
function stepsOf(word, { candidates, merges, leaves }, falls, read) {
  const show = (/** @type {string} */ text) => labelOf(read(text));
  const able = (/** @type {number} */ step) =>
    candidates.filter(({ from, until, rule }) => rule && from <= step && step < until).length;
  const steps = [{ what: "Start", why: counted(leaves.length, "symbol"), says: beginning(word, able(0)) }];
  merges.forEach((merge, i) => {
    const { left, right, text, rank } = merge;
    const rule = ruleLabel(merge);
    const best = rank === null ? `score ${rule} is the highest` : `rank ${rule} is the lowest`;
    const many = able(i);
    const of = many === 1 ? "no other pair has a rule" : `${best} of ${many} candidates`;
    steps.push({
      what: `${show(left)} + ${show(right)}`,
      why: rule,
      says: `“${show(left)}” and “${show(right)}” merge into “${show(text)}”: ${of}${many === 1 ? ` (${rule})` : ""}.`,
    });
  });
  for (const { text, bytes } of falls) {
    const list = bytes.map(hex).join(" ");
    steps.push({
      what: `${show(text)} → bytes`,
      why: list,
      says: `The vocabulary has no token for “${show(text)}”, so it becomes its UTF-8 bytes: ${list}.`,
    });
  }
  const last = steps[steps.length - 1];
  if (word.note === "whole-word") {
    steps.push({ what: show(word.symbols.join("")), why: "whole word", says: WHOLE });
  } else if (merges.length) last.says += ` ${ending(word.ids.length)}`;
  return steps;
}

const WHOLE = "The entire word is in the vocabulary, and this tokenizer looks there before it merges.";

/** @param {TracedWord} word @param {number} able */
function beginning({ symbols, note }, able) {
  const start = `The word starts as ${counted(symbols.length, "symbol")}.`;
  if (note === "whole-word") return start;
  if (symbols.length < 2) return `${start} There is nothing to merge.`;
  return `${start} ${able ? `${counted(able, "pair")} of neighbors can merge.` : "No two neighbors can merge."}`;
}

/** @param {number} count */
function ending(count) {
  return count === 1 ? "One token remains." : `No rule joins any neighbors now: ${count} tokens remain.`;
}
