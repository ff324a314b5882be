import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type History, REST_MS, Store } from "../src/state/store";

/** As browsers have it: navigation takes time, and is reported twice (popstate, hashchange). */
class FakeHistory implements History {
  entries: { hash: string; at: number | null }[];
  index = 0;
  store: Store | null = null;
  constructor(hash = "") {
    this.entries = [{ hash, at: null }];
  }
  get hashes(): string[] {
    return this.entries.map(({ hash }) => hash);
  }
  hash(): string {
    return this.entries[this.index]!.hash;
  }
  at(): number | null {
    return this.entries[this.index]!.at;
  }
  push(hash: string, at: number): void {
    this.entries = [...this.entries.slice(0, this.index + 1), { hash: `#${hash}`, at }];
    this.index++;
  }
  replace(hash: string, at: number): void {
    this.entries[this.index] = { hash: `#${hash}`, at };
  }
  mark(at: number): void {
    this.entries[this.index]!.at = at;
  }
  go(steps: number): void {
    setTimeout(() => this.#to(this.index + steps), 20);
  }
  /** An address is typed. */
  type(hash: string): void {
    this.entries = [...this.entries.slice(0, this.index + 1), { hash, at: null }];
    this.#to(this.index + 1);
  }
  #to(index: number): void {
    if (!this.entries[index]) return;
    this.index = index;
    this.store?.restore();
    this.store?.restore();
  }
}

function made(hash = ""): { history: FakeHistory; store: Store } {
  const history = new FakeHistory(hash);
  const store = new Store(history);
  history.store = store;
  return { history, store };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("each change is an entry, a gesture is one when it rests", () => {
  const { history, store } = made();
  store.set({ page: "views" });
  for (let i = 1; i < 10; i++) {
    store.move({ from: i, until: 100 });
    vi.advanceTimersByTime(REST_MS - 10);
  }
  expect(history.entries).toHaveLength(2);
  expect(store.state.from).toBe(9);
  vi.advanceTimersByTime(20);
  expect(history.hashes).toEqual(["", "#page=views", "#page=views&t=9~100"]);
});

test("a change in the middle of a gesture ends it first", () => {
  const { history, store } = made();
  store.move({ from: 1, until: 2 });
  store.set({ scope: "run" });
  expect(history.hashes).toEqual(["", "#page=overview&t=1~2", "#page=overview&t=1~2&scope=run"]);
});

test("going back restores the state and notifies listeners", () => {
  const { history, store } = made();
  const notified: (number | null)[] = [];
  store.listen((state) => notified.push(state.from));
  store.set({ from: 5, until: 9 });
  history.index = 0;
  store.restore();
  expect(store.state.from).toBeNull();
  expect(notified).toEqual([5, null]);
});

test("what changes nothing is no entry", () => {
  const { history, store } = made("#page=views");
  store.set({ page: "views" });
  expect(history.entries).toHaveLength(1);
});

test("each key that goes down is an entry, one that is held is one", () => {
  const { history, store } = made();
  for (let i = 1; i <= 6; i++) {
    store.hold();
    store.move({ from: i, until: 100 });
    vi.advanceTimersByTime(30);
  }
  store.flush();
  expect(history.hashes).toEqual(["", ...[1, 2, 3, 4, 5, 6].map((i) => `#page=overview&t=${i}~100`)]);
  store.hold();
  for (let i = 10; i < 20; i++) {
    store.move({ from: i, until: 100 });
    // The first repetition comes late.
    vi.advanceTimersByTime(2 * REST_MS);
  }
  expect(history.hashes).toHaveLength(7);
  store.flush();
  expect(history.hashes).toHaveLength(8);
});

test("undo and redo go as many views as keys were pressed, however fast, and stop at the ends", () => {
  const { history, store } = made("#page=views");
  for (let i = 1; i <= 5; i++) store.set({ from: i, until: 100 });
  expect([1, 2, 3].map(() => store.undo(-1))).toEqual([true, true, true]);
  vi.advanceTimersByTime(200);
  expect([store.state.from, history.index]).toEqual([2, 2]);
  expect([1, 2, 3].map(() => store.undo(-1))).toEqual([true, true, false]);
  vi.advanceTimersByTime(200);
  expect([store.state.from, history.index]).toEqual([null, 0]);
  expect([1, 2, 3, 4, 5, 6].map(() => store.undo(1))).toEqual([true, true, true, true, true, false]);
  vi.advanceTimersByTime(200);
  expect(store.state.from).toBe(5);
  store.undo(-1);
  vi.advanceTimersByTime(200);
  store.set({ scope: "run" });
  expect(store.undo(1)).toBe(false);
});

test("a typed address is a view to come back from", () => {
  const { history, store } = made();
  store.set({ from: 5, until: 9 });
  history.type("#t=1~2");
  expect(store.state.from).toBe(1);
  expect(store.undo(-1)).toBe(true);
  vi.advanceTimersByTime(100);
  expect(store.state.from).toBe(5);
  expect(store.undo(1)).toBe(true);
  vi.advanceTimersByTime(100);
  expect([store.state.from, history.entries.length]).toEqual([1, 3]);
});

test("an entry that the browser has forgotten does not end undoing", () => {
  const { history, store } = made();
  for (let i = 1; i <= 3; i++) store.set({ from: i, until: 100 });
  history.entries.splice(0, 3);
  history.index = 0;
  store.undo(-1);
  vi.advanceTimersByTime(5000);
  store.set({ from: 7, until: 100 });
  store.undo(-1);
  vi.advanceTimersByTime(100);
  expect(store.state.from).toBe(3);
});

test("parts of an address without meaning are known until they are gone", () => {
  const { history, store } = made("#page=views&colour=pink&foo=1");
  expect(store.unread).toEqual(["colour=pink", "foo=1"]);
  store.correct({});
  expect([store.unread, history.hashes]).toEqual([[], ["#page=views"]]);
  history.type("#t=9~1");
  expect(store.unread).toEqual(["t=9~1"]);
  store.set({ scope: "run" });
  expect(store.unread).toEqual([]);
});
