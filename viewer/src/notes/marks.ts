/** Bookmarks on the timeline: a ribbon on the ruler, and one in the row of the bookmark. */

import type { Note } from "../protocol/types";
import { xOf, yOf } from "../timeline/geometry";
import type { Canvas, Scene } from "../timeline/scene";

const WIDTH_PX = 7;
const HEIGHT_PX = 10;
/** Tolerance of a click. */
const NEAR_PX = 5;

interface Mark {
  note: Note;
  x: number;
}

function marks({ app, layout: l, window: w }: Scene): Mark[] {
  return app.notes.notes.flatMap((note) => (note.at_ns !== null && note.at_ns >= w.from && note.at_ns <= w.until ? [{ note, x: xOf(l, w, note.at_ns) }] : []));
}

function ribbon(c: Canvas, x: number, y: number, height: number): void {
  const half = WIDTH_PX / 2;
  c.beginPath();
  c.moveTo(x - half, y);
  c.lineTo(x + half, y);
  c.lineTo(x + half, y + height);
  c.lineTo(x, y + height - 3);
  c.lineTo(x - half, y + height);
  c.closePath();
  c.fill();
  c.stroke();
}

export function paintNotes(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, ink } = scene;
  c.fillStyle = ink.accent;
  c.strokeStyle = ink.panel;
  c.lineWidth = 1;
  for (const { note, x } of marks(scene)) {
    ribbon(c, x, l.axisTop + 2, HEIGHT_PX);
    const row = note.rank === null ? -1 : (app.positions[note.rank] ?? -1);
    if (row >= 0 && row + 1 > w.row_from && row < w.row_until) ribbon(c, x, Math.max(l.top, yOf(l, w, row)), HEIGHT_PX);
  }
}

/** The bookmark on the ruler under the pointer: of several, the topmost. */
export function noteAt(scene: Scene, x: number, y: number): Note | null {
  const { layout: l } = scene;
  if (y < l.axisTop || y >= l.axisTop + l.axisHeight || x < l.left) return null;
  const near = marks(scene).filter((mark) => Math.abs(mark.x - x) <= NEAR_PX);
  return near[near.length - 1]?.note ?? null;
}
