// One worker and the calls that are waiting for it. Knows messages, not tokenizers.

export class TokenizerError extends Error {
  /** code: stable, for programs; details: what else the error knows. */
  constructor({ code, message, ...details }) {
    super(message);
    this.name = "TokenizerError";
    this.code = code;
    this.details = details;
  }
}

export class WorkerLink {
  #worker;
  #pending = new Map();
  #lastId = 0;
  #closed = null;
  #onEvent;

  /**
   * launched: what launch.js gives. onEvent(message): progress of the start, and
   * {event: "dead", error} once when the worker dies.
   */
  constructor({ worker, early }, onEvent) {
    this.#onEvent = onEvent;
    this.#worker = worker;
    for (const event of early) this.#hear(event);
    worker.onmessage = worker.onerror = worker.onmessageerror = (event) => this.#hear(event);
  }

  #hear(event) {
    if (event.type === "message") return this.#receive(event.data);
    event.preventDefault();
    const unreadable = event.type === "messageerror" && "it sent a message that cannot be read";
    this.#die(unreadable || event.message || "its script could not be loaded");
  }

  call(method, params = {}, transfer = []) {
    if (this.#closed) return Promise.reject(this.#closed);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, method, params }, transfer);
    });
  }

  /** End the worker at once; what is pending is rejected with `error`. */
  close(error = { code: "stopped", message: "Stopped." }) {
    if (this.#closed) return;
    this.#closed = new TokenizerError(error);
    this.#worker.terminate();
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#pending.clear();
  }

  #receive({ event, id, result, error, ...rest }) {
    if (event) return this.#onEvent({ event, ...rest });
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error?.code === "worker-dead") this.#die(error.message, waiting);
    else if (error) waiting?.reject(new TokenizerError(error));
    else waiting?.resolve(result);
  }

  #die(reason, waiting) {
    if (this.#closed) return;
    const message = `The tokenizer's worker stopped working (${reason}). Start it again.`;
    this.close({ code: "worker-dead", message });
    waiting?.reject(this.#closed);
    this.#onEvent({ event: "dead", error: this.#closed });
  }
}
