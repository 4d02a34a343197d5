// Token ids as people paste them from code and logs. A pure function.

const LOG_LINE = /^\s*(\d+)\s*->\s*'.*'\s*$/gm; // llama-tokenize: 15496 -> 'Hello'
const LOG_PAIR = /'(?:[^'\\]|\\.)*'\s*:\s*(\d+)/g; // llama-cli: [ 'Hello':15496, ' world':995 ]
const ARRAY = /\b(?:np\.|numpy\.|torch\.)?(?:array|tensor|Int32Array)\s*(?:\(\d+\)\s*)?\(?\s*(?=\[)/g;
const ARRAY_END = /\]\s*(?:,\s*(?:dtype|device)\s*=\s*[\w.':]+\s*)*\)/g;

/** {ids}, or {word}: the first that is not an id. */
export function parseIds(text) {
  const plain = text
    .replace(LOG_LINE, " $1 ")
    .replace(LOG_PAIR, " $1 ")
    .replace(ARRAY, " ")
    .replace(ARRAY_END, "] ")
    .replace(/[[\](){},;]/g, " ");
  const words = plain.split(/\s+/).filter(Boolean);
  const word = words.find((each) => !/^\d+$/.test(each));
  return word === undefined ? { ids: words.map(Number) } : { word };
}
