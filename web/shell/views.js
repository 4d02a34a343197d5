// The views and their addresses: "#vocab" opens that view. A view's module is loaded when it
// is first opened, and told of changes while it is open.

import { readAddress } from "./address.js";
import { page, showError } from "./page.js";

const VIEWS = {
  see: async () => ({ create: () => ({ refresh() {} }) }),
  compare: () => import("../views/compare/compare.js"),
  explain: () => import("../views/explain/explain.js"),
  chat: () => import("../views/chat/chat.js"),
  files: () => import("../views/files/files.js"),
  vocab: () => import("../views/vocabulary/vocabulary.js"),
  model: () => import("../views/model/model.js"),
};

export class Views {
  #session;
  #made = new Map();
  #given = []; // {name, what} that wait for their view
  #name = "see";

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
    location.hash = name;
    this.refresh();
  }

  /** Text, switches or model have changed. */
  async refresh() {
    const name = this.#name;
    if (!this.#session.model) return;
    try {
      if (!this.#made.has(name)) {
        const { create } = await VIEWS[name]();
        if (!this.#made.has(name)) this.#made.set(name, create(this.#session));
      }
      if (name !== this.#name) return;
      for (const { what } of this.#takeGiven(name)) this.#made.get(name).receive(what);
      await this.#made.get(name).refresh();
    } catch (error) {
      showError(error);
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
