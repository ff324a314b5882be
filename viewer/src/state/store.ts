/** The store of the view state, with its history. */

import { fromHash, toHash, unread } from "./hash";
import type { ViewState } from "./view";

/** The browser's history. Entries are numbered, so that those of this page can be identified. */
export interface History {
  hash(): string;
  /** The number of the entry; null for an entry of another origin: the first, or a typed address. */
  at(): number | null;
  push(hash: string, at: number): void;
  replace(hash: string, at: number): void;
  /** Numbers the current entry. */
  mark(at: number): void;
  /** Moves by this many entries; `restore` then reports the new entry to the store. */
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

/** A gesture of many small steps (the wheel) becomes one entry after this pause. */
export const REST_MS = 350;

/** The repeat interval of a held key is shorter; its release may have gone to another window. */
const HELD_MS = 1000;

/** Limit for the change to another entry. */
const GOING_MS = 2000;

type Listener = (state: ViewState, before: ViewState) => void;

/** The view state as the views of one run see and change it. */
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
  /** The current entry, the last entry, and the one that the browser is moving to. */
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

  /** The invalid parts of the address, unchanged. */
  get unread(): readonly string[] {
    return this.#unread;
  }

  get state(): ViewState {
    return this.#state;
  }

  /** The page was opened with an address without a view, and the user has not moved since. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Called after each change; the returned function unsubscribes. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A change with a history entry. */
  set(change: Partial<ViewState>): void {
    this.flush();
    this.#change({ ...this.#state, ...change });
    this.#write();
  }

  /** A step of a gesture: the entry is made after a pause, or when the key is released. */
  move(change: Partial<ViewState>): void {
    if (this.#pending !== null) clearTimeout(this.#pending);
    this.#isMoved = true;
    this.#change({ ...this.#state, ...change });
    this.#pending = setTimeout(() => this.flush(), this.#isHeld ? HELD_MS : REST_MS);
  }

  /** A change without a history entry (it only completes the address). */
  correct(change: Partial<ViewState>): void {
    this.#unread = [];
    this.#change({ ...this.#state, ...change });
    this.#history.replace(toHash(this.#state), this.#at);
  }

  /** A key is pressed: until its release, its effects are one gesture, separate from that of the key before. */
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

  /** Goes to the previous or next view; false if there is none. The browser does this asynchronously: requests meanwhile add up. */
  undo(by: -1 | 1): boolean {
    this.flush();
    const target = (this.#target ?? this.#at) + by;
    if (target < 0 || target > this.#top) return false;
    const isGoing = this.#target !== null;
    this.#target = target;
    if (!isGoing) this.#history.go(by);
    // Browsers discard entries when there are many, and then do not move.
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
    // The browser reports each step twice.
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
