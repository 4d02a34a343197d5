// Starts a worker. Whoever takes it over is told what it said until then.

/**
 * base: the site's address. {worker, early}: the worker, and its events so far.
 */
export function launch(base) {
  const worker = new Worker(new URL("worker.js", base), { type: "module" });
  const early = [];
  worker.onmessage = worker.onerror = worker.onmessageerror = (event) => early.push(event);
  return { worker, early };
}
