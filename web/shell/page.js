// The page's elements, its state, and the words it says.

import { shown } from "../tokens/glyphs.js";

export const page = Object.fromEntries(
  Object.entries({
    file: "model-file",
    alert: "alert",
    alertText: "alert-text",
    restart: "restart",
    dismiss: "dismiss",
    text: "text",
    reader: "reader",
    reading: "reading",
    editText: "edit-text",
    undoText: "undo-text",
    redoText: "redo-text",
    lengths: "lengths",
    count: "count",
    addSpecial: "add-special",
    parseSpecial: "parse-special",
    whitespace: "whitespace",
    without: "without",
    warnings: "warnings",
    tokens: "tokens",
    detail: "detail",
    spoken: "spoken",
    tabs: "tabs",
    main: "main",
    choosePre: "choose-pre",
    otherPre: "other-pre",
    status: "status",
    toast: "toast",
    stop: "stop",
  }).map(([name, id]) => [name, byId(id)]),
);

const IDLE = new Set(["Ready", "Something went wrong", "Waiting for the file"]); // what the page itself shows
const SLOW = 400; // milliseconds: only what takes longer is worth a word and a Stop button
let slow;

/** state: "starting", "ready", "busy" or "error"; words: what the status line says. */
export function setState(state, words) {
  document.documentElement.dataset.state = state;
  clearTimeout(slow);
  const say = () => {
    const said = shown(words);
    if (page.status.textContent !== said) page.status.textContent = said;
    page.stop.hidden = state !== "busy";
    page.toast.dataset.said =
      state === "ready" || state === "error" || state === "waiting"
        ? IDLE.has(words)
          ? "no"
          : "once"
        : "yes";
  };
  if (state === "busy") slow = setTimeout(say, SLOW);
  else say();
}

/** Show an error until the next success; the page stays usable. `of`: the file it is about. */
export function showError(error, of = "") {
  if (error.code === "stopped") return;
  page.alertText.textContent = shown(of ? `${of}: ${error.message}` : error.message);
  page.restart.hidden = error.code !== "worker-dead";
  page.choosePre.hidden = error.code !== "pre-tokenizer-unknown";
  page.alert.hidden = false;
  setState("error", "Something went wrong");
}

export function hideError() {
  page.alert.hidden = true;
}

/** Resolves when what was drawn has been painted. */
export function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
  });
}

export function number(value) {
  return value.toLocaleString("en-US");
}

/** The parts of a <dl>, one <div> an entry; those without a value are left out. */
export function definitions(entries) {
  const given = entries.filter(([, value]) => ![undefined, null, false].includes(value));
  return given.map(([term, value]) => element("div", element("dt", term), element("dd", value)));
}

/** The rows of a table body; the first cell of each is its header. */
export function tableRows(rows) {
  return rows.map(([head, ...cells]) => {
    const th = element("th", head);
    th.scope = "row";
    return element("tr", th, ...cells.map((cell) => element("td", cell)));
  });
}

/** An element with texts and elements in it; the texts may be a file's own. */
export function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content.map((part) => (typeof part === "string" ? shown(part) : part)));
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Fill a list element with texts, one an item. */
export function listTexts(list, texts) {
  list.replaceChildren(...texts.map((text) => element("li", text)));
}
