// What is said about a text's tokens: how many, and how long the text is.

import { showFilled } from "./gauge.js";
import { byId, listTexts, number, page } from "./page.js";

/**
 * @param {import("../client.js").Columns} columns
 * @param {import("../client.js").Info} info Of the model.
 */
export function showCounts({ ids, characters, bytes, warnings }, info) {
  page.count.textContent = number(ids.length);
  showWithout(ids.length, info);
  showFilled(ids.length, info);
  page.lengths.textContent = `${number(characters)} characters · ${number(bytes)} bytes`;
  stat("ratio", characters && ids.length ? (characters / ids.length).toFixed(2) : "");
  stat("size", number(bytes));
  listTexts(
    page.warnings,
    warnings.map(({ message }) => message),
  );
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
