// The Model view: what the file says, and why it tokenizes as it does.

import { byId, definitions, listTexts, number, tableRows } from "../../shell/page.js";
import { listPre } from "../../shell/pre.js";
import { family } from "../../tokens/families.js";
import { shown } from "../../tokens/glyphs.js";

const TEMPLATE = 100_000; // characters of a template that are shown

/** session: {model, models}. */
export function create(session) {
  const form = byId("repre");
  const choice = byId("any-pre");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    session.models.useWith(choice.value);
  });
  let model = null;
  return {
    refresh() {
      if (model === session.model) return;
      model = session.model;
      show(model.info);
      form.hidden = model.info.type !== "BPE";
      if (!form.hidden) return listPre(choice, model.info.pre);
    },
  };
}

function show(info) {
  byId("why").textContent = shown(why(info));
  listTexts(
    byId("all-notes"),
    info.warnings.map(({ message }) => message),
  );
  byId("facts").replaceChildren(...definitions(facts(info)));
  byId("specials").replaceChildren(...tableRows(specials(info)));
  const flags = Object.keys(info.flags).filter((name) => info.flags[name]);
  listTexts(byId("flags"), flags.length ? flags : ["none is on"]);
  byId("template").textContent = shown(info.chat_template ?? "The file has none.", TEMPLATE);
}

/** Why the model tokenizes as it does, in a sentence or two. */
function why({ type, model, pre, file_pre, n_vocab }) {
  if (type === "BYTE") return "The file has no tokens, so each byte of a text is a token of its own.";
  if (type === "NONE") return "The file says that it has no vocabulary.";
  const kind = family(type).title;
  const said = model
    ? `The file’s tokenizer.ggml.model is “${model}”, so it is ${kind} with ${number(n_vocab)} tokens.`
    : `The file does not name its tokenizer; by what is in it, it is ${kind}.`;
  if (type !== "BPE") return said;
  return `${said} ${whyPre(pre, file_pre)} That decides where words begin, and so the ids.`;
}

function whyPre(pre, file_pre) {
  if (!file_pre) return `The file names no pre-tokenizer; “${pre}” is used.`;
  if (file_pre === pre) return `Its pre-tokenizer (tokenizer.ggml.pre) is “${pre}”.`;
  return `Its pre-tokenizer (tokenizer.ggml.pre) is “${file_pre}”, but “${pre}” is used.`;
}

function facts(info) {
  const { type, n_vocab, n_merges, pre, context_length } = info;
  const entries = [
    ["name", info.name],
    ["architecture", info.architecture],
    ["kind of file", info.kind],
    ["tokenizer.ggml.model", info.model],
    ["pre-tokenizer", type === "BPE" && pre],
    ["tokens", number(n_vocab)],
    ["merges", type === "BPE" && number(n_merges)],
    ["context", context_length && `${number(context_length)} tokens`],
    ["file", `GGUF version ${info.gguf_version}, ${info.byteorder}-endian`],
  ];
  return entries.filter(([, value]) => value !== "");
}

function specials({ special, eog, texts }) {
  const named = Object.entries(special);
  const others = eog.filter((id) => !named.some(([, known]) => known === id));
  return [...named, ...others.map((id) => ["", id])].map(([name, id]) => [
    name.replace("_", " ").toUpperCase() || "–",
    id,
    texts[id],
    eog.includes(id) ? "yes" : "",
  ]);
}
