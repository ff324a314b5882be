/** Machine profiles: lines, scales, addresses, numbers. */

import { expect, test } from "vitest";
import { bandwidthFigure, groupsOf, latencyFigure, pointsOf, timesFigure } from "../src/machine/curves";
import { byPartners, byRanks } from "../src/machine/footprint";
import { keysOf, nearest, placeOf, rowsOfTexts, scaleOf, shownKeys, styles, widened, withIntervals } from "../src/machine/figure";
import { hasPairs, numbersAt, sizesOf } from "../src/machine/pairs-numbers";
import { columnsOf, sizesText } from "../src/machine/parameter-table";
import { type Curve, type CurvePoint, type Machine, type Parameter, considerations, scopeKey, scopeText } from "../src/machine/profile";
import { hasPeak, rooflineFigure } from "../src/machine/roofline";
import { type MachineState, INITIAL, fromHash, toHash } from "../src/machine/state";
import { lanesOf } from "../src/machine/staircase-lanes";
import { barsOf, predictedOf } from "../src/machine/steps-bars";
import { flops, placeText, utc, valueText } from "../src/machine/values";
import { csv } from "../src/save/csv";

const point = (x: number, ns: number, more: Partial<CurvePoint> = {}): CurvePoint => ({ x, median_ns: ns, low_ns: ns * 0.9, high_ns: ns * 1.25, samples: 12, reached: true, drift_share: null, second_mode_ns: null, ...more });
const curve = (experiment: string, series: string, more: Partial<Curve> = {}): Curve => ({ experiment, series, pair: null, rank: null, axis: { name: "message size", unit: "B" }, moved: 1, points: [point(0, 400), point(1024, 1000)], ...more });
const parameter = (experiment: string, id: string, value: number, more: Partial<Parameter> = {}): Parameter => ({ experiment, id, pair: null, rank: null, unit: "x", value, low: null, high: null, from_bytes: null, to_bytes: null, disturbed: false, text: "what it is", advice: null, ...more });

const memory = { axis: { name: "working set", unit: "B" }, points: [point(6144, 60), point(12288, 100)] };

function machine(name: string): Machine {
  return {
    name,
    profile: {
      mpiscope: "0.1.0",
      started_s: 1795666371,
      ended_s: 1795666416,
      complete: true,
      problems: [],
      mpi: { version: "Open MPI v4.1.4", path: "", ranks: 4 },
      settings: { experiments: [], budget_s: 60, variables: {} },
      hosts: [],
      pairs: [
        { class: "same-l3", ranks: [0, 1] },
        { class: "other-node", ranks: [0, 3] },
      ],
      parameters: [
        parameter("pingpong", "protocol_change", 2048, { unit: "B", low: 2048, high: 4096, pair: 0 }),
        parameter("memory", "read_L1", 1e11, { unit: "B/s", rank: 0, from_bytes: 12288, to_bytes: 12288 }),
        parameter("memory", "triad_L1", 9e10, { unit: "B/s", rank: 0, from_bytes: 12288, to_bytes: 12288 }),
        parameter("memory", "triad_memory_huge_all", 3e10, { unit: "B/s", from_bytes: 1e8, to_bytes: 1e8 }),
        parameter("memory", "latency_L1", 1.2, { unit: "ns", rank: 0, from_bytes: 12288, to_bytes: 12288 }),
        parameter("memory", "tlb_reach", 1e6, { unit: "B", rank: 0 }),
        parameter("steps", "steps_phased", 4.5, { from_bytes: 65536 }),
        parameter("steps", "steps_blocking", 6.1, { from_bytes: 65536, low: 6, high: 6.3 }),
        parameter("steps", "predicted_steps", 6),
      ],
      curves: [
        curve("pingpong", "ping-pong", { pair: 0 }),
        curve("pingpong", "ping-pong", { pair: 1, points: [point(0, 4000), point(1024, 9000), point(2048, 9500)] }),
        curve("collectives", "barrier/library", { moved: 0, points: [point(0, 300)] }),
        curve("memory", "read", { ...memory, rank: 0 }),
        curve("memory", "read-huge", { ...memory, rank: 0 }),
        curve("memory", "read", memory),
        curve("memory", "chase", { ...memory, rank: 0, moved: 0 }),
      ],
    },
  };
}
const one = [machine("a.machine")];
const two = [machine("a.machine"), machine("b.machine")];

