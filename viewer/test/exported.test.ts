import { expect, test } from "vitest";
import type { CallSpan } from "../src/protocol/types";
import { deflateRawSync } from "node:zlib";
import { PackSource } from "../src/exported/source";
import { SCHEMA, unpack } from "../src/exported/pack";
import { choose } from "../src/exported/levels";
import { stageOf } from "../src/exported/moment";
import { orderOf } from "../src/exported/order";
import { Client } from "../src/protocol/client";
import { ViewError } from "../src/protocol/error";
import { encodeFrame } from "../src/protocol/frame";

const HOSTILE = "</script><script>alert(1)</script>\u2028\"'";

/** Two ranks; each calls function 5 and function 6 by turns, 10 ns every 100 ns. */
function calls(): ArrayBuffer {
  const n = 20;
  const at = Array.from({ length: n }, (_, i) => i);
  const column = <T>(make: (values: number[]) => T, value: (i: number) => number): T => make(at.map(value));
  const u32 = (v: number[]): Uint32Array => Uint32Array.from(v);
  const u16 = (v: number[]): Uint16Array => Uint16Array.from(v);
  const i32 = (v: number[]): Int32Array => Int32Array.from(v);
  const f64 = (v: number[]): Float64Array => Float64Array.from(v);
  return encodeFrame(
    { kind: "calls", total: n, is_cut: false },
    {
      rank: column(u32, (i) => i % 2),
      thread: column(u16, () => 0),
      row: column(f64, (i) => 50 + Math.floor(i / 2)),
      start_ns: column(f64, (i) => 1000 + 100 * Math.floor(i / 2)),
      duration_ns: column(f64, (i) => 10 + i),
      function: column(u16, (i) => 5 + (Math.floor(i / 2) % 2)),
      count: column(u32, () => 1),
      comm: column(i32, () => 0),
      peer: column(i32, (i) => 1 - (i % 2)),
      tag: column(i32, () => 3),
      bytes_sent: column(f64, (i) => 8 * i),
      bytes_received: column(f64, () => 0),
      site: column(u32, () => 1),
      region: column(i32, () => -1),
      window: column(i32, () => -1),
      flags: column(u16, () => 0),
    },
  );
}

function level(bin_ns: number, columns: number, is = (_cell: number): boolean => true, perBlock = 1): ArrayBuffer {
  const rows = 2 / perBlock;
  const cells = rows * columns;
  const entries = Uint16Array.from({ length: cells }, (_, cell) => Number(is(cell)));
  const all = entries.reduce((a, b) => a + b, 0);
  return encodeFrame(
    { kind: "level", bin_ns, from_ns: 0, columns_count: columns, row_from: 0, rows_per_block: perBlock, rows, is_exact: true },
    { entries, function: new Uint16Array(all).fill(5), share: new Uint8Array(all).fill(255), calls: new Uint32Array(cells).fill(1) },
  );
}

