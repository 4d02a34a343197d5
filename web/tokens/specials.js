// Special tokens that a text has in it as plain text. Pure functions.

const SEARCHED = 100_000; // UTF-16 units
const MARKED = /<\|[^\s|<>]{1,60}\|>/;

/** The first text that could be a special token, or "". texts: those of the model, by id. */
export function specialIn(text, texts) {
  const searched = text.slice(0, SEARCHED);
  const known = Object.values(texts).filter((special) => special.length > 2 && searched.includes(special));
  return known[0] ?? searched.match(MARKED)?.[0] ?? "";
}
