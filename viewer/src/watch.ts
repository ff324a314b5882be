/** Updates an element when the state that all views share has changed, of any run. */

import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { App } from "./app";

export class Watch implements ReactiveController {
  readonly #host: ReactiveControllerHost & { app: App };
  readonly #react: (() => void) | null;
  readonly #listener = (): void => {
    this.#react?.();
    this.#host.requestUpdate();
  };

  /** `react` is called before the update. */
  constructor(host: ReactiveControllerHost & { app: App }, react: (() => void) | null = null) {
    this.#host = host;
    this.#react = react;
    host.addController(this);
  }

  hostConnected(): void {
    this.#host.app.comparison.addEventListener("change", this.#listener);
    queueMicrotask(() => this.#react?.());
  }

  hostDisconnected(): void {
    this.#host.app.comparison.removeEventListener("change", this.#listener);
  }
}
