/** Lines and texts over the picture. */

import { time } from "../format";
import type { Collectives } from "../protocol/types";
import { css, ink as inkOn } from "../palette";
import { lowerBound, rowPx, xOf, yOf } from "./geometry";
import { gapOf } from "./lane";
import { callY, freeOf, laneIn, threadsOf } from "./lanes";
import { type Line, arrowHead, depthOf } from "./line";
import { regionRoom } from "./pictures";
import type { Canvas, Scene } from "./scene";
import { FONT_SMALL } from "./theme";

const TEXT_PX = 34;
const MOST_TEXTS = 1200;

/** Names in calls that are wide enough. */
export function paintCallTexts(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, pictures } = scene;
  const calls = pictures.calls;
  const px = rowPx(l, w);
  if (!calls || !pictures.single || px < 12 || !pictures.isSingle) return;
  const state = app.store.state;
  const hidden = new Set(state.hidden);
  const free = freeOf(scene);
  const shortest = ((w.until - w.from) / l.plotWidth) * TEXT_PX;
  c.font = FONT_SMALL;
  c.textBaseline = "middle";
  c.textAlign = "left";
  let drawn = 0;
  for (let i = 0; i < calls.length && drawn < MOST_TEXTS; i++) {
    const duration = calls.duration_ns[i]!;
    if (duration < shortest || hidden.has(calls.function[i]!) || pictures.matching?.isPale[i]) continue;
    const rank = calls.rank[i]!;
    const threads = threadsOf(scene, rank);
    if (threads > 1 && px / threads < 12) continue;
    const row = app.ownPositions[rank] ?? -1;
    if (row + 1 <= w.row_from || row >= w.row_until || row < 0) continue;
    const x0 = Math.max(l.left, xOf(l, w, calls.start_ns[i]!));
    const x1 = Math.min(l.left + l.plotWidth, xOf(l, w, calls.start_ns[i]! + duration));
    if (x1 - x0 < TEXT_PX) continue;
    const id = calls.function[i]!;
    const colour = app.colours.function(id);
    const name = app.names?.short(id) ?? "";
    const whole = `${name}  ${time(duration)}`;
    const lane = (px - gapOf(px) - free) / threads;
    const y = yOf(l, w, row) + free + lane * (calls.thread[i]! + 0.5);
    const room = x1 - x0 - 8;
    const text = c.measureText(whole).width <= room ? whole : fitted(c, name, room);
    if (!text) continue;
    const width = c.measureText(text).width;
    c.fillStyle = css(colour);
    c.fillRect(x0 + 2, y - 6, width + 4, 12);
    c.fillStyle = inkOn(colour);
    c.fillText(text, x0 + 4, y + 0.5);
    drawn++;
  }
}

export function fitted(c: Pick<Canvas, "measureText">, text: string, room: number): string {
  if (c.measureText(text).width <= room) return text;
  for (let length = text.length - 1; length >= 3; length--) {
    const short = `${text.slice(0, length)}…`;
    if (c.measureText(short).width <= room) return short;
  }
  return "";
}

/** User regions as bands at the top of each row, nested ones below. */
export function paintRegions(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, pictures, ink } = scene;
  const regions = pictures.regions;
  const px = rowPx(l, w);
  const room = regionRoom(px);
  if (!regions || !room) return;
  let deepest = 0;
  for (const depth of regions.depth) deepest = Math.max(deepest, depth);
  const band = Math.max(2, Math.min(13, Math.floor(room / (deepest + 1))));
  c.font = FONT_SMALL;
  c.textBaseline = "middle";
  c.textAlign = "left";
  for (let i = 0; i < regions.length; i++) {
    const row = app.ownPositions[regions.rank[i]!] ?? -1;
    if (row < 0 || row + 1 <= w.row_from || row >= w.row_until) continue;
    const x0 = Math.max(l.left - 2, xOf(l, w, regions.start_ns[i]!));
    const x1 = Math.min(l.left + l.plotWidth + 2, xOf(l, w, regions.end_ns[i]!));
    if (x1 <= x0) continue;
    const y = yOf(l, w, row) + regions.depth[i]! * band;
    c.fillStyle = ink.phases[(regions.region[i]! + regions.depth[i]!) % 2]!;
    c.fillRect(x0, y, Math.max(1, x1 - x0), band - 1);
    c.fillStyle = ink.muted;
    c.fillRect(x0, y, 1, band - 1);
    if (band >= 10 && x1 - x0 > 30) {
      c.fillStyle = ink.text;
      c.fillText(fitted(c, app.names?.region(regions.region[i]!) ?? "", x1 - x0 - 6), Math.max(x0, l.left) + 3, y + band / 2);
    }
  }
}

