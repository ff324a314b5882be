/** Calls that a finding of the check names, as marks on the timeline. */

import { rowPx, xOf, yOf } from "../timeline/geometry";
import type { Canvas, Scene } from "../timeline/scene";
import type { CheckFinding } from "../protocol/report";
import { isSure } from "./sure";

/** More marks would hide the calls. */
const MOST = 2000;
const RADIUS_PX = 6;

interface Mark {
  finding: CheckFinding;
  role: string;
  x: number;
  y: number;
}

/** The visible ones; certain ones last, so that they are on top. */
function marks({ app, layout: l, window: w }: Scene): Mark[] {
  const found: Mark[] = [];
  const mid = rowPx(l, w) / 2;
  for (const sure of [false, true])
    for (const finding of app.report?.checks?.findings ?? []) {
      if (finding.suppressed || isSure(finding) !== sure) continue;
      for (const call of finding.parties) {
        const row = app.positions[app.rankOfWorld(call.rank)] ?? -1;
        if (call.at_ns === null || row + 1 <= w.row_from || row >= w.row_until || row < 0 || call.at_ns < w.from || call.at_ns > w.until) continue;
        found.push({ finding, role: call.role, x: xOf(l, w, call.at_ns), y: yOf(l, w, row) + mid });
        if (found.length >= MOST) return found;
      }
    }
  return found;
}

/** Diamonds with an exclamation mark; possible findings are hollow. */
export function paintMarks(c: Canvas, scene: Scene): void {
  const { ink } = scene;
  c.font = "bold 9px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  for (const { finding, x, y } of marks(scene)) {
    const sure = isSure(finding);
    c.beginPath();
    c.moveTo(x, y - RADIUS_PX - 1);
    c.lineTo(x + RADIUS_PX + 1, y);
    c.lineTo(x, y + RADIUS_PX + 1);
    c.lineTo(x - RADIUS_PX - 1, y);
    c.closePath();
    c.fillStyle = sure ? ink.path : ink.panel;
    c.fill();
    c.strokeStyle = sure ? ink.panel : ink.path;
    c.lineWidth = 1.5;
    c.stroke();
    c.fillStyle = sure ? ink.panel : ink.path;
    c.fillText("!", x, y + 0.5);
  }
}

/** The call and finding of the mark under the pointer. */
export function markAt(scene: Scene, at: { x: number; y: number }): Mark | null {
  const near = marks(scene).filter((mark) => Math.abs(mark.x - at.x) + Math.abs(mark.y - at.y) <= RADIUS_PX + 2);
  return near[near.length - 1] ?? null;
}
