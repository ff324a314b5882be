/** One thing after the other: none begins before the one before it is done, and none is lost. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #controller = new AbortController();
  #waiting = 0;

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** How many are there, with the one that is under way. */
  get waiting(): number {
    return this.#waiting;
  }

  /** `work` says itself what went wrong. */
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

  /** Gives up what is under way and what waits. */
  clear(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}
