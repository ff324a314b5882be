/** Crosses where ranks ended abnormally, and where the record of a rank becomes unreadable. */

import { endings } from "../overview/sentence";
import type { Report } from "../protocol/report";
import { rowPx, xOf, yOf } from "./geometry";
import type { Canvas, Scene } from "./scene";
import { FONT_SMALL } from "./theme";

/** More crosses would hide the calls. */
const MOST = 2000;
const ARM_PX = 5;

interface End {
  text: string;
  x: number;
  y: number;
}

let last: { report: Report; of: Map<number, string> } | null = null;

/** How each rank ended, by its number in MPI_COMM_WORLD. Computed once per report, not in each frame. */
function endsOf(report: Report): Map<number, string> {
  if (last?.report !== report) last = { report, of: new Map(endings(report).flatMap(({ text, ranks }) => ranks.map((rank) => [rank, text] as const))) };
  return last.of;
}

/** The visible ones. */
function ends({ app, layout: l, window: w }: Scene): End[] {
  const { report, run } = app;
  if (!run) return [];
  const { rows_until_ns: until, calls_unreadable: unreadable = [] } = run.ranks;
  const found: End[] = [];
  const mid = rowPx(l, w) / 2;
  const add = (rank: number, text: string): void => {
    const row = app.positions[rank] ?? -1;
    const ns = until[rank];
    if (ns === undefined || row < 0 || row + 1 <= w.row_from || row >= w.row_until || ns < w.from || ns > w.until || found.length >= MOST) return;
    found.push({ text, x: xOf(l, w, ns), y: yOf(l, w, row) + mid });
  };
  const known = report ? endsOf(report) : new Map<number, string>();
  for (const [worldRank, text] of known) add(app.rankOfWorld(worldRank), text);
  unreadable.forEach((calls, rank) => calls > 0 && !known.has(app.worldRank(rank)) && add(rank, "is unreadable from here on"));
  return found;
}

export function paintEnds(c: Canvas, scene: Scene): void {
  const { ink, layout: l, window: w } = scene;
  const hasText = rowPx(l, w) >= 13;
  c.lineCap = "round";
  for (const { x, y, text } of ends(scene)) {
    for (const [width, colour] of [
      [5, ink.panel],
      [2.5, ink.path],
    ] as const) {
      c.lineWidth = width;
      c.strokeStyle = colour;
      c.beginPath();
      c.moveTo(x - ARM_PX, y - ARM_PX);
      c.lineTo(x + ARM_PX, y + ARM_PX);
      c.moveTo(x + ARM_PX, y - ARM_PX);
      c.lineTo(x - ARM_PX, y + ARM_PX);
      c.stroke();
    }
    if (!hasText) continue;
    // The call below shows the place.
    const short = text.split(", ")[0]!.replace(/^(was|is) /, "");
    c.font = FONT_SMALL;
    c.textBaseline = "middle";
    const width = c.measureText(short).width;
    // Beside the cross, on the side with room; with two runs, the other side shows when the run ended.
    const hasRoom = !scene.app.comparison.isTwo && x + ARM_PX + 4 + width <= l.left + l.plotWidth;
    const left = hasRoom ? x + ARM_PX + 4 : x - ARM_PX - 4 - width;
    if (left < l.left) continue;
    c.textAlign = "left";
    c.fillStyle = ink.panel;
    c.fillRect(left - 2, y - 6, width + 4, 12);
    c.fillStyle = ink.path;
    c.fillText(short, left, y + 0.5);
  }
  c.lineCap = "butt";
}

/** How the rank ended whose cross is under the pointer. */
export function endAt(scene: Scene, at: { x: number; y: number }): string | null {
  const near = ends(scene).filter((end) => Math.abs(end.x - at.x) <= ARM_PX + 2 && Math.abs(end.y - at.y) <= ARM_PX + 2);
  return near[near.length - 1]?.text ?? null;
}
