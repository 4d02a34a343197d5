// Which part of a token's text fits a search. A pure function.

/** {start, end}, or null. The text may write a space as Ġ or ▁. */
export function matchIn(text, query, how) {
  if (!query || how === "bytes") return null;
  if (how === "regex") return byPattern(text, query);
  const forms = [query, query.replaceAll(" ", "Ġ"), query.replaceAll(" ", "▁")];
  for (const form of forms) {
    const [where, what] = [text.toLowerCase(), form.toLowerCase()];
    if (where.length !== text.length) continue; // positions would not be those of the text
    const start = how === "ends" ? where.lastIndexOf(what) : where.indexOf(what);
    if (start >= 0) return { start, end: start + what.length };
  }
  return null;
}

function byPattern(text, pattern) {
  try {
    const match = new RegExp(pattern, "u").exec(text);
    return match?.[0] ? { start: match.index, end: match.index + match[0].length } : null;
  } catch {
    return null; // Python's patterns are not all JavaScript's
  }
}
