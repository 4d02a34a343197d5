// The tokens, and calls that give the same ones, as text to copy. Pure functions of
//   {ids, pieces: Uint8Array[], offsets: [start, end][] in characters,
//    text, addSpecial, parseSpecial, file, pre}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** name -> {label, write(all)}; those with `rows` want pieces and offsets. */
export const FORMATS = {
  list: { label: "Python list", write: ({ ids }) => `[${ids.join(", ")}]` },
  json: { label: "JSON with pieces", rows: true, write: json },
  csv: { label: "CSV", rows: true, write: csv },
  cli: { label: "llama-tokenize", write: cli },
  server: { label: "llama-server /tokenize", write: server },
  python: { label: "Python call", write: python },
};

/** As llama-server writes a piece: its text, or its bytes when they are none. */
function plain(piece) {
  try {
    return utf8.decode(piece);
  } catch {
    return Array.from(piece);
  }
}

function json({ ids, pieces, offsets }) {
  const rows = Array.from(ids, (id, i) => {
    const [start, end] = offsets[i];
    return JSON.stringify({ id, piece: plain(pieces[i]), start, end });
  });
  return `[\n  ${rows.join(",\n  ")}\n]`;
}

function csv({ ids, pieces, offsets }) {
  const rows = Array.from(ids, (id, i) => [id, quoted(plain(pieces[i])), ...offsets[i]].join(","));
  return ["id,piece,start,end", ...rows].join("\r\n");
}

/** A CSV field; bytes that are no text are in hex. */
function quoted(piece) {
  if (typeof piece === "string") return `"${piece.replaceAll('"', '""')}"`;
  return `0x${piece.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function cli({ text, addSpecial, parseSpecial, file }) {
  const options = [
    `-m ${shell(file)}`,
    "--ids",
    !addSpecial && "--no-bos",
    !parseSpecial && "--no-parse-special",
    "--no-escape",
    `-p ${shell(text)}`,
  ];
  return ["llama-tokenize", ...options.filter(Boolean)].join(" ");
}

function server({ text, addSpecial, parseSpecial }) {
  const body = { content: text, add_special: addSpecial, parse_special: parseSpecial };
  const data = shell(JSON.stringify(body));
  return `curl http://localhost:8080/tokenize -H 'Content-Type: application/json' -d ${data}`;
}

function python({ text, addSpecial, parseSpecial, file, pre }) {
  const flag = (on) => (on ? "True" : "False");
  const other = pre ? `, pre=${JSON.stringify(pre)}` : "";
  return [
    "from pyodide_tok import Tokenizer",
    "",
    `tok = Tokenizer.from_gguf(${JSON.stringify(file)}${other})`,
    `text = ${JSON.stringify(text)}`,
    `tok.encode(text, add_special=${flag(addSpecial)}, parse_special=${flag(parseSpecial)})`,
  ].join("\n");
}

/** A word of a POSIX shell. */
function shell(text) {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
