// A few workers of their own for a queue of files, so that the page stays quick meanwhile.

import { Runtime } from "../client.js";

/** @typedef {import("../client.js").Tokenizer} Tokenizer */

const MOST = 4;
// After these errors a new worker is needed.
const SPENT = new Set(["memory", "worker-dead", "internal", "disposed"]);

export class Pool {
  #open;
  /** @type {Set<Runtime>} */
  #runtimes = new Set();

  /** @param {(runtime: Runtime) => Promise<Tokenizer>} open Loads the tokenizer in a new worker. */
  constructor(open) {
    this.#open = open;
  }

  /**
   * Call work(item, tokenizer) for every item of the queue, which may grow.
   * @template Item
   * @param {Item[]} queue
   * @param {(item: Item, tokenizer: Promise<Tokenizer>) => Promise<{code?: string} | undefined>} work
   *   Resolves to the error that it ended with, if any; must not reject.
   */
  async run(queue, work) {
    const workers = Math.min(queue.length, Math.max(2, Math.min(MOST, navigator.hardwareConcurrency)));
    await Promise.all(Array.from({ length: workers }, () => this.#worker(queue, work)));
  }

  /**
   * One item after the other in one worker.
   * @template Item
   * @param {Item[]} queue
   * @param {(item: Item, tokenizer: Promise<Tokenizer>) => Promise<{code?: string} | undefined>} work
   */
  async #worker(queue, work) {
    while (queue.length) {
      const runtime = new Runtime();
      this.#runtimes.add(runtime);
      const tokenizer = this.#open(runtime);
      /** @type {{code?: string} | undefined} */
      let error;
      while (queue.length && !SPENT.has(error?.code ?? "")) {
        error = await work(/** @type {Item} */ (queue.shift()), tokenizer);
      }
      this.#end(runtime);
    }
  }

  /** End all workers at once, whatever they do. */
  stop() {
    for (const runtime of [...this.#runtimes]) this.#end(runtime);
  }

  /** @param {Runtime} runtime */
  #end(runtime) {
    this.#runtimes.delete(runtime);
    runtime.dispose();
  }
}
