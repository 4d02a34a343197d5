// The texts of a trace as bytes, and as they are shown. A trace writes byte-level BPE in GPT-2's
// printable characters, spaces as U+2581, and bytes that are not UTF-8 as U+DC80 to U+DCFF.

import { cropped, pieceLabel } from "../../tokens/glyphs.js";

/** @typedef {(text: string) => Uint8Array} Reading the bytes that a text of a trace stands for */

const LONGEST = 24; // characters of a label
const encoder = new TextEncoder();

/** The bytes of a text in which U+DC80 to U+DCFF are bytes. @type {Reading} */
export function escapedBytes(text) {
  if (!/[\udc80-\udcff]/.test(text)) return encoder.encode(text);
  const parts = text.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/);
  return Uint8Array.from(
    parts.flatMap((part, i) => (i % 2 ? [part.charCodeAt(0) & 0xff] : [...encoder.encode(part)])),
  );
}

/** @type {Reading} */
function spacedBytes(text) {
  return escapedBytes(text.replaceAll("▁", " "));
}

/** The character in which GPT-2 writes each byte: itself if it is printable Latin-1, else from U+0100 on. */
const WRITTEN = (() => {
  /** @type {Map<string, number>} */
  const bytes = new Map();
  const printable = (/** @type {number} */ byte) =>
    (byte > 32 && byte < 127) || (byte > 160 && byte < 256 && byte !== 173);
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    bytes.set(String.fromCharCode(printable(byte) ? byte : next++), byte);
  }
  return bytes;
})();

/** @type {Reading} */
function writtenBytes(text) {
  return Uint8Array.from(
    [...text].flatMap((character) => WRITTEN.get(character) ?? [...encoder.encode(character)]),
  );
}

/**
 * How the symbols of a word are read. @param {{text: string, symbols: string[]}} word
 * @param {string} type of the vocabulary
 * @returns {Reading}
 */
export function readingOf({ text, symbols }, type) {
  if (type === "BPE" && symbols.length && symbols.join("") !== text) return writtenBytes;
  return ["SPM", "BPE", "WPM", "UGM"].includes(type) ? spacedBytes : escapedBytes;
}

/** Bytes as they are shown: as text if they are UTF-8, else in hex. @param {Uint8Array} bytes */
export function labelOf(bytes) {
  return cropped(pieceLabel(bytes), LONGEST).replace(/ \(.*/, "");
}

/** @param {number} byte */
export function hex(byte) {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}

/** A rank or a score. @param {{rank: number | null, score: number | null}} rule */
export function ruleLabel({ rank, score }) {
  return rank === null ? scoreLabel(score) : `#${rank.toLocaleString("en-US")}`;
}

/** @param {number | null} score null: of minus infinity */
export function scoreLabel(score) {
  if (score === null) return "−∞";
  const digits = Number.isInteger(score) ? 0 : 2;
  const text = Math.abs(score).toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return score < 0 ? `−${text}` : text;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
