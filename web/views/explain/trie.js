// Longest match over bytes (RWKV): walks in a trie, one row a token. Pure.

import { escapedBytes, hex, labelOf } from "./reading.js";
import { label, round, shape, widthOf } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Shape} Shape */
/** @typedef {import("./scene.js").Step} Step */
/** @typedef {import("./trace.js").TracedWord} TracedWord */
/** @typedef {import("./trace.js").Match} Match */

/** @typedef {{data: Uint8Array, shapes: Shape[], steps: Step[], sizeOf: (id: number) => number}} Drawing */
/** A walk: x of its byte n, its line, its token's size, how far the trie goes. @typedef {{match: Match,
 *   x: (n: number) => number, line: number, size: number, reach: number, stops: boolean}} Walk */

const SLOT = 42; // pixels a byte
const EDGE = 10;
const ROW = 46;
const HEADER = 60; // of the text and its bytes
const START = "The walk starts at the root of the trie of all tokens and follows one byte at a time.";

/**
 * @param {TracedWord} word @param {(i: number) => number} tint
 * @param {(id: number) => number} sizeOf of a token, in bytes
 * @returns {Scene}
 */
export function trieScene(word, tint, sizeOf) {
  const data = escapedBytes(word.text);
  const shapes = textAndBytes(word.text, data);
  /** @type {Step[]} */
  const steps = [{ what: "Start", why: "", says: START }];
  const drawing = { data, shapes, steps, sizeOf };
  for (const [row, match] of /** @type {Match[]} */ (word.steps).entries()) {
    const walk = walkOf(match, data, HEADER + row * ROW + 18);
    drawRoot(drawing, walk, tint(row));
    drawEdges(drawing, walk);
    if (walk.stops) drawStop(drawing, walk);
    drawEnd(drawing, walk);
  }
  const height = HEADER + word.steps.length * ROW + 4;
  return { width: widthOf(shapes) + EDGE, height, shapes, steps };
}

/** The characters above their bytes. @param {string} text @param {Uint8Array} data */
function textAndBytes(text, data) {
  /** @type {Shape[]} */
  const shapes = [];
  let first = 0;
  for (const character of text) {
    const bytes = escapedBytes(character);
    const end = first + bytes.length;
    const [left, right] = [EDGE + first * SLOT + 6, EDGE + end * SLOT - 6];
    const isRaw = bytes.length === 1 && bytes[0] > 127;
    if (!isRaw) shapes.push(label(labelOf(bytes), (left + right) / 2, 20, "character"));
    if (bytes.length > 1) shapes.push(shape("path", { d: `M${left} 33 V28 H${right} V33` }, "line faint"));
    first = end;
  }
  const middle = (/** @type {number} */ i) => EDGE + (i + 0.5) * SLOT;
  return [...shapes, ...Array.from(data, (byte, i) => label(hex(byte), middle(i), 46, "small byte"))];
}

/** @param {Match} match @param {Uint8Array} data @param {number} line @returns {Walk} */
function walkOf(match, data, line) {
  const { position, text, id, tried } = match;
  const size = escapedBytes(text).length;
  const reach = id === null ? tried : size + tried;
  const x = (/** @type {number} */ n) => EDGE + (position + n) * SLOT;
  return { match, x, line, size, reach, stops: position + reach < data.length };
}

/** The root, and (once the walk is over) the token's bar behind it. @param {Drawing} drawing @param {Walk} walk @param {number} tint */
function drawRoot({ shapes, steps }, { match, x, line, size, reach, stops }, tint) {
  const from = steps.length;
  const bar = { x: x(0) - 7, y: line - 14, width: size * SLOT + 14, height: 28, rx: 14 };
  const look = match.id === null ? "window" : `token c${tint}`;
  shapes.push(
    shape("rect", bar, look, { from: from + reach + (stops ? 1 : 0) }),
    shape("circle", { cx: x(0), cy: line, r: 4.5 }, "dot", { from, title: "The root" }),
  );
}

/** One node for each byte that the trie has; accepting ones are ringed. @param {Drawing} drawing @param {Walk} walk */
function drawEdges({ data, shapes, steps, sizeOf }, { match, x, line, size, reach }) {
  const { position, id, shorter } = match;
  const accepting = new Map(shorter.map((token) => [sizeOf(token), token]));
  if (id !== null) accepting.set(size, id);
  for (let n = 1; n <= reach; n++) {
    const more = { from: steps.length, lit: steps.length };
    const token = accepting.get(n);
    const byte = hex(data[position + n - 1]);
    const so = labelOf(data.subarray(position, position + n));
    const isFurther = n > size;
    shapes.push(
      edge(x(n - 1) + 6, x(n) - 6, line, isFurther ? "line further" : "line walked", more),
      shape("circle", { cx: x(n), cy: line, r: 4.5 }, isFurther ? "dot further" : "dot", {
        ...more,
        title: so,
      }),
    );
    if (token !== undefined) {
      const title = `“${so}” is token ${token}`;
      shapes.push(shape("circle", { cx: x(n), cy: line, r: 8.5 }, "ring", { ...more, title }));
    }
    const what = token === undefined ? "which is not a token." : `which is token ${token}.`;
    const says = `Byte ${byte} leads on to “${so}”, ${what}`;
    steps.push({ what: `${byte} ${so}`, why: token === undefined ? "" : `◎ ${token}`, says });
  }
}

/** The byte that the trie does not have. @param {Drawing} drawing @param {Walk} walk */
function drawStop({ data, shapes, steps }, { match, x, line, reach }) {
  const more = { from: steps.length };
  const byte = hex(data[match.position + reach]);
  shapes.push(
    edge(x(reach) + 6, x(reach) + 22, line, "line further", more),
    label("✗", x(reach) + 29, line + 4, "small", more),
  );
  steps.push({ what: `${byte} ✗`, why: "", says: `No token goes on with byte ${byte} from here.` });
}

/** @param {Drawing} drawing @param {Walk} walk */
function drawEnd({ data, shapes, steps }, { match, x, line, size, reach, stops }) {
  const { position, text, id } = match;
  const name = labelOf(escapedBytes(text));
  const far = x(Math.max(size, reach)) + (stops ? 42 : 16);
  shapes.push(
    label(id === null ? "no token" : `${name} ${id}`, far, line + 4, "start", { from: steps.length }),
  );
  const next = position + size < data.length ? " The next walk starts after it." : "";
  const says =
    id === null
      ? `No token starts with byte ${hex(data[position])}.`
      : `The longest token on this walk is “${name}” (${id}).${next}`;
  steps.push({ what: name, why: id === null ? "✗" : `✓ ${id}`, says });
}

/** @param {number} from @param {number} to @param {number} line @param {string} look @param {import("./scene.js").More} more */
function edge(from, to, line, look, more) {
  return shape("path", { d: `M${round(from)} ${line} H${round(to)}` }, look, more);
}
