// The Chat view: messages in, the file's own template rendered, its tokens.

import { shown } from "./glyphs.js";
import { Latest } from "./latest.js";
import { byId, element, listTexts, number } from "./page.js";
import { render } from "./render.js";
import { TokenView } from "./tokens.js";

const ROLES = ["system", "user", "assistant", "tool"];
const FIRST = [
  ["user", "What is a token?"],
  ["assistant", "A piece of text that a model reads as one."],
  ["user", "How many are in this chat?"],
];
const NONE = "This file has no chat template. Open “The template” below to write one.";
const nameOnly = (name) =>
  `“${name}” is no Jinja template but a name, for which llama.cpp has a template built in. Write one below to see its tokens.`;
const DOUBLE =
  "The template writes a BOS of its own: encode its text with add_special off, as it is here, or there will be two.";

/** session: {model, setText(text)}. */
export function create(session) {
  const [list, prompt, template, count] = ["messages", "generation-prompt", "chat-template", "chat-count"].map(byId);
  const [named, tools] = ["chat-named", "chat-tools"].map(byId);
  const view = new TokenView(byId("chat-tokens"));
  const showing = new Latest(show);
  let [of, text] = [null, ""];
  let isOwn = template.value !== ""; // typed by the user, maybe before this module was there

  async function show() {
    const { model } = session;
    const notes = [];
    text = "";
    if (!template.value.trim()) notes.push(NONE);
    else if (!template.value.includes("{")) notes.push(nameOnly(template.value.trim()));
    else text = await rendered(model).catch(({ message }) => (notes.push(message), ""));
    const columns = await model.tokenize(text, { addSpecial: false, parseSpecial: true });
    if (model !== session.model) return;
    const { special, flags } = model.info;
    if (flags.add_bos && columns.ids[0] === special.bos) notes.push(DOUBLE);
    count.textContent = text ? `${number(columns.ids.length)} tokens` : "";
    listTexts(byId("chat-notes"), notes);
    await view.show(model, text, columns);
  }

  async function rendered(model) {
    return render(template.value, variables(model));
  }

  function variables({ info: { special, texts } }) {
    const names = ["bos", "eos", "unk", "sep", "pad", "mask"];
    const tokens = names.map((name) => [`${name}_token`, texts[special[name]] ?? ""]);
    const messages = [...list.children].map((item) => ({
      role: item.querySelector("select").value,
      content: item.querySelector("textarea").value,
    }));
    const given = tools.value.trim() ? { tools: listOf(tools.value) } : {};
    return { ...Object.fromEntries(tokens), messages, add_generation_prompt: prompt.checked, ...given };
  }

  /** Offer a file's templates. One that was typed before stays at first, or if the file has none. */
  function offer({ chat_templates }, isFirst) {
    const names = Object.keys(chat_templates);
    byId("chat-choice").hidden = names.length < 2;
    named.replaceChildren(...names.map((name) => new Option(shown(name), name)));
    if (!isOwn || (names.length && !isFirst)) choose();
  }

  function choose() {
    template.value = of.info.chat_templates[named.value] ?? "";
    isOwn = false;
  }

  const run = () => showing.run();
  const add = ([role, content]) => list.append(message(role, content, run));
  FIRST.forEach(add);
  list.addEventListener("input", run);
  tools.addEventListener("input", run);
  template.addEventListener("input", () => {
    isOwn = true;
    run();
  });
  named.addEventListener("change", () => {
    choose();
    run();
  });
  prompt.addEventListener("change", run);
  byId("add-message").addEventListener("click", () => {
    const last = list.lastElementChild?.querySelector("select").value;
    add([last === "user" ? "assistant" : "user", ""]);
    list.lastElementChild.querySelector("textarea").focus();
    run();
  });
  byId("chat-to-text").addEventListener("click", () => session.setText(text));

  return {
    refresh() {
      if (of === session.model) return;
      const isFirst = of === null;
      of = session.model;
      offer(of.info, isFirst);
      return run();
    },
  };
}

function listOf(json) {
  try {
    const list = JSON.parse(json);
    if (Array.isArray(list)) return list;
  } catch {
    // said below
  }
  throw new Error("The tools are not a JSON list, such as [{\"type\": \"function\", …}].");
}

function message(role, content, onRemoved) {
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
    onRemoved();
  });
  return item;
}
