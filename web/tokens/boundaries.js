// Where tokens of several models begin, in one text. A pure function of their columns.

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
