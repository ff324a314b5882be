/** Paints a frame: cached pictures in their place, and all lines and texts over them. */

import { paintMarks } from "../checks/marks";
import { time } from "../format";
import { paintNotes } from "../notes/marks";
import { paintApart, paintApartGutter } from "./apart";
import { paintEnds } from "./ends";
import { paintBundles } from "./bundles";
import { ownOf, paintAxis, paintGutter, paintMap, paintRuler, paintScroll } from "./frame";
import { rowPx, xOf, yOf } from "./geometry";
import { paintArea, paintCallTexts, paintCollectives, paintCrosshair, paintMessages, paintMoment, paintPath, paintRegions, paintSelection } from "./overlay";
import type { Picture } from "./layer";
import { paintRma } from "./rma";
import type { Canvas, Scene } from "./scene";
import { FONT } from "./theme";

export function paint(c: Canvas, scene: Scene): void {
  const { layout: l, ink } = scene;
  c.fillStyle = ink.panel;
  c.fillRect(0, 0, l.width, l.height);
  c.save();
  c.beginPath();
  c.rect(l.left, l.top, l.plotWidth, l.plotHeight);
  c.clip();
  paintPictures(c, scene);
  paintOutside(c, scene);
  paintAbsent(c, scene);
  if (scene.app.store.state.layers.includes("regions")) paintRegions(c, scene);
  if (scene.app.store.state.layers.includes("collectives")) paintCollectives(c, scene);
  if (scene.app.store.state.layers.includes("path")) paintPath(c, scene);
  paintBundles(c, scene);
  paintMessages(c, scene);
  paintRma(c, scene);
  paintApart(c, scene);
  paintCallTexts(c, scene);
  paintMarks(c, scene);
  paintEnds(c, scene);
  paintSelection(c, scene);
  paintArea(c, scene);
  paintMoment(c, scene);
  paintCrosshair(c, scene);
  c.restore();
  paintMap(c, scene);
  paintAxis(c, scene);
  paintRuler(c, scene);
  paintGutter(c, scene);
  paintApartGutter(c, scene);
  paintScroll(c, scene);
  paintNotes(c, scene);
}

function paintPictures(c: Canvas, scene: Scene): void {
  const { layout: l, pictures, window, ink } = scene;
  c.fillStyle = ink.background;
  c.fillRect(l.left, l.top, l.plotWidth, l.plotHeight);
  c.imageSmoothingEnabled = false;
  // From coarse to fine; a finer one that covers everything saves the work below it.
  const near = pictures.near;
  const coversAll =
    near !== null && near.from <= window.from && near.until >= window.until && near.row_from <= window.row_from && near.row_until >= window.row_until;
  if (pictures.base && !coversAll) draw(c, scene, pictures.base);
  if (near) draw(c, scene, near);
  if (pictures.over) draw(c, scene, pictures.over);
  if (pictures.single && pictures.isSingle) draw(c, scene, pictures.single);
}

function draw(c: Canvas, scene: Scene, picture: Picture): void {
  const { layout: l, window: w } = scene;
  // Only the visible part: scaling the clipped part costs as much.
  const from = Math.max(picture.from, w.from - (w.until - w.from) * 0.01);
  const until = Math.min(picture.until, w.until + (w.until - w.from) * 0.01);
  const rowFrom = Math.max(picture.row_from, Math.floor(w.row_from));
  const rowUntil = Math.min(picture.row_until, Math.ceil(w.row_until));
  if (from >= until || rowFrom >= rowUntil) return;
  const sx = (picture.bitmap.width * (from - picture.from)) / (picture.until - picture.from);
  const sw = (picture.bitmap.width * (until - from)) / (picture.until - picture.from);
  const sy = (picture.bitmap.height * (rowFrom - picture.row_from)) / (picture.row_until - picture.row_from);
  const sh = (picture.bitmap.height * (rowUntil - rowFrom)) / (picture.row_until - picture.row_from);
  const x = xOf(l, w, from);
  const y = yOf(l, w, rowFrom);
  c.drawImage(picture.bitmap, sx, sy, sw, sh, x, y, xOf(l, w, until) - x, yOf(l, w, rowUntil) - y);
}

