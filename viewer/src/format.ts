/** Numbers with their units. Only this module turns them into text. */

import type { Spread } from "./protocol/report";

const DIGITS = 3;

/** Three significant digits, without an exponent. */
export function significant(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 100) return value.toFixed(0);
  if (magnitude >= 10) return value.toFixed(1);
  return value.toFixed(DIGITS - 1);
}

/** A number with the unit that suits its size: each unit is `step` times the one before. */
export function scaled(value: number, step: number, units: readonly string[]): string {
  let index = 0;
  let rest = value;
  // 999.6 would become 1000 of the smaller unit.
  while (Math.abs(rest) >= step - 0.5 && index < units.length - 1) {
    rest /= step;
    index++;
  }
  const text = index === 0 && Number.isInteger(rest) ? String(rest) : significant(rest);
  return `${text} ${units[index]}`;
}

/** A duration: `12.3 µs`. */
export function time(ns: number): string {
  if (!Number.isFinite(ns)) return "–";
  if (ns === 0) return "0 s";
  return scaled(ns, 1000, ["ns", "µs", "ms", "s"]);
}

/** A duration to the ns, beside moments to the ns: `57.812 345 ms`. It is not rounded. */
export function exact(ns: number): string {
  if (!Number.isFinite(ns)) return "–";
  const step = [1e9, 1e6, 1e3].find((s) => Math.abs(ns) >= s) ?? 1;
  const unit = { 1: "ns", 1e3: "µs", 1e6: "ms", 1e9: "s" }[step as 1];
  const whole = Math.trunc(ns / step);
  const rest = Math.round(Math.abs(ns) % step).toString().padStart(Math.log10(step), "0");
  return step === 1 ? `${Math.round(ns)} ns` : `${count(whole)}.${rest.match(/\d{3}/g)!.join("\u202f")} ${unit}`;
}

/** Bytes: `8.00 KiB`. */
export function bytes(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
}

/** Bytes per second. */
export function rate(bytesPerSecond: number): string {
  return Number.isFinite(bytesPerSecond) ? `${bytes(bytesPerSecond)}/s` : "–";
}

/** A whole number with commas between thousands, as `mpiscope report` writes it. */
export function count(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** How many of something: `1 call`, `2 calls`. */
export function counted(value: number, one: string, many = `${one}s`, text: (value: number) => string = count): string {
  return `${text(value)} ${value === 1 ? one : many}`;
}

/** Least and most, each with a rank that has it; empty where both have the same text. */
export function spread({ min, max }: Pick<Spread, "min" | "max">, text: (value: number) => string): string {
  if (text(min.value) === text(max.value)) return "";
  return `(${text(min.value)} on rank ${min.rank} to ${text(max.value)} on rank ${max.rank})`;
}

/** A short form of a count: `12.3 k`. */
export function countShort(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) < 10_000) return count(value);
  return scaled(value, 1000, ["", "k", "M", "G", "T"]);
}

/** A share between 0 and 1: `8.0 %`. */
export function share(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const percent = value * 100;
  if (percent !== 0 && Math.abs(percent) < 0.1) return "< 0.1 %";
  return `${percent.toFixed(1)} %`;
}

/** A share in whole percent, below 1 % with one digit: progress, and the size of a sample. It never shows 100 % too early. */
export function percent(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return `${value < 0.01 ? (100 * value).toPrecision(1) : Math.floor(100 * value + 1e-9)} %`;
}

/** The difference of two shares: `1.5 points`. */
export function points(value: number): string {
  return `${(value * 100).toFixed(1)} points`;
}

/** How many times as much: `× 2.00`. */
export function factor(ratio: number): string {
  return `× ${ratio < 0.1 ? ratio.toFixed(DIGITS) : ratio >= 100 ? count(ratio) : significant(ratio)}`;
}

/** A number without a unit. */
export function plain(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Number.isInteger(value) ? count(value) : significant(value);
}

/** A value of a field whose unit the server gives. */
export function withUnit(value: number, unit: string): string {
  if (unit === "ns") return time(value);
  if (unit === "bytes") return bytes(value);
  if (unit === "bytes/ns") return rate(value * 1e9);
  return unit ? `${plain(value)} ${unit}` : plain(value);
}

/** A moment, with enough digits to distinguish it from the moment one `step` later: `1.234 567 s`. */
export function moment(ns: number, step: number): string {
  if (!Number.isFinite(ns)) return "–";
  const digits = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(Math.max(1, step)) - 1e-9)));
  const sign = ns < 0 ? "−" : "";
  const rounded = Math.round(Math.abs(ns) / 10 ** (9 - digits));
  const text = rounded.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const parts = digits ? (text.slice(text.length - digits).match(/\d{1,3}/g) ?? []) : [];
  return `${sign}${whole}${digits ? `.${parts.join("\u202f")}` : ""} s`;
}

/** A list of ranks in ranges: `0-3,7`. */
export function rankList(ranks: readonly number[]): string {
  const sorted = [...new Set(ranks)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === sorted[j]! + 1) j++;
    parts.push(j === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[j]}`);
    i = j + 1;
  }
  return parts.join(",");
}

/** Ranks in a sentence: `rank 3`, `ranks 0-3,7`. */
export function ranksText(ranks: readonly number[]): string {
  return `${ranks.length === 1 ? "rank" : "ranks"} ${rankList(ranks)}`;
}

/** The ranks of such a list below `end`; null if the text is not such a list. */
export function parseRanks(text: string, end: number): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(",").map((p) => p.trim()).filter(Boolean)) {
    const match = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(part);
    if (!match) return null;
    const first = Number(match[1]);
    const last = Math.min(Number(match[2] ?? match[1]), end - 1);
    for (let rank = first; rank <= last; rank++) found.add(rank);
  }
  return [...found].sort((a, b) => a - b);
}
