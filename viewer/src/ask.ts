/** The answer that a pane shows: requested again when its parameters change; the old answer is kept until then. */

import type { ReactiveControllerHost } from "lit";
import { type ViewError, asViewError, isAbort } from "./protocol/error";
import { Latest } from "./protocol/latest";

/** Windows move in many small steps; panes send their request when the movement pauses. */
const REST_MS = 120;

/** For answers that may come from a sample: the quick answer first, then, if it was a sample, the exact one. */
export interface Refining<T> {
  isSample: (value: T) => boolean;
  exact: (signal: AbortSignal) => Promise<T>;
  /** Share read so far. */
  done: (signal: AbortSignal) => Promise<number | null>;
}

const LOOK_MS = 400;

export class Ask<T> {
  value: T | null = null;
  /** Share read for the exact answer; null while none is being read. */
  done: number | null = null;
  error: ViewError | null = null;
  isBusy = false;
  readonly #host: ReactiveControllerHost;
  readonly #latest = new Latest();
  #key = "";
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController({
      hostConnected: () => {},
      hostDisconnected: () => {
        if (this.#timer !== null) clearTimeout(this.#timer);
        this.#latest.cancel();
        this.#key = "";
      },
    });
  }

  /** `key`: everything that the answer depends on. */
  update(key: unknown, ask: (signal: AbortSignal) => Promise<T>, refining: Refining<T> | null = null): void {
    const text = JSON.stringify(key);
    if (text === this.#key) return;
    const isFirst = this.#key === "";
    this.#key = text;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.isBusy = true;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#run(ask, refining);
    }, isFirst ? 0 : REST_MS);
  }

  async #run(ask: (signal: AbortSignal) => Promise<T>, refining: Refining<T> | null): Promise<void> {
    this.done = null;
    try {
      const value = await this.#latest.run(async (signal) => {
        const first = await ask(signal);
        if (signal.aborted || !refining?.isSample(first)) return first;
        this.value = first;
        this.error = null;
        this.done = 0;
        this.#host.requestUpdate();
        return this.#refine(refining, signal);
      });
      if (value === undefined) return;
      this.value = value;
      this.error = null;
    } catch (error) {
      if (isAbort(error)) return;
      this.error = asViewError(error);
      this.value = null;
    }
    this.isBusy = this.#latest.isBusy;
    this.done = null;
    this.#host.requestUpdate();
  }

  /** Reads all calls, and reports the progress meanwhile. */
  async #refine(refining: Refining<T>, signal: AbortSignal): Promise<T> {
    let isOver = false;
    const look = async (): Promise<void> => {
      while (!isOver && !signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        const done = isOver ? null : await refining.done(signal).catch(() => null);
        if (isOver || signal.aborted || done === null) continue;
        this.done = done;
        this.#host.requestUpdate();
      }
    };
    void look();
    try {
      return await refining.exact(signal);
    } finally {
      isOver = true;
    }
  }
}
