// What kind of content a file has, by its first bytes. Pure functions.

const MAGIC = [
  ["89504E47", "a PNG image"],
  ["FFD8FF", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["25504446", "a PDF document"],
  ["504B0304", "a ZIP archive (or an Office document)"],
  ["1F8B", "a gzip archive"],
  ["FD377A585A", "an xz archive"],
  ["28B52FFD", "a Zstandard archive"],
  ["7F454C46", "a program"],
  ["47475546", "a GGUF model"],
];

/** {encoding} of a text, or {binary: what it is}. head: the first bytes of a file. */
export function sniff(head) {
  const hex = Array.from(head.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
  if (hex.startsWith("FFFE")) return { encoding: "utf-16le" };
  if (hex.startsWith("FEFF")) return { encoding: "utf-16be" };
  const known = MAGIC.find(([magic]) => hex.startsWith(magic));
  if (known) return { binary: known[1] };
  return head.includes(0) ? { binary: "a binary file" } : { encoding: "utf-8" };
}

/** Rows in the order of a column; rows without a value come last. */
export function sorted(rows, value, descending) {
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
    return descending ? compare(y, x) : compare(x, y);
  });
}
