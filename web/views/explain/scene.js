// Pictures as plain data: shapes, and the steps at which each is seen. Pure.

/**
 * @typedef {object} Shape
 * @property {"rect" | "path" | "circle" | "text"} tag
 * @property {Record<string, number | string>} at its geometry, as SVG attributes
 * @property {string} look its CSS classes
 * @property {string} text
 * @property {string} title what a pointer over it shows
 * @property {number} from the first step at which it is seen
 * @property {number} until the first step at which it is not seen any more
 * @property {number} lit the step at which it is lit, -1 for none
 */

/**
 * @typedef {object} Step
 * @property {string} what the step, in a few words
 * @property {string} why its rank, score or result, in fewer
 * @property {string} says the step as a sentence
 */

/**
 * What one word, or several side by side, look like. `steps[0]` is the state before anything is done.
 * @typedef {object} Scene
 * @property {number} width
 * @property {number} height
 * @property {Shape[]} shapes
 * @property {Step[]} steps
 */

/** @typedef {{text?: string, title?: string, from?: number, until?: number, lit?: number}} More */

export const FONT = 13; // pixels, as in explain.css
export const SMALL = 10.5;
export const BOX = 26; // height of a symbol's box

const ADVANCE = 0.605; // of a monospaced font, in its size
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NONE = /\p{M}/u;

/** About how wide a text is, in pixels. @param {string} text */
export function textWidth(text, size = FONT) {
  let width = 0;
  for (const character of text) {
    if (NONE.test(character)) continue;
    width += WIDE.test(character) ? 1.3 : ADVANCE;
  }
  return width * size;
}

/**
 * @param {Shape["tag"]} tag
 * @param {Shape["at"]} at
 * @param {string} look
 * @param {More} [more]
 * @returns {Shape}
 */
export function shape(tag, at, look, more) {
  return { tag, at, look, text: "", title: "", from: 0, until: Infinity, lit: -1, ...more };
}

/**
 * A text with its middle at x. @param {string} text @param {number} x @param {number} y of its baseline
 * @param {string} [look] @param {More} [more]
 */
export function label(text, x, y, look = "", more = {}) {
  return shape("text", { x, y }, look, { ...more, text });
}

/**
 * A box with a text in it, its middle at x.
 * @param {string} text @param {number} x @param {number} y of its top
 * @param {string} look @param {More} [more]
 */
export function box(text, x, y, look, more = {}) {
  const width = boxWidth(text);
  const rect = { x: x - width / 2, y, width, height: BOX, rx: 6 };
  return [shape("rect", rect, look, more), label(text, x, y + BOX / 2 + 4.5, "", more)];
}

/** @param {string} text */
export function boxWidth(text) {
  return Math.max(22, textWidth(text) + 12);
}

/**
 * A pill with a small text, its middle at (x, y).
 * @param {string} text @param {number} x @param {number} y @param {string} look @param {More} [more]
 */
export function pill(text, x, y, look, more = {}) {
  const width = pillWidth(text);
  const rect = { x: x - width / 2, y: y - 8, width, height: 16, rx: 8 };
  return [shape("rect", rect, `pill ${look}`, more), label(text, x, y + 3.7, `small ${look}`, more)];
}

/** @param {string} text */
export function pillWidth(text) {
  return textWidth(text, SMALL) + 10;
}

/**
 * Scenes side by side, played one after the other. What is seen from the first step of a scene on is
 * seen from the beginning.
 * @param {Scene[]} scenes @param {number} gap @param {"top" | "bottom"} align
 * @returns {Scene}
 */
export function sideBySide(scenes, gap, align) {
  const height = Math.max(0, ...scenes.map((scene) => scene.height));
  const [first, ...others] = scenes;
  const steps = first ? [...first.steps, ...others.flatMap((scene) => scene.steps.slice(1))] : [];
  let x = 0;
  let step = 0;
  const shapes = scenes.flatMap((scene) => {
    const y = align === "top" ? 0 : height - scene.height;
    const moved = scene.shapes.map((one) => moveShape(one, x, y, step));
    x += scene.width + gap;
    step += scene.steps.length - 1;
    return moved;
  });
  return { width: Math.max(0, x - gap), height, shapes, steps };
}

/** @param {Shape} one @param {number} x @param {number} y @param {number} step @returns {Shape} */
function moveShape(one, x, y, step) {
  const at = { ...one.at };
  for (const name of ["x", "cx"]) if (name in at) at[name] = Number(at[name]) + x;
  for (const name of ["y", "cy"]) if (name in at) at[name] = Number(at[name]) + y;
  if ("d" in at) at.d = movePath(String(at.d), x, y);
  const from = one.from && one.from + step;
  return { ...one, at, from, until: one.until + step, lit: one.lit < 0 ? -1 : one.lit + step };
}

/** A path of absolute M, L, C, H and V. @param {string} path @param {number} x @param {number} y */
function movePath(path, x, y) {
  return path.replace(/([MLCHV])([^MLCHV]*)/g, (_, command, numbers) => {
    const moved = numbers
      .trim()
      .split(/[ ,]+/)
      .map((/** @type {string} */ number, /** @type {number} */ i) => {
        const isX = command === "H" || (command !== "V" && i % 2 === 0);
        return round(Number(number) + (isX ? x : y));
      });
    return `${command}${moved.join(" ")}`;
  });
}

/** How far to the right shapes reach. @param {Shape[]} shapes */
export function widthOf(shapes) {
  const rights = shapes.map(({ tag, at, text, look }) => {
    const x = Number(at.x ?? at.cx ?? 0);
    if (tag === "rect") return x + Number(at.width);
    if (tag === "circle") return x + Number(at.r);
    const width = textWidth(text, look.includes("small") ? SMALL : FONT);
    return tag === "text" ? x + (look.includes("start") ? width : width / 2) : 0;
  });
  return Math.max(0, ...rights);
}

/** @param {number} value */
export function round(value) {
  return Math.round(value * 10) / 10;
}
