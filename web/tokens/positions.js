// UTF-16 units, as JavaScript counts, to characters (code points), as people and Python do.

/** How many code points a text has; a lone surrogate is one. */
export function codePoints(text) {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** [start, end] of each token in characters. */
export function characterOffsets(text, { starts, ends }) {
  const before = new Uint32Array(text.length + 1);
  for (let i = 0, n = 0; i < text.length; i++) {
    const inPair = i > 0 && isHigh(text, i - 1) && isLow(text, i);
    before[i] = inPair ? n - 1 : n++;
    before[i + 1] = n;
  }
  return Array.from(starts, (start, i) => [before[start], before[ends[i]]]);
}

function isHigh(text, i) {
  return (text.charCodeAt(i) & 0xfc00) === 0xd800;
}

function isLow(text, i) {
  return (text.charCodeAt(i) & 0xfc00) === 0xdc00;
}
