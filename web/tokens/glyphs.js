// Text as it is shown: nothing invisible, nothing that changes its surroundings.

const SPACES = { " ": "·", "\t": "→\t", "\n": "↵\n", "\r": "␍", "\u00a0": "⍽", "\u3000": "□" };
const NAMES = {
  173: "SHY",
  1564: "ALM",
  8203: "ZWSP",
  8204: "ZWNJ",
  8205: "ZWJ",
  8206: "LRM",
  8207: "RLM",
  8234: "LRE",
  8235: "RLE",
  8236: "PDF",
  8237: "LRO",
  8238: "RLO",
  8232: "LS",
  8233: "PS",
  8288: "WJ",
  8294: "LRI",
  8295: "RLI",
  8296: "FSI",
  8297: "PDI",
  65279: "BOM",
};

// DI: Default_Ignorable_Code_Point, what Unicode asks to draw as nothing; tags and fillers too.
const ANY_HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{DI}\u2028\u2029]/u;
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
// biome-ignore lint/suspicious/noMisleadingCharacterClass: joiners and variation selectors are meant alone
const DIRECTIONS = /(?![\u200c\u200d\ufe00-\ufe0f])[\p{Cf}\p{Cs}\p{DI}\u2028\u2029]/gu;
// Emoji and some scripts need joiners inside a word; at its end and in Latin they hide something.
// biome-ignore lint/suspicious/noMisleadingCharacterClass: as above
const JOINERS_AT_AN_END = /^[\u200c\u200d\ufe00-\ufe0f]+|[\u200c\u200d]+$/g;
const JOINERS_IN_LATIN =
  /(?<=[\p{sc=Latin}\p{Nd}\p{P}\s])[\u200c\u200d]+|[\u200c\u200d]+(?=[\p{sc=Latin}\p{Nd}\p{P}\s])/gu;
const HIGH_SURROGATE = /[\ud800-\udbff]/;
const ONLY_LINE_ENDS = /^[\r\n]+$/;

/** What to show for a token's text; `whitespace`: with glyphs for spaces, tabs and line ends. */
export function visible(text, whitespace) {
  if (ANY_HIDDEN.test(text)) text = named(text, whitespace);
  if (whitespace || ONLY_LINE_ENDS.test(text)) {
    return text.replace(/[ \t\n\r\u00a0\u3000]/g, (space) => SPACES[space]);
  }
  return text;
}

/** The beginning of a text, never half a character, and how much more there is. */
export function cropped(text, longest = 2000) {
  if (text.length <= longest) return text;
  const end = HIGH_SURROGATE.test(text[longest - 1]) ? longest - 1 : longest;
  return `${text.slice(0, end)}… (${(text.length - end).toLocaleString("en-US")} more)`;
}

/** What a file says of itself, as it is safe and good to read. */
export function shown(text, longest) {
  return visible(cropped(text, longest), false);
}

function named(text, whitespace) {
  return text
    .replace(CONTROLS, (c) => (c === "\r" && !whitespace ? c : picture(c)))
    .replace(JOINERS_AT_AN_END, pictures)
    .replace(JOINERS_IN_LATIN, pictures)
    .replace(DIRECTIONS, picture);
}

function pictures(run) {
  return Array.from(run, picture).join("");
}

function picture(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return character === "\r" ? character : String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨${NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}⟩`;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A token's own bytes: as text when they are some, else in hex. */
export function pieceLabel(bytes) {
  try {
    return visible(utf8.decode(bytes), true).replace("\n", "");
  } catch {
    return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
  }
}
