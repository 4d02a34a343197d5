// What a vocabulary says of one token, in words. Pure functions; facts: as `token` of client.js.

import { pieceLabel } from "./glyphs.js";

/** The piece as it is shown, or the token's name if it has no piece. */
export function pieceOf({ bytes, text }) {
  if (!bytes) return text;
  return pieceLabel(Uint8Array.from(bytes.split(" "), (hex) => parseInt(hex, 16)));
}

export function kindOf({ attrs, names, eog }) {
  const all = [...attrs, ...names.map((name) => name.toUpperCase().replace("_", " "))];
  return [...all, ...(eog ? ["ends generation"] : [])].join(", ") || "undefined";
}

/** [term, value], those without a value undefined or null. */
export function entriesOf(facts) {
  return [
    ["id", facts.id],
    ["token", facts.text],
    ["bytes", facts.bytes || "none"],
    ["kind", kindOf(facts)],
    ["merge rank", facts.rank?.toLocaleString("en-US")],
    ["score", facts.score?.toPrecision(6)],
  ];
}
