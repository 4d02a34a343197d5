// A few workers of their own for a queue of files, so that the page stays quick meanwhile.

import { Runtime } from "../client.js";

const MOST = 4;
// After these errors a new worker is needed.
const SPENT = new Set(["memory", "worker-dead", "internal", "disposed"]);

export class Pool {
  #open;
  #runtimes = new Set();

  /** open(runtime): loads the tokenizer in a new worker. */
  constructor(open) {
    this.#open = open;
  }

  /** Call work(item, tokenizer) for every item of the queue, which may grow; it must not throw. */
  async run(queue, work) {
    const workers = Math.min(queue.length, Math.max(2, Math.min(MOST, navigator.hardwareConcurrency)));
    await Promise.all(Array.from({ length: workers }, () => this.#worker(queue, work)));
  }

  /** One after the other in one worker; `work` gives the error that it ended with, if any. */
  async #worker(queue, work) {
    while (queue.length) {
      const runtime = new Runtime();
      this.#runtimes.add(runtime);
      const tokenizer = this.#open(runtime);
      let error;
      while (queue.length && !SPENT.has(error?.code)) error = await work(queue.shift(), tokenizer);
      this.#end(runtime);
    }
  }

  /** End all workers at once, whatever they do. */
  stop() {
    for (const runtime of [...this.#runtimes]) this.#end(runtime);
  }

  #end(runtime) {
    this.#runtimes.delete(runtime);
    runtime.dispose();
  }
}
