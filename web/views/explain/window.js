// Longest match in a word (WordPiece): a window that shrinks from the right. Pure.

import { counted, labelOf } from "./reading.js";
import { label, shape, widthOf } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").More} More */
/** @typedef {import("./trace.js").TracedWord} TracedWord */
/** @typedef {import("./trace.js").Match} Match */
/** @typedef {import("./reading.js").Reading} Reading */

/** What is drawn so far. @typedef {{characters: string[], read: Reading, y: number,
 *   shapes: import("./scene.js").Shape[], steps: import("./scene.js").Step[]}} Drawing */

const SLOT = 42; // pixels a character
const EDGE = 10;
const ROW = 24;
const MOST_ROWS = 12; // of one window: of more, some are left out
const FIRST_ROWS = 7;
const START = "Is the entire word in the vocabulary? If not, drop its last character and look again.";
const NO_WORDS = "Each piece of the text is looked up as it is.";

/**
 * @param {TracedWord} word @param {Reading} read @param {(i: number) => number} tint
 * @param {string} type of the vocabulary
 * @returns {Scene}
 */
export function windowScene(word, read, tint, type) {
  const characters = [...word.text];
  const shapes = characters.map((character, i) =>
    label(labelOf(read(character)), middle(i), 24, "character"),
  );
  const steps = [{ what: "Start", why: "", says: type === "WPM" ? START : NO_WORDS }];
  const drawing = { characters, read, y: 38, shapes, steps };
  let token = 0;
  for (const match of /** @type {Match[]} */ (word.steps)) {
    const length = [...match.text].length;
    for (const row of rowsOf(match.tried, length)) drawMiss(drawing, match.position, row);
    if (match.id !== null) drawHit(drawing, match, match.id, length, tint(token++));
  }
  if (word.note === "unknown") {
    Object.assign(steps[steps.length - 1], { what: "No token", says: unknown(word, read) });
  }
  return { width: widthOf(shapes) + EDGE, height: drawing.y + 4, shapes, steps };
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

/** @param {Drawing} drawing @param {number} position @param {{size: number, skipped: number}} row */
function drawMiss(drawing, position, { size, skipped }) {
  const { characters, read, shapes, steps, y } = drawing;
  const more = { from: steps.length };
  if (skipped) {
    shapes.push(label(`${skipped} more`, middle(position) + 30, y + 14, "small", more));
    const says = `${counted(skipped, "shorter window")} ${skipped === 1 ? "is" : "are"} not in the vocabulary either.`;
    steps.push({ what: `${skipped} more`, why: "✗", says });
  } else {
    const text = labelOf(read(characters.slice(position, position + size).join("")));
    shapes.push(...bar(position, size, y, "window", "✗", more));
    steps.push({
      what: text,
      why: "✗",
      says: `“${text}” is not in the vocabulary: drop its last character.`,
    });
  }
  drawing.y += ROW;
}

/** @param {Drawing} drawing @param {Match} match @param {number} id @param {number} length @param {number} tint */
function drawHit(drawing, { position, text: raw }, id, length, tint) {
  const { characters, read, shapes, steps, y } = drawing;
  const more = { from: steps.length };
  const text = labelOf(read(raw));
  const isLast = position + length >= characters.length;
  shapes.push(
    ...bar(position, length, y, `token c${tint}`, `✓ ${id}`, more),
    label(text, EDGE + (position + length / 2) * SLOT, y + 14.5, "", more),
  );
  const next = isLast ? "" : " The next window starts after it.";
  steps.push({ what: text, why: `✓ ${id}`, says: `“${text}” is in the vocabulary: token ${id}.${next}` });
  drawing.y += ROW + 6;
}

/** @param {TracedWord} word @param {Reading} read */
function unknown({ text, ids, steps }, read) {
  const last = steps[steps.length - 1];
  const rest = labelOf(read([...text].slice(last.position).join("")));
  const end = ids.length ? `the entire word becomes the unknown token (${ids[0]})` : "the word is dropped";
  return `No token starts “${rest}”, so ${end}.`;
}

/** @param {number} i */
function middle(i) {
  return EDGE + (i + 0.5) * SLOT;
}

/**
 * @param {number} position @param {number} size in characters @param {number} y @param {string} look
 * @param {string} beside @param {More} more
 */
function bar(position, size, y, look, beside, more) {
  const x = EDGE + position * SLOT + 2;
  const width = size * SLOT - 4;
  return [
    shape("rect", { x, y, width, height: ROW - 4, rx: 6 }, look, more),
    label(beside, x + width + 8, y + 14.5, "small start", more),
  ];
}
