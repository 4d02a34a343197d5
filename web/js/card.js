// What kind of tokenizer the model has, in words and a few facts.

import { family } from "./families.js";
import { listTexts, number, page } from "./page.js";

export function showCard(info) {
  const { title, sentence } = family(info.type);
  const name = document.createElement("strong");
  name.textContent = `${info.name || "This model"}: ${title}`;
  page.family.replaceChildren(name, ` ${sentence}`);
  page.facts.replaceChildren(...facts(info).map(entry));
  listTexts(page.notes, info.warnings.map(({ message }) => message));
}

function facts(info) {
  const { type, n_vocab, n_merges, pre, special, context_length } = info;
  return [
    ["tokens", number(n_vocab)],
    ["merges", type === "BPE" && number(n_merges)],
    ["pre-tokenizer", type === "BPE" && pre],
    ["BOS", special.bos],
    ["EOS", special.eos],
    ["context", context_length && number(context_length)],
  ].filter(([, value]) => value !== undefined && value !== null && value !== false);
}

function entry([term, value]) {
  const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
  dt.textContent = term;
  dd.textContent = value;
  const pair = document.createElement("div");
  pair.append(dt, dd);
  return pair;
}
