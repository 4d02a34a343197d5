// The chip in the header: which model is in use, and whether its file is healthy.

import { shown } from "../tokens/glyphs.js";
import { byId, number } from "./page.js";
import { verdictOf } from "./verdict.js";

const [chip, name, facts, verdict] = ["chip", "chip-name", "chip-facts", "verdict"].map(byId);

/** source: see models.js; info: of its tokenizer. */
export function showChip(source, info) {
  const { type, n_vocab, pre, file_pre } = info;
  const preName = type === "BPE" && (file_pre && file_pre !== pre ? `${pre} instead of ${file_pre}` : pre);
  name.textContent = shown(source.label, 80);
  facts.textContent = shown([type, `${number(n_vocab)} tokens`, preName].filter(Boolean).join(" · "), 120);
  byId("chip-open").title = `${name.textContent} · ${facts.textContent}. Choose another model.`;
  showVerdict(null);
  chip.inert = false;
}

/** problems: see verdict.js. */
export function showVerdict(problems) {
  const { level, mark, words } = verdictOf(problems);
  verdict.dataset.verdict = level;
  verdict.textContent = mark;
  verdict.title = `The file: ${words}`;
  verdict.setAttribute("aria-label", `Health of the file: ${words}`);
  verdict.hidden = false;
}
