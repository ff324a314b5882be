/** The one store of view state, and its history. */

import { fromHash, toHash } from "./hash";
import type { ViewState } from "./view";

/** The part of the browser that keeps history. */
export interface History {
  hash(): string;
  push(hash: string): void;
  replace(hash: string): void;
}

export const browserHistory: History = {
  hash: () => window.location.hash,
  push: (hash) => window.history.pushState(null, "", `#${hash}`),
  replace: (hash) => window.history.replaceState(null, "", `#${hash}`),
};

/** A gesture (wheel, held key) becomes one entry when it has rested for so long. */
export const REST_MS = 350;

type Listener = (state: ViewState, before: ViewState) => void;

/** View state as the views of one run see and change it. */
export interface ViewStore {
  readonly state: ViewState;
  listen(listener: Listener): () => void;
  set(change: Partial<ViewState>): void;
  move(change: Partial<ViewState>): void;
  correct(change: Partial<ViewState>): void;
  flush(): void;
}

export class Store implements ViewStore {
  #state: ViewState;
  readonly #history: History;
  readonly #listeners = new Set<Listener>();
  #pending: ReturnType<typeof setTimeout> | null = null;

  constructor(history: History) {
    this.#history = history;
    this.#state = fromHash(history.hash());
  }

  get state(): ViewState {
    return this.#state;
  }

  /** Called after each change; the returned function ends that. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A change that makes a history entry of its own. */
  set(change: Partial<ViewState>): void {
    this.flush();
    this.#change({ ...this.#state, ...change });
    this.#write();
  }

  /** A step of a gesture: the entry is made when it rests. */
  move(change: Partial<ViewState>): void {
    if (this.#pending !== null) clearTimeout(this.#pending);
    this.#change({ ...this.#state, ...change });
    this.#pending = setTimeout(() => this.flush(), REST_MS);
  }

  /** A change that is no place to come back to (it only makes the address complete). */
  correct(change: Partial<ViewState>): void {
    this.#change({ ...this.#state, ...change });
    this.#history.replace(toHash(this.#state));
  }

  /** The gesture is over. */
  flush(): void {
    if (this.#pending === null) return;
    clearTimeout(this.#pending);
    this.#pending = null;
    this.#write();
  }

  /** The address has changed: back, forward, or typed. */
  restore(): void {
    if (this.#pending !== null) clearTimeout(this.#pending);
    this.#pending = null;
    this.#change(fromHash(this.#history.hash()));
  }

  #write(): void {
    const hash = toHash(this.#state);
    if (hash !== this.#history.hash().replace(/^#/, "")) this.#history.push(hash);
  }

  #change(state: ViewState): void {
    const before = this.#state;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state, before);
  }
}
