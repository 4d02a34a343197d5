// What is said about a text's tokens: how many, how dense, how much of the context window.

import { shown } from "../tokens/glyphs.js";
import { specialIn } from "../tokens/specials.js";
import { showFilled } from "./gauge.js";
import { byId, listTexts, number, page } from "./page.js";

/**
 * @param {import("../client.js").Columns} columns
 * @param {import("../client.js").Info} info Of the model.
 * @param {string} text
 */
export function showCounts({ ids, characters, bytes, warnings }, info, text = "") {
  page.count.textContent = number(ids.length);
  showWithout(ids.length, info);
  showFilled(ids.length, info);
  page.lengths.textContent = `${number(characters)} characters · ${number(bytes)} bytes`;
  stat("ratio", characters && ids.length ? (characters / ids.length).toFixed(2) : "");
  stat("size", number(bytes));
  showHint(text, info);
  listTexts(
    page.warnings,
    warnings.map(({ message }) => message),
  );
}

export function watchHint() {
  byId("parse-hint-on").addEventListener("click", () => page.parseSpecial.click());
}

/** @param {string} text @param {import("../client.js").Info} info */
function showHint(text, { texts }) {
  const special = page.parseSpecial.checked ? "" : specialIn(text, texts);
  byId("parse-hint").hidden = !special;
  byId("parse-hint-token").textContent = shown(special);
}

/** @param {string} id */
function stat(id, /** @type {string} */ value) {
  byId(id).hidden = !value;
  byId(`${id}-value`).textContent = value;
}

/**
 * How many tokens there were with the other setting of add_special.
 * @param {number} count
 * @param {import("../client.js").Info} info
 */
function showWithout(count, { added }) {
  const words = page.addSpecial.checked
    ? `${number(count - added)} without`
    : `${number(count + added)} with`;
  page.without.textContent = added ? `${words} special tokens` : "";
}
