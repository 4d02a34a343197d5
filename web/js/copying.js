// "Copy": the tokens in one of many forms, or an address that opens the page like this.

import { permalink } from "./address.js";
import { FORMATS } from "./formats.js";
import { byId, setState, showError } from "./page.js";
import { characterOffsets } from "./positions.js";

/** session: see app.js. */
export function watchCopying(session) {
  const choice = byId("copy-as");
  choice.append(...Object.entries(FORMATS).map(([name, { label }]) => new Option(label, name)));
  byId("copy").addEventListener("click", () =>
    copy(() => written(FORMATS[choice.value], session), FORMATS[choice.value].label),
  );
  byId("copy-link").addEventListener("click", () => copy(() => permalink(session), "the address"));
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
