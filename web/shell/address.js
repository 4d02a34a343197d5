// The page's address: #VIEW, or #VIEW?text=...&model=...&add_special=...&parse_special=...
// A fragment is not sent to any server. A link cannot contain a local file, only its name.

/**
 * {view, text, model, url, file, pre, addSpecial, parseSpecial, more}; what the address does not
 * say is undefined. more: a URLSearchParams with what else a view has put there.
 */
export function readAddress(hash = location.hash) {
  const [view, query = ""] = hash.slice(1).split(/\?(.*)/s);
  const given = new URLSearchParams(query);
  const flag = (name) => (given.has(name) ? given.get(name) === "1" : undefined);
  const text = (name) => given.get(name) ?? undefined;
  return {
    view,
    ...{ text: text("text"), model: text("model"), url: text("url"), file: text("file"), pre: text("pre") },
    addSpecial: flag("add_special"),
    parseSpecial: flag("parse_special"),
    more: given,
  };
}

/** Whether an address says anything beyond the view. */
export function asksForMore({ more }) {
  return [...more.keys()].length > 0;
}

/**
 * The fragment that opens the page with this view, text, model and switches.
 * source: see models.js; pre: in place of the file's own, or null; more: what the view adds.
 */
export function fragment({ view, text, source, pre = null, switches, more = {} }) {
  const query = new URLSearchParams({ text });
  query.set(...modelParameter(source));
  if (pre) query.set("pre", pre);
  query.set("add_special", switches.addSpecial ? "1" : "0");
  query.set("parse_special", switches.parseSpecial ? "1" : "0");
  for (const [name, values] of Object.entries(more)) {
    for (const value of [values].flat()) query.append(name, value);
  }
  return `#${view}?${query}`;
}

/** How a link names a model: [parameter, value]. */
export function modelParameter({ key, name, url, builtin }) {
  if (url) return ["url", url];
  return builtin ? ["model", key] : ["file", name];
}

/** Whether an address still says what the page shows. */
export function isTrue(asked, { text, source, pre, switches }) {
  const [kind, value] = source ? modelParameter(source) : [];
  const says = (name, now) => asked[name] === undefined || asked[name] === now;
  const ofModel = ["model", "url", "file"].every((name) => says(name, name === kind ? value : undefined));
  const ofSwitches = Object.entries(switches).every(([name, on]) => says(name, on));
  return says("text", text) && ofModel && says("pre", pre ?? undefined) && ofSwitches;
}
