// What each kind of tokenizer is, in one sentence, by llama.cpp's name for it.

export const FAMILIES = {
  SPM: {
    title: "SentencePiece (SPM)",
    sentence:
      "starts from single characters and keeps joining the neighbours whose token has the best score; what no token covers becomes bytes.",
  },
  BPE: {
    title: "Byte pair encoding (BPE)",
    sentence:
      "first cuts the text into words with a pattern, then joins pairs inside each word in the order of the merge list.",
  },
  WPM: {
    title: "WordPiece (WPM)",
    sentence:
      "lower-cases and splits the text into words, then takes the longest token that fits, again and again, from the left of each word.",
  },
  UGM: {
    title: "Unigram (UGM)",
    sentence: "weighs all ways to cut the text and takes the one whose tokens score best together.",
  },
  RWKV: {
    title: "RWKV",
    sentence: "takes the longest token that fits, byte by byte, from left to right.",
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