test("a line says over which time its ranks begin, and is another one than without", () => {
  const skewed = machine("a.machine");
  skewed.profile.curves = [curve("collectives", "barrier/library", { moved: 0, skew_ns: 100_000 })];
  const { lines } = timesFigure([skewed, ...one], groupsOf(one)[1]!, "time", true, true);
  expect(lines.map((line) => line.name)).toEqual(["barrier/library, ranks begin spread over 100 µs", "barrier/library"]);
  expect(lines[0]!.key).not.toBe(lines[1]!.key);
});

test("rates come from times: the shortest time is the highest rate, and no bytes have none", () => {
  expect(pointsOf(curve("x", "y", { moved: 2 }), "rate")).toEqual([{ x: 1024, y: 2.048e9, low: 2.048e9 / 1.25, high: 2.048e9 / 0.9, note: "" }]);
  expect(pointsOf(curve("x", "y", { moved: 0 }), "rate")).toEqual([]);
  expect(pointsOf(curve("x", "y", { axis: { name: "posted receives", unit: "receives" } }), "rate")).toEqual([]);
  expect(pointsOf(curve("pingpong", "send-overhead"), "rate")).toEqual([]);
  const unsure = curve("x", "y", { points: [point(8, 100, { low_ns: null, high_ns: null })] });
  expect(pointsOf(unsure, "rate")[0]).toMatchObject({ low: null, high: null });
});

test("an experiment is a group, or each of its axes", () => {
  expect(groupsOf(one).map(({ id, title, hasRates }) => [id, title, hasRates])).toEqual([
    ["pingpong:message size", "pingpong", true],
    ["collectives:message size", "collectives", false],
    ["memory:working set", "memory", true],
  ]);
  const queue = { ...machine("q"), profile: { ...machine("q").profile, curves: [curve("queue", "a"), curve("queue", "b", { axis: { name: "receives", unit: "receives" } })] } };
  expect(groupsOf([queue]).map(({ title }) => title)).toEqual(["queue: message size", "queue: receives"]);
});

test("lines are named with their ranks where these differ, and match between profiles", () => {
  const group = groupsOf(two)[0]!;
  const figure = timesFigure(two, group, "time", true, true);
  expect(figure.lines.map(({ key, machine: at }) => [key, at])).toEqual([
    ["ping-pong|same-l3", 0],
    ["ping-pong|other-node", 0],
    ["ping-pong|same-l3", 1],
    ["ping-pong|other-node", 1],
  ]);
  expect(figure.lines[1]!.name).toBe("ping-pong, ranks 0 and 3 (different hosts)");
  expect(styles(figure).size).toBe(2);
  expect(figure.marks.map(({ from, until, text }) => [from, until, text])).toEqual([
    [2048, 4096, "change above 2.00 KiB (a.machine, ranks 0 and 1 (same L3))"],
    [2048, 4096, "change above 2.00 KiB (b.machine, ranks 0 and 1 (same L3))"],
  ]);
  expect(timesFigure(one, groupsOf(one)[1]!, "time", true, true)).toMatchObject({ marks: [], lines: [{ name: "barrier/library" }] });
});

test("a series keeps its colour when rates are shown, in which calls without a transfer are missing", () => {
  const ping = machine("p");
  ping.profile.curves = [curve("pingpong", "expected-receive"), curve("pingpong", "ping-pong"), curve("pingpong", "stream")];
  const looks = (y: "time" | "rate") => styles(timesFigure([ping], groupsOf([ping])[0]!, y, true, true));
  expect(looks("time").size).toBe(3);
  expect([...looks("rate")]).toEqual([...looks("time")].slice(0, 2));
});

test("the memory: one rank with small pages first, all ranks together, levels marked", () => {
  const figure = bandwidthFigure(one);
  expect(keysOf(figure)).toEqual(["read|rank 0", "read-huge|rank 0", "read"]);
  expect(figure.first).toEqual(["read|rank 0"]);
  const [single, , all] = figure.lines;
  expect(all!.points[0]!.y).toBeCloseTo(4 * single!.points[0]!.y);
  expect(figure.marks).toEqual([{ from: 12288, until: 12288, text: "L1" }]);
  expect(latencyFigure(one)).toMatchObject({ lines: [{ name: "chase" }], marks: [{ text: "L1" }] });
});

