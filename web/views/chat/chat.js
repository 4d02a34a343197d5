// The Chat view: messages in, the file's own template rendered, its tokens.

import { notesOn, problemOf } from "../../engine/chat.js";
import { Latest } from "../../shell/latest.js";
import { byId, element, listTexts, number, showError } from "../../shell/page.js";
import { TokenView } from "../../tokens/render.js";
import { Messages } from "./messages.js";
import { render } from "./render.js";
import { sharesOf } from "./shares.js";
import { Template } from "./template.js";

const NONE =
  "The file has no chat template: ChatML is used instead. Write the right one under “The template” if you know it.";
const DOUBLE =
  "The template writes a BOS of its own: encode its text with add_special off, as it is here, or there will be two.";

/** session: {model, setText(text)}. */
export function create(session) {
  const [prompt, count, toText] = ["generation-prompt", "chat-count", "chat-to-text"].map(byId);
  const view = new TokenView(byId("chat-tokens"));
  const showing = new Latest(show, showError);
  const run = () => showing.run();
  const template = new Template(run);
  const messages = new Messages(run);
  let [of, text] = [null, ""];

  async function show() {
    const { model } = session;
    const notes = [];
    const made = await rendered(model, notes);
    const columns = await model.tokenize(made, { addSpecial: false, parseSpecial: true });
    if (model !== session.model) return;
    text = made;
    toText.disabled = !text;
    const { special, flags } = model.info;
    if (flags.add_bos && columns.ids[0] === special.bos) notes.push(DOUBLE);
    count.textContent = text ? number(columns.ids.length) : "–";
    drawShares(text ? sharesOf(text, columns, messages.all) : []);
    listTexts(byId("chat-notes"), notes);
    await view.show(model, text, columns);
  }

  /** The text; "" if there is none, and a note why. */
  async function rendered(model, notes) {
    const source = template.text;
    if (template.isStandIn) notes.push(NONE);
    const problem = problemOf(source);
    if (problem) {
      notes.push(problem);
      return "";
    }
    try {
      const given = variables(model);
      notes.push(...notesOn(source, given.messages));
      return await render(source, given);
    } catch ({ message }) {
      notes.push(message);
    }
    return "";
  }

  function variables({ info: { special, texts } }) {
    const names = ["bos", "eos", "unk", "sep", "pad", "mask"];
    const tokens = names.map((name) => [`${name}_token`, texts[special[name]] ?? ""]);
    const given = { messages: messages.all, add_generation_prompt: prompt.checked, ...template.given };
    return { ...Object.fromEntries(tokens), ...given };
  }

  /** One block for each message, as wide as its tokens. */
  function drawShares(shares) {
    const all = messages.all;
    byId("chat-shares").replaceChildren(
      ...shares.map(({ message, tokens }) => {
        const name = message === null ? "template" : `${message + 1} ${all[message].role}`;
        const item = element("li", element("b", number(tokens)), element("span", name));
        item.className = message === null ? "tok" : `tok c${message % 5}`;
        item.style.flexGrow = Math.max(1, tokens);
        return item;
      }),
    );
    byId("chat-shares").hidden = !shares.length;
  }

  prompt.addEventListener("change", run);
  toText.addEventListener("click", () => session.setText(text, { addSpecial: false, parseSpecial: true }));
  return {
    refresh() {
      if (of === session.model) return;
      of = session.model;
      template.offer(of.info);
      return run();
    },
  };
}