/** The time before a run starts and after it has ended, while the other one continues. */
function paintOutside(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, ink } = scene;
  if (!app.run || !app.comparison.isTwo) return;
  const { from, until } = ownOf(app.run, scene.whole);
  const [x0, x1] = [xOf(l, w, from), xOf(l, w, until)];
  const right = l.left + l.plotWidth;
  c.fillStyle = ink.background;
  if (x0 > l.left) c.fillRect(l.left, l.top, Math.min(x0, right) - l.left, l.plotHeight);
  if (x1 >= right) return;
  c.fillRect(Math.max(l.left, x1), l.top, right - Math.max(l.left, x1), l.plotHeight);
  if (x1 < l.left) return;
  c.fillStyle = ink.text;
  c.fillRect(x1, l.top, 1.5, l.plotHeight);
  c.font = FONT;
  c.textAlign = "left";
  c.textBaseline = "top";
  const text = `this run ends at ${time(until)}`;
  const width = c.measureText(text).width;
  // After the end, or before it where there is no room; then over the calls.
  const isAfter = x1 + 7 + width <= right - 5;
  const x = isAfter ? x1 + 7 : x1 - 7 - width;
  if (x < l.left + 5) return;
  c.fillStyle = ink.background;
  if (!isAfter) c.fillRect(x - 4, l.top + 3, width + 8, 18);
  c.fillStyle = ink.text;
  c.fillText(text, x, l.top + 6);
}

/** Where calls of a rank were overwritten: before its first available call. */
function paintAbsent(c: Canvas, scene: Scene): void {
  const { app, layout: l, window: w, ink } = scene;
  const ranks = app.run?.ranks;
  if (!ranks) return;
  const px = rowPx(l, w);
  if (px < 0.5) return;
  const pattern = hatch(c, ink.absent);
  for (let row = Math.max(0, Math.floor(w.row_from)); row < Math.min(app.rows, Math.ceil(w.row_until)); row++) {
    const rank = app.rankAt(row);
    const y = yOf(l, w, row);
    const h = px >= 5 ? px - 1 : px;
    const first = (ranks.first_ns ?? ranks.rows_from_ns)[rank];
    if (first === undefined || !((ranks.calls_lost[rank] ?? 0) > 0)) continue;
    const x0 = xOf(l, w, first);
    if (x0 > l.left) {
      c.fillStyle = pattern;
      c.fillRect(l.left, y, Math.min(x0, l.left + l.plotWidth) - l.left, h);
    }
    if (x0 >= l.left && x0 <= l.left + l.plotWidth) {
      c.fillStyle = ink.path;
      c.fillRect(x0 - 1, y, 2, h);
      if (px >= 13 && x0 - l.left > 120) {
        c.font = "10px system-ui, sans-serif";
        c.textBaseline = "middle";
        c.textAlign = "right";
        c.fillStyle = ink.text;
        c.fillText("overwritten ▸", x0 - 5, y + h / 2);
      }
    }
  }
}

const hatches = new Map<string, CanvasPattern | string>();

/** Lines without a background: available calls stay visible through them. */
function hatch(c: Canvas, line: string): CanvasPattern | string {
  if (c.hatched) return c.hatched(line);
  const known = hatches.get(line);
  if (known) return known;
  let made: CanvasPattern | string = line;
  if (typeof OffscreenCanvas !== "undefined") {
    const tile = new OffscreenCanvas(8, 8);
    const t = tile.getContext("2d")!;
    t.strokeStyle = line;
    t.lineWidth = 1;
    for (const d of [-8, 0, 8]) {
      t.beginPath();
      t.moveTo(d, 8);
      t.lineTo(d + 8, 0);
      t.stroke();
    }
    made = t.createPattern(tile, "repeat") ?? line;
  }
  hatches.set(line, made);
  return made;
}
