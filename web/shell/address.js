// The page's address: #VIEW, or #VIEW?text=...&model=...&add_special=...&parse_special=...
// A fragment is not sent to any server. A file of one's own cannot be part of it.

/** {view, text, model, url, addSpecial, parseSpecial}; what the address does not say is undefined. */
export function readAddress(hash = location.hash) {
  const [view, query = ""] = hash.slice(1).split(/\?(.*)/s);
  const given = new URLSearchParams(query);
  const flag = (name) => (given.has(name) ? given.get(name) === "1" : undefined);
  return {
    view,
    text: given.get("text") ?? undefined,
    model: given.get("model") ?? undefined,
    url: given.get("url") ?? undefined,
    addSpecial: flag("add_special"),
    parseSpecial: flag("parse_special"),
  };
}

/** An address that opens the page with this view, text, model (not a file) and switches. */
export function permalink({ view, text, source, switches }) {
  const { addSpecial, parseSpecial } = switches();
  const query = new URLSearchParams({ text });
  if (source.url) query.set("url", source.url);
  else if (source.builtin) query.set("model", source.key);
  query.set("add_special", addSpecial ? "1" : "0");
  query.set("parse_special", parseSpecial ? "1" : "0");
  return `${location.href.split("#")[0]}#${view}?${query}`;
}
