/** The curves, and the format of their values. */

import { bytes, count, countShort, plain, rate } from "../format";
import type { CurveField, Curves } from "../protocol/types";

interface Look {
  title: string;
  /** Title of the axis. */
  axis: string;
  text: (value: number) => string;
  /** Unit of a saved value. */
  unit: string;
}

const number = (value: number): string => (value >= 100 || Number.isInteger(value) ? count(Math.round(value)) : plain(value));

export const CURVES: Record<CurveField, Look> = {
  ranks_waiting: { title: "ranks waiting", axis: "Ranks", text: number, unit: "ranks" },
  ranks_in_mpi: { title: "ranks in MPI", axis: "Ranks", text: number, unit: "ranks" },
  calls_per_s: { title: "calls per second", axis: "Calls per second", text: (v) => countShort(Math.round(v)), unit: "1/s" },
  sent_bytes_per_s: { title: "bytes sent per second", axis: "Sent", text: rate, unit: "bytes/s" },
  messages_in_flight: { title: "messages in flight", axis: "Messages", text: number, unit: "messages" },
  bytes_in_flight: { title: "bytes in flight", axis: "Bytes", text: bytes, unit: "bytes" },
};

/** Colours of hosts: those of classes of calls, which are easy to distinguish. */
export const HUES = ["send", "collective", "completion", "rma", "file", "receive", "barrier", "probe"] as const;

/** The values of one curve; null where a filter leaves no data. */
export function valuesOf(curves: Curves, field: CurveField, curve: number): Float64Array | null {
  return curves.values[field]?.subarray(curve * curves.columns, (curve + 1) * curves.columns) ?? null;
}

/** The largest value of a field, at least large enough for an axis. */
export function mostOf(curves: Curves, field: CurveField): number {
  let most = 0;
  for (const value of curves.values[field] ?? []) most = Math.max(most, value);
  return most || 1;
}

/** The bin of a moment; -1 outside. */
export function binAt(curves: Curves, ns: number): number {
  const bin = Math.floor((ns - curves.from_ns) / curves.bin_ns);
  return bin >= 0 && bin < curves.columns ? bin : -1;
}
