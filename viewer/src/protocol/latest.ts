/** Only the newest request of a view counts: the one before it is aborted, also on the server. */
export class Latest {
  #controller: AbortController | null = null;

  get isBusy(): boolean {
    return this.#controller !== null;
  }

  /** Undefined if a newer request has replaced it. */
  async run<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const answer = await ask(controller.signal);
      return controller.signal.aborted ? undefined : answer;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      if (this.#controller === controller) this.#controller = null;
    }
  }

  cancel(): void {
    this.#controller?.abort();
    this.#controller = null;
  }
}
