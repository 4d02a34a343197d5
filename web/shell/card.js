// What kind of tokenizer the model has, in a sentence, and what is wrong with it.

import { family } from "../tokens/families.js";
import { element, listTexts, page } from "./page.js";

// What changes no one's ids unawares: told in the Model view only.
const QUIET = new Set([
  "retyped-control",
  "retyped-user-defined",
  "eog-added",
  "eog-removed",
  "empty-token",
  "old-version",
  "template-bos",
  "add-bos-forced",
  "one-of-several",
]);

export function showCard({ name, type, warnings }) {
  const { title, sentence } = family(type);
  page.family.replaceChildren(element("strong", `${name || "This model"}: ${title}`), ` ${sentence}`);
  const loud = warnings.filter(({ code }) => !QUIET.has(code));
  listTexts(
    page.notes,
    loud.map(({ message }) => message),
  );
}