test("roofs rise with the operations for each byte", () => {
  const figure = rooflineFigure(one);
  expect(figure.lines.map((line) => line.name)).toEqual(["L1, read: 93.1 GiB/s", "L1, triad: 83.8 GiB/s", "memory, triad, huge pages, all ranks: 27.9 GiB/s"]);
  expect(figure.first).toEqual(["triad_L1"]);
  expect(figure.lines[1]!.points.find((p) => p.x === 0.5)!.y).toBe(4.5e10);
  expect([figure.x.text(0.25), figure.x.text(4), figure.y.text(4.5e10), flops(12)]).toEqual(["1/4", "4", "45.0 Gflop/s", "12 flop/s"]);
});

test("roofs end at the peak of the same ranks", () => {
  const peaked = machine("a.machine");
  peaked.profile.parameters.push(
    parameter("arithmetic", "peak_double", 1.8e11, { unit: "flop/s", rank: 0, low: 1.7e11, high: 1.9e11 }),
    parameter("arithmetic", "peak_single", 3.6e11, { unit: "flop/s", rank: 0 }),
    parameter("arithmetic", "peak_double_all", 2.4e12, { unit: "flop/s" }),
  );
  expect([hasPeak(peaked), hasPeak(one[0]!)]).toEqual([true, false]);
  const figure = rooflineFigure([peaked]);
  expect(figure.lines.map((line) => line.name).slice(3)).toEqual(["peak, double precision: 180 Gflop/s", "peak, double precision, all ranks: 2.40 Tflop/s"]);
  expect(figure.first).toEqual(["triad_L1", "peak_double"]);
  const [read, triad, all, peak, peakOfAll] = figure.lines.map(({ points }) => points);
  expect(triad!.map(({ x, y }) => [x, y]).slice(-2)).toEqual([[1, 9e10], [2, 1.8e11]]);
  expect(triad!.at(-1)).toMatchObject({ low: 1.7e11, high: 1.9e11, isEnd: true });
  expect([read!.at(-1)!.x, all!.at(-1)!.x, all!.at(-1)!.y]).toEqual([1.8, 80, 2.4e12]);
  // The horizontal roof begins where the first of its bandwidths ends, and has all ridges; those of other ranks have no part in it.
  expect(peak!.map(({ x }) => x).slice(0, 4)).toEqual([1.8, 2, 4, 8]);
  expect(new Set(peak!.map(({ y }) => y))).toEqual(new Set([1.8e11]));
  expect(peakOfAll!.map(({ x }) => x)).toEqual([80, 128, 256]);
  expect([1.8, 0.37, 2 ** -6, 128].map(figure.x.text)).toEqual(["1.80", "0.37", "1/64", "128"]);
  // A profile without a peak beside it keeps its roofs.
  const both = rooflineFigure([peaked, one[0]!]);
  expect(both.lines.filter((line) => line.key === "triad_L1").map(({ machine: at, points }) => [at, points.at(-1)!.x])).toEqual([[0, 2], [1, 256]]);
});

test("no bytes are at the start of a logarithmic axis", () => {
  const scale = scaleOf([0, 1, 1024], true);
  expect(scale).toEqual({ min: 0.5, max: 1024, isLog: true, zero: 0.5 });
  expect(placeOf(widened(scale, 0.1, 0), 0)).toBeCloseTo(0.1);
  expect([placeOf(scale, 0), placeOf(scale, 1024)]).toEqual([0, 1]);
  expect(timesFigure(one, groupsOf(one)[0]!, "time", true, true).x.text(0.5)).toBe("0 B");
  expect(scaleOf([5, 9], false)).toEqual({ min: 0, max: 9, isLog: false, zero: 0 });
  expect(scaleOf(Array.from({ length: 300_000 }, (_, i) => i + 1), true)).toMatchObject({ min: 1, max: 300_000 });
  expect(scaleOf([], true)).toEqual({ min: 0, max: 1, isLog: false, zero: 0 });
  expect(scaleOf([0, 0], true).isLog).toBe(false);
});

test("room at the ends of an axis; a single value is in its middle", () => {
  const scale = widened({ min: 1, max: 100, isLog: true, zero: 0.5 }, 0.1, 0.2);
  expect(placeOf(scale, 1)).toBeCloseTo(0.1);
  expect(placeOf(scale, 100)).toBeCloseTo(0.8);
  expect(placeOf(widened({ min: 0, max: 8, isLog: false, zero: 0 }, 0.1, 0.2), 8)).toBeCloseTo(0.8);
  const single = widened({ min: 7, max: 7, isLog: true, zero: 3.5 }, 0, 0);
  expect(placeOf(single, 7)).toBeCloseTo(0.5);
  const extreme = widened({ min: 1e-300, max: 1e300, isLog: true, zero: 1e-301 }, 0.1, 0.3);
  expect(extreme.min > 0 && Number.isFinite(extreme.max)).toBe(true);
});

