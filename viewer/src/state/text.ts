/** Numbers in the address. */

export const numbers = (values: readonly (number | null)[]): string => values.map((v) => (v === null ? "" : String(v))).join("~");

export function parseNumbers(text: string, length: number): (number | null)[] | null {
  const parts = text.split("~");
  if (parts.length !== length) return null;
  const values = parts.map((part) => (part === "" ? null : Number(part)));
  return values.every((v) => v === null || Number.isFinite(v)) ? values : null;
}

export const isWhole = (v: number | null | undefined): v is number => typeof v === "number" && Number.isInteger(v) && v >= 0;