function arrow(c: Canvas, x0: number, y0: number, x1: number, y1: number, hasHead: boolean): void {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
  if (hasHead) arrowHead(c, x0, y0, x1, y1);
}

/** Least opacity of arrows that overlap. */
const FAINTEST = 0.03;

/** An arrow, and its message. */
export interface MessageLine extends Line {
  /** Index in the answer. */
  index: number;
}

/** Arrows of visible messages, if there are few enough to draw them individually. */
export function messageLines(scene: Scene): MessageLine[] {
  const { app, layout: l, window: w, pictures } = scene;
  const { messages, matching } = pictures;
  if (!messages || messages.head.is_cut || !app.store.state.layers.includes("messages")) return [];
  const arrows: MessageLine[] = [];
  for (let i = 0; i < messages.length; i++) {
    const from = app.positions[messages.sender[i]!] ?? -1;
    const to = app.positions[messages.receiver[i]!] ?? -1;
    // Inside a folded group an arrow would point from the row to itself.
    if (from < 0 || to < 0 || (from === to && app.folded.has(from))) continue;
    if (!(matching?.has(messages.sender[i]!, messages.send_row[i]!) ?? true) && !matching?.has(messages.receiver[i]!, messages.receive_row[i]!)) continue;
    const sent = messages.sent_ns[i]!;
    const received = messages.received_ns[i]!;
    if (received < w.from || sent > w.until) continue;
    if (Math.max(from, to) + 1 < w.row_from || Math.min(from, to) > w.row_until) continue;
    // A message leaves from the call that sends it, and arrives when the call returns that completes its receive.
    const y0 = callY(scene, from, messages.sender[i]!, messages.send_row[i]!);
    const y1 = callY(scene, to, messages.receiver[i]!, messages.receive_done_row[i]!);
    arrows.push({ x0: xOf(l, w, sent), y0, x1: xOf(l, w, received), y1, index: i });
  }
  return arrows;
}

/** Arrows of messages: all, if there are few; always those of the selected call. Ends outside the screen are clipped. */
export function paintMessages(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, ink } = scene;
  const arrows = messageLines(scene);
  if (arrows.length) {
    const depth = depthOf(arrows, l);
    c.save();
    c.strokeStyle = ink.arrow;
    c.fillStyle = ink.arrow;
    c.lineWidth = 1;
    c.globalAlpha = Math.min(1, Math.max(FAINTEST, 1 / depth));
    for (const { x0, y0, x1, y1 } of arrows) {
      // Many arrow heads in one place would be a blot.
      arrow(c, x0, y0, x1, y1, (depth < 2 && arrows.length < 600) || x1 - x0 > 12);
    }
    c.restore();
  }
  const detail = app.detail;
  if (!detail) return;
  c.strokeStyle = ink.accent;
  c.fillStyle = ink.accent;
  c.lineWidth = 2;
  for (const message of detail.messages) {
    const own = app.positions[detail.rank] ?? -1;
    const other = app.positions[message.rank] ?? -1;
    if (own < 0 || other < 0 || message.sent_ns === null || message.received_ns === null) continue;
    const ownLane = laneIn(scene, detail.rank, detail.thread);
    const ends = [yOf(l, w, own) + ownLane.top + ownLane.height / 2, callY(scene, other, message.rank, message.row)] as const;
    const [y0, y1] = message.direction.startsWith("s") ? ends : [ends[1], ends[0]];
    arrow(c, xOf(l, w, message.sent_ns), y0, xOf(l, w, message.received_ns), y1, true);
  }
}

