// The bar that plays steps: forwards, backwards, to any of them, by pointer and by keys.

import { byId } from "../../shell/page.js";

const PACE = 900; // milliseconds a step
const QUICKEST = 200;
const LONGEST = 30_000; // milliseconds of all steps

export class Transport {
  #last = 0;
  #at = 0;
  /** @type {number} */
  #timer = 0;
  #onStep;
  #view;
  #bar = byId("transport");
  #slider = /** @type {HTMLInputElement} */ (byId("step"));
  #place = byId("step-place");
  #play = byId("play");

  /** @param {HTMLElement} view whose keys are meant @param {(step: number, isShown: boolean) => void} onStep */
  constructor(view, onStep) {
    this.#view = view;
    this.#onStep = onStep;
    byId("step-back").addEventListener("click", () => this.go(this.#at - 1));
    byId("step-on").addEventListener("click", () => this.go(this.#at + 1));
    this.#slider.addEventListener("input", () => this.go(Number(this.#slider.value)));
    this.#play.addEventListener("click", () => this.#toggle());
    document.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** So many steps; the last is shown. @param {number} last */
  set(last) {
    this.#last = last;
    this.#bar.hidden = last < 1;
    this.#slider.max = String(last);
    this.#stop();
    this.#move(last, false);
  }

  get last() {
    return this.#last;
  }

  /** @param {number} step */
  go(step) {
    this.#stop();
    this.#move(step);
  }

  /** @param {number} step @param {boolean} [isShown] whether a picture scrolls to it */
  #move(step, isShown = true) {
    this.#at = Math.min(Math.max(step, 0), this.#last);
    this.#slider.value = String(this.#at);
    this.#place.textContent = `Step ${this.#at} of ${this.#last}`;
    this.#slider.setAttribute("aria-valuetext", this.#place.textContent);
    this.#onStep(this.#at, isShown);
  }

  #toggle() {
    if (this.#timer) this.#stop();
    else this.#start();
  }

  #start() {
    if (this.#at >= this.#last) this.#move(0);
    this.#name("Pause");
    const pace = Math.max(QUICKEST, Math.min(PACE, LONGEST / this.#last));
    this.#timer = window.setInterval(() => {
      if (!this.#view.checkVisibility()) return this.#stop();
      this.#move(this.#at + 1);
      if (this.#at >= this.#last) this.#stop();
    }, pace);
  }

  #stop() {
    window.clearInterval(this.#timer);
    this.#timer = 0;
    this.#name("Play");
  }

  /** @param {"Play" | "Pause"} name */
  #name(name) {
    this.#play.setAttribute("aria-label", name);
    this.#play.title = `${name} (Space)`;
    this.#play.dataset.playing = String(name === "Pause");
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event;
    if (altKey || ctrlKey || metaKey || shiftKey || event.defaultPrevented) return;
    if (!this.#last || !this.#view.checkVisibility() || !isFree(/** @type {Element} */ (target), key)) return;
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowLeft: () => this.go(this.#at - 1),
      ArrowRight: () => this.go(this.#at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.#last),
      " ": () => this.#toggle(),
    };
    if (!actions[key]) return;
    event.preventDefault();
    actions[key]();
  }
}

/** Whether a key pressed there means a step, and not what the element does with it. @param {Element} target @param {string} key */
function isFree(target, key) {
  if (target.closest("dialog, select, textarea, input:not([type=range], [type=checkbox])")) return false;
  if (key === " ") return !target.closest("button, summary, a, [type=checkbox]");
  const scrolls = target.matches(".picture") && target.scrollWidth > target.clientWidth;
  return !scrolls && !target.matches("[type=range]");
}
