// How much of the model's context window a text fills.

import { byId, number } from "./page.js";
import { keep, kept } from "./session.js";

const [typed, gauge, said] = ["context", "gauge", "filled"].map(byId);
const bar = gauge.firstElementChild;
let tokens = 0;
let own = 0;

typed.value = kept("context") ?? "";
typed.addEventListener("input", () => {
  keep("context", () => typed.value);
  draw();
});

/** count: tokens of the text; info: of the model, whose context is used if no number is typed. */
export function showFilled(count, info) {
  tokens = count;
  own = info.context_length ?? 0;
  typed.placeholder = own ? number(own) : "unknown";
  draw();
}

function draw() {
  const size = Number(typed.value.replace(/[,\s]/g, "")) || own;
  const over = size > 0 && tokens > size;
  gauge.hidden = !size;
  said.textContent = size ? share(size) : "–";
  bar.style.width = `${Math.min(100, (100 * tokens) / (size || 1))}%`;
  gauge.ariaValueMax = size || 1;
  gauge.ariaValueNow = Math.min(tokens, size);
  gauge.ariaValueText = said.textContent;
  for (const element of [gauge, said]) element.toggleAttribute("data-over", over);
}

function share(size) {
  if (tokens > size) return `${number(tokens - size)} over`;
  const percent = (100 * tokens) / size;
  if (percent > 0 && percent < 0.05) return "under 0.1 %";
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}
