// Draws a scene as SVG once, then shows it at any step. Text reaches the page by textContent alone.

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Shape} Shape */

const SVG = "http://www.w3.org/2000/svg";
let pictures = 0;

export class Picture {
  /** @type {{element: SVGElement, one: Shape}[]} */
  #drawn;
  #says = svg("desc");
  #width;

  /** @param {Scene} scene @param {string} name what it is a picture of */
  constructor(scene, name) {
    const title = svg("title");
    title.textContent = name;
    title.id = `picture-${++pictures}`;
    this.#says.id = `picture-${pictures}-says`;
    this.element = svg("svg");
    const { width, height } = scene;
    this.#width = width || 1;
    for (const [key, value] of Object.entries({
      viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
      role: "img",
      "aria-labelledby": title.id,
      "aria-describedby": this.#says.id,
    })) {
      this.element.setAttribute(key, value);
    }
    this.element.style.setProperty("--width", `${Math.ceil(width)}px`);
    this.#drawn = scene.shapes.map((one) => ({ element: draw(one), one }));
    this.element.append(title, this.#says, ...this.#drawn.map(({ element }) => element));
  }

  /**
   * @param {number} step @param {string} says what a screen reader hears of it
   * @returns {number} where in the picture it happens, as a share of its width
   */
  show(step, says) {
    this.#says.textContent = says;
    const at = this.#drawn
      .filter(({ one }) => one.from === step && one.tag === "text")
      .map(({ one }) => Number(one.at.x));
    for (const { element, one } of this.#drawn) {
      element.classList.toggle("away", step < one.from || step >= one.until);
      element.classList.toggle("now", step === one.from && one.from > 0);
      element.classList.toggle("lit", step === one.lit);
    }
    return at.length ? (Math.min(...at) + Math.max(...at)) / 2 / this.#width : 0;
  }
}

/** @param {Shape} one */
function draw({ tag, at, look, text, title }) {
  const element = svg(tag);
  for (const [name, value] of Object.entries(at)) element.setAttribute(name, String(value));
  element.setAttribute("class", look);
  if (text) element.textContent = text;
  if (title) {
    const tip = svg("title");
    tip.textContent = title;
    element.append(tip);
  }
  return element;
}

/** @param {string} name */
function svg(name) {
  return document.createElementNS(SVG, name);
}
