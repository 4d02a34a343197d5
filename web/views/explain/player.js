// Frames, one at a time: forwards, back, or played.

import { byId, element } from "../../shell/page.js";
import { shown, visible } from "../../tokens/glyphs.js";

const PACE = 900; // milliseconds a step

export class Player {
  #frames = [];
  #at = 0;
  #timer = null;
  #stage = byId("stage");
  #says = byId("step-says");
  #slider = byId("step");
  #place = byId("step-place");
  #play = byId("play");

  constructor() {
    byId("step-first").addEventListener("click", () => this.#jump(0));
    byId("step-back").addEventListener("click", () => this.#jump(this.#at - 1));
    byId("step-on").addEventListener("click", () => this.#jump(this.#at + 1));
    byId("step-last").addEventListener("click", () => this.#jump(Infinity));
    this.#slider.addEventListener("input", () => this.#jump(Number(this.#slider.value)));
    this.#play.addEventListener("click", () => (this.#timer ? this.#stop() : this.#start()));
  }

  /** Show other frames, from the first on. */
  show(frames) {
    this.#stop();
    this.#frames = frames;
    this.#slider.max = Math.max(0, frames.length - 1);
    this.#at = 0;
    this.#draw();
  }

  #jump(to) {
    this.#stop();
    this.#move(to);
  }

  #move(to) {
    this.#at = Math.min(Math.max(to, 0), this.#frames.length - 1);
    this.#draw();
  }

  #start() {
    if (this.#at >= this.#frames.length - 1) this.#move(0);
    this.#play.textContent = "Pause";
    this.#timer = setInterval(() => {
      this.#move(this.#at + 1);
      if (this.#at >= this.#frames.length - 1 || !this.#stage.checkVisibility()) this.#stop();
    }, PACE);
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#play.textContent = "Play";
  }

  #draw() {
    const frame = this.#frames[this.#at];
    this.#stage.replaceChildren(...(frame?.parts ?? []).map(part));
    this.#says.textContent = shown(frame?.says ?? "Type a text to see how it is split.");
    this.#slider.value = this.#at;
    const last = this.#frames.length - 1;
    this.#place.textContent = last > 0 ? `Step ${this.#at} of ${last}` : "";
    byId("steps").hidden = last < 1;
  }
}

function part({ text, state, score }, i) {
  const made = element("span", visible(text, true).replaceAll("\n", ""));
  made.className = `symbol c${i % 4} ${state}`;
  if (score !== undefined) made.append(element("small", score));
  return made;
}
