/**
 * One-sided accesses: arrows between the rank that makes the call and its target, in the direction of the data. A put is an arrow from the
 * lane of the call to the row of the target, a get one from there; calls that move data both ways have two heads. They span the
 * duration of the call: the arrival of the data is known only at the end of the epoch.
 */

import type { Calls, Run } from "../protocol/types";
import { rowPx, xOf, yOf } from "./geometry";
import { callY } from "./lanes";
import { type Line, arrowHead, nearest } from "./line";
import type { Pictures } from "./pictures";
import type { Canvas, Scene } from "./scene";

/** More arrows would hide the calls. */
export const RMA_MOST = 2_000;

/** Ids of functions that access windows, or order such accesses. */
export const rmaFunctions = (run: Pick<Run, "functions">): Set<number> => new Set(run.functions.filter((f) => f.class === "rma").map((f) => f.id));

export const hasRma = (run: Pick<Run, "functions"> | null): boolean => !!run?.functions.some((f) => f.class === "rma");

/** Indices of the calls that move data from or to the window of another rank: calls that only order them are left out. */
export function accesses(calls: Pick<Calls, "length" | "function" | "peer" | "bytes_sent" | "bytes_received">, functions: ReadonlySet<number>): number[] {
  const found: number[] = [];
  for (let i = 0; i < calls.length; i++)
    if (functions.has(calls.function[i]!) && calls.peer[i]! >= 0 && (calls.bytes_sent[i]! > 0 || calls.bytes_received[i]! > 0)) found.push(i);
  return found;
}

/** An arrow, and its call. */
export interface Access extends Line {
  /** Index in the calls. */
  index: number;
  isToTarget: boolean;
  isFromTarget: boolean;
}

/** Accesses of drawn calls; null where there are too many. */
export function accessesOf(pictures: Pick<Pictures, "calls" | "accesses" | "matching">): number[] | null {
  const { calls, accesses: all, matching } = pictures;
  const shown = all.filter((i) => matching?.has(calls!.rank[i]!, calls!.row[i]!) ?? true);
  return shown.length <= RMA_MOST ? shown : null;
}

/** The visible arrows. */
export function accessLines(scene: Scene): Access[] {
  const { app, layout: l, window: w, pictures } = scene;
  const { calls } = pictures;
  if (!calls || !pictures.isSingle || !app.store.state.layers.includes("rma")) return [];
  const mid = rowPx(l, w) / 2;
  const found: Access[] = [];
  for (const index of accessesOf(pictures) ?? []) {
    const [rank, target] = [calls.rank[index]!, calls.peer[index]!];
    const [own, other] = [app.positions[rank] ?? -1, app.positions[target] ?? -1];
    const start = calls.start_ns[index]!;
    const end = start + calls.duration_ns[index]!;
    if (own < 0 || other < 0 || end < w.from || start > w.until) continue;
    if (own === other && app.folded.has(own)) continue;
    if (Math.max(own, other) + 1 < w.row_from || Math.min(own, other) > w.row_until) continue;
    const isToTarget = calls.bytes_sent[index]! > 0;
    const isFromTarget = calls.bytes_received[index]! > 0;
    const [near, far] = [callY(scene, own, rank, calls.row[index]!), yOf(l, w, other) + mid];
    // A get starts at the target.
    const [y0, y1] = isToTarget ? [near, far] : [far, near];
    found.push({ x0: xOf(l, w, start), y0, x1: xOf(l, w, end), y1, index, isToTarget, isFromTarget });
  }
  return found;
}

export function paintRma(c: Canvas, scene: Scene): void {
  const { ink, app, pictures } = scene;
  const lines = accessLines(scene);
  if (!lines.length) return;
  const { selection } = app.store.state;
  const calls = pictures.calls!;
  c.save();
  for (const line of lines) {
    const isSelected = selection !== null && calls.rank[line.index] === selection.rank && calls.row[line.index] === selection.row;
    c.strokeStyle = c.fillStyle = isSelected ? ink.accent : ink.rma;
    c.lineWidth = isSelected ? 2.5 : 1.5;
    c.setLineDash([6, 3]);
    c.beginPath();
    c.moveTo(line.x0, line.y0);
    c.lineTo(line.x1, line.y1);
    c.stroke();
    c.setLineDash([]);
    arrowHead(c, line.x0, line.y0, line.x1, line.y1);
    if (line.isToTarget && line.isFromTarget) arrowHead(c, line.x1, line.y1, line.x0, line.y0);
    // The side of the calling rank.
    const [x, y] = line.isToTarget ? [line.x0, line.y0] : [line.x1, line.y1];
    if (line.isToTarget && !line.isFromTarget) {
      c.beginPath();
      c.arc(x, y, 2, 0, 2 * Math.PI);
      c.fill();
    }
  }
  c.restore();
}

const REACH_PX = 3;

/** The index, in the calls, of the access whose arrow is under the pointer. */
export function accessAt(scene: Scene, { x, y }: { x: number; y: number }): number | null {
  return nearest(accessLines(scene), x, y, () => REACH_PX)?.index ?? null;
}
