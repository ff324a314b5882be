/** The value of findings, and their order: causes first, as in `mpiscope report`. */

import { share, time } from "../format";
import type { Finding } from "../protocol/report";

/** Smaller savings are not worth a change: this share of the rank time, as `Scope::threshold_ns` of the analysis. */
const WORTH = 0.01;

/** A finding with its place in the report. */
export interface Listed {
  finding: Finding;
  index: number;
}

/** A cause and its symptoms. */
export interface Root extends Listed {
  symptoms: Listed[];
}

export interface Arranged {
  roots: Root[];
  /** Changing only one of these saves almost nothing: the time moves to the next call. */
  moving: Root[];
}

/** The findings of a report in its order, symptoms with their causes. */
export function arranged(findings: readonly Finding[], rankTimeNs: number): Arranged {
  const all = findings.map((finding, index) => ({ finding, index }));
  const ids = new Set(findings.filter((f) => f.caused_by === null).map((f) => f.id));
  const isRoot = (f: Finding): boolean => f.caused_by === null || !ids.has(f.caused_by);
  const roots = all.filter(({ finding }) => isRoot(finding));
  // If several findings have the same id, the first is the cause.
  const first = new Map([...roots].reverse().map(({ finding, index }) => [finding.id, index]));
  const whole: Root[] = roots.map((root) => ({
    ...root,
    symptoms: first.get(root.finding.id) === root.index ? all.filter(({ finding }) => !isRoot(finding) && finding.caused_by === root.finding.id) : [],
  }));
  const isWorthIt = ({ finding }: Root): boolean => (saving(finding, rankTimeNs) ?? 1) >= WORTH;
  return { roots: whole.filter(isWorthIt), moving: whole.filter((root) => !isWorthIt(root)) };
}

/** The share that a change saves: by the model if it was used (an interval with 0 is no gain), otherwise by replay; null if it is unknown. */
export function saving({ gain, savable_ns }: Finding, rankTimeNs: number): number | null {
  if (gain) return gain.low > 0 ? gain.gain : 0;
  return savable_ns === null ? null : savable_ns / Math.max(1, rankTimeNs);
}

/** The saving of a change, or, where it is unknown, the cost of the finding. */
export function worth(finding: Finding, rankTimeNs: number): { label: string; share: string; also: string[] } {
  const { gain, share: cost, cost_ns, is_bound } = finding;
  const saved = saving(finding, rankTimeNs);
  if (saved === null) return { label: "costs", share: share(cost), also: [time(cost_ns)] };
  const label = gain ? "gains" : is_bound ? "saves at most" : "saves";
  const interval = gain && saved > 0 ? [`${(gain.low * 100).toFixed(1)}–${share(gain.high)},`] : [];
  return { label, share: share(saved), also: [...interval, `costs ${share(cost)},`, time(cost_ns)] };
}
