/** Axes of scatter and histogram on a canvas. */

import { type Scale, ticks, toUnit } from "./axis";
import type { Drawing } from "./draw/drawing";
import { moment, withUnit } from "./format";
import type { Ink } from "./timeline/theme";
import { FONT, FONT_SMALL } from "./timeline/theme";

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface AxisLook {
  scale: Scale;
  unit: string;
  title: string;
  /** Moments are formatted as such, not as durations. */
  isMoment: boolean;
  /** Ids and counts: a text for a value. */
  text?: (value: number) => string;
}

export function boxOf(width: number, height: number): Box {
  return { left: 76, top: 10, width: Math.max(1, width - 76 - 14), height: Math.max(1, height - 10 - 38) };
}

export function axisText(axis: AxisLook, value: number, step: number): string {
  if (axis.text) return axis.text(value);
  return axis.isMoment ? moment(value, step) : withUnit(value, axis.unit);
}

export function paintAxes(c: Drawing, box: Box, x: AxisLook, y: AxisLook, ink: Ink): void {
  c.font = FONT;
  c.lineWidth = 1;
  const xs = ticks(x.scale, Math.max(2, Math.floor(box.width / 95)), x.unit);
  const ys = ticks(y.scale, Math.max(2, Math.floor(box.height / 32)), y.unit);
  const stepOf = (values: number[]): number => (values.length > 1 ? values[1]! - values[0]! : 1);
  c.strokeStyle = ink.line;
  c.fillStyle = ink.muted;
  c.textBaseline = "top";
  for (const value of xs) {
    const px = Math.round(box.left + toUnit(x.scale, value) * box.width) + 0.5;
    if (px < box.left - 1 || px > box.left + box.width + 1) continue;
    c.beginPath();
    c.moveTo(px, box.top);
    c.lineTo(px, box.top + box.height + 4);
    c.stroke();
    const text = axisText(x, value, stepOf(xs));
    const half = c.measureText(text).width / 2;
    c.textAlign = "center";
    c.fillText(text, Math.min(px, box.left + box.width + 12 - half), box.top + box.height + 6);
  }
  c.textBaseline = "middle";
  c.textAlign = "right";
  for (const value of ys) {
    const py = Math.round(box.top + (1 - toUnit(y.scale, value)) * box.height) + 0.5;
    if (py < box.top - 1 || py > box.top + box.height + 1) continue;
    c.beginPath();
    c.moveTo(box.left - 4, py);
    c.lineTo(box.left + box.width, py);
    c.stroke();
    c.fillText(axisText(y, value, stepOf(ys)), box.left - 7, py, box.left - 20);
  }
  c.strokeStyle = ink.muted;
  c.strokeRect(box.left + 0.5, box.top + 0.5, box.width, box.height);
  c.font = FONT_SMALL;
  c.fillStyle = ink.text;
  c.textAlign = "center";
  c.textBaseline = "bottom";
  c.fillText(x.title, box.left + box.width / 2, box.top + box.height + 37);
  c.save();
  c.translate(10, box.top + box.height / 2);
  c.rotate(-Math.PI / 2);
  c.textBaseline = "middle";
  c.fillText(y.title, 0, 0);
  c.restore();
}

/** Sizes a canvas to its element, in device pixels, and gives its context in CSS pixels. */
export function contextOf(canvas: HTMLCanvasElement): { c: CanvasRenderingContext2D; width: number; height: number } | null {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (!width || !height) return null;
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const c = canvas.getContext("2d", { alpha: false })!;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { c, width, height };
}
