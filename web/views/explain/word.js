// The word around a place of a text. Pure.

const MOST = 40; // UTF-16 units on each side: some scripts have no spaces

/**
 * @param {string} text @param {{start: number, end: number}} place in UTF-16 units
 * @returns {{word: string, space: boolean}}
 */
export function wordAt(text, { start, end }) {
  const lead = text.slice(start, end).match(/^\s*/)?.[0].length ?? 0;
  const isSpace = lead === end - start;
  const from = isSpace ? start : start + lead;
  const before = text.slice(Math.max(0, from - MOST), from);
  const after = text.slice(end, end + MOST);
  const left = isSpace ? "" : (before.match(/\S*$/)?.[0] ?? "");
  const right = isSpace ? "" : (after.match(/^\S*/)?.[0] ?? "");
  const whole = left + text.slice(from, end) + right;
  const word = whole.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ""); // half a character at an edge
  return { word, space: !isSpace && text[from - left.length - 1] === " " };
}
