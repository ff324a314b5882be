/** The meaning of the colours of a saved timeline: the visible functions or classes, those with the most time first. */

import type { App } from "../app";
import { COMPUTE, css } from "../palette";
import { WAITING, type Cells } from "../protocol/types";
import type { Key } from "../save/saver";
import type { Window } from "../state/window";
import { accessLines } from "./rma";
import type { Scene } from "./scene";

const MOST = 16;

/** Time of each function in a window, in bins of ranks. */
export function sharesIn(cells: Cells, { from, until, row_from, row_until }: Window): Map<number, number> {
  const { head } = cells;
  const first = Math.max(0, Math.floor((from - head.from_ns) / head.bin_ns));
  const last = Math.min(head.columns_count, Math.ceil((until - head.from_ns) / head.bin_ns));
  const found = new Map<number, number>();
  for (let block = 0; block < head.rows; block++) {
    const row = head.row_from + block * head.rows_per_block;
    if (row + head.rows_per_block <= row_from || row >= row_until) continue;
    for (let bin = first; bin < last; bin++) {
      const at = block * head.columns_count + bin;
      for (let i = cells.offset[at]!; i < cells.offset[at + 1]!; i++) {
        const id = cells.function[i]!;
        if (id !== WAITING) found.set(id, (found.get(id) ?? 0) + cells.share[i]!);
      }
    }
  }
  return found;
}

export function timelineKeys(app: App, cells: Cells | null): Key[] {
  const { run, names, colours } = app;
  if (!cells || !run) return [];
  const { hidden, colouring } = app.store.state;
  const shares = [...sharesIn(cells, app.window)].filter(([id]) => !hidden.includes(id)).sort((a, b) => b[1] - a[1]);
  const classOf = (id: number): string => run.classes.find((c) => c.id === run.functions.find((f) => f.id === id)?.class)?.name ?? "";
  const texts = new Map<string, string>();
  for (const [id] of shares) {
    const text = colouring === "class" ? classOf(id) : (names?.function(id) ?? "");
    if (!texts.has(text)) texts.set(text, css(colours.function(id)));
  }
  const keys = [...texts].slice(0, MOST).map(([text, colour]) => ({ text, colour }));
  return [...keys, { text: "computing", colour: css(COMPUTE[app.theme]) }];
}

/** The meaning of lines over it, where it is not obvious. */
export function lineKeys(scene: Scene): Key[] {
  const { app, pictures, ink } = scene;
  const keys: Key[] = [];
  if (pictures.bundles?.length && app.store.state.layers.includes("messages")) keys.push({ text: "bundled messages; a thicker line has more", colour: ink.bundle });
  if (accessLines(scene).length) keys.push({ text: "one-sided accesses (dashed)", colour: ink.rma });
  return keys;
}
