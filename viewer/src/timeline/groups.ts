/** Names of groups of ranks beside their rows: positions without overlap, and the effect of a click. */

import { counted } from "../format";
import type { OrderGroup } from "../protocol/types";
import type { Window } from "../state/window";
import { type Strip, middleOf } from "./apart";
import { type Layout, rowPx, yOf } from "./geometry";
import type { Canvas, Scene } from "./scene";
import { FONT, FONT_SMALL } from "./theme";

/** Least distance of names. */
export const LABEL_PX = 14;
/** An estimate: names decide on the width before anything can be measured. */
const SIGN_PX = 7;
const NARROWEST_PX = 54;
const WIDEST_PX = 130;
/** The number of a rank is beside the name of its group. */
const NUMBER_PX = 46;
/** From this distance to its row, a line connects a name to it. */
const BESIDE_PX = 4;

/** A group with its size: `node17 · 64 ranks`. */
export const nameOf = (group: Pick<OrderGroup, "text" | "ranks">): string => `${group.text} · ${counted(group.ranks, "rank")}`;

/** A name on the screen. */
export interface GroupLabel {
  group: OrderGroup;
  /** Middle of the name. */
  y: number;
  /** Middle of its row: for an unfolded group, the first visible one. */
  row: number;
}

/** Pixels beside the numbers of ranks for the longest of the names; 0 without groups. */
export function widthOf(groups: readonly OrderGroup[]): number {
  if (!groups.length) return 0;
  let longest = 0;
  for (const group of groups) longest = Math.max(longest, group.is_folded ? nameOf(group).length - NUMBER_PX / SIGN_PX : group.text.length);
  return Math.max(NARROWEST_PX, Math.min(WIDEST_PX, Math.round(longest * SIGN_PX + 24)));
}

/** Index of the first group that ends after a row. */
function firstAfter(groups: readonly OrderGroup[], row: number): number {
  let low = 0;
  let high = groups.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (groups[middle]!.until <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Groups with visible rows: `from` to `until`, as indices. */
export function groupsInSight(groups: readonly OrderGroup[], w: Window): { from: number; until: number } {
  const from = firstAfter(groups, w.row_from);
  let until = firstAfter(groups, w.row_until);
  if (until < groups.length && groups[until]!.from < w.row_until) until++;
  return { from, until };
}

/** Names of visible groups, top to bottom; where room is short, of every second, third… group. */
export function labelsOf(groups: readonly OrderGroup[], l: Layout, w: Window): GroupLabel[] {
  const { from, until } = groupsInSight(groups, w);
  const every = Math.max(1, Math.ceil((until - from) / Math.max(1, Math.floor(l.plotHeight / LABEL_PX))));
  const bottom = l.top + l.plotHeight - LABEL_PX / 2;
  const px = rowPx(l, w);
  const labels: GroupLabel[] = [];
  // Always the same ones, however the rows are scrolled.
  for (let at = Math.ceil(from / every) * every; at < until; at += every) {
    const group = groups[at]!;
    const y0 = Math.max(l.top, yOf(l, w, group.from));
    const y1 = Math.min(l.top + l.plotHeight, yOf(l, w, group.until));
    const row = group.is_folded ? (y0 + y1) / 2 : y0 + Math.min(Math.max(px / 2, 6), (y1 - y0) / 2);
    const above = labels.at(-1)?.y ?? -Infinity;
    labels.push({ group, row, y: Math.max(row, above + LABEL_PX, l.top + LABEL_PX / 2) });
  }
  // Moved up again, from where the last one would be below the picture.
  let limit = bottom;
  for (let at = labels.length - 1; at >= 0 && labels[at]!.y > limit; at--) {
    labels[at]!.y = limit;
    limit -= LABEL_PX;
  }
  return labels;
}

/** The names of a frame. */
export const labelsIn = ({ app, layout, window }: Pick<Scene, "app" | "layout" | "window">): GroupLabel[] =>
  app.order?.groups.length ? labelsOf(app.order.groups, layout, window) : [];

/** Shortened to the available width: host names differ at their end, so the middle is left out. */
export function shortened(c: Pick<Canvas, "measureText">, text: string, room: number): string {
  if (c.measureText(text).width <= room) return text;
  for (let kept = text.length - 1; kept >= 2; kept--) {
    const short = `${text.slice(0, kept >> 1)}…${text.slice(text.length - (kept - (kept >> 1)))}`;
    if (c.measureText(short).width <= room) return short;
  }
  return "";
}

/** Name and size, if there is room for both. */
function textOf(c: Canvas, group: OrderGroup, room: number): string {
  if (!group.is_folded) return shortened(c, group.text, room);
  const size = ` · ${group.ranks}`;
  const whole = nameOf(group);
  return c.measureText(whole).width <= room ? whole : shortened(c, group.text, room - c.measureText(size).width) + size;
}

/** Names, and a line along the ranks of each unfolded group. */
export function paintGroups(c: Canvas, scene: Scene, labels: readonly GroupLabel[], strips: readonly Strip[]): void {
  const { app, layout: l, window: w, ink } = scene;
  const groups = app.order?.groups ?? [];
  if (!groups.length) return;
  const { from, until } = groupsInSight(groups, w);
  // Lower than a pixel: all of them would merge into one line.
  for (let at = from; at < until && until - from < l.plotHeight; at++) {
    const group = groups[at]!;
    if (group.is_folded) continue;
    const y0 = Math.max(l.top, yOf(l, w, group.from));
    const y1 = Math.min(l.top + l.plotHeight, yOf(l, w, group.until));
    c.fillStyle = ink.phases[at % 2]!;
    c.fillRect(l.groupWidth - 5, y0, 3, Math.max(1, y1 - y0 - 1));
  }
  c.textBaseline = "middle";
  c.textAlign = "left";
  for (const { group, y, row } of labels) {
    const { is_folded: isFolded } = group;
    // The number of a rank with a strip is beside it.
    const isAlone = !strips.some((strip) => Math.abs(middleOf(strip) - y) < LABEL_PX);
    const right = !isFolded ? l.groupWidth - 7 : isAlone ? l.left - 8 : l.left - NUMBER_PX;
    if (isFolded) {
      // The line of another group may continue here.
      c.fillStyle = ink.panel;
      c.fillRect(2, y - LABEL_PX / 2 + 1, right - 2, LABEL_PX - 2);
    }
    c.fillStyle = ink.muted;
    c.font = FONT_SMALL;
    c.fillText(isFolded ? "▸" : "▾", 4, y + 0.5);
    c.fillStyle = ink.text;
    c.font = FONT;
    c.fillText(textOf(c, group, right - 14), 14, y + 0.5);
    if (!isFolded || Math.abs(row - y) < BESIDE_PX) continue;
    c.strokeStyle = ink.muted;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(l.left - 7, y);
    c.lineTo(l.left - 1, row);
    c.stroke();
  }
}
