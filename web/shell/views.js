// The views and their addresses: "#vocab" opens that view. A view's script and style sheet are loaded
// when it is first opened; until then it is inert, so that no click is lost.

import { readAddress } from "./address.js";
import { byId, page, showError } from "./page.js";
import { loadSheet } from "./sheets.js";

// load(): the view's script; sheet: its style sheet; wide: it needs no text beside it.
const VIEWS = {
  see: { load: async () => ({ create: () => ({ refresh() {} }) }) },
  compare: { load: () => import("../views/compare/compare.js"), sheet: "views/compare/compare.css" },
  explain: {
    load: () => import("../views/explain/explain.js"),
    sheet: "views/explain/explain.css",
    wide: true,
  },
  chat: { load: () => import("../views/chat/chat.js"), sheet: "views/chat/chat.css", wide: true },
  files: { load: () => import("../views/files/files.js"), sheet: "views/files/files.css", wide: true },
  vocab: {
    load: () => import("../views/vocabulary/vocabulary.js"),
    sheet: "views/vocabulary/vocabulary.css",
    wide: true,
  },
  model: { load: () => import("../views/model/model.js"), sheet: "views/model/model.css", wide: true },
};

export class Views {
  #session;
  #made = new Map(); // name -> a promise of the view
  #given = []; // {name, what} that wait for their view
  #name = "see";
  #opened = null; // the view of that name, once it is there

  /** session: what views may ask of the page; see app.js. */
  constructor(session) {
    this.#session = session;
    addEventListener("hashchange", () => this.#open());
    this.#open();
  }

  /** Which view is open. */
  get name() {
    return this.#name;
  }

  /** Open a view, and hand it something when it is there. */
  give(name, what) {
    this.#given.push({ name, what });
    if (this.#name === name) this.refresh();
    else location.hash = name;
  }

  /** What the open view adds to a link. */
  get link() {
    return this.#opened?.link?.() ?? {};
  }

  /** An address has been opened: the view that it names is told what it says. */
  arrive({ view, more }) {
    if (view in VIEWS && VIEWS[view].sheet) this.#given.push({ name: view, what: { link: more } });
    this.refresh();
  }

  /** Text, switches or model have changed. */
  async refresh() {
    const name = this.#name;
    if (!this.#session.model) return;
    try {
      if (!this.#made.has(name)) this.#made.set(name, this.#make(name));
      const view = await this.#made.get(name);
      if (name !== this.#name) return;
      this.#opened = view;
      for (const { what } of this.#takeGiven(name)) view.receive?.(what);
      await view.refresh();
    } catch (error) {
      showError(error);
    }
  }

  /** Load a view; one that could not be loaded is tried again. */
  async #make(name) {
    const { load, sheet } = VIEWS[name];
    try {
      const [{ create }] = await Promise.all([load(), sheet && loadSheet(sheet)]);
      const view = create(this.#session);
      byId(`view-${name}`).inert = false;
      return view;
    } catch (error) {
      this.#made.delete(name);
      throw error;
    }
  }

  #takeGiven(name) {
    const mine = this.#given.filter((given) => given.name === name);
    this.#given = this.#given.filter((given) => given.name !== name);
    return mine;
  }

  #open() {
    const wanted = readAddress().view;
    this.#name = wanted in VIEWS ? wanted : "see";
    this.#opened = null;
    page.main.dataset.open = this.#name;
    page.main.toggleAttribute("data-wide", Boolean(VIEWS[this.#name].wide));
    for (const view of document.querySelectorAll(".view")) {
      view.hidden = view.id !== `view-${this.#name}`;
    }
    for (const link of page.tabs.children) {
      link.removeAttribute("aria-current");
      if (link.hash !== `#${this.#name}`) continue;
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.refresh();
  }
}
