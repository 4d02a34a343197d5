// "Copy": the tokens in one of many forms, or an address that opens the page like this.

import { FORMATS } from "../tokens/formats.js";
import { characterOffsets } from "../tokens/positions.js";
import { permalink } from "./address.js";
import { byId, setState, showError } from "./page.js";

const LONGEST = 500_000; // characters: browsers end at 2 MB, and much else before

/** session: see app.js. */
export function watchCopying(session) {
  const choice = byId("copy-as");
  choice.append(...Object.entries(FORMATS).map(([name, { label }]) => new Option(label, name)));
  byId("copy").addEventListener("click", () =>
    copy(() => written(FORMATS[choice.value], session), FORMATS[choice.value].label),
  );
  byId("copy-link").addEventListener("click", () => {
    const { builtin, url, name } = session.source;
    const lacks = builtin || url ? "" : `; the file ${name} is not in it`;
    return copy(() => link(session), `the address${lacks}`);
  });
}

function link(session) {
  const address = permalink(session);
  if (address.length < LONGEST) return address;
  throw new Error("This text is too long for an address. Copy the text itself, or save it as a file.");
}

async function copy(write, what) {
  try {
    await navigator.clipboard.writeText(await write());
    setState("ready", `Copied: ${what}`);
  } catch (error) {
    showError(error);
  }
}

async function written(format, { model, source, shown, switches }) {
  const { text, columns } = shown;
  const { pre, file_pre, type } = model.info;
  return format.write({
    ids: columns.ids,
    text,
    ...switches(),
    ...(format.rows && (await rows(model, text, columns))),
    file: source.builtin ? `${source.name}.gguf` : source.name,
    pre: type === "BPE" && file_pre && pre !== file_pre ? pre : "",
  });
}

/** The bytes and the place of every token; each id is asked for once. */
async function rows(model, text, columns) {
  const unique = [...new Set(columns.ids)];
  const bytes = await model.pieces(unique);
  const piece = new Map(unique.map((id, i) => [id, bytes[i]]));
  return {
    pieces: Array.from(columns.ids, (id) => piece.get(id)),
    offsets: characterOffsets(text, columns),
  };
}
