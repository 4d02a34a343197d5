// How many tokens each message of a chat has, by where its text is. Pure functions.

/**
 * [{message, tokens}] in the order of the chat; message null: the template's own tokens, last.
 * A message whose text the template changed is counted as the template's.
 */
export function sharesOf(text, { starts, ends }, messages) {
  const spans = spansOf(text, messages);
  const counts = spans.map(() => 0);
  let at = 0;
  for (let i = 0; i < starts.length; i++) {
    while (at < spans.length && spans[at].end <= starts[i]) at++;
    if (at < spans.length && ends[i] > spans[at].start && ends[i] > starts[i]) counts[at]++;
  }
  const rest = starts.length - counts.reduce((sum, count) => sum + count, 0);
  return [
    ...spans.map(({ message }, i) => ({ message, tokens: counts[i] })),
    { message: null, tokens: rest },
  ];
}

/** Where the messages are: [{message, start, end}], those that are not found left out. */
function spansOf(text, messages) {
  const spans = [];
  let from = 0;
  messages.forEach(({ content }, message) => {
    const wanted = content.trim();
    const start = wanted ? text.indexOf(wanted, from) : -1;
    if (start < 0) return;
    from = start + wanted.length;
    spans.push({ message, start, end: from });
  });
  return spans;
}
