import { expect, test } from "vitest";
import type { TreeNode } from "../src/protocol/types";
import { CallTree, allRows, boxes, frameParts, rowsOf } from "../src/tree/nodes";

const node = (parent: number | null, text: string, inclusive_ns: number, more: Partial<TreeNode> = {}): TreeNode => ({
  parent, text, function: null, rank: null, site: null, calls: 1, inclusive_ns, exclusive_ns: 0, waiting_ns: null, ...more,
});

/** main calls solve (which calls MPI_Recv and MPI_Send) and io; others are put together. */
const NODES: TreeNode[] = [
  node(null, "all calls", 100),
  node(0, "main a.c:1", 100, { calls: 9 }),
  node(1, "solve a.c:20", 90),
  node(2, "MPI_Recv", 60, { function: 7, site: 3, calls: 2 }),
  node(2, "MPI_Send", 30, { function: 8, site: 4, calls: 6 }),
  node(1, "io b.c:5", 4),
  node(5, "MPI_File_write", 4, { function: 9 }),
  node(1, "3 others", 6, { others: 3 }),
];
const tree = new CallTree({ nodes: NODES });

test("a frame has the same name in every window, and a name of its own", () => {
  expect(new Set(tree.ids).size).toBe(NODES.length);
  expect(tree.ids[0]).toBe("");
  expect(tree.ids.slice(1).every((id) => /^[a-z0-9]{1,7}$/.test(id))).toBe(true);
  // Elsewhere the frames have other places, times and neighbours, and so many others.
  const later = new CallTree({ nodes: [node(null, "all calls", 50), node(0, "main a.c:1", 50), node(1, "8 others", 20, { others: 8 }), node(1, "solve a.c:20", 30), node(3, "MPI_Send", 30)] });
  expect(later.ids[3]).toBe(tree.ids[2]);
  expect(later.ids[4]).toBe(tree.ids[4]);
  expect(later.ids[2]).toBe(tree.ids[7]);
  expect(tree.at(tree.ids[4]!)).toBe(4);
  // What is not in sight is the root.
  expect([tree.at("zzzzzzz"), tree.at(""), new CallTree({ nodes: [] }).at("a")]).toEqual([0, 0, 0]);
  expect(tree.way(4)).toEqual([0, 1, 2, 4]);
});

test("boxes lie below the frame that calls, side by side, as wide as their time", () => {
  const all = boxes(tree, 0, 200);
  const of = (at: number): unknown => all.find((box) => box.at === at);
  expect(of(1)).toEqual({ at: 1, depth: 1, x: 0, width: 200 });
  expect(of(4)).toEqual({ at: 4, depth: 3, x: 120, width: 60 });
  expect(of(5)).toEqual({ at: 5, depth: 2, x: 180, width: 8 });
  // Zoomed to a frame, that is as wide as all; what is too narrow is not drawn, nor what is below it.
  expect(boxes(tree, 2, 90)).toEqual([{ at: 2, depth: 0, x: 0, width: 90 }, { at: 3, depth: 1, x: 0, width: 60 }, { at: 4, depth: 1, x: 60, width: 30 }]);
  expect(boxes(tree, 0, 200, 9).map((box) => box.at)).toEqual([0, 1, 2, 3, 4, 7]);
  expect(boxes(new CallTree({ nodes: [node(null, "all calls", 0)] }), 0, 100)).toEqual([]);
  expect(boxes(new CallTree({ nodes: [] }), 0, 100)).toEqual([]);
});

test("arrows go from frame to frame and not above the one that is zoomed to", () => {
  expect(tree.step(1, "ArrowDown", 0)).toBe(2);
  expect(tree.step(2, "ArrowRight", 0)).toBe(5);
  expect(tree.step(5, "ArrowLeft", 0)).toBe(2);
  expect(tree.step(4, "ArrowUp", 0)).toBe(2);
  expect([tree.step(2, "ArrowUp", 2), tree.step(2, "ArrowRight", 2), tree.step(4, "ArrowDown", 0), tree.step(7, "ArrowRight", 0)]).toEqual([2, 2, 4, 7]);
});

test("rows are open where much of the time is, and siblings are sorted among themselves", () => {
  const rows = (toggled: string[], ...sort: ["inclusive_ns" | "calls", boolean]): string[] =>
    rowsOf(tree, 0, new Set(toggled), ...sort).map((row) => `${row.level}${row.isOpen === null ? "" : row.isOpen ? "-" : "+"}${NODES[row.at]!.text}`);
  expect(rows([], "inclusive_ns", false)).toEqual(["1-all calls", "2-main a.c:1", "3-solve a.c:20", "4MPI_Recv", "4MPI_Send", "33 others", "3+io b.c:5"]);
  expect(rows([tree.ids[2]!, tree.ids[5]!], "inclusive_ns", true)).toEqual(["1-all calls", "2-main a.c:1", "3-io b.c:5", "4MPI_File_write", "33 others", "3+solve a.c:20"]);
  expect(rows([], "calls", false).slice(3, 5)).toEqual(["4MPI_Send", "4MPI_Recv"]);
});

test("a search finds frames whatever the case; no text finds none", () => {
  expect([...tree.matching("mpi_")]).toEqual([3, 4, 6]);
  expect([...tree.matching(" A.C:20")]).toEqual([2]);
  expect(tree.matching("  ").size).toBe(0);
});

test("a frame has a name and a place", () => {
  expect(frameParts("exchange(double*, int) halo2d.c:120")).toEqual({ name: "exchange(double*, int)", place: "halo2d.c:120" });
  expect(frameParts("libfoo.so+0x1234")).toEqual({ name: "libfoo.so+0x1234", place: "" });
  expect(frameParts("main halo2d.c")).toEqual({ name: "main halo2d.c", place: "" });
});

test("what is saved has all rows below a frame, the caller before what it calls", () => {
  expect(allRows(tree, 0).map(({ at, level }) => `${level}:${at}`)).toEqual(["1:0", "2:1", "3:2", "4:3", "4:4", "3:5", "4:6", "3:7"]);
  expect(allRows(tree, 5)).toEqual([{ at: 5, level: 1 }, { at: 6, level: 2 }]);
  expect(allRows(new CallTree({ nodes: [] }), 0)).toEqual([]);
});
