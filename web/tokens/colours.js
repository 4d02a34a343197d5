// Which tint a token has. It follows from the token's id, so that a piece looks the same wherever it
// is and nothing flickers while a person types; only neighbours that would look alike differ.

export const COLOURS = 5;

/** The tint that an id has by itself: 0 to COLOURS - 1. */
export function colourOf(id) {
  return (Math.imul(id + 1, 0x9e3779b1) >>> 16) % COLOURS;
}

/** The tints of tokens `from` to `to`. Each line begins anew, so an edit reaches no further than its line. */
export function colours(text, { ids, starts }, from, to) {
  const all = new Uint8Array(to - from);
  let before = -1;
  for (let i = from; i < to; i++) {
    if (text.charCodeAt(starts[i] - 1) === 10) before = -1;
    const own = colourOf(ids[i]);
    before = all[i - from] = own === before ? (own + 1) % COLOURS : own;
  }
  return all;
}
