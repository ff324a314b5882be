import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type History, REST_MS, Store } from "../src/state/store";

class FakeHistory implements History {
  entries: string[];
  at = 0;
  constructor(hash = "") {
    this.entries = [hash];
  }
  hash(): string {
    return this.entries[this.at]!;
  }
  push(hash: string): void {
    this.entries = [...this.entries.slice(0, this.at + 1), `#${hash}`];
    this.at++;
  }
  replace(hash: string): void {
    this.entries[this.at] = `#${hash}`;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("each change is an entry, a gesture is one when it rests", () => {
  const history = new FakeHistory();
  const store = new Store(history);
  store.set({ page: "views" });
  for (let i = 1; i < 10; i++) {
    store.move({ from: i, until: 100 });
    vi.advanceTimersByTime(REST_MS - 10);
  }
  expect(history.entries).toHaveLength(2);
  expect(store.state.from).toBe(9);
  vi.advanceTimersByTime(20);
  expect(history.entries).toEqual(["", "#page=views", "#page=views&t=9~100"]);
});

test("a change in the middle of a gesture ends it first", () => {
  const history = new FakeHistory();
  const store = new Store(history);
  store.move({ from: 1, until: 2 });
  store.set({ scope: "run" });
  expect(history.entries).toEqual(["", "#t=1~2", "#t=1~2&scope=run"]);
});

test("going back restores, and is told", () => {
  const history = new FakeHistory();
  const store = new Store(history);
  const told: (number | null)[] = [];
  store.listen((state) => told.push(state.from));
  store.set({ from: 5, until: 9 });
  history.at = 0;
  store.restore();
  expect(store.state.from).toBeNull();
  expect(told).toEqual([5, null]);
});

test("what changes nothing is no entry", () => {
  const history = new FakeHistory("#page=views");
  const store = new Store(history);
  store.set({ page: "views" });
  expect(history.entries).toHaveLength(1);
});
