/** The surroundings of the plot: the overview strip of the run, axis, iterations, ranks. */

import { linearTicks, niceStep } from "../axis";
import { countShort, counted, moment, time } from "../format";
import type { Run } from "../protocol/types";
import type { Window } from "../state/window";
import { middleOf, stripsOf } from "./apart";
import { numberedLanes } from "./lanes";
import { lowerBound, rowPx, xOf, yOf } from "./geometry";
import { labelsIn, paintGroups } from "./groups";
import { iterationWidth } from "./ruler";
import type { Canvas, Scene } from "./scene";
import { FONT, FONT_SMALL } from "./theme";

const TICK_PX = 105;
/** Least distance of rank numbers. */
const TICK_ROW_PX = 13;

export function paintMap(c: Canvas, { app, layout: l, whole, window: w, pictures, ink }: Scene): void {
  const y = l.mapTop + 3;
  const h = l.mapHeight - 6;
  const span = whole.until - whole.from;
  const own = ownOf(app.run, whole);
  const at = (ns: number): number => l.left + ((ns - whole.from) / span) * l.plotWidth;
  c.fillStyle = ink.compute;
  c.fillRect(at(own.from), y, at(own.until) - at(own.from), h);
  const base = pictures.base;
  if (base) {
    c.imageSmoothingEnabled = true;
    const [from, until] = [Math.max(own.from, base.from), Math.min(own.until, base.until)];
    const px = base.bitmap.width / (base.until - base.from);
    if (until > from) c.drawImage(base.bitmap, (from - base.from) * px, 0, (until - from) * px, base.bitmap.height, at(from), y, at(until) - at(from), h);
  }
  const x0 = l.left + ((w.from - whole.from) / span) * l.plotWidth;
  const x1 = Math.max(x0 + 2, l.left + ((w.until - whole.from) / span) * l.plotWidth);
  if (x0 > l.left || x1 < l.left + l.plotWidth - 0.5) {
    c.fillStyle = ink.shade;
    c.fillRect(l.left, y, x0 - l.left, h);
    c.fillRect(x1, y, l.left + l.plotWidth - x1, h);
    c.strokeStyle = ink.accent;
    c.lineWidth = 2;
    c.strokeRect(x0, y - 1, x1 - x0, h + 2);
  }
  c.font = FONT_SMALL;
  c.textAlign = "right";
  c.textBaseline = "middle";
  c.fillStyle = ink.muted;
  c.fillText(app.comparison.isTwo ? "both runs" : "whole run", l.left - 6, y + h / 2);
}

/** The time range of a run within the full range: another run may start before it or end after it. */
export function ownOf(run: Pick<Run, "from_ns" | "until_ns"> | null, whole: Pick<Window, "from" | "until">): Pick<Window, "from" | "until"> {
  return run ? { from: Math.max(run.from_ns, whole.from), until: Math.min(Math.max(run.until_ns, run.from_ns), whole.until) } : whole;
}

/** Ticks with absolute moments, or with the distance from a round moment where those would be long. */
export function axisLabels(from: number, until: number, most: number): { base: number | null; step: number; ticks: number[]; texts: string[] } {
  const step = niceStep(until - from, most);
  const ticks = linearTicks(from, until, most);
  if (step >= 1e5) return { base: null, step, ticks, texts: ticks.map((t) => moment(t, step)) };
  const round = 10 ** Math.ceil(Math.log10(until - from));
  const base = Math.floor(from / round) * round;
  return { base, step, ticks, texts: ticks.map((t) => `+${time(Math.round((t - base) * 1000) / 1000)}`) };
}

export function paintAxis(c: Canvas, { layout: l, window: w, ink }: Scene): void {
  const y = l.axisTop;
  const { base, ticks, texts } = axisLabels(w.from, w.until, Math.max(2, l.plotWidth / TICK_PX));
  c.strokeStyle = ink.line;
  c.lineWidth = 1;
  c.font = FONT;
  c.textBaseline = "middle";
  c.textAlign = "left";
  ticks.forEach((tick, i) => {
    const x = Math.round(xOf(l, w, tick)) + 0.5;
    c.beginPath();
    c.moveTo(x, y + 4);
    c.lineTo(x, y + l.axisHeight);
    c.stroke();
    if (x + 60 > l.left + l.plotWidth) return;
    c.fillStyle = ink.muted;
    c.fillText(texts[i]!, x + 4, y + l.axisHeight / 2 + 1);
  });
  c.textAlign = "right";
  c.font = FONT_SMALL;
  if (base === null && !l.rulerHeight) {
    c.fillStyle = ink.muted;
    c.fillText("rank", l.left - 6, y + l.axisHeight / 2 + 1);
  }
  if (base !== null) {
    c.fillStyle = ink.text;
    c.fillText(moment(base, 10 ** Math.floor(Math.log10(Math.max(1, w.until - w.from)))), l.left - 4, y + l.axisHeight / 2 + 1, l.left - 6);
  }
}

