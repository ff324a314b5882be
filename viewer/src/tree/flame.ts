/** The flame graph, the outermost frame on top. */

import type { Drawing } from "../draw/drawing";
import { type Rgb, type Theme, css, ink as inkOn, mix } from "../palette";
import { FONT, INK } from "../timeline/theme";
import type { FlameBox } from "./nodes";

export const ROW = 20;

/** Room for all boxes, px. */
export const heightOf = (boxes: readonly FlameBox[]): number => (boxes.reduce((most, box) => Math.max(most, box.depth), 0) + 1) * ROW + 4;

export interface FlameLook {
  theme: Theme;
  /** For an MPI function; null for a frame of the program. */
  colour: (at: number) => Rgb | null;
  text: (at: number) => string;
  /** The search results; all else is pale. */
  found: ReadonlySet<number>;
  isSearched: boolean;
  over: number;
}

const number = (colour: string): Rgb => Number.parseInt(colour.slice(1), 16);

/** A text that fits, cut at its end; empty if not even a few letters fit. */
function fitting(c: Drawing, text: string, room: number): string {
  if (c.measureText(text).width <= room) return text;
  const each = c.measureText("e").width;
  const letters = Math.floor(room / each) - 1;
  if (letters < 3) return "";
  let cut = text.slice(0, letters);
  while (cut && c.measureText(`${cut}…`).width > room) cut = cut.slice(0, -1);
  return cut ? `${cut}…` : "";
}

export function paintFlame(c: Drawing, width: number, height: number, boxes: readonly FlameBox[], look: FlameLook): void {
  const ink = INK[look.theme];
  const panel = number(ink.panel);
  const frame = mix(panel, number(ink.text), 0.12);
  c.fillStyle = ink.panel;
  c.fillRect(0, 0, width, height);
  c.font = FONT;
  c.textAlign = "left";
  c.textBaseline = "middle";
  for (const { at, depth, x, width: wide } of boxes) {
    const isPale = look.isSearched && !look.found.has(at);
    const own = look.colour(at) ?? frame;
    const colour = isPale ? mix(own, panel, 0.75) : own;
    const y = depth * ROW;
    c.fillStyle = css(colour);
    // A line of the panel's colour between neighbours, unless nothing else would remain.
    c.fillRect(x, y, Math.max(0.5, wide - (wide > 3 ? 1 : 0)), ROW - 1);
    if (look.isSearched && !isPale) outline(c, x, y, wide, ink.accent, 1);
    const text = wide > 24 ? fitting(c, look.text(at), wide - 10) : "";
    if (!text) continue;
    c.fillStyle = isPale ? ink.muted : inkOn(colour);
    c.fillText(text, x + 4, y + ROW / 2);
  }
  const over = boxes.find((box) => box.at === look.over);
  if (over) outline(c, over.x, over.depth * ROW, over.width, ink.text, 2);
}

function outline(c: Drawing, x: number, y: number, wide: number, colour: string, line: number): void {
  c.strokeStyle = colour;
  c.lineWidth = line;
  c.strokeRect(x + line / 2, y + line / 2, Math.max(1, wide - 1 - line), ROW - 1 - line);
}
