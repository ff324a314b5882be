/** A pane's answer: asked again when what it depends on has changed, the old one kept until then. */

import type { ReactiveControllerHost } from "lit";
import { type ViewError, asViewError, isAbort } from "./protocol/error";
import { Latest } from "./protocol/latest";

/** Windows move in many small steps; panes ask when they rest. */
const REST_MS = 120;

export class Ask<T> {
  value: T | null = null;
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

  /** `key`: all that the answer depends on. */
  update(key: unknown, ask: (signal: AbortSignal) => Promise<T>): void {
    const text = JSON.stringify(key);
    if (text === this.#key) return;
    const isFirst = this.#key === "";
    this.#key = text;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.isBusy = true;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#run(ask);
    }, isFirst ? 0 : REST_MS);
  }

  async #run(ask: (signal: AbortSignal) => Promise<T>): Promise<void> {
    try {
      const value = await this.#latest.run(ask);
      if (value === undefined) return;
      this.value = value;
      this.error = null;
    } catch (error) {
      if (isAbort(error)) return;
      this.error = asViewError(error);
      this.value = null;
    }
    this.isBusy = this.#latest.isBusy;
    this.#host.requestUpdate();
  }
}