function packed(more: Record<string, ArrayBuffer | object> = {}): string {
  const run = {
    name: HOSTILE, from_ns: 0, until_ns: 4096, state: "ready", done: 1, is_explained: true, failure: null, calls: 99,
    ranks: { count: 2, world_rank: [0, 1], host: [0, 0], threads: [1, 1], rows_from_ns: [0, 0], rows_until_ns: [9, 9], calls_lost: [0, 0] },
    hosts: ["h"], functions: [5, 6].map((id) => ({ id, name: `MPI_F${id}`, class: "c" })), fields: [{ id: "duration", name: "Duration", unit: "ns", is_id: false }],
  classes: [{ id: "c", name: "C" }],
    communicators: [{ id: 0, name: "world", size: 2 }], sites: [{ id: 1, text: HOSTILE }], regions: [], iterations: null,
  };
  const about = { schema: SCHEMA, mpiscope: "0", from_ns: 1000, until_ns: 2200, calls: 20, bin_ns: 16, view: "page=views", functions_with_data: [5] };
  const messages = encodeFrame({ kind: "messages", total: 1, is_cut: false }, {
    sender: Uint32Array.of(0), receiver: Uint32Array.of(1), send_row: Float64Array.of(50), receive_row: Float64Array.of(51),
    sent_ns: Float64Array.of(1000), received_ns: Float64Array.of(1120), bytes: Float64Array.of(8), tag: Int32Array.of(3),
  });
  const entries: [string, Uint8Array][] = Object.entries({
    about, run, report: { overview: {} }, calls: calls(), messages, "cells/0/0": level(64, 64), "cells/1/0": level(16, 128), "cells/1/1": level(16, 128),
    "groups/function": { rows: [{ key: [] }], total: 1, is_cut: false }, ...more,
  }).map(([name, value]) => [name, value instanceof ArrayBuffer ? new Uint8Array(value) : new TextEncoder().encode(JSON.stringify(value))]);
  const list = Buffer.from(JSON.stringify(entries.map(([name, bytes]) => [name, bytes.length])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(list.length);
  return deflateRawSync(Buffer.concat([length, list, ...entries.map(([, bytes]) => Buffer.from(bytes))])).toString("base64");
}

const source = (): PackSource => new PackSource(unpack(packed()));
const client = (): Client => new Client(source());
const window = { from: 1000, until: 2200 };

test("a run, its names as they are, and the view it opens with", async () => {
  expect((await client().run()).name).toBe(HOSTILE);
  expect(await source().view()).toBe("page=views");
  expect((await client().runs()).runs).toHaveLength(1);
});

test("cells: the level that is fine enough, cut to the window, over the joint of chunks", async () => {
  const asked = { row_from: 0, row_until: 2, rows: 100, columns: 64 };
  const far = await client().cells({ ...asked, from: 0, until: 4096 });
  expect(far.head).toMatchObject({ bin_ns: 64, columns_count: 64, rows: 2, calls_total: 128 });
  const near = await client().cells({ ...asked, from: 2000, until: 2100 });
  expect(near.head).toMatchObject({ bin_ns: 16, from_ns: 2000, columns_count: 7, is_exact: false });
  expect(near.offset).toHaveLength(15);
  expect([...near.share].every((share) => share === 65535)).toBe(true);
  const hidden = await client().cells({ ...asked, from: 0, until: 4096, functions: [6] });
  expect(hidden.function).toHaveLength(0);
  const before = await client().cells({ ...asked, from: -500, until: -10 });
  expect(before.head.columns_count).toBe(1);
});

const HOSTS = { hosts: ["a", "b"], ranks: { count: 5, host: [0, 1, 0, 1, 0] } };

test("ranks are grouped and folded by host without a stored order", () => {
  const known = { run: HOSTS, buffer: () => null };
  const rows = (text: string): number[][] | undefined => orderOf(known, text)?.rows;
  expect(rows("group:host;fold:all")).toEqual([[0, 2, 4], [1, 3]]);
  expect(rows("pin:3;group:host;fold:0")).toEqual([[3], [0, 2, 4], [1]]);
  expect(rows("ranks:1-2;group:host;fold:but:1")).toEqual([[2], [1]]);
  expect(rows("pin:4")).toEqual([[4], [0], [1], [2], [3]]);
  expect(rows("pin:0-1,4;group:host;fold:all")).toEqual([[0], [4], [1], [2], [3]]);
  expect(orderOf(known, "group:host;fold:1")!.groups).toEqual([
    { text: "a", number: 0, from: 0, until: 3, ranks: 3, is_folded: false },
    { text: "b", number: 1, from: 3, until: 4, ranks: 2, is_folded: true },
  ]);
  for (const lacking of ["sort:wait", "group:comm:1", "group:grid:0;fold:all"]) expect(orderOf(known, lacking)).toBeNull();
});

test("ranks are grouped and folded by what the server has stored", () => {
  const group = (text: string, number: number, from: number, until: number): object => ({ text, number, from, until, ranks: until - from, is_folded: false });
  // Members in the order of their communicator, then the others.
  const stored = encodeFrame({ kind: "order", rows: 5, groups: [group("part", 0, 0, 3), group("others", 1, 3, 5)] }, { rank: Uint32Array.of(4, 1, 2, 0, 3) });
  const known = { run: HOSTS, buffer: (name: string) => (name === "order/comm:1" ? stored : null) };
  const rows = (text: string): number[][] | undefined => orderOf(known, text)?.rows;
  expect(rows("group:comm:1")).toEqual([[4], [1], [2], [0], [3]]);
  expect(rows("group:comm:1;fold:all")).toEqual([[4, 1, 2], [0, 3]]);
  expect(rows("pin:2,3;group:comm:1;fold:0")).toEqual([[2], [3], [4, 1], [0]]);
  expect(rows("ranks:0,3;group:comm:1;fold:all")).toEqual([[0, 3]]);
  expect(orderOf(known, "group:comm:1;fold:0")!.groups).toEqual([
    { text: "part", number: 0, from: 0, until: 1, ranks: 3, is_folded: true },
    { text: "others", number: 1, from: 1, until: 3, ranks: 2, is_folded: false },
  ]);
  for (const lacking of ["group:comm:2", "group:grid:0;fold:all", "group:comm:1;sort:wait"]) expect(orderOf(known, lacking)).toBeNull();
});

test("cells, calls and ranks of a folded group", async () => {
  const order = "group:host;fold:all";
  const found = await client().order(order);
  expect([...found.ranks, ...found.starts!]).toEqual([0, 1, 0, 2]);
  expect(found.groups).toMatchObject([{ text: "h", ranks: 2, is_folded: true }]);
  const asked = { row_from: 0, row_until: 1, rows: 100, columns: 64, from: 0, until: 4096, order };
  const cells = await client().cells(asked);
  expect(cells.head).toMatchObject({ bin_ns: 64, rows: 1, rows_per_block: 1, calls_total: 128 });
  expect([...cells.calls].every((calls) => calls === 2) && [...cells.share].every((share) => share === 65535)).toBe(true);
  // Of one of two ranks: half of the time.
  const half = new Client(new PackSource(unpack(packed({ "cells/0/0": level(64, 64, (cell) => cell < 64), "cells/1/0": level(16, 128), "cells/1/1": level(16, 128) }))));
  expect((await half.cells(asked)).share[0]).toBe(32767);
  expect((await client().calls({ ...window, limit: 100, order, row_from: 0, row_until: 1 })).length).toBe(20);
  expect((await client().calls({ ...window, limit: 100, order: "pin:1", row_from: 0, row_until: 1 })).rank.every((rank) => rank === 1)).toBe(true);
  await expect(client().order("sort:wait")).rejects.toThrow(/this order of ranks is not in this exported page/);
  const stored = encodeFrame({ kind: "order", rows: 2, groups: [{ text: "row 0", number: 0, from: 0, until: 2, ranks: 2, is_folded: false }] }, { rank: Uint32Array.of(1, 0) });
  const grid = await new Client(new PackSource(unpack(packed({ "order/grid:0": stored })))).order("group:grid:0");
  expect([[...grid.ranks], grid.groups.map((g) => g.text)]).toEqual([[1, 0], ["row 0"]]);
  const offered = async (more: Record<string, ArrayBuffer>): Promise<readonly string[] | undefined> => {
    const client = new Client(new PackSource(unpack(packed(more))));
    await client.run();
    return client.kept?.groupings;
  };
  expect(await offered({ "order/grid:0": stored })).toEqual(["host", "grid:0"]);
  expect(await offered({ "cells/0/0": level(64, 64, () => true, 2), "cells/1/0": level(16, 128, () => true, 2), "cells/1/1": level(16, 128, () => true, 2) })).toEqual([]);
  const blocks = new Client(new PackSource(unpack(packed({ "cells/0/0": level(64, 64, () => true, 2), "cells/1/0": level(16, 128, () => true, 2), "cells/1/1": level(16, 128, () => true, 2) }))));
  await expect(blocks.cells(asked)).rejects.toThrow(/rows of individual ranks are not in this exported page/);
});

test("too coarse is worse than too fine", () => {
  const of = (bin_ns: number, rows_per_block: number) => ({ bin_ns, rows_per_block, rows: 1, is_exact: true, chunks: [] });
  const [wide, fine] = [of(64, 1), of(16, 1)];
  const asked = { from: 0, until: 1000, columns: 100, row_from: 0, row_until: 4, rows: 4 };
  expect(choose([wide, fine], asked)).toBe(fine);
  expect(choose([wide, fine], { ...asked, until: 10_000 })).toBe(wide);
  const tall = of(64, 1);
  expect(choose([of(64, 16), tall], { ...asked, until: 10_000 })).toBe(tall);
});

test("single calls, filtered as the server does", async () => {
  const all = await client().calls({ ...window, limit: 100 });
  expect([all.length, all.head.is_cut]).toEqual([20, false]);
  expect((await client().calls({ ...window, limit: 100, functions: [6], ranks: "1" })).length).toBe(5);
  expect((await client().calls({ ...window, limit: 100, bytes_min: 80 })).length).toBe(10);
  expect((await client().calls({ ...window, limit: 100, row_from: 1, row_until: 2 })).length).toBe(10);
  const cut = await client().calls({ ...window, limit: 3 });
  expect([cut.length, cut.head.total, cut.head.is_cut]).toEqual([3, 20, true]);
  expect([...cut.duration_ns].sort()).toEqual([27, 28, 29]);
});

test("what an exported page lacks gets a message with what to do", async () => {
  const refused = async (ask: Promise<unknown>): Promise<ViewError> => {
    const error = await ask.then(() => null, (e: unknown) => e);
    expect(error).toBeInstanceOf(ViewError);
    return error as ViewError;
  };
  expect((await refused(client().calls({ from: 0, until: 2000, limit: 9 }))).message).toMatch(/not in this exported page/);
  expect((await refused(client().call({ rank: 0, row: 3 }))).next).toContain("mpiscope view");
  await refused(client().order("sort:wait"));
  await refused(client().path());
  await refused(client().groups({ by: "site", limit: 9 }));
  expect((await refused(new Client(new PackSource(unpack("AAAA"))).run())).message).toMatch(/cannot be read/);
});

test("call tree and critical path of the whole run; of a part of it they are not there", async () => {
  const kept = { tree: { nodes: [{ parent: null, text: "all calls" }], total: 1 }, path_groups: { rows: [], is_known: true } };
  const c = new Client(new PackSource(unpack(packed(kept))));
  expect((await c.tree({ by_rank: false, limit: 9, quick: true })).total).toBe(1);
  expect((await c.pathGroups({ limit: 9 })).is_known).toBe(true);
  await expect(c.tree({ by_rank: false, limit: 9, ranks: "1" })).rejects.toThrow(/the call tree for part of the run is not in this exported page/);
  await expect(c.tree({ by_rank: true, limit: 9 })).rejects.toThrow(/not in this exported page/);
  await expect(c.pathGroups({ limit: 9, ...window })).rejects.toThrow(/the critical path for part/);
  await expect(client().tree({ by_rank: false, limit: 9 })).rejects.toThrow(/not in this exported page/);
});

test("a call and the way to others", async () => {
  const c = client();
  const call = await c.call({ rank: 0, row: 50 });
  expect(call).toMatchObject({ function: "MPI_F5", start_ns: 1000, duration_ns: 10, peer: 1, comm: "world", site: { text: HOSTILE } });
  expect(call.messages).toEqual([{ direction: "sent", rank: 1, row: 51, bytes: 8, tag: 3, sent_ns: 1000, received_ns: 1120 }]);
  expect(call.near.previous).toBeNull();
  expect(call.near.next).toMatchObject({ row: 51 });
  expect(await c.step({ rank: 0, row: 50 }, "function", "next")).toMatchObject({ rank: 0, row: 52 });
  expect(await c.step({ rank: 0, row: 50 }, "message", "next")).toMatchObject({ rank: 1, row: 51 });
  expect(await c.step({ rank: 0, row: 59 }, "rank", "next")).toBeNull();
  expect(await c.find("f6", "next", { from: 1150 }, null)).toMatchObject({ start_ns: 1300 });
});

test("a search counts, lists and goes through the same calls both ways", async () => {
  const c = client();
  const all = await c.matches("f6", {}, 0, 100);
  expect([all.total, all.before, all.rows.length]).toEqual([10, 0, 10]);
  const ahead: CallSpan[] = [];
  for (let at: CallSpan | null = null; (at = await c.find("F6", "next", {}, at)); ) ahead.push(at);
  const back: CallSpan[] = [];
  for (let at: CallSpan | null = null; (at = await c.find("F6", "previous", {}, at)); ) back.unshift(at);
  expect(ahead).toEqual(back);
  expect(all.rows.map(({ rank, row }) => [rank, row])).toEqual(ahead.map(({ rank, row }) => [rank, row]));
  const some = await c.matches("f6", {}, ahead[4]!.start_ns, 2);
  expect([some.total, some.before, some.rows]).toEqual([10, ahead.filter((one) => one.start_ns < ahead[4]!.start_ns).length, all.rows.slice(some.before, some.before + 2)]);
});

test("tables and plots of the window, and those of the whole run that are kept", async () => {
  const c = client();
  const table = await c.groups({ ...window, by: "function", limit: 10 });
  expect(table.rows.map((r) => [r.key[0]!.text, r.count, r.total_ns])).toEqual([["MPI_F6", 10, 205], ["MPI_F5", 10, 185]]);
  expect(table.rows.reduce((sum, r) => sum + r.share, 0)).toBeCloseTo(390 / 2400);
  const both = await c.groups({ ...window, by: "rank,function", limit: 3 });
  expect([both.rows.length, both.total, both.is_cut]).toEqual([3, 4, true]);
  expect((await c.groups({ by: "function", limit: 10 })).total).toBe(1);
  const histogram = await c.histogram({ ...window, field: "duration", is_log: false, bins: 4 });
  expect([histogram.total, histogram.counts.reduce((a, b) => a + b), histogram.min, histogram.max]).toEqual([20, 20, 10, 30]);
  const scatter = await c.scatter({ ...window, x: "bytes", y: "duration", x_log: true, y_log: false, width: 9, height: 9, points: 99 });
  expect(scatter.form).toBe("points");
  expect(scatter.points!.x.length).toBe(19);
});

test("curves are cut out of the finest ones that reach far enough", async () => {
  const curves = (bin_ns: number, from_ns: number, columns_count: number): ArrayBuffer =>
    encodeFrame(
      { kind: "curves", bin_ns, from_ns, columns_count, has_finer: true, hosts: [0, 1], ranks: [1, 1], hosts_left_out: 0, basis: { kind: "calls" } },
      { ranks_in_mpi: Float64Array.from({ length: 2 * columns_count }, (_, i) => i) },
    );
  const c = new Client(new PackSource(unpack(packed({ "curves/run/1": curves(1024, 0, 4), "curves/window/1": curves(16, 1024, 64) }))));
  const whole = await c.curves({ by_host: true, columns: 512 });
  expect([whole.bin_ns, whole.columns, whole.has_finer]).toEqual([1024, 4, false]);
  const part = await c.curves({ by_host: true, columns: 512, from: 1050, until: 1090 });
  expect([part.bin_ns, part.from_ns, part.columns]).toEqual([16, 1040, 4]);
  expect(Array.from(part.values.ranks_in_mpi!)).toEqual([1, 2, 3, 4, 65, 66, 67, 68]);
  expect((await c.curves({ by_host: true, columns: 512, from: 900, until: 1090 })).bin_ns).toBe(1024);
  await expect(c.curves({ by_host: true, columns: 512, tag: 3 })).rejects.toThrow(/the curves for part of the calls are not in this exported page/);
  await expect(client().curves({ by_host: false, columns: 512 })).rejects.toThrow(/not in this exported page/);
});

test("a message goes from stage to stage", () => {
  const f = (value: number): Float64Array => Float64Array.of(value);
  const m = (sent: number, sendDone: number, posted: number, receiveDone: number, isLost = 0): Record<string, Float64Array | Uint8Array> => ({
    sent_ns: f(sent), send_done_ns: f(sendDone), posted_ns: f(posted), receive_done_ns: f(receiveDone), is_lost: Uint8Array.of(isLost),
  });
  const both = m(10, 40, 20, 30);
  expect([5, 10, 20, 29, 30, 39, 40].map((at) => stageOf(both, 0, at))).toEqual([null, "unexpected", "in_flight", "in_flight", "received", "received", null]);
  expect(stageOf(m(30, 40, 20, 50), 0, 25)).toBe("posted");
  expect([25, 35].map((at) => stageOf(m(20, 30, -1, -1), 0, at))).toEqual(["in_flight", null]);
  expect(stageOf(m(20, 30, -1, -1, 1), 0, 1e9)).toBe("unexpected");
  expect([25, 1e9].map((at) => stageOf(m(-1, -1, 20, -1), 0, at))).toEqual(["posted", "posted"]);
  expect(stageOf(m(-1, -1, 20, 30), 0, 30)).toBe(null);
});
