// "Copy": the tokens in one of many forms, or an address that opens the page like this.

import { FORMATS } from "../tokens/formats.js";
import { characterOffsets } from "../tokens/positions.js";
import { fragment } from "./address.js";
import { byId, setState, showError } from "./page.js";

const CONFIRMED = 1500; // milliseconds
const LONGEST = 500_000; // characters: browsers end at 2 MB, and much else before

/** session: see app.js. */
export function watchCopying(session) {
  const choice = byId("copy-as");
  choice.append(...Object.entries(FORMATS).map(([name, { label }]) => new Option(label, name)));
  byId("copy").addEventListener("click", () =>
    copy(byId("copy"), () => written(FORMATS[choice.value], session), FORMATS[choice.value].label),
  );
  byId("copy-link").addEventListener("click", () => {
    const { builtin, url, name } = session.source;
    const lacks = builtin || url ? "" : `; who opens it is asked for the file ${name}`;
    return copy(byId("copy-link"), () => link(session), `the link${lacks}`);
  });
}

function link(session) {
  const { view, text, source, models, switches, more } = session;
  const address = `${location.href.split("#")[0]}${fragment({ view, text, source, pre: models.pre, switches: switches(), more })}`;
  if (address.length < LONGEST) return address;
  throw new Error("This text is too long for a link. Copy the text itself, or save it as a file.");
}

/** Copy what write() gives, and have the button say so for a moment. */
async function copy(button, write, what) {
  try {
    await navigator.clipboard.writeText(await write());
    setState("ready", `Copied: ${what}`);
    confirm(button);
  } catch (error) {
    showError(error);
  }
}

function confirm(button) {
  button.dataset.label ??= button.textContent;
  button.textContent = "Copied";
  clearTimeout(button.timer);
  button.timer = setTimeout(() => (button.textContent = button.dataset.label), CONFIRMED);
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
