/** Numbers of a machine profile with their units, as `mpiscope bench report` writes them. */

import { bytes, count, counted, rate, scaled, share, significant, time } from "../format";

export function valueText(value: number, unit: string): string {
  switch (unit) {
    case "ns":
      return time(value);
    case "ns/B":
      return Math.abs(value) < 1 ? `${significant(value * 1000)} ps/B` : `${significant(value)} ns/B`;
    case "B/s":
      return rate(value);
    case "flop/s":
      return flops(value);
    case "B":
      return bytes(value);
    case "messages":
      return counted(value, "message");
    case "1":
      return share(value);
    case "x":
      return `${significant(value)} ×`;
    default:
      return `${significant(value)} ${unit}`;
  }
}

/** A place on an axis, with its unit. */
export const placeText = (x: number, unit: string): string => (unit === "B" ? bytes(x) : `${count(x)} ${x === 1 ? unit.replace(/s$/, "") : unit}`);

/** Floating-point operations per second. */
export const flops = (value: number): string => `${scaled(value, 1000, ["", "k", "M", "G", "T", "P"])}flop/s`;

/** `2026-11-26 04:12 UTC`. */
export function utc(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "–" : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
