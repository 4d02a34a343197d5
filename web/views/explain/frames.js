// One word of a trace (see pyodide_tok/explain/trace.py) -> what to show of it, step by step.
// Pure functions. A frame: {parts: [{text, state}], says}; state: "", "new", "rest" or "loser".

/** The frames of a word, the first before anything is done. */
export function frames(word) {
  if (word.best) return pathFrames(word);
  if (word.note === "whole-word") return [whole(word)];
  if (word.steps[0]?.kind === "match") return matchFrames(word);
  return mergeFrames(word);
}

const WHOLE = "The whole word is a token of this vocabulary, so nothing has to be merged.";
const plain = (texts) => texts.map((text) => ({ text, state: "" }));

function whole({ text }) {
  return { parts: [{ text, state: "new" }], says: WHOLE };
}

function mergeFrames({ symbols, steps, ids, note }) {
  const now = [...symbols];
  const all = [{ parts: plain(now), says: beginning(symbols, steps, note) }];
  for (const step of steps) {
    const merged = step.kind === "merge";
    now.splice(step.position, merged ? 2 : 1, merged ? step.text : bytesOf(step));
    const parts = plain(now);
    parts[step.position].state = "new";
    all.push({ parts, says: merged ? saysMerge(step) : saysBytes(step) });
  }
  const last = all.at(-1);
  const end = ids.length === 1 ? `It is one token: ${ids[0]}.` : `${ids.length} tokens: ${ids.join(", ")}.`;
  last.says += ` Nothing more to do. ${end}`;
  return all;
}

function beginning(symbols, steps, note) {
  if (note === "unknown") return "This word has no tokens of its own.";
  if (!steps.length) return "No two neighbours make a token.";
  return `It begins as ${symbols.length} symbols.`;
}

function saysMerge({ left, right, text, rank, score, id }) {
  const why = typeof rank === "number" ? `rank ${rank}, the earliest` : `score ${round(score)}, the best`;
  const token = typeof id === "number" ? `token ${id}` : "no token of its own";
  return `“${left}” and “${right}” join to “${text}” (${token}): of all neighbours, ${why}.`;
}

function bytesOf({ bytes }) {
  return bytes.map((byte) => `<${byte.toString(16).toUpperCase().padStart(2, "0")}>`).join("");
}

function saysBytes(step) {
  const found = step.ids.map((id) => id ?? "none").join(", ");
  return `“${step.text}” is no token, so it becomes its bytes: ${bytesOf(step)} (tokens ${found}).`;
}

function matchFrames({ text, steps, ids }) {
  const cut = cutter(text, steps);
  const all = [{ parts: [{ text, state: "rest" }], says: "Which is the longest token at its beginning?" }];
  steps.forEach((step, i) => {
    const parts = plain(steps.slice(0, i + 1).map((done) => done.text));
    parts[i].state = "new";
    const rest = i + 1 < steps.length ? cut(steps[i + 1].position) : "";
    if (rest) parts.push({ text: rest, state: "rest" });
    all.push({ parts, says: saysMatch(step) });
  });
  all.at(-1).says += ` Done: ${ids.join(", ")}.`;
  return all;
}

/** What is left of a word from a position on, which is in characters, or (RWKV) in bytes. */
function cutter(text, steps) {
  const characters = Array.from(text);
  const bytes = new TextEncoder().encode(text);
  const inBytes = steps.some(({ position }) => position >= characters.length);
  return (position) =>
    inBytes ? new TextDecoder().decode(bytes.subarray(position)) : characters.slice(position).join("");
}

function saysMatch({ text, id, tried, shorter }) {
  if (typeof id !== "number") return `No token begins with “${text}”.`;
  const longer = tried
    ? `${tried} longer ${tried === 1 ? "text is no token" : "texts are no tokens"}`
    : "nothing is longer";
  const also = shorter.length ? `; ${shorter.length} shorter would fit too` : "";
  return `“${text}” is token ${id}: ${longer}${also}.`;
}

function pathFrames({ best, runner_up }) {
  const won = { parts: scored(best, "new"), says: `The best of all cuts: ${round(best.score)} in all.` };
  if (!runner_up) return [{ ...won, says: `${won.says} There is no other.` }];
  const lost = {
    parts: scored(runner_up, "loser"),
    says: `The next best cut: ${round(runner_up.score)} in all, so it loses.`,
  };
  return [won, lost];
}

function scored({ parts }, state) {
  return parts.map(({ text, score }) => ({ text, state, score: round(score) }));
}

function round(score) {
  return score === null || score === undefined ? "−∞" : Number(score.toFixed(3));
}