/** Iterations of the main loop, and their phases where there is room. */
export function paintRuler(c: Canvas, { app, layout: l, window: w, ink }: Scene): void {
  const iterations = app.run?.iterations;
  if (!iterations || !l.rulerHeight) return;
  const y = l.rulerTop;
  const h = l.rulerHeight - 3;
  const { from_ns: from, until_ns: until, phases } = iterations;
  c.font = FONT_SMALL;
  c.textBaseline = "middle";
  c.textAlign = "right";
  c.fillStyle = ink.muted;
  c.fillText("iteration", l.left - 6, y + h / 2);
  c.save();
  c.beginPath();
  c.rect(l.left, y, l.plotWidth, h);
  c.clip();
  // Sorted by time: only the visible ones are examined.
  let first = lowerBound(until, w.from);
  const { px, every } = iterationWidth(iterations, w, l);
  const named = every * Math.max(1, niceStep(Math.ceil(34 / Math.max(px, 1e-9) / every), 1));
  first = Math.max(0, first - (first % every));
  const stretches = function* (step: number): Generator<[i: number, x0: number, x1: number]> {
    for (let i = first - (first % step); i < from.length && from[i]! < w.until; i += step)
      yield [i, xOf(l, w, from[i]!), xOf(l, w, until[Math.min(i + step - 1, until.length - 1)]!)];
  };
  for (const [i, x0, x1] of stretches(every)) {
    c.fillStyle = ink.phases[(i / every) % 2]!;
    c.fillRect(x0, y, Math.max(1, x1 - x0), h);
    // The number is at the start of the visible part.
    const numbered = Math.max(x0, l.left) + 3 + c.measureText(String(i)).width + 5;
    if (!phases || x1 - x0 < 160) continue;
    for (const phase of phases) {
      const px0 = x0 + (x1 - x0) * phase.from;
      c.fillStyle = ink.muted;
      c.fillRect(px0, y, 1, h);
      const name = phase.name.replace(/^computation between .*/, "computation");
      const [from, until] = [Math.max(px0 + 4, numbered), px0 + (x1 - x0) * (phase.until - phase.from)];
      if (until - from > c.measureText(name).width + 4) {
        c.textAlign = "left";
        c.fillText(name, from, y + h / 2 + 0.5);
      }
    }
  }
  c.fillStyle = ink.text;
  c.textAlign = "left";
  // Iterations differ in length: numbers only where there is room for them.
  let free = l.left;
  for (const [i, x0, x1] of stretches(named)) {
    const x = Math.max(x0, l.left) + 3;
    const end = x + c.measureText(String(i)).width;
    // A number that is cut is another number.
    if (x1 <= l.left || x < free || end > l.left + l.plotWidth) continue;
    c.fillText(String(i), x, y + h / 2 + 0.5);
    free = end + 8;
  }
  c.restore();
}

export function paintGutter(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, ink } = scene;
  const strips = stripsOf(scene);
  const labels = labelsIn(scene);
  const px = rowPx(l, w);
  c.save();
  c.beginPath();
  c.rect(0, l.top, l.left, l.plotHeight);
  c.clip();
  const values = app.order?.value ?? null;
  let largest = 0;
  if (values) for (const value of values) largest = Math.max(largest, value);
  const every = px >= 13 ? 1 : Math.max(1, niceStep(Math.ceil(13 / px), 1));
  const selected = app.store.state.selection ? (app.positions[app.store.state.selection.rank] ?? -1) : -1;
  c.font = FONT;
  c.textAlign = "right";
  c.textBaseline = "middle";
  for (let row = Math.max(0, Math.floor(w.row_from / every) * every); row < Math.min(app.rows, w.row_until); row += every) {
    const y = yOf(l, w, row);
    const isSelected = selected >= row && selected < row + every;
    if (values && largest > 0) {
      c.fillStyle = ink.line;
      const width = ((values[row] ?? 0) / largest) * (l.left - l.groupWidth - 4);
      c.fillRect(l.left - 2 - width, y + 1, width, Math.max(1, px * every - 2));
    }
    // The number of a rank with a strip has priority over that of a row.
    const middle = y + Math.max(px / 2, 6);
    if (strips.some((strip) => Math.abs(middleOf(strip) - middle) < TICK_ROW_PX)) continue;
    // A folded group has a name, which may use all the room there is.
    if (app.folded.has(row) || labels.some(({ group, y }) => group.is_folded && Math.abs(y - middle) < TICK_ROW_PX)) continue;
    c.fillStyle = isSelected ? ink.accent : ink.text;
    const rank = app.rankAt(isSelected && every > 1 ? selected : row);
    const lanes = every === 1 ? numberedLanes(scene, rank) : [];
    lanes.forEach(({ top, height }, thread) => c.fillText(`${app.worldRank(rank)} · t${thread}`, l.left - 6, y + top + height / 2 + 0.5));
    if (!lanes.length) c.fillText(String(app.worldRank(rank)), l.left - 6, middle + 0.5);
  }
  paintGroups(c, scene, labels, strips);
  c.restore();
  c.fillStyle = ink.line;
  c.fillRect(l.left - 1, l.top, 1, l.plotHeight);
}

export function paintScroll(c: Canvas, { whole, window: w, layout: l, ink }: Scene): void {
  const rows = whole.row_until - whole.row_from;
  if (w.row_until - w.row_from >= rows - 1e-6) return;
  const x = l.left + l.plotWidth + 2;
  const y = l.top + ((w.row_from - whole.row_from) / rows) * l.plotHeight;
  const h = Math.max(12, ((w.row_until - w.row_from) / rows) * l.plotHeight);
  c.fillStyle = ink.faint;
  c.fillRect(x, l.top, 7, l.plotHeight);
  c.fillStyle = ink.muted;
  c.fillRect(x, Math.min(y, l.top + l.plotHeight - h), 7, h);
}

/** The description of the picture for screen readers. */
export function summary({ app, window: w, pictures }: Pick<Scene, "app" | "window" | "pictures">): string {
  const rows = `${Math.max(0, Math.floor(w.row_from))} to ${Math.max(0, Math.ceil(w.row_until) - 1)}`;
  const step = (w.until - w.from) / 1000;
  const calls = pictures.cells ? `, about ${counted(pictures.cells.head.calls_total, "call", "calls", countShort)}` : "";
  const order = app.store.state.order ? "rows" : "ranks";
  return `Timeline of ${order} ${rows} from ${moment(w.from, step)} to ${moment(w.until, step)}${calls}`;
}
