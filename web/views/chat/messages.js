// The messages of a chat, which a person writes.

import { byId, element } from "../../shell/page.js";

const ROLES = ["system", "user", "assistant", "tool"];
const FIRST = [
  ["user", "What is a token?"],
  ["assistant", "A piece of text that a model reads as one."],
  ["user", "How many are in this chat?"],
];

export class Messages {
  #list = byId("messages");
  #onChange;

  /** onChange(): of a text or a role, or a message more or less. */
  constructor(onChange) {
    this.#onChange = onChange;
    for (const [role, content] of FIRST) this.#add(role, content);
    this.#list.addEventListener("input", onChange);
    byId("add-message").addEventListener("click", () => this.#addNext());
  }

  /** [{role, content}] */
  get all() {
    return [...this.#list.children].map((item) => ({
      role: item.querySelector("select").value,
      content: item.querySelector("textarea").value,
    }));
  }

  #addNext() {
    this.#add(this.all.at(-1)?.role === "user" ? "assistant" : "user", "");
    this.#list.lastElementChild.querySelector("textarea").focus();
    this.#onChange();
  }

  #add(role, content) {
    const choice = element("select", ...ROLES.map((name) => new Option(name, name)));
    choice.value = role;
    choice.setAttribute("aria-label", "Role");
    const box = element("textarea");
    box.value = content;
    box.setAttribute("aria-label", "Message");
    const remove = element("button", "Remove");
    remove.type = "button";
    const item = element("li", choice, box, remove);
    remove.addEventListener("click", () => {
      item.remove();
      this.#onChange();
    });
    this.#list.append(item);
  }
}
