// Text as it is shown: nothing invisible, nothing that changes its surroundings.

const SPACES = { " ": "·", "\t": "→\t", "\n": "↵\n", "\r": "␍", "\u00a0": "⍽", "\u3000": "□" };
const NAMES = {
  0x00ad: "SHY", 0x061c: "ALM", 0x200b: "ZWSP", 0x200c: "ZWNJ", 0x200d: "ZWJ", 0x200e: "LRM",
  0x200f: "RLM", 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO",
  0x2028: "LS", 0x2029: "PS", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI",
  0x2069: "PDI", 0xfeff: "BOM",
};

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const DIRECTIONS = /[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;
const JOINERS_AT_AN_END = /^[\u200c\u200d\ufe00-\ufe0f]+|[\u200c\u200d]+$/g;
const ANY_HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\ud800-\udfff]/;
const ONLY_LINE_ENDS = /^[\r\n]+$/;

/** What to show for a token's text; `whitespace`: with glyphs for spaces, tabs and line ends. */
export function visible(text, whitespace) {
  if (ANY_HIDDEN.test(text)) text = named(text, whitespace);
  if (whitespace || ONLY_LINE_ENDS.test(text)) {
    return text.replace(/[ \t\n\r\u00a0\u3000]/g, (space) => SPACES[space]);
  }
  return text;
}

function named(text, whitespace) {
  return text
    .replace(CONTROLS, (c) => (c === "\r" && !whitespace ? c : picture(c)))
    .replace(JOINERS_AT_AN_END, (run) => Array.from(run, picture).join(""))
    .replace(DIRECTIONS, picture);
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
