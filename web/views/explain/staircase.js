// Longest match: WordPiece's window that shrinks from the right, RWKV's walk in a trie of bytes. Pure.

import { counted, escapedBytes, hex, labelOf } from "./reading.js";
import { label, round, shape, widthOf } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Shape} Shape */
/** @typedef {import("./scene.js").Step} Step */
/** @typedef {import("./trace.js").TracedWord} TracedWord */
/** @typedef {import("./trace.js").Match} Match */
/** @typedef {import("./reading.js").Reading} Reading */

const SLOT = 42; // pixels a character or byte
const EDGE = 10;
const ROW = 24;
const MOST_ROWS = 12; // of one window: of more, some are left out
const FIRST_ROWS = 7;

/**
 * @param {TracedWord} word @param {Reading} read @param {(i: number) => number} tint
 * @returns {Scene}
 */
export function windowScene(word, read, tint) {
  const characters = [...word.text];
  const header = characters.map((character, i) =>
    label(labelOf(read(character)), middle(i), 24, "character"),
  );
  /** @type {Shape[]} */
  const shapes = [...header];
  /** @type {Step[]} */
  const steps = [
    {
      what: "Start",
      why: "",
      says: "Is the entire word in the vocabulary? If not, drop its last character and look again.",
    },
  ];
  let y = 38;
  let token = 0;
  for (const match of /** @type {Match[]} */ (word.steps)) {
    const length = [...match.text].length;
    const tries = rowsOf(match.tried, length);
    for (const { size, skipped } of tries) {
      const from = steps.length;
      const text = labelOf(read(characters.slice(match.position, match.position + size).join("")));
      shapes.push(
        ...(skipped
          ? [label(`${skipped} more`, middle(match.position) + 30, y + 14, "small", { from })]
          : bar(match.position, size, y, "window", "✗", { from })),
      );
      steps.push({
        what: skipped ? `${skipped} more` : text,
        why: "✗",
        says: skipped
          ? `${counted(skipped, "shorter window")} ${skipped === 1 ? "is" : "are"} not in the vocabulary either.`
          : `“${text}” is not in the vocabulary: drop its last character.`,
      });
      y += ROW;
    }
    if (match.id === null) continue;
    const from = steps.length;
    const text = labelOf(read(match.text));
    shapes.push(
      ...bar(match.position, length, y, `token c${tint(token++)}`, `✓ ${match.id}`, { from }, text),
    );
    steps.push({
      what: text,
      why: `✓ ${match.id}`,
      says: `“${text}” is in the vocabulary: token ${match.id}.${match.position + length < characters.length ? " The next window starts after it." : ""}`,
    });
    y += ROW + 6;
  }
  if (word.note === "unknown")
    Object.assign(steps[steps.length - 1], { what: "No token", says: unknown(word, read) });
  return { width: widthOf(shapes) + EDGE, height: y + 4, shapes, steps };
}

/** @param {TracedWord} word @param {Reading} read */
function unknown({ text, ids, steps }, read) {
  const last = steps[steps.length - 1];
  const rest = labelOf(read([...text].slice(last.position).join("")));
  const end = ids.length ? `the entire word becomes the unknown token (${ids[0]})` : "the word is dropped";
  return `No token starts “${rest}”, so ${end}.`;
}

/**
 * The windows that do not fit, long to short. skipped: so many are left out here.
 * @param {number} tried @param {number} length of what fits
 */
export function rowsOf(tried, length) {
  const rows = Array.from({ length: tried }, (_, i) => ({ size: length + tried - i, skipped: 0 }));
  if (tried <= MOST_ROWS) return rows;
  const skipped = { size: 0, skipped: tried - MOST_ROWS + 1 };
  return [...rows.slice(0, FIRST_ROWS), skipped, ...rows.slice(tried - MOST_ROWS + FIRST_ROWS + 1)];
}

/** @param {number} i */
function middle(i) {
  return EDGE + (i + 0.5) * SLOT;
}

/**
 * @param {number} position @param {number} size @param {number} y @param {string} look @param {string} beside
 * @param {import("./scene.js").More} more @param {string} [text]
 */
function bar(position, size, y, look, beside, more, text = "") {
  const x = EDGE + position * SLOT + 2;
  const width = size * SLOT - 4;
  const shapes = [
    shape("rect", { x, y, width, height: ROW - 4, rx: 6 }, look, more),
    label(beside, x + width + 8, y + 14.5, "small start", more),
  ];
  return text ? [...shapes, label(text, x + width / 2, y + 14.5, "", more)] : shapes;
}

