import { expect, test } from "vitest";
import { gridLines, groupings } from "../src/commands/fold";
import type { OrderGroup, Run } from "../src/protocol/types";
import { foldedBy, isFolded, toggled, withFolded } from "../src/state/fold";
import { LABEL_PX, groupsInSight, labelsOf, nameOf, shortened, widthOf } from "../src/timeline/groups";
import { layoutOf } from "../src/timeline/geometry";

test("one group after the other is folded and unfolded, in the shorter of two notations", () => {
  const all = [0, 1, 2, 3, 4, 5];
  let order = foldedBy("pin:3;sort:wait", "host");
  expect(order).toBe("pin:3;group:host;fold:all;sort:wait");
  expect(all.every((group) => isFolded(order, group))).toBe(true);
  order = toggled(order, 4, all);
  expect(order).toBe("pin:3;group:host;fold:0-3,5;sort:wait");
  expect([isFolded(order, 3), isFolded(order, 4)]).toEqual([true, false]);
  expect(toggled(order, 4, all)).toBe("pin:3;group:host;fold:all;sort:wait");
  const many = Array.from({ length: 100 }, (_, i) => i);
  const some = withFolded("group:host", new Set(many.filter((i) => i !== 7 && i !== 50)), many);
  expect(some).toBe("group:host;fold:but:7,50");
  expect([isFolded(some, 7), isFolded(some, 8)]).toEqual([false, true]);
  expect(withFolded("group:host;fold:all", new Set(), all)).toBe("group:host");
  expect(foldedBy(order, null)).toBe("pin:3;sort:wait");
});

test("what ranks can be folded by is what the run has", () => {
  const run = { hosts: ["a", "b"], communicators: [{ id: 0, name: "world", size: 8 }, { id: 1, name: "self", size: 1 }], grid: { dims: [2, 4], source: "messages" } } as unknown as Run;
  expect(groupings(run).map(({ group, title }) => `${group} ${title}`)).toEqual(["host host", "grid:0 rows of the 2 × 4 grid", "grid:1 columns of the 2 × 4 grid", "comm:0 world"]);
  expect(groupings({ ...run, hosts: ["a"], grid: null } as Run).map(({ group }) => group)).toEqual(["comm:0"]);
  const on = (has_switches: boolean): string[] => groupings({ ...run, hosts: ["a"], grid: null, network: { has_switches } } as Run).map(({ group }) => group);
  expect([on(false), on(true)]).toEqual([["node", "comm:0"], ["node", "switch", "comm:0"]]);
  expect(gridLines({ grid: { dims: [4, 1, 2], source: "messages" } }).map(({ title }) => title)).toEqual(["planes across axis 0 of the 4 × 1 × 2 grid", "planes across axis 2 of the 4 × 1 × 2 grid"]);
});

const layout = layoutOf(1000, 460, false, 100);

/** `sizes`: rows of each; one that is folded has 1. */
function groupsOf(sizes: readonly number[]): OrderGroup[] {
  let from = 0;
  return sizes.map((size, number) => ({ text: `node${number}`, number, from, until: (from += size), ranks: Math.max(size, 64), is_folded: size === 1 }));
}

const windowOf = (row_from: number, row_until: number) => ({ from: 0, until: 1, row_from, row_until });

test("names stand beside their rows where there is room", () => {
  const labels = labelsOf(groupsOf([1, 1, 1, 1]), layout, windowOf(0, 4));
  expect(labels.map(({ group }) => group.number)).toEqual([0, 1, 2, 3]);
  for (const { y, row } of labels) expect(y).toBe(row);
  expect(labels[1]!.y - labels[0]!.y).toBeCloseTo(layout.plotHeight / 4);
});

test("names of thin rows do not lie on each other, nor outside", () => {
  for (const sizes of [[64, 1, 1, 1], [1, 1, 1, 64], [1, 64, 1, 64, 1], Array.from({ length: 500 }, () => 1)]) {
    const groups = groupsOf(sizes);
    const labels = labelsOf(groups, layout, windowOf(0, groups.at(-1)!.until));
    if (sizes.length < 10) expect(labels).toHaveLength(sizes.length);
    else expect(labels.length).toBeGreaterThan(10);
    expect(labels[0]!.y).toBeGreaterThanOrEqual(layout.top + LABEL_PX / 2 - 1e-6);
    expect(labels.at(-1)!.y).toBeLessThanOrEqual(layout.top + layout.plotHeight - LABEL_PX / 2 + 1e-6);
    for (let i = 1; i < labels.length; i++) expect(labels[i]!.y - labels[i - 1]!.y).toBeGreaterThanOrEqual(LABEL_PX - 1e-6);
  }
});

test("only groups in sight have names, and the same ones while rows are scrolled", () => {
  const groups = groupsOf([1, 8, 1, 8, 1]);
  expect(groupsInSight(groups, windowOf(3, 9.5))).toEqual({ from: 1, until: 3 });
  expect(groupsInSight(groups, windowOf(9, 10))).toEqual({ from: 2, until: 3 });
  const many = groupsOf(Array.from({ length: 4000 }, () => 1));
  const numbers = (from: number): Set<number> => new Set(labelsOf(many, layout, windowOf(from, from + 100)).map(({ group }) => group.number));
  const [before, after] = [numbers(1000), numbers(1010)];
  expect([...before].filter((number) => number >= 1010).every((number) => after.has(number))).toBe(true);
});

test("names have as much room as they need, within bounds", () => {
  expect(widthOf([])).toBe(0);
  expect(widthOf(groupsOf([1]))).toBeLessThan(widthOf([{ ...groupsOf([1])[0]!, text: "a-node-with-a-long-name" }]));
  expect(widthOf([{ ...groupsOf([1])[0]!, text: "x".repeat(400) }])).toBeLessThan(200);
  expect(nameOf({ text: "node3", ranks: 64 })).toBe("node3 · 64 ranks");
  expect(nameOf({ text: "node3", ranks: 1 })).toBe("node3 · 1 rank");
  const measured = { measureText: (text: string) => ({ width: text.length * 10 }) };
  expect(shortened(measured, "compute-node-0123", 100)).toBe("comp…-0123");
  expect(shortened(measured, "node", 100)).toBe("node");
});
