// Marks on tokens, by a rule of a style sheet and not by classes: so they hold for tokens that are
// drawn later, too.

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

/** Light up every token of this id, and above all the one at `start`; null: none. */
export function markToken(token) {
  while (sheet.cssRules.length) sheet.deleteRule(0);
  if (!token) return;
  const same = `#tokens [data-id="${token.id}"]`;
  sheet.insertRule(`${same} { outline: 2px solid var(--accent); outline-offset: -1px; }`);
  const one = `${same}[data-start="${token.start}"][data-end="${token.end}"]`;
  sheet.insertRule(`${one} { background: var(--accent); color: var(--on-accent); }`, 1);
}
