// Run an async job for the newest wish only: one runs at a time, and of those that come in the
// meantime only the last is kept. So answers can neither pile up nor come out of order.

export class Latest {
  #job;
  #running = false;
  #wanted = false;

  /** job(): looks up what is wanted now, and does it. */
  constructor(job) {
    this.#job = job;
  }

  async run() {
    this.#wanted = true;
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#wanted) {
        this.#wanted = false;
        await this.#job();
      }
    } finally {
      this.#running = false;
    }
  }

  /** Whether a newer wish waits behind the job that runs now. */
  get outdated() {
    return this.#wanted;
  }
}
