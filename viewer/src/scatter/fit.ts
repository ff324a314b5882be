/** The line of latency and bandwidth for durations over bytes. */

import { rate, significant, time } from "../format";
import type { Scatter } from "../protocol/types";

type Fit = NonNullable<Scatter["fit"]>;

/** A line fits where size explains at least four fifths of the variance of the durations, and more bytes take longer. */
const LEAST_R2 = 0.8;

export const isFitting = (fit: Fit): boolean => fit.bytes_per_ns > 0 && fit.r2 >= LEAST_R2;

/** The line in words, or why there is none. */
export function fitText(fit: Scatter["fit"]): string {
  if (!fit) return "";
  if (!isFitting(fit)) return ` · no line fits: R² ${significant(fit.r2)}${fit.bytes_per_ns > 0 ? ` is below ${LEAST_R2}` : ", but the slope is negative"}`;
  return ` · fit ${time(Math.max(0, fit.latency_ns))} + bytes ÷ ${rate(fit.bytes_per_ns * 1e9)} (R² ${significant(fit.r2)})`;
}
