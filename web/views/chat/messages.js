// The messages of a chat, which a person writes.

import { byId, element } from "../../shell/page.js";
import { keep, kept } from "../../shell/session.js";

const ROLES = ["system", "user", "assistant", "tool"];
const FIRST = [
  { role: "user", content: "What is a token?" },
  { role: "assistant", content: "A piece of text that a model reads as one." },
  { role: "user", content: "How many are in this chat?" },
];
const ACTIONS = [
  ["up", "↑", "Move up"],
  ["down", "↓", "Move down"],
  ["remove", "Remove", "Remove"],
];

export class Messages {
  #list = byId("messages");
  #onChange;

  /** onChange(): of a text or a role, or a message more or less. */
  constructor(onChange) {
    this.#onChange = () => {
      keep("messages", () => this.all);
      this.#label();
      onChange();
    };
    for (const { role, content } of kept("messages") ?? FIRST) this.#add(role, content);
    this.#label();
    this.#list.addEventListener("input", this.#onChange);
    this.#list.addEventListener("click", (event) => this.#onClick(event));
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
    const box = element("textarea");
    box.value = content;
    const number = element("b");
    const side = element("div", number, choice);
    side.className = "side";
    const actions = element("div", ...ACTIONS.map(([action, words]) => actionButton(action, words)));
    actions.className = "actions";
    this.#list.append(element("li", side, box, actions));
  }

  #onClick({ target }) {
    const { action } = target.closest("button")?.dataset ?? {};
    const item = target.closest("li");
    if (!action) return;
    if (action === "remove") item.remove();
    else if (action === "up") item.previousElementSibling?.before(item);
    else item.nextElementSibling?.after(item);
    if (item.isConnected) target.closest("button").focus();
    this.#onChange();
  }

  /** Number the messages, and name their controls by the number. */
  #label() {
    const items = [...this.#list.children];
    items.forEach((item, i) => {
      item.querySelector("b").textContent = i + 1;
      item.querySelector("select").setAttribute("aria-label", `Role of message ${i + 1}`);
      item.querySelector("textarea").setAttribute("aria-label", `Message ${i + 1}`);
      for (const [action, , label] of ACTIONS) {
        const button = item.querySelector(`[data-action=${action}]`);
        button.setAttribute("aria-label", `${label} message ${i + 1}`);
        button.disabled = (action === "up" && i === 0) || (action === "down" && i === items.length - 1);
      }
    });
  }
}

function actionButton(action, words) {
  const button = element("button", words);
  button.type = "button";
  button.className = "small";
  button.dataset.action = action;
  return button;
}
