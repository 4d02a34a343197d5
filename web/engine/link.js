// One worker and the calls that wait for it. Knows messages, not tokenizers.

/**
 * @typedef {import("./launch.js").Launched} Launched
 * @typedef {{code: string, message: string, [detail: string]: unknown}} Failure
 * @typedef {{event: string, [detail: string]: any}} Announcement
 * @typedef {{resolve: (result: any) => void, reject: (error: TokenizerError) => void}} Waiting
 */

/** Every error of this module and of client.js. `code` is stable, for programs. */
export class TokenizerError extends Error {
  /** @param {Failure} failure */
  constructor({ code, message, ...details }) {
    super(message);
    this.name = "TokenizerError";
    this.code = code;
    /** @type {Record<string, any>} */
    this.details = details;
  }
}

export class WorkerLink {
  #worker;
  /** @type {Map<number, Waiting>} */
  #pending = new Map();
  #lastId = 0;
  /** @type {TokenizerError | null} */
  #closed = null;
  #onEvent;

  /**
   * @param {Launched} launched
   * @param {(announcement: Announcement) => void} onEvent Hears the progress of the start, and
   *   {event: "dead", error} once when the worker dies.
   */
  constructor({ worker, early }, onEvent) {
    this.#onEvent = onEvent;
    this.#worker = worker;
    for (const event of early) this.#hear(event);
    listen(worker, (event) => this.#hear(event));
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {Transferable[]} transfer
   * @returns {Promise<any>}
   */
  call(method, params = {}, transfer = []) {
    if (this.#closed) return Promise.reject(this.#closed);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, method, params }, transfer);
    });
  }

  /**
   * End the worker at once; what is pending is rejected with `error`.
   * @param {Failure} error
   */
  close(error = { code: "stopped", message: "Stopped." }) {
    if (this.#closed) return;
    this.#closed = new TokenizerError(error);
    this.#worker.terminate();
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#pending.clear();
  }

  /** @param {Event} event */
  #hear(event) {
    if (this.#closed) return;
    if (event instanceof MessageEvent && event.type === "message") return this.#receive(event.data);
    event.preventDefault();
    const unreadable = event.type === "messageerror" && "it sent a message that cannot be read";
    this.#die(
      unreadable || (event instanceof ErrorEvent && event.message) || "its script could not be loaded",
    );
  }

  /** @param {any} message */
  #receive({ event, id, result, error, ...rest }) {
    if (event) return this.#onEvent({ event, ...rest });
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error?.code === "worker-dead") this.#die(error.message, waiting);
    else if (error) waiting?.reject(new TokenizerError(error));
    else waiting?.resolve(result);
  }

  /**
   * @param {string} reason
   * @param {Waiting} [waiting]
   */
  #die(reason, waiting) {
    if (this.#closed) return;
    const message = `The tokenizer's worker stopped working (${reason}). Start it again.`;
    const error = new TokenizerError({ code: "worker-dead", message });
    this.close({ code: "worker-dead", message });
    waiting?.reject(error);
    this.#onEvent({ event: "dead", error });
  }
}

/**
 * @param {Worker} worker
 * @param {(event: Event) => void} hear
 */
function listen(worker, hear) {
  worker.onmessage = worker.onmessageerror = worker.onerror = hear;
}
