/** The one store of view state, and its history. */

import { fromHash, toHash, unread } from "./hash";
import type { ViewState } from "./view";

/** The part of the browser that keeps history. Entries have numbers, so that it is known which of them are of this page. */
export interface History {
  hash(): string;
  /** The number of the entry; null where it was not made here: at the beginning, or an address that was typed. */
  at(): number | null;
  push(hash: string, at: number): void;
  replace(hash: string, at: number): void;
  /** Gives the entry that is shown a number. */
  mark(at: number): void;
  /** Goes so many entries on; `restore` tells the store where it is then. */
  go(steps: number): void;
}

const stateOf = (at: number): { mpiscope: number } => ({ mpiscope: at });

export const browserHistory: History = {
  hash: () => window.location.hash,
  at: () => (window.history.state as { mpiscope?: number } | null)?.mpiscope ?? null,
  push: (hash, at) => window.history.pushState(stateOf(at), "", `#${hash}`),
  replace: (hash, at) => window.history.replaceState(stateOf(at), "", `#${hash}`),
  mark: (at) => window.history.replaceState(stateOf(at), ""),
  go: (steps) => window.history.go(steps),
};

/** A gesture of many small steps (the wheel) becomes one entry when it has rested for so long. */
export const REST_MS = 350;

/** A key that is held repeats itself sooner; that it was let go may have been told to another window. */
const HELD_MS = 1000;

/** Going to another entry never takes longer. */
const GOING_MS = 2000;

type Listener = (state: ViewState, before: ViewState) => void;

/** View state as the views of one run see and change it. */
export interface ViewStore {
  readonly state: ViewState;
  listen(listener: Listener): () => void;
  set(change: Partial<ViewState>): void;
  move(change: Partial<ViewState>): void;
  correct(change: Partial<ViewState>): void;
  hold(): void;
  flush(): void;
  undo(by: -1 | 1): boolean;
}

export class Store implements ViewStore {
  #state: ViewState;
  readonly #history: History;
  readonly #listeners = new Set<Listener>();
  #pending: ReturnType<typeof setTimeout> | null = null;
  /** A gesture has changed something that has no entry yet. */
  #isMoved = false;
  #isHeld = false;
  /** The entry that is shown, the last one there is, and the one that the browser is on its way to. */
  #at = 0;
  #top = 0;
  #target: number | null = null;
  #unread: readonly string[] = [];
  #isNew: boolean;

  constructor(history: History) {
    this.#history = history;
    this.#isNew = history.hash().replace(/^#/, "") === "";
    this.#state = this.#read();
    this.#at = this.#top = history.at() ?? 0;
    history.mark(this.#at);
  }

  /** Parts of the address that say nothing, as they stand there. */
  get unread(): readonly string[] {
    return this.#unread;
  }

  get state(): ViewState {
    return this.#state;
  }

  /** The address named no view when the page was opened, and the user has not moved since. */
  get isNew(): boolean {
    return this.#isNew;
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

  /** A step of a gesture: the entry is made when it rests, or when what is held is let go. */
  move(change: Partial<ViewState>): void {
    if (this.#pending !== null) clearTimeout(this.#pending);
    this.#isMoved = true;
    this.#change({ ...this.#state, ...change });
    this.#pending = setTimeout(() => this.flush(), this.#isHeld ? HELD_MS : REST_MS);
  }

  /** A change that is no place to come back to (it only makes the address complete). */
  correct(change: Partial<ViewState>): void {
    this.#unread = [];
    this.#change({ ...this.#state, ...change });
    this.#history.replace(toHash(this.#state), this.#at);
  }

  /** A key goes down: what it does until it is let go is one gesture, and not that of the key before. */
  hold(): void {
    this.flush();
    this.#isHeld = true;
  }

  /** The gesture is over. */
  flush(): void {
    this.#isHeld = false;
    if (this.#pending !== null) clearTimeout(this.#pending);
    this.#pending = null;
    if (!this.#isMoved) return;
    this.#isMoved = false;
    this.#write();
  }

  /** Goes to the view before, or after; false where there is none. The browser takes its time: what is asked meanwhile adds up. */
  undo(by: -1 | 1): boolean {
    this.flush();
    const target = (this.#target ?? this.#at) + by;
    if (target < 0 || target > this.#top) return false;
    const isGoing = this.#target !== null;
    this.#target = target;
    if (!isGoing) this.#history.go(by);
    // Browsers forget entries when there are many, and then do not move.
    setTimeout(() => this.#target === target && (this.#target = null), GOING_MS);
    return true;
  }

  /** The address has changed: back, forward, or typed. */
  restore(): void {
    this.#isNew = false;
    if (this.#pending !== null) clearTimeout(this.#pending);
    this.#pending = null;
    this.#isMoved = false;
    const at = this.#history.at();
    // The browser tells of each step twice.
    const hasMoved = at !== this.#at;
    this.#at = at ?? this.#at + 1;
    this.#change(this.#read());
    if (at === null) {
      this.#top = this.#at;
      this.#target = null;
      this.#history.mark(this.#at);
    } else if (this.#target === at) this.#target = null;
    else if (this.#target !== null && hasMoved) this.#history.go(this.#target - at);
  }

  #read(): ViewState {
    const hash = this.#history.hash();
    this.#unread = unread(hash);
    return fromHash(hash);
  }

  #write(): void {
    this.#isNew = false;
    const hash = toHash(this.#state);
    if (hash === this.#history.hash().replace(/^#/, "")) return;
    this.#unread = [];
    this.#target = null;
    this.#at++;
    this.#top = this.#at;
    this.#history.push(hash, this.#at);
  }

  #change(state: ViewState): void {
    const before = this.#state;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state, before);
  }
}
