// What each kind of tokenizer is, in one sentence, by llama.cpp's name for it.

export const FAMILIES = {
  SPM: {
    title: "SentencePiece (SPM)",
    sentence:
      "starts from single characters and keeps joining the neighbours whose token has the best score; what no token covers becomes bytes.",
    lesson:
      "SentencePiece’s BPE has no words: spaces become ▁, and the whole text begins as single characters. Of all neighbours that together are a token, the pair with the best score joins first, the leftmost of equals; scores are mostly minus the rank in training. What is no token at the end becomes its UTF-8 bytes, such as <0xF0>. Spaces are shown as words’ beginnings here, for no merge crosses them.",
  },
  BPE: {
    title: "Byte pair encoding (BPE)",
    sentence:
      "first cuts the text into words with a pattern, then joins pairs inside each word in the order of the merge list.",
    lesson:
      "A pattern cuts the text into words; a space mostly goes with the word after it. Inside a word, bytes are written as printable characters (Ġ is a space, Ċ a line end), and of all neighbours that the merge list knows, the earliest rule (the lowest rank) joins first. Merges never cross the border of a word, and each new token is the work of one rule.",
  },
  WPM: {
    title: "WordPiece (WPM)",
    sentence:
      "lower-cases and splits the text into words, then takes the longest token that fits, again and again, from the left of each word.",
    lesson:
      "The text is cut at spaces and around punctuation, often in lower case and without accents; ▁ marks the beginning of a word. From the left of each word the longest token that fits is taken, then the longest in what is left. If nothing fits, the whole word becomes the unknown token.",
  },
  UGM: {
    title: "Unigram (UGM)",
    sentence: "weighs all ways to cut the text and takes the one whose tokens score best together.",
    lesson:
      "Each token has a score, the logarithm of its probability. Of all ways to cut a word, the one with the largest sum wins: nothing is merged, all cuts compete. The next best cut is shown to compare.",
  },
  RWKV: {
    title: "RWKV",
    sentence: "takes the longest token that fits, byte by byte, from left to right.",
    lesson:
      "There are no words and no merges: at each place the longest token that fits is taken, found in a trie of bytes, and the next begins right after it.",
  },
  PLAMO2: {
    title: "PLaMo 2",
    sentence: "finds the cheapest cut of the whole text by a table of suffixes and their scores.",
  },
  PLAMO3: {
    title: "PLaMo 3",
    sentence: "finds the cheapest cut of the whole text by a table of suffixes and their scores.",
  },
  TEST: { title: "Test", sentence: "is llama.cpp’s own test vocabulary." },
  NONE: {
    title: "No vocabulary",
    sentence: "says that it has no vocabulary, so it has no tokens to show.",
  },
  BYTE: {
    title: "Bytes",
    sentence: "is used because the file has no tokens: each byte of the text is a token of its own.",
  },
};

export function family(type) {
  return FAMILIES[type] ?? { title: type, sentence: "is of a kind that this page has no words for." };
}
