// One sentence or two: why two tokenizers split a text differently. Pure.

import { counted, labelOf, ruleLabel } from "./reading.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */
/** @typedef {import("./lesson.js").Join} Join */
/** @typedef {{name: string, lesson: Lesson}} Side */

/** @typedef {{name: string, lesson: Lesson, bytes: Uint8Array, shift: number, cuts: Set<number>, ends: number[]}} Known */

/** @type {Record<string, string>} */
const METHODS = {
  BPE: "merges the pair with the lowest rank first",
  SPM: "merges the pair with the highest score first",
  UGM: "weighs every split and takes the one with the best total score",
  WPM: "takes the longest token from the left of each word",
  RWKV: "takes the longest token from the left, over bytes",
  PLAMO2: "weighs every split and takes the one with the lowest total cost",
  PLAMO3: "weighs every split and takes the one with the lowest total cost",
};

const MERGING = new Set(["BPE", "SPM"]);

/** @param {Side} first @param {Side} second */
export function difference(first, second) {
  const [a, b] = [known(first), known(second)];
  if (!a.bytes.length || !b.bytes.length) return "";
  const special = specials(a, b) || specials(b, a);
  if (special) return special;
  if (labelOf(a.bytes) !== labelOf(b.bytes) || !sameBytes(a.bytes, b.bytes)) return rewritten(a, b);
  const rules = [same, unknown, bytesOnly, entireWord, insideCharacter, bordered, coarser, crossing];
  for (const rule of rules) {
    const says = rule(a, b) || rule(b, a);
    if (says) return says;
  }
  return methods(a, b);
}

/** The text without a space before it, which some tokenizers add. @param {Side} side @returns {Known} */
function known({ name, lesson }) {
  const shift = lesson.bytes[0] === 32 ? 1 : 0;
  const ends = lesson.cuts.flatMap(({ end, ids }) => (ids.length > 1 ? [] : [end - shift]));
  const bytes = lesson.bytes.subarray(shift);
  const cuts = new Set(
    lesson.cuts.map(({ end }) => end - shift).filter((end) => end > 0 && end < bytes.length),
  );
  return { name, lesson, bytes, shift, cuts, ends };
}

