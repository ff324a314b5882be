/** A queue: each job starts when the one before it is done, and none is lost. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #controller = new AbortController();
  #waiting = 0;

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** Number of jobs, including the running one. */
  get waiting(): number {
    return this.#waiting;
  }

  /** `work` reports its own errors. */
  add(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#controller;
    this.#waiting++;
    this.#last = this.#last.then(async () => {
      try {
        if (!signal.aborted) await work(signal);
      } finally {
        this.#waiting--;
      }
    });
    return this.#last;
  }

  /** Aborts the running job and drops the waiting ones. */
  clear(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}