const WALK = 46; // height of a row of the trie
const BYTES = 60; // of the text and its bytes above them

/**
 * @param {TracedWord} word @param {(i: number) => number} tint
 * @param {(id: number) => number} sizeOf of a token, in bytes
 * @returns {Scene}
 */
export function trieScene(word, tint, sizeOf) {
  const data = escapedBytes(word.text);
  const shapes = textAndBytes(word.text, data);
  /** @type {Step[]} */
  const steps = [
    {
      what: "Start",
      why: "",
      says: "The walk starts at the root of the trie of all tokens and follows one byte at a time.",
    },
  ];
  /** @type {Match[]} */ (word.steps).forEach((match, row) => {
    walk(match, data, BYTES + row * WALK, tint(row), sizeOf, shapes, steps);
  });
  const height = BYTES + word.steps.length * WALK + 4;
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
  return [...shapes, ...Array.from(data, (byte, i) => label(hex(byte), middle(i), 46, "small byte"))];
}

/**
 * The walk of one match: a row of nodes, the accepting ones ringed.
 * @param {Match} match @param {Uint8Array} data @param {number} y @param {number} tint
 * @param {(id: number) => number} sizeOf @param {Shape[]} shapes @param {Step[]} steps
 */
function walk(match, data, y, tint, sizeOf, shapes, steps) {
  const { position, text, id, tried, shorter } = match;
  const size = escapedBytes(text).length;
  const isLast = position + Math.max(size, 1) >= data.length;
  const name = labelOf(escapedBytes(text));
  /** @type {Map<number, number>} */
  const accepting = new Map(shorter.map((token) => [sizeOf(token), token]));
  if (id !== null) accepting.set(size, id);
  const line = y + 18;
  const x = (/** @type {number} */ byte) => EDGE + (position + byte) * SLOT;
  const start = steps.length;
  const reach = id === null ? tried : size + tried;
  const end = start + reach + (position + reach < data.length ? 1 : 0);
  shapes.push(
    shape(
      "rect",
      { x: x(0) - 7, y: y + 4, width: size * SLOT + 14, height: 28, rx: 14 },
      id === null ? "window" : `token c${tint}`,
      { from: end },
    ),
    shape("circle", { cx: x(0), cy: line, r: 4.5 }, "dot", { from: start, title: "The root" }),
  );
  for (let byte = 1; byte <= reach; byte++) {
    const from = steps.length;
    const token = accepting.get(byte);
    const shown = hex(data[position + byte - 1]);
    const so = labelOf(data.subarray(position, position + byte));
    shapes.push(
      shape(
        "path",
        { d: `M${round(x(byte - 1) + 6)} ${line} H${round(x(byte) - 6)}` },
        byte > size ? "line further" : "line walked",
        { from },
      ),
      shape("circle", { cx: x(byte), cy: line, r: 4.5 }, byte > size ? "dot further" : "dot", {
        from,
        title: so,
      }),
    );
    if (token !== undefined) {
      shapes.push(
        shape("circle", { cx: x(byte), cy: line, r: 8.5 }, "ring", {
          from,
          lit: from,
          title: `“${so}” is token ${token}`,
        }),
      );
    }
    steps.push({
      what: `${shown} ${so}`,
      why: token === undefined ? "" : `◎ ${token}`,
      says: `Byte ${shown} leads on to “${so}”, ${token === undefined ? "which is not a token." : `which is token ${token}.`}`,
    });
  }
  if (end > start + reach) {
    const from = steps.length;
    const shown = hex(data[position + reach]);
    shapes.push(
      shape("path", { d: `M${round(x(reach) + 6)} ${line} H${round(x(reach) + 22)}` }, "line further", {
        from,
      }),
      label("✗", x(reach) + 29, line + 4, "small", { from }),
    );
    steps.push({ what: `${shown} ✗`, why: "", says: `No token goes on with byte ${shown} from here.` });
  }
  const more = { from: steps.length };
  const far = x(Math.max(size, reach)) + (end > start + reach ? 42 : 16);
  shapes.push(label(id === null ? "no token" : `${name} ${id}`, far, line + 4, "start", more));
  steps.push({
    what: name,
    why: id === null ? "✗" : `✓ ${id}`,
    says:
      id === null
        ? `No token starts with byte ${hex(data[position])}.`
        : `The longest token on this walk is “${name}” (${id}).${isLast ? "" : " The next walk starts after it."}`,
  });
}
