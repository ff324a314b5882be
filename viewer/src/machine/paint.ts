/** Draws a figure: axes, marks, bands of the intervals, lines and signs. */

import type { Drawing } from "../draw/drawing";
import { DISTINCT, type Theme, classColour, css } from "../palette";
import { type AxisLook, type Box, boxOf, paintAxes } from "../plot";
import { FONT_SMALL, INK } from "../timeline/theme";
import { type Figure, type FigureAxis, type FigureScale, type Line, type Style, placeOf, placesOf, rowsOfTexts, scaleOf, styles, widened, withIntervals } from "./figure";

const ROW_PX = 13;
const MOST_ROWS = 3;
const DASH = [6, 4];
/** For `100 Gflop/s` beside the title of the axis. */
const LABELS_PX = 90;

export const colourOf = ({ hue }: Style, theme: Theme): string => css(classColour(DISTINCT[hue]!, theme));

/** Where a figure is drawn. */
export interface Layout {
  box: Box;
  x: FigureScale;
  y: FigureScale;
  /** Whether the leftmost place is 0, also on a logarithmic axis. */
  startsAtZero: boolean;
}

/** `lines`: those that are shown. */
export function layoutOf(figure: Figure, lines: readonly Line[], width: number, height: number): Layout {
  const { left, width: roomPx, ...rest } = boxOf(width, height);
  const box = { ...rest, left: LABELS_PX, width: Math.max(1, roomPx + left - LABELS_PX) };
  const points = lines.flatMap((line) => line.points);
  const room = figure.marks.length ? (MOST_ROWS * ROW_PX + 4) / box.height : 0.04;
  const values = points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const places = placesOf(lines);
  return {
    box,
    x: widened(scaleOf(places, figure.x.isLog), 0.015, 0.015),
    y: widened(scaleOf(values, figure.y.isLog), 0.04, Math.min(0.4, room)),
    startsAtZero: places.length > 0 && places[0]! <= 0,
  };
}

export const pixelX = ({ box, x }: Layout, value: number): number => box.left + placeOf(x, value) * box.width;
export const pixelY = ({ box, y }: Layout, value: number): number => box.top + (1 - placeOf(y, value)) * box.height;

/** On a logarithmic axis, the tick where 0 is drawn says 0, not the value that would be there. */
function look(axis: FigureAxis, scale: FigureScale, hasZero: boolean): AxisLook {
  const tick = axis.tick ?? axis.text;
  return { scale, unit: axis.isBinary ? "bytes" : "", title: axis.title, isMoment: false, text: (value) => tick(hasZero && scale.isLog && value <= scale.zero ? 0 : value) };
}

export function paintFigure(c: Drawing, figure: Figure, lines: readonly Line[], layout: Layout, theme: Theme): void {
  const { box } = layout;
  const looks = styles(figure);
  paintAxes(c, box, look(figure.x, layout.x, layout.startsAtZero), look(figure.y, layout.y, false), INK[theme]);
  c.save();
  c.beginPath();
  c.rect(box.left, box.top - 1, box.width, box.height + 2);
  c.clip();
  paintMarks(c, figure, layout, theme);
  for (const line of lines) paintBand(c, line, layout, colourOf(looks.get(line.key)!, theme));
  for (const line of lines) paintLine(c, line, layout, looks.get(line.key)!, theme);
  c.restore();
}

function paintMarks(c: Drawing, figure: Figure, layout: Layout, theme: Theme): void {
  const { box } = layout;
  const ink = INK[theme];
  c.font = FONT_SMALL;
  c.textAlign = "left";
  c.textBaseline = "top";
  const marks = [...figure.marks].sort((a, b) => a.from - b.from);
  const texts = marks.map(({ from, until, text }) => {
    const width = c.measureText(text).width;
    const middle = (pixelX(layout, from) + pixelX(layout, until)) / 2;
    return { from: Math.max(box.left + 3, Math.min(middle - width / 2, box.left + box.width - width - 3)), width };
  });
  const rows = rowsOfTexts(texts, MOST_ROWS);
  marks.forEach(({ from, until, text }, i) => {
    const left = pixelX(layout, from);
    c.fillStyle = ink.accent;
    c.globalAlpha = from === until ? 0.6 : 0.14;
    c.fillRect(left, box.top, Math.max(1, pixelX(layout, until) - left), box.height);
    c.globalAlpha = 1;
    const row = rows[i]!;
    if (row === null) return;
    // A line of another mark may be below the text.
    c.fillStyle = ink.panel;
    c.fillRect(texts[i]!.from - 2, box.top + 2 + row * ROW_PX, texts[i]!.width + 4, ROW_PX);
    c.fillStyle = ink.text;
    c.fillText(text, texts[i]!.from, box.top + 3 + row * ROW_PX);
  });
}

function paintBand(c: Drawing, { points }: Line, layout: Layout, colour: string): void {
  c.fillStyle = colour;
  c.globalAlpha = 0.22;
  for (const run of withIntervals(points)) {
    const [first] = run;
    if (run.length === 1) {
      // A band needs two points; a single interval is a bar.
      const top = pixelY(layout, first!.high!);
      c.fillRect(pixelX(layout, first!.x) - 2, top, 4, pixelY(layout, first!.low!) - top);
      continue;
    }
    c.beginPath();
    for (const { x, high } of run) c.lineTo(pixelX(layout, x), pixelY(layout, high!));
    for (const { x, low } of [...run].reverse()) c.lineTo(pixelX(layout, x), pixelY(layout, low!));
    c.closePath();
    c.fill();
  }
  c.globalAlpha = 1;
}

function paintLine(c: Drawing, line: Line, layout: Layout, style: Style, theme: Theme): void {
  const colour = colourOf(style, theme);
  c.strokeStyle = colour;
  c.lineWidth = 1.6;
  c.lineJoin = "round";
  c.setLineDash(line.machine > 0 ? DASH : []);
  c.beginPath();
  for (const { x, y } of line.points) c.lineTo(pixelX(layout, x), pixelY(layout, y));
  c.stroke();
  c.setLineDash([]);
  c.fillStyle = colour;
  for (const { x, y, isEnd } of line.points) if (line.hasSigns || isEnd) paintSign(c, style.sign, pixelX(layout, x), pixelY(layout, y), line.points.length > 1 ? 2.6 : 4);
}

export function paintSign(c: Drawing, sign: number, x: number, y: number, radius: number): void {
  c.beginPath();
  if (sign === 0) c.arc(x, y, radius, 0, 2 * Math.PI);
  else if (sign === 1) c.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  else {
    const r = 1.3 * radius;
    c.moveTo(x, y - r);
    c.lineTo(x + r, sign === 2 ? y + r : y);
    if (sign === 3) c.lineTo(x, y + r);
    c.lineTo(x - r, sign === 2 ? y + r : y);
    c.closePath();
  }
  c.fill();
}