/** Shown members of an operation, by row: indices in the columns of the answer. */
interface Joined {
  rows: Int32Array;
  members: Int32Array;
}

let lastJoined: { found: Collectives; positions: Int32Array; operations: Joined[] } | null = null;

/** Sorted once per answer and order, not in each frame. */
function joined(found: Collectives, positions: Int32Array): Joined[] {
  if (lastJoined?.found === found && lastJoined.positions === positions) return lastJoined.operations;
  const rowOf = (member: number): number => positions[found.rank[member]!] ?? -1;
  const operations = Array.from(found.operation, (_, i) => {
    const members = Int32Array.from({ length: found.member_offset[i + 1]! - found.member_offset[i]! }, (_, n) => found.member_offset[i]! + n)
      .filter((member) => rowOf(member) >= 0)
      .sort((a, b) => rowOf(a) - rowOf(b));
    return { members, rows: members.map(rowOf) };
  });
  lastJoined = { found, positions, operations };
  return operations;
}

/** For each collective operation, a line through the starts of its members and one through their ends. */
export function paintCollectives(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, pictures, ink } = scene;
  const found = pictures.collectives;
  if (!found || found.head.is_cut) return;
  c.strokeStyle = ink.collective;
  c.lineWidth = 1;
  // With thousands of visible ranks, a line needs no more points than there are pixels.
  const every = Math.max(1, Math.floor(1 / rowPx(l, w)));
  const { matching } = pictures;
  for (const { rows, members } of joined(found, app.positions)) {
    if (matching && !members.some((member) => matching.has(found.rank[member]!, found.row[member]!))) continue;
    const first = Math.max(0, lowerBound(rows, w.row_from - 1) - 1);
    const last = Math.min(rows.length - 1, lowerBound(rows, w.row_until));
    if (first > last || members.length < 2) continue;
    for (const times of [found.start_ns, found.end_ns]) {
      c.setLineDash(times === found.start_ns ? [] : [3, 2]);
      c.beginPath();
      for (let n = first; n <= last; n += n + every > last && n < last ? last - n : every) {
        const member = members[n]!;
        const x = xOf(l, w, times[member]!);
        const call = times === found.start_ns ? found.row : found.done_row;
        const y = callY(scene, rows[n]!, found.rank[member]!, call[member]!);
        if (n === first) c.moveTo(x, y);
        else c.lineTo(x, y);
      }
      c.stroke();
    }
  }
  c.setLineDash([]);
}

export function paintPath(c: Canvas, { app, layout: l, window: w, pictures, ink }: Scene): void {
  const path = pictures.path;
  if (!path?.length) return;
  const mid = rowPx(l, w) / 2;
  c.strokeStyle = ink.path;
  c.lineWidth = Math.min(3, Math.max(1.5, mid / 3));
  c.lineJoin = "round";
  c.beginPath();
  let isOpen = false;
  let lastX = -Infinity;
  for (let i = Math.max(0, lowerBound(path.until_ns, w.from) - 1); i < path.length && path.from_ns[i]! <= w.until; i++) {
    const row = app.positions[path.rank[i]!] ?? -1;
    if (row < 0) {
      isOpen = false;
      continue;
    }
    const y = yOf(l, w, row) + mid;
    const x0 = Math.max(xOf(l, w, path.from_ns[i]!), l.left - 10);
    const x1 = Math.min(xOf(l, w, path.until_ns[i]!), l.left + l.plotWidth + 10);
    // Many segments in one pixel: one line.
    if (isOpen && x1 - lastX < 0.5) continue;
    if (isOpen) c.lineTo(x0, y);
    else c.moveTo(x0, y);
    c.lineTo(x1, y);
    lastX = x1;
    isOpen = true;
  }
  c.stroke();
}