/** @param {Uint8Array} a @param {Uint8Array} b */
function sameBytes(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** @param {Known} side @param {number} start @param {number} end */
function piece({ bytes }, start, end) {
  return `“${labelOf(bytes.subarray(Math.max(start, 0), end))}”`;
}

/** @param {Known} a @param {Known} b */
function rewritten(a, b) {
  return `They do not split the same text: ${a.name} reads ${piece(a, 0, a.bytes.length)}, ${b.name} reads ${piece(b, 0, b.bytes.length)}, because each normalizes its input first.`;
}

/** A special token of a is plain text for b. @param {Known} a @param {Known} b */
function specials(a, b) {
  const known = b.lesson.tokens.filter(({ special }) => special).map((token) => token.label);
  const mine = a.lesson.tokens.find(({ special, label }) => special && !known.includes(label));
  return mine ? `${a.name} reads “${mine.label}” as one special token; to ${b.name} it is plain text.` : "";
}

/** A word of a that needs no merge, while b cuts it. @param {Known} a @param {Known} b */
function entireWord(a, b) {
  const [word] = a.lesson.entire;
  if (!word || b.lesson.entire.includes(word)) return "";
  const count = counted(b.lesson.tokens.length, "token");
  return `${a.name} has all of “${word}” in its vocabulary and looks there before it merges. ${b.name} ${METHODS[b.lesson.type] ?? "splits it"} and ends with ${count}.`;
}

/** @param {Known} a @param {Known} b */
function same(a, b) {
  if (a.lesson.unknown.length || b.lesson.unknown.length || inBytes(a).length || inBytes(b).length) return "";
  if (a.cuts.size !== b.cuts.size || [...a.cuts].some((cut) => !b.cuts.has(cut))) return "";
  const ids = "Only the IDs differ, because each vocabulary numbers its own tokens.";
  if (!a.cuts.size) return `Both have a single token for this text. ${ids}`;
  return `Both split the text into the same ${a.cuts.size + 1} pieces. ${ids}`;
}

/** @param {Known} a @param {Known} b */
function unknown(a, b) {
  const [word] = a.lesson.unknown;
  if (!word) return "";
  const other = b.lesson.unknown.length
    ? `${b.name} does the same`
    : `${b.name} reaches ${counted(b.lesson.tokens.length, "token")}`;
  return `${a.name} has no token for “${word}”, so it becomes the unknown token. ${other}.`;
}

/** The cuts of a side that are several tokens each: characters in bytes. @param {Known} side */
function inBytes({ lesson }) {
  return lesson.cuts.filter(({ ids }) => ids.length > 1);
}

/** @param {Known} a @param {Known} b */
function bytesOnly(a, b) {
  const [fall] = inBytes(a);
  if (!fall) return "";
  const text = piece(a, fall.start - a.shift, fall.end - a.shift);
  const bytes = counted(fall.ids.length, "byte token");
  if (b.lesson.type === "BPE")
    return `${a.name} starts from characters and has no token for ${text}, so it falls back to ${bytes}. ${b.name} starts from bytes and merges what its rules join: ${counted(b.lesson.tokens.length, "token")} in all.`;
  return `${a.name} has no token for ${text}, so it falls back to ${bytes}; ${b.name} ${METHODS[b.lesson.type] ?? "has other tokens"}.`;
}

/** b stops inside a character that a has in one piece. @param {Known} a @param {Known} b */
function insideCharacter(a, b) {
  const isInside = (/** @type {number} */ at) => (b.bytes[at] & 0xc0) === 0x80;
  const cut = [...b.cuts].find((at) => isInside(at) && !a.cuts.has(at));
  if (cut === undefined || !MERGING.has(b.lesson.type)) return "";
  let [start, end] = [cut, cut + 1];
  while (start > 0 && isInside(start)) start--;
  while (end < b.bytes.length && isInside(end)) end++;
  const all = [0, ...b.cuts, b.bytes.length].sort((x, y) => x - y);
  const i = all.indexOf(cut);
  const joined = `${piece(b, all[i - 1], cut)} and ${piece(b, cut, all[i + 1])}`;
  const stops = `${b.name} starts from bytes and has no rule that joins ${joined}, so it stops inside ${piece(b, start, end)}`;
  return a.lesson.type === "BPE"
    ? `${stops}; ${a.name} has one.`
    : `${stops}. ${a.name} starts from characters, and this one is in its vocabulary.`;
}

/** A word of a ends inside a token of b. @param {Known} a @param {Known} b */
function bordered(a, b) {
  if (!a.lesson.joins.length && a.lesson.type !== "BPE") return "";
  const border = a.lesson.borders
    .map((at) => at - a.shift)
    .find((at) => at > 0 && at < a.bytes.length && !b.cuts.has(at));
  if (border === undefined) return "";
  const cut = [...b.cuts, 0, b.bytes.length].sort((x, y) => x - y);
  const next = cut.findIndex((at) => at > border);
  return `${a.name} cuts the text into words first, with a border before ${piece(a, border, cut[next])}, and no merge crosses a border. ${b.name} has no border there and uses the token ${piece(b, cut[next - 1], cut[next])}.`;
}

/** a goes on where b stops. @param {Known} a @param {Known} b */
function coarser(a, b) {
  if (!MERGING.has(b.lesson.type) || [...a.cuts].some((cut) => !b.cuts.has(cut))) return "";
  const join = firstOver(a, b);
  if (!join) return "";
  const { left, right, both } = namesOf(a, join);
  const edges = [join.start, join.middle, join.end].map((at) => at - a.shift);
  const isShared = edges.every((at) => at <= 0 || at === b.bytes.length || b.cuts.has(at));
  const start = isShared
    ? `Both build ${left} and ${right}.`
    : `${a.name} merges ${left} and ${right} across a point where ${b.name} keeps a cut.`;
  const rule = join.rank === null ? `score ${ruleLabel(join)}` : `merge ${ruleLabel(join)}`;
  if (!isShared)
    return `${start} Its ${rule} joins them; ${b.name} has no rule for the pieces that it has there, so it stops.`;
  const missing =
    b.lesson.type === "SPM" ? `${b.name}’s vocabulary has no ${both}` : `${b.name} has no merge for them`;
  return `${start} ${a.name} joins them into ${both} (${rule}); ${missing}, so it stops.`;
}

/** Each crosses a cut of the other. @param {Known} a @param {Known} b */
function crossing(a, b) {
  const [mine, theirs] = [firstOver(a, b), firstOver(b, a)];
  if (!mine || !theirs) return "";
  const say = (/** @type {Known} */ side, /** @type {Join} */ join) => {
    const { left, right } = namesOf(side, join);
    return `${side.name} joins ${left} and ${right} (${join.rank === null ? "score " : ""}${ruleLabel(join)})`;
  };
  return `${say(a, mine)}, where ${b.name} cuts; ${say(b, theirs)}, where ${a.name} cuts. Their rules come from different training texts.`;
}

/** The first merge of a that joins what b keeps apart. @param {Known} a @param {Known} b */
function firstOver(a, b) {
  return a.lesson.joins.find(({ middle }) => b.cuts.has(middle - a.shift) && !a.cuts.has(middle - a.shift));
}

/** @param {Known} side @param {Join} join */
function namesOf({ lesson }, { start, middle, end }) {
  const name = (/** @type {number} */ from, /** @type {number} */ to) =>
    `“${labelOf(lesson.bytes.subarray(from, to))}”`;
  return { left: name(start, middle), right: name(middle, end), both: name(start, end) };
}

/** @param {Known} a @param {Known} b */
function methods(a, b) {
  const say = (/** @type {Known} */ { name, lesson }) =>
    `${name} ${METHODS[lesson.type] ?? "splits in its own way"} and ends with ${counted(lesson.tokens.length, "token")}`;
  return `${say(a)}; ${say(b)}.`;
}
