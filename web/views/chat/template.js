// A chat's template and tools, a file's own or typed.

import { byId } from "../../shell/page.js";
import { keep, kept } from "../../shell/session.js";
import { shown } from "../../tokens/glyphs.js";

/** For files without a template: the form that most chat models are trained on. */
export const CHATML =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

export class Template {
  #box = byId("chat-template");
  #named = byId("chat-named");
  #tools = byId("chat-tools");
  #templates = null; // of the file, by name
  #isOwn = false; // typed by the user

  /** onChange(): another template is wanted, or other tools. */
  constructor(onChange) {
    const own = kept("chat-template");
    if (own) [this.#box.value, this.#isOwn] = [own, true];
    this.#tools.value = kept("chat-tools") ?? "";
    this.#tools.addEventListener("input", () => keep("chat-tools", () => this.#tools.value));
    this.#box.addEventListener("input", () => {
      this.#isOwn = true;
      keep("chat-template", () => (this.#isOwn ? this.#box.value : null));
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

  /** Whether ChatML is shown because the file has no template. */
  get isStandIn() {
    return !this.#isOwn && !Object.keys(this.#templates).length;
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
    this.#isOwn = false;
    this.#box.value = this.isStandIn ? CHATML : this.#templates[this.#named.value];
    keep("chat-template", () => (this.#isOwn ? this.#box.value : null));
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
