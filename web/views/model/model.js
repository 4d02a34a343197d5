// The Model view: whether the file is healthy, what it says, and why it tokenizes as it does.

import { byId, definitions, element, listTexts, number, tableRows } from "../../shell/page.js";
import { listPre } from "../../shell/pre.js";
import { verdictOf } from "../../shell/verdict.js";
import { family } from "../../tokens/families.js";
import { shown } from "../../tokens/glyphs.js";

const COMMON_FLAGS = ["add_bos", "add_eos"];
const FLAGS = {
  SPM: ["add_space_prefix", "escape_whitespaces"],
  BPE: ["ignore_merges", "escape_whitespaces", "nfc"],
  WPM: ["add_sep", "lowercase", "strip_accents"],
  UGM: ["add_space_prefix", "remove_extra_whitespaces", "treat_whitespace_as_suffix"],
};
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
      judge(session);
      form.hidden = model.info.type !== "BPE";
      if (!form.hidden) return listPre(choice, model.info.pre);
    },
  };
}

const GOOD = "No problems found in this file.";

/** The verdict on the file, and its problems with what follows from them and what to do. */
async function judge(session) {
  const { model } = session;
  drawVerdict(null);
  const problems = await session.problems;
  if (model === session.model) drawVerdict(problems);
}

function drawVerdict(problems) {
  const { level, words } = verdictOf(problems);
  byId("verdict-card").dataset.verdict = level;
  byId("judgement").textContent = level === "ok" ? GOOD : `${words[0].toUpperCase()}${words.slice(1)}.`;
  byId("problems").replaceChildren(...(problems ?? []).map(problemItem));
}

function problemItem({ code, severity, message, fix }) {
  const label = element("b", severity);
  const small = element("code", code);
  const item = element("li", element("p", label, " ", small), element("p", message));
  if (fix) item.append(element("p", element("b", "Fix: "), fix));
  item.dataset.severity = severity;
  return item;
}

function show(info) {
  byId("why").textContent = shown(why(info));
  listTexts(
    byId("all-notes"),
    info.warnings.map(({ message }) => message),
  );
  byId("facts").replaceChildren(...definitions(facts(info)));
  byId("specials").replaceChildren(...tableRows(specials(info)));
  byId("flags").replaceChildren(...flagsOf(info).map(flagItem));
  byId("template").textContent = shown(info.chat_template ?? "The file has none.", TEMPLATE);
}

/** [name, on] of the flags that matter to the type. */
function flagsOf({ type, flags }) {
  return [...COMMON_FLAGS, ...(FLAGS[type] ?? [])].map((name) => [name, flags[name]]);
}

function flagItem([name, on]) {
  const item = element("li", name, " ", element("b", on ? "on" : "off"));
  item.dataset.on = on;
  return item;
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