test("the crosshair is at the place that is drawn nearest", () => {
  const scale = scaleOf([0, 1, 1024], true);
  expect([nearest([0, 1, 1024], scale, -1), nearest([0, 1, 1024], scale, 0.08), nearest([0, 1, 1024], scale, 0.9), nearest([], scale, 0)]).toEqual([0, 1, 1024, null]);
});

test("a band ends where an interval is unknown", () => {
  const at = (x: number, low: number | null): { x: number; y: number; low: number | null; high: number | null; note: string } => ({ x, y: 1, low, high: low, note: "" });
  expect(withIntervals([at(1, 1), at(2, 1), at(3, null), at(4, null), at(5, 1)]).map((run) => run.map(({ x }) => x))).toEqual([[1, 2], [5]]);
  expect(withIntervals([at(1, null)])).toEqual([]);
});

test("no text is over another: the next row, or none", () => {
  expect(rowsOfTexts([{ from: 0, width: 50 }, { from: 20, width: 50 }, { from: 30, width: 50 }, { from: 60, width: 5 }], 2)).toEqual([0, 1, null, 0]);
});

test("series of the address that exist are shown; of another profile, the first ones", () => {
  const figure = bandwidthFigure(one);
  expect(shownKeys(figure, undefined)).toEqual(["read|rank 0"]);
  expect(shownKeys(figure, ["read", "gone"])).toEqual(["read"]);
  expect(shownKeys(figure, ["gone"])).toEqual(["read|rank 0"]);
  expect(shownKeys(figure, [])).toEqual([]);
});

test("the address keeps everything, also names with any sign", () => {
  const state: MachineState = {
    group: "noise:operation",
    y: "rate",
    isLogX: false,
    isLogY: true,
    shown: { times: ["26/isend-irecv/world/periodic", "a,b&c=d|rank 0", "%"], latency: [] },
    of: "rate",
    size: 0,
    twins: ["pairs", "steps"],
  };
  expect(fromHash(`#${toHash(state)}`)).toEqual({ state, unread: [] });
  expect(toHash(INITIAL)).toBe("");
  expect(fromHash("")).toEqual({ state: INITIAL, unread: [] });
});

test("invalid parts of an address are named, and the others hold", () => {
  const { state, unread } = fromHash("#y=rate&of=much&size=-1&log=z&twins=times,x&shown.x=a&shown.times=%25ZZ&page=views&noise&curves=%E0%A4%A");
  expect(unread).toEqual(["of=much", "size=-1", "log=z", "twins=times,x", "shown.x=a", "shown.times=%25ZZ", "page=views", "noise", "curves=%E0%A4%A"]);
  expect(state).toEqual({ ...INITIAL, y: "rate" });
});

test("pairs: at sizes that all have, with the numbers of each", () => {
  expect(hasPairs(one)).toBe(true);
  expect([sizesOf(one, "time"), sizesOf(one, "rate")]).toEqual([[0, 1024], [1024]]);
  expect(numbersAt(one, "time", 0).map(({ pair, value }) => [pair.ranks, value])).toEqual([
    [[0, 1], 400],
    [[0, 3], 4000],
  ]);
  const single = machine("s");
  single.profile.pairs.pop();
  single.profile.curves = single.profile.curves.filter((c) => c.pair !== 1);
  expect(hasPairs([single])).toBe(false);
});

test("steps: bars in a fixed order, and what is predicted once", () => {
  expect(barsOf(two).map(({ machine: at, method }) => [at, method])).toEqual([
    [0, "blocking"],
    [1, "blocking"],
    [0, "phased"],
    [1, "phased"],
  ]);
  expect(predictedOf(two)).toEqual([6]);
});

test("staircases: a line for each send, and a title for each exchange", () => {
  expect(lanesOf(one)).toEqual([]);
  const made = machine("s");
  const send = (rank: number, to: number, begin_ns: number, end_ns: number) => ({ rank, to, begin_ns, end_ns });
  const sends = [send(0, 1, 0, 500), send(0, 2, 500, 2000), send(1, 0, 0, 1000)];
  made.profile.staircases = [{ series: "phased", bytes: 65536, sends }];
  const lanes = lanesOf([made]);
  expect(lanes.map(({ head }) => head)).toEqual(["phased, 64.0 KiB: 2.00 µs", "", ""]);
  expect(lanes.map(({ name, nth, end }) => [name, nth, end])).toEqual([["rank 0", 0, 2000], ["rank 0", 1, 2000], ["rank 1", 0, 2000]]);
  expect(lanesOf([made, machine("t")])[0]!.method).toBe("phased, s");
});

