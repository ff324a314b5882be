/** The call tree as rows and boxes: pure functions, for the pane and for tests. */

import type { Tree, TreeNode } from "../protocol/types";

/** The numbers that rows are sorted by. */
export type TreeSort = "calls" | "inclusive_ns" | "exclusive_ns" | "waiting_ns";

/** A tree with the relations between its nodes. */
export class CallTree {
  readonly nodes: readonly TreeNode[];
  /** Below each node, the largest first. */
  readonly children: readonly number[][];
  /** A name that is the same in every window, for links. */
  readonly ids: readonly string[];

  constructor({ nodes }: Pick<Tree, "nodes">) {
    this.nodes = nodes;
    const children: number[][] = nodes.map(() => []);
    const ids: string[] = [];
    nodes.forEach(({ parent, text, others }, at) => {
      if (parent !== null) children[parent]!.push(at);
      ids.push(parent === null ? "" : hashed(`${ids[parent]!}/${others ? "" : text}`));
    });
    this.children = children;
    this.ids = ids;
  }

  /** The node that a link names: the root if it is not in this tree. */
  at(id: string): number {
    return Math.max(0, this.ids.indexOf(id));
  }

  /** From the root to a node. */
  way(at: number): number[] {
    const way: number[] = [];
    for (let node: number | null = at; node !== null; node = this.nodes[node]?.parent ?? null) way.unshift(node);
    return way;
  }

  /** Nodes whose text contains another text; none for an empty text. */
  matching(text: string): Set<number> {
    const wanted = text.trim().toLowerCase();
    const found = new Set<number>();
    if (wanted) this.nodes.forEach((node, at) => node.text.toLowerCase().includes(wanted) && found.add(at));
    return found;
  }

  /** The node that a key leads to from another; the same node if there is none. */
  step(at: number, key: string, top: number): number {
    const { parent } = this.nodes[at]!;
    if (key === "ArrowDown") return this.children[at]![0] ?? at;
    if (at === top || parent === null) return at;
    if (key === "ArrowUp") return parent;
    const siblings = this.children[parent]!;
    return siblings[siblings.indexOf(at) + (key === "ArrowRight" ? 1 : -1)] ?? at;
  }
}

/** FNV-1a, as at most seven letters and digits. */
function hashed(text: string): string {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0).toString(36);
}

/** A node of the flame graph. */
export interface FlameBox {
  at: number;
  depth: number;
  x: number;
  width: number;
}

/** Boxes below `top`, which is as wide as `width`; those below `least` are not drawn. */
export function boxes(tree: CallTree, top: number, width: number, least = 0.5): FlameBox[] {
  const found: FlameBox[] = [];
  const all = tree.nodes[top]?.inclusive_ns ?? 0;
  const put = (at: number, depth: number, x: number, wide: number): void => {
    found.push({ at, depth, x, width: wide });
    let left = x;
    for (const child of tree.children[at]!) {
      const part = (tree.nodes[child]!.inclusive_ns / all) * width;
      if (part >= least) put(child, depth + 1, left, part);
      left += part;
    }
  };
  if (all > 0) put(top, 0, 0, width);
  return found;
}

/** A row of the table. */
export interface TreeRow {
  at: number;
  /** From 1. */
  level: number;
  /** Null for a leaf. */
  isOpen: boolean | null;
}

/** Whether a node is open by default: where much of the time is. */
export const MUCH = 0.05;

/** Rows in order: siblings by a number, below each open node. `toggled`: ids of those that differ from the default. */
export function rowsOf(tree: CallTree, top: number, toggled: ReadonlySet<string>, sort: TreeSort, ascending: boolean): TreeRow[] {
  const rows: TreeRow[] = [];
  const all = tree.nodes[top]?.inclusive_ns ?? 0;
  const value = (at: number): number => tree.nodes[at]![sort] ?? 0;
  const put = (at: number, level: number): void => {
    const children = tree.children[at]!;
    const isMuch = at === top || tree.nodes[at]!.inclusive_ns >= MUCH * all;
    const isOpen = isMuch !== toggled.has(tree.ids[at]!);
    rows.push({ at, level, isOpen: children.length ? isOpen : null });
    if (!isOpen) return;
    const sorted = [...children].sort((a, b) => (ascending ? value(a) - value(b) : value(b) - value(a)) || a - b);
    for (const child of sorted) put(child, level + 1);
  };
  if (tree.nodes.length) put(top, 1);
  return rows;
}

/** All rows below a node, whether open or not: the largest of siblings first. */
export function allRows(tree: CallTree, top: number): { at: number; level: number }[] {
  const below = (at: number, level: number): { at: number; level: number }[] => [{ at, level }, ...tree.children[at]!.flatMap((child) => below(child, level + 1))];
  return tree.nodes.length ? below(top, 1) : [];
}

/** A frame in two parts: `exchange` and `halo2d.c:120`. */
export function frameParts(text: string): { name: string; place: string } {
  const found = /^(.*) (\S+:\d+)$/.exec(text);
  return { name: found?.[1] ?? text, place: found?.[2] ?? "" };
}
