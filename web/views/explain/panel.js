// One tokenizer's side of the lesson: its picture, what happens in words, and its tokens.

import { element } from "../../shell/page.js";
import { Picture } from "./picture.js";
import { ruleOf } from "./rules.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

const MOST_STEPS = 400; // in the list

export class Panel {
  /** @type {Lesson | null} */
  #lesson = null;
  /** @type {Picture | null} */
  #picture = null;
  #title = element("h3");
  #rule = element("p");
  #count = element("output");
  #effort = element("small");
  #stage = element("div");
  #legend = element("ul");
  #says = element("p");
  #result = element("ul");
  #limits = element("p");
  #list = element("ol");
  #steps = element("details", element("summary", "All steps"), this.#list);

  /** @param {(step: number) => void} onStep a step of the list was chosen */
  constructor(onStep) {
    this.#stage.className = "picture";
    this.#rule.className = this.#limits.className = "dim";
    this.#legend.className = "legend";
    this.#says.className = "says";
    this.#says.setAttribute("role", "status");
    this.#result.className = "result";
    this.#steps.className = "step-list";
    const count = element("p", this.#count, this.#effort);
    count.className = "n";
    const head = element("div", element("div", this.#title, this.#rule), count);
    head.className = "head";
    const parts = [this.#stage, this.#legend, this.#says, this.#result, this.#limits, this.#steps];
    this.element = element("section", head, ...parts);
    this.element.className = "card lesson";
    this.#list.addEventListener("click", (/** @type {MouseEvent} */ { target }) => {
      const button = /** @type {HTMLElement} */ (target).closest("button");
      if (button) onStep([...this.#list.children].indexOf(/** @type {HTMLElement} */ (button.parentElement)));
    });
  }

  /** @param {string} name of the model @param {Lesson} lesson @param {boolean} isAlone then the list is open */
  show(name, lesson, isAlone) {
    const { title, rule } = ruleOf(lesson.type);
    const { tokens, effort, scene, limits, legend } = lesson;
    this.#lesson = lesson;
    this.#title.textContent = element("b", `${name} · ${title}`).textContent;
    this.element.setAttribute("aria-label", this.#title.textContent ?? "");
    this.#rule.textContent = rule;
    this.#count.textContent = tokens.length.toLocaleString("en-US");
    this.#effort.textContent = ` ${tokens.length === 1 ? "token" : "tokens"}, ${effort}`.replace(
      ", of",
      " of",
    );
    this.#picture = new Picture(scene, `${this.#title.textContent}: how the text is split`);
    this.#stage.replaceChildren(...(scene.shapes.length ? [this.#picture.element] : []));
    this.#legend.replaceChildren(...legend.map(legendItem));
    this.#result.replaceChildren(...tokens.map(tokenItem));
    this.#result.setAttribute("aria-label", `Tokens of ${name}`);
    this.#limits.textContent = limits.join(" ");
    this.#list.replaceChildren(...scene.steps.slice(0, MOST_STEPS).map(stepItem));
    this.#steps.hidden = scene.steps.length < 2;
    this.#steps.open = isAlone;
    this.#stage.tabIndex = -1;
    requestAnimationFrame(() => {
      // only what scrolls is a stop of the Tab key
      if (this.#stage.scrollWidth > this.#stage.clientWidth) this.#stage.tabIndex = 0;
    });
  }

  /** The number of the last step. */
  get last() {
    return Math.max(0, (this.#lesson?.scene.steps.length ?? 1) - 1);
  }

  /** @param {number} step beyond the last: the last @param {boolean} isShown whether the picture scrolls to it */
  go(step, isShown) {
    if (!this.#lesson) return;
    const at = Math.min(step, this.last);
    const says = this.#lesson.scene.steps[at]?.says ?? "";
    this.#says.textContent = says;
    const share = this.#picture?.show(at, says) ?? 0;
    const { scrollWidth, clientWidth } = this.#stage;
    this.#stage.scrollLeft = isShown ? share * scrollWidth - clientWidth / 2 : 0;
    this.#result.classList.toggle("away", at < this.last);
    for (const [i, item] of [...this.#list.children].entries()) {
      const button = /** @type {HTMLElement} */ (item.firstElementChild);
      if (i !== at) button.removeAttribute("aria-current");
      else if (!button.ariaCurrent) {
        button.setAttribute("aria-current", "step");
        this.#reveal(/** @type {HTMLElement} */ (item));
      }
    }
  }

  /** Scroll the list, and nothing around it. @param {HTMLElement} item */
  #reveal(item) {
    const { offsetTop: top, offsetHeight: height } = item;
    const list = this.#list;
    const from = top - list.offsetTop;
    if (from < list.scrollTop) list.scrollTop = from;
    else if (from + height > list.scrollTop + list.clientHeight)
      list.scrollTop = from + height - list.clientHeight;
  }
}

/** @param {{look: string, text: string}} entry */
function legendItem({ look, text }) {
  const item = element("li", element("i"), text);
  item.className = look;
  return item;
}

/** @param {import("./lesson.js").Shown} token */
function tokenItem({ id, label, tint, special }) {
  const item = element("li", label, element("small", String(id)));
  item.className = `tok c${tint}${special ? " special" : ""}`;
  return item;
}

/** @param {import("./scene.js").Step} step @param {number} i */
function stepItem({ what, why }, i) {
  const button = element("button", element("span", `${i ? `${i}. ` : ""}${what}`), element("span", why));
  button.setAttribute("type", "button");
  return element("li", button);
}