export function paintSelection(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, ink } = scene;
  const detail = app.detail;
  const selection = app.store.state.selection;
  if (!detail || !selection || detail.rank !== selection.rank || detail.row !== selection.row) return;
  const row = app.positions[detail.rank] ?? -1;
  if (row < 0) return;
  const x0 = Math.max(l.left - 4, xOf(l, w, detail.start_ns));
  const x1 = Math.min(l.left + l.plotWidth + 4, xOf(l, w, detail.start_ns + detail.duration_ns));
  const lane = laneIn(scene, detail.rank, detail.thread);
  const y = yOf(l, w, row) + lane.top;
  const h = Math.max(4, lane.top === 0 && lane.height === rowPx(l, w) ? rowPx(l, w) - gapOf(rowPx(l, w)) : lane.height);
  c.strokeStyle = ink.panel;
  c.lineWidth = 4;
  c.strokeRect(x0 - 1, y - 1, Math.max(3, x1 - x0 + 2), h + 2);
  c.strokeStyle = ink.selection;
  c.lineWidth = 2;
  c.strokeRect(x0 - 1, y - 1, Math.max(3, x1 - x0 + 2), h + 2);
}

export function paintArea(c: Canvas, { app, layout: l, window: w, drag, ink }: Scene): void {
  const area = drag ?? app.store.state.area;
  if (!area) return;
  const x0 = xOf(l, w, area.from);
  const x1 = xOf(l, w, area.until);
  const y0 = area.row_from === null ? l.top : yOf(l, w, area.row_from);
  const y1 = area.row_until === null ? l.top + l.plotHeight : yOf(l, w, area.row_until);
  c.fillStyle = ink.shade;
  const { left, top, plotWidth, plotHeight } = l;
  const clampX = (x: number): number => Math.max(left, Math.min(left + plotWidth, x));
  const clampY = (y: number): number => Math.max(top, Math.min(top + plotHeight, y));
  c.fillRect(left, top, plotWidth, clampY(y0) - top);
  c.fillRect(left, clampY(y1), plotWidth, top + plotHeight - clampY(y1));
  c.fillRect(left, clampY(y0), clampX(x0) - left, clampY(y1) - clampY(y0));
  c.fillRect(clampX(x1), clampY(y0), left + plotWidth - clampX(x1), clampY(y1) - clampY(y0));
  c.strokeStyle = ink.accent;
  c.lineWidth = 1.5;
  c.strokeRect(x0, y0, x1 - x0, y1 - y0);
  const text = time(area.until - area.from);
  c.font = FONT_SMALL;
  c.textAlign = "center";
  c.textBaseline = "top";
  const width = c.measureText(text).width + 8;
  const x = Math.max(left + width / 2, Math.min(left + plotWidth - width / 2, (clampX(x0) + clampX(x1)) / 2));
  c.fillStyle = ink.panel;
  c.fillRect(x - width / 2, clampY(y0) + 2, width, 14);
  c.fillStyle = ink.text;
  c.fillText(text, x, clampY(y0) + 4);
}

export function paintCrosshair(c: Canvas, { hover, layout: l, ink }: Scene): void {
  if (!hover || hover.y < l.top) return;
  c.fillStyle = ink.shade;
  c.fillRect(Math.round(hover.x), l.top, 1, l.plotHeight);
}

/** The moment that the panes show. */
export function paintMoment(c: Canvas, { app, layout: l, window: w, ink }: Scene): void {
  const { moment } = app.store.state;
  if (moment === null || moment < w.from || moment > w.until) return;
  c.fillStyle = ink.accent;
  c.fillRect(Math.round(xOf(l, w, moment)), l.top, 1, l.plotHeight);
}
