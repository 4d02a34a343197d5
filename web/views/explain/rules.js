// What each kind of tokenizer is called, and its rule, as a teacher would say it.

/** @type {Record<string, [string, string]>} by llama.cpp's name of the type */
const RULES = {
  BPE: ["byte-pair encoding", "The pair with the lowest merge rank merges first."],
  SPM: ["SentencePiece", "The pair with the highest score merges first."],
  UGM: ["Unigram", "Of all ways to split the word, the one with the highest total score wins."],
  WPM: ["WordPiece", "Takes the longest token from the left: the window shrinks until it fits."],
  RWKV: [
    "longest match",
    "Walks a trie of bytes as far as it goes. A ring marks a token; the last ring wins.",
  ],
  PLAMO2: ["PLaMo 2", "Of all ways to split the text, the one with the lowest total cost wins."],
  PLAMO3: ["PLaMo 3", "Of all ways to split the text, the one with the lowest total cost wins."],
  BYTE: ["bytes", "The file has no tokens, so each byte is one."],
};

/** @param {string} type */
export function ruleOf(type) {
  const [title, rule] = RULES[type] ?? [type, "Each piece of the text is a token."];
  return { title, rule };
}