test("parameters are saved as numbers with their unit", () => {
  const rows = one[0]!.profile.parameters.slice(0, 1).map((p) => ({ machine: one[0]!, parameter: { ...p, disturbed: true } }));
  const columns = columnsOf(rows, false);
  expect(columns.find((column) => column.id === "value")!.cell(0)).toBe("2.00 KiB *");
  expect(csv({ columns, count: 1 }).split("\r\n")[1]).toBe('protocol_change,pingpong,ranks 0 and 1 (same L3),,2048,2048,4096,what it is,');
  expect([sizesText(rows[0]!.parameter), sizesText({ ...rows[0]!.parameter, from_bytes: 0, to_bytes: 2048 })]).toEqual(["", "0 B to 2.00 KiB"]);
});

test("scopes and considerations in words", () => {
  const { profile } = one[0]!;
  expect([scopeText(profile, { pair: 1, rank: null }), scopeText(profile, { pair: null, rank: 2 }), scopeText(profile, { pair: null, rank: null })]).toEqual(["ranks 0 and 3 (different hosts)", "rank 2", "all ranks"]);
  expect([scopeKey(profile, { pair: 1, rank: null }), scopeKey(profile, { pair: null, rank: null })]).toEqual(["other-node", ""]);
  profile.pairs[1]!.hops = 2;
  expect([scopeText(profile, { pair: 1, rank: null }), scopeKey(profile, { pair: 1, rank: null })]).toEqual(["ranks 0 and 3 (different hosts, 2 hops)", "other-node 2"]);
  delete profile.pairs[1]!.hops;
  expect(considerations(point(1, 2, { reached: false, drift_share: 0.1, second_mode_ns: 9 }))).toBe("interval wider than wanted, drift, second mode");
});

test("numbers have their units", () => {
  const texts = ([[1500, "ns"], [-38216, "ns"], [0.0868, "ns/B"], [2.5, "ns/B"], [9.4e9, "B/s"], [4.5e10, "flop/s"], [65536, "B"], [149.25, "1/s"], [1, "messages"], [0.874, "1"], [46.2, "x"]] as const).map(([value, unit]) => valueText(value, unit));
  expect(texts).toEqual(["1.50 µs", "-38.2 µs", "86.8 ps/B", "2.50 ns/B", "8.75 GiB/s", "45.0 Gflop/s", "64.0 KiB", "149 1/s", "1 message", "87.4 %", "46.2 ×"]);
  expect([placeText(1, "ranks"), placeText(16, "ranks"), placeText(2048, "B")]).toEqual(["1 rank", "16 ranks", "2.00 KiB"]);
  expect([utc(1795666371), utc(1e19)]).toEqual(["2026-11-26 04:12 UTC", "–"]);
});

test("memory of a process is a line by ranks and one by partners, if there are several numbers", () => {
  const start = machine("a.machine");
  const of = (id: string, value: number, more = {}): Parameter => parameter("start", id, value, { unit: "B", ...more });
  start.profile.parameters = [of("memory_connected_ranks_16", 9), of("memory_connected_ranks_2", 5, { low: 4, high: 6, disturbed: true }), of("memory_connected", 9), of("memory_resident_ranks_16", 8), of("memory_partners_1", 3), of("memory_of_connection", 1)];
  expect([byRanks(one), byPartners([start])]).toEqual([null, null]);
  const { lines, x, y } = byRanks([...one, start])!;
  expect(lines.map(({ key, machine }) => [key, machine])).toEqual([["memory_connected_ranks_", 1]]);
  expect(lines[0]!.points).toEqual([
    { x: 2, y: 5, low: 4, high: 6, note: "machine not quiet" },
    { x: 16, y: 9, low: null, high: null, note: "" },
  ]);
  expect([x.tick!(16), x.text(16), y.text(2048)]).toEqual(["16", "16 ranks", "2.00 KiB"]);
  start.profile.parameters.push(of("memory_partners_15", 4));
  expect(byPartners([start])!.lines[0]!.points.map(({ x, y }) => [x, y])).toEqual([[1, 3], [15, 4]]);
});
