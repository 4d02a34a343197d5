// Run an async job for the newest wish only: one runs at a time, and of those that come in the
// meantime only the last is kept. So answers can neither pile up nor come out of order.

export class Latest {
  #job;
  #onError;
  #running = false;
  #wanted = false;

  /** job(): looks up what is wanted now, and does it. onError(error): what a job failed of. */
  constructor(job, onError) {
    this.#job = job;
    this.#onError = onError;
  }

  /** Never rejects. */
  async run() {
    this.#wanted = true;
    if (this.#running) return;
    this.#running = true;
    while (this.#wanted) {
      this.#wanted = false;
      await this.#job().catch(this.#onError);
    }
    this.#running = false;
  }

  /** Whether a newer wish waits behind the job that runs now. */
  get outdated() {
    return this.#wanted;
  }
}
