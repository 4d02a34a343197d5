// How much of the model's context a text fills.

import { byId, number } from "./page.js";

const [typed, gauge, said] = ["context", "gauge", "filled"].map(byId);
let tokens = 0;
let own = 0;

typed.addEventListener("input", draw);

/** count: tokens of the text; info: of the model, whose context is used if no number is typed. */
export function showFilled(count, info) {
  tokens = count;
  own = info.context_length ?? 0;
  typed.placeholder = own || "unknown";
  draw();
}

function draw() {
  const size = Number(typed.value) || own;
  gauge.hidden = !size;
  said.textContent = size ? share(size) : "";
  gauge.max = size || 1;
  gauge.high = gauge.max * 0.9;
  gauge.value = tokens;
}

function share(size) {
  if (tokens > size) return `${number(tokens - size)} too many`;
  const percent = (100 * tokens) / size;
  if (percent > 0 && percent < 0.05) return "under 0.1 %";
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}
