/** The columns of the table of parameters. */

import { bytes } from "../format";
import type { TableColumn } from "../table/vtable";
import { type Machine, type Parameter, scopeText } from "./profile";
import { valueText } from "./values";

export interface Row {
  machine: Machine;
  parameter: Parameter;
}

export function sizesText({ from_bytes, to_bytes }: Parameter): string {
  if (from_bytes === null || to_bytes === null) return "";
  return from_bytes === to_bytes ? bytes(from_bytes) : `${bytes(from_bytes)} to ${bytes(to_bytes)}`;
}

/** Columns of the table; saved numbers are in their unit, which is a column of its own. */
export function columnsOf(rows: readonly Row[], isOfTwo: boolean): TableColumn[] {
  const text = (id: string, title: string, width: string, cell: (row: Row) => string): TableColumn => ({ id, title, width, cell: (i) => cell(rows[i]!) });
  const number = (id: "value" | "low" | "high", title: string): TableColumn => ({
    id,
    title,
    isNumber: true,
    width: "104px",
    cell: (i) => {
      const { parameter } = rows[i]!;
      const value = parameter[id];
      return value === null ? "" : `${valueText(value, parameter.unit)}${id === "value" && parameter.disturbed ? " *" : ""}`;
    },
    value: (i) => rows[i]!.parameter[id],
  });
  return [
    text("id", "Parameter", "230px", ({ parameter }) => parameter.id),
    ...(isOfTwo ? [text("profile", "Profile", "150px", ({ machine }) => machine.name)] : []),
    text("experiment", "Experiment", "96px", ({ parameter }) => parameter.experiment),
    text("ranks", "Ranks", "200px", ({ machine, parameter }) => scopeText(machine.profile, parameter)),
    text("sizes", "Sizes", "150px", ({ parameter }) => sizesText(parameter)),
    number("value", "Value"),
    number("low", "95 % from"),
    number("high", "95 % to"),
    text("text", "What it is", "minmax(640px, 1fr)", ({ parameter }) => parameter.text),
    text("advice", "Advice", "560px", ({ parameter }) => parameter.advice ?? ""),
  ];
}
