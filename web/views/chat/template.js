// A chat's template and tools, a file's own or typed.

import { byId } from "../../shell/page.js";
import { shown } from "../../tokens/glyphs.js";

export class Template {
  #box = byId("chat-template");
  #named = byId("chat-named");
  #tools = byId("chat-tools");
  #templates = null; // of the file, by name
  #isOwn = this.#box.value !== ""; // typed by the user, maybe before this module was there

  /** onChange(): another template is wanted, or other tools. */
  constructor(onChange) {
    this.#box.addEventListener("input", () => {
      this.#isOwn = true;
      onChange();
    });
    this.#named.addEventListener("change", () => {
      this.#choose();
      onChange();
    });
    this.#tools.addEventListener("input", onChange);
  }

  get text() {
    return this.#box.value;
  }

  /** Offer a file's templates. One that was typed before stays at first, or if the file has none. */
  offer({ chat_templates }) {
    const isFirst = this.#templates === null;
    this.#templates = chat_templates;
    const names = Object.keys(chat_templates);
    byId("chat-choice").hidden = names.length < 2;
    this.#named.replaceChildren(...names.map((name) => new Option(shown(name), name)));
    if (!this.#isOwn || (names.length && !isFirst)) this.#choose();
  }

  /** {tools}, or nothing if there are none. Throws an Error for what is no list. */
  get given() {
    return this.#tools.value.trim() ? { tools: listOf(this.#tools.value) } : {};
  }

  #choose() {
    this.#box.value = this.#templates[this.#named.value] ?? "";
    this.#isOwn = false;
  }
}

function listOf(json) {
  try {
    const list = JSON.parse(json);
    if (Array.isArray(list)) return list;
  } catch {
    // said below
  }
  throw new Error('The tools are not a JSON list, such as [{"type": "function", …}].');
}
