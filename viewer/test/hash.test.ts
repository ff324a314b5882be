import { expect, test } from "vitest";
import { CURVE_FIELDS } from "../src/protocol/types";
import { fromHash, toHash, unread } from "../src/state/hash";
import { INITIAL, NO_FILTER, type ViewState } from "../src/state/view";

/** A generator of numbers that is the same each time. */
function random(seed: number): () => number {
  let s = seed;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 32;
  };
}

test("the state at the beginning is a page alone; an empty address is that state, too", () => {
  expect(toHash(INITIAL)).toBe("page=overview");
  expect(fromHash("")).toEqual(INITIAL);
});

test("every state comes back from its address", () => {
  const next = random(1);
  const whole = (most: number): number => Math.floor(next() * most);
  const maybe = <T>(value: T): T | null => (next() < 0.5 ? null : value);
  for (let round = 0; round < 500; round++) {
    const from = whole(1e12);
    const state: ViewState = {
      page: (["overview", "views", "compare"] as const)[whole(3)]!,
      ...(next() < 0.5 ? { from: null, until: null, isWhole: next() < 0.5 } : { from, until: from + 1 + whole(1e9), isWhole: false }),
      ...(next() < 0.5 ? { row_from: null, row_until: null } : { row_from: whole(100) / 8, row_until: 20 + whole(100) / 8 }),
      order: ["", "sort:wait", "group:host;sort:mpi", "ranks:0-9,12;pin:3"][whole(4)]!,
      filter: {
        ...NO_FILTER,
        ranks: maybe("0-3,7"),
        functions: maybe([whole(600), whole(600)]),
        comm: maybe(whole(9)),
        peer: maybe(whole(99)),
        peers: maybe("4-7"),
        tag: maybe(whole(99) - 50),
        bytes_min: maybe(whole(1e9)),
        duration_max: maybe(whole(1e9)),
        iteration: maybe(whole(1000)),
      },
      selection: maybe({ rank: whole(10_000), row: whole(2 ** 40) }),
      area: maybe({ from, until: from + 1 + whole(1e6), row_from: maybe(whole(3)), row_until: maybe(4 + whole(5)) }),
      hidden: Array.from({ length: whole(4) }, () => whole(600)),
      skipped: Array.from({ length: whole(3) }, () => whole(600)),
      colouring: next() < 0.5 ? "class" : "function",
      paint: ([{}, { 77: "00ff7f" }, { 3: "a0b0c0", collective: "102030" }] as const)[whole(3)]!,
      layers: next() < 0.5 ? [] : ["messages", "path"],
      left: "events",
      right: "matrix",
      scope: next() < 0.5 ? "run" : "window",
      table: { by: "rank,size_bin", sort: "p95_ns", ascending: next() < 0.5 },
      scatter: { x: "bytes", y: "duration", x_log: next() < 0.5, y_log: true, of: next() < 0.5 ? "calls" : "messages", x_min: maybe(1.5), x_max: maybe(1e9), y_min: null, y_max: maybe(0.25) },
      histogram: { field: "bytes", is_log: next() < 0.5, of: next() < 0.5 ? "calls" : "messages" },
      curves: { field: CURVE_FIELDS[whole(CURVE_FIELDS.length)]!, by_host: next() < 0.5 },
      tree: { zoom: ["", "1x9k3f0"][whole(2)]!, by_rank: next() < 0.5 },
      moment: maybe(whole(1e12)),
      matrix: { by: "host", value: "latency", comm: maybe(whole(9)) },
      twins: next() < 0.5 ? [] : ["matrix", "timeline"],
      finding: maybe(whole(9)),
      about: next() < 0.5 ? 0 : 1,
      other: maybe({ rank: whole(10_000), row: whole(2 ** 40) }),
      align: ([{ by: "start" }, { by: "init" }, { by: "iteration", number: whole(1e6) }, { by: "at", moments: [whole(1e12), -whole(1e12)] }] as const)[whole(4)]!,
      differences: { by: "site", sort: "ratio", ascending: next() < 0.5 },
    };
    expect(fromHash(`#${toHash(state)}`)).toEqual(state);
    expect(unread(`#${toHash(state)}`)).toEqual([]);
  }
});

test("nothing in an address can break the page", () => {
  for (const text of ["#t=9~1", "#t=a~b", "#rows=5", "#%%%=1", "#filter=;;:", "#filter=ranks:x;functions:a,b", "#call=1", "#area=1~2", "#layers=x,y", "#table=a", "#scatter=1~2", "#matrix=a~b~c", "#hidden=-1,x", "#paint=x:y,7:red,__proto__:ffffff", "#finding=x", "#about=2&other=1&align=at:1&differences=a"])
    expect(() => toHash(fromHash(text)), text).not.toThrow();
  expect(fromHash("#t=9~1").from).toBeNull();
  expect(fromHash("#paint=7:red,send:12345,Send:123456,8:123456;9:123456").paint).toEqual({});
  expect(fromHash("#filter=__proto__:1").filter).toEqual(NO_FILTER);
});

test("each invalid part is reported", () => {
  for (const part of ["foo=1", "foo", "t=9~1", "t=a~b", "rows=5", "%%%=1", "table=%%%", "table=a", "page=nowhere", "filter=zzz", "filter=ranks:0-3;tag:x", "call=a~b", "area=1", "layers=nothing", "layers=waits,nothing", "left=middle", "scatter=1~2", "finding=x", "about=2", "align=at:1", "hidden=1,x", "colour=pink"])
    expect(unread(`#page=views&${part}&scope=run`), part).toEqual([part]);
  // What is as at the beginning, written in another way, or of no value.
  for (const hash of ["", "#", "#page=overview", "#t=0~1e9&hidden=", "#filter=tag:3;ranks:0-3", "#layers=messages,collectives,waits", "#align=init&about=0", "#order=sort:wait&"]) expect(unread(hash), hash).toEqual([]);
});
