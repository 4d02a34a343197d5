// What a reload of this tab keeps: the text, the chat, columns, counts. In the storage of the tab,
// so two tabs do not mix and nothing outlives them. Where storage is shut off, the page works without.

const PREFIX = "pyodide_tok ";
const SOON = 300; // milliseconds

/** @type {Map<string, () => unknown>} */
const waiting = new Map();
let timer = 0;

globalThis.addEventListener?.("pagehide", write); // there is none when the site is built
globalThis.addEventListener?.("visibilitychange", write);

/** What was kept under a name, or undefined. */
export function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keep what value() gives, soon: a call for each keystroke is cheap. */
export function keep(name, value) {
  waiting.set(name, value);
  timer ||= setTimeout(write, SOON);
}

function write() {
  clearTimeout(timer);
  timer = 0;
  for (const [name, value] of waiting) {
    try {
      sessionStorage.setItem(PREFIX + name, JSON.stringify(value()));
    } catch {
      sessionStorage.removeItem(PREFIX + name); // too large: better nothing than an older one
    }
  }
  waiting.clear();
}
