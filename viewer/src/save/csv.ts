/** A table as comma-separated values (RFC 4180): numbers in their unit, names unchanged. */

import type { TemplateResult } from "lit";

export type Value = number | string | null;

/** A column as shown on the page, and its saved form. */
export interface CsvColumn {
  title: string;
  /** Text or content of a cell. */
  cell: (index: number) => string | TemplateResult;
  /** Saved instead of the text: a number in `unit`. */
  value?: (index: number) => Value;
  /** `ns`, `bytes`; written in the header. */
  unit?: string;
  /** Saved title, where the shown one is too short. */
  name?: string;
}

export interface Table {
  columns: readonly CsvColumn[];
  count: number;
  /** Number of all rows, where the pane has only some of them. */
  total?: number;
}

/** A spreadsheet would evaluate a text that starts like this. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

function field(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

const header = ({ name, title, unit }: CsvColumn): string => field(`${name ?? title}${unit ? ` (${unit})` : ""}`);

function valueOf(column: CsvColumn, index: number): Value {
  if (column.value) return column.value(index);
  const cell = column.cell(index);
  return typeof cell === "string" ? cell : "";
}

export function csv({ columns, count }: Table): string {
  const lines = [columns.map(header).join(",")];
  for (let i = 0; i < count; i++) lines.push(columns.map((column) => field(valueOf(column, i))).join(","));
  return lines.map((line) => `${line}\r\n`).join("");
}
