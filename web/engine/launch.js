// Starts a worker. Whoever takes it over hears what it said until then.

/**
 * @typedef {object} Launched
 * @property {Worker} worker
 * @property {Event[]} early Its events so far.
 */

/**
 * @param {string | URL} base The site's address.
 * @returns {Launched}
 */
export function launch(base) {
  const worker = new Worker(new URL("worker.js", base), { type: "module" });
  /** @type {Event[]} */
  const early = [];
  /** @param {Event} event */
  const keep = (event) => void early.push(event);
  worker.onmessage = worker.onmessageerror = worker.onerror = keep;
  return { worker, early };
}
