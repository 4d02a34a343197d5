// Where tokens of several models begin, in one text. A pure function of their columns.

const CONTROL = 8; // llama_token_attr

/** A function: whether some, but not all, of the models begin a token at a place (UTF-16). */
export function differing(length, all) {
  const models = new Uint8Array(length + 1);
  for (const { starts, ends } of all) {
    let last = -1;
    for (let i = 0; i < starts.length; i++) {
      if (starts[i] === last || starts[i] === ends[i]) continue; // shared with the one before; added
      last = starts[i];
      models[last]++;
    }
  }
  return (place) => models[place] > 0 && models[place] < all.length;
}

const WIDE = 2 ** 26; // longer than any token

/** A function: whether all of the models have a token of exactly this part of the text. */
export function agreeing(all) {
  const models = new Map();
  for (const { starts, ends } of all) {
    let last = -1;
    for (let i = 0; i < starts.length; i++) {
      const key = starts[i] * WIDE + ends[i] - starts[i];
      if (key === last || starts[i] === ends[i]) continue; // shared with the one before; added
      last = key;
      models.set(key, (models.get(key) ?? 0) + 1);
    }
  }
  return (start, end) => models.get(start * WIDE + end - start) === all.length;
}

/** How many tokens stand for a part of the text and are not special. */
export function plainTokens({ starts, ends, attrs }) {
  let count = 0;
  for (let i = 0; i < starts.length; i++) {
    if (starts[i] < ends[i] && !(attrs[i] & CONTROL)) count++;
  }
  return count;
}
