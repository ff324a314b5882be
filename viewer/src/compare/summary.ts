/** Compares two reports: numbers of the whole run, and the findings that disappeared, stayed and appeared. Pure functions. */

import type { Finding, Report } from "../protocol/report";

export interface Line {
  title: string;
  level: number;
  unit: "ns" | "share" | "count";
  before: number | null;
  after: number | null;
  /** Whether more is better; null where neither is. */
  isMoreBetter: boolean | null;
}

export function lines(before: Report | null, after: Report | null): Line[] {
  const line = (title: string, level: number, unit: Line["unit"], isMoreBetter: boolean | null, of: (report: Report) => number | null | undefined): Line => ({
    title,
    level,
    unit,
    isMoreBetter,
    before: (before && of(before)) ?? null,
    after: (after && of(after)) ?? null,
  });
  const part = (name: "computing_ns" | "waiting_ns" | "communicating_ns") => (r: Report) => r.explanation?.time[name];
  return [
    line("Length", 0, "ns", false, (r) => r.explanation && r.explanation.scope.end_ns - r.explanation.scope.start_ns),
    line("Rank time", 0, "ns", false, (r) => r.explanation?.scope.rank_time_ns),
    line("computing", 1, "ns", null, part("computing_ns")),
    line("waiting for other ranks", 1, "ns", false, part("waiting_ns")),
    line("in MPI otherwise", 1, "ns", false, part("communicating_ns")),
    line("Iteration", 0, "ns", false, (r) => r.explanation?.iterations?.period_ns),
    line("Parallel efficiency", 0, "share", true, (r) => r.explanation?.efficiency?.parallel),
    line("Load balance", 1, "share", true, (r) => r.explanation?.efficiency?.load_balance),
    line("Communication", 1, "share", true, (r) => r.explanation?.efficiency?.communication),
    line("Serialisation", 2, "share", true, (r) => r.explanation?.efficiency?.serialisation),
    line("Transfer", 2, "share", true, (r) => r.explanation?.efficiency?.transfer),
    line("MPI calls", 0, "count", null, (r) => r.overview.calls),
    line("Ranks", 0, "count", null, (r) => r.overview.ranks),
  ].filter((l) => l.before !== null || l.after !== null);
}

export type Fate = "gone" | "stayed" | "new";

export interface FindingChange {
  id: string;
  fate: Fate;
  before: { finding: Finding; index: number } | null;
  after: { finding: Finding; index: number } | null;
  /** Cost, after minus before. */
  difference_ns: number;
}

/** Whether two findings of the same kind have the same subject: they share a call site, or neither names one that the other has. */
function isSame(a: Finding, b: Finding): boolean {
  return a.id === b.id && (a.sites.some((site) => b.sites.includes(site)) || !a.sites.length || !b.sites.length);
}

/** Findings of both, the largest change of cost first. */
export function findingChanges(before: Report | null, after: Report | null): FindingChange[] {
  const first = before?.explanation?.findings ?? [];
  const second = (after?.explanation?.findings ?? []).map((finding, index) => ({ finding, index }));
  const left = new Set(second);
  const changes: FindingChange[] = [];
  // The best partner has the same place; otherwise any remaining one of the same kind.
  const partners = first.map((finding) => {
    const found = [...left].find((s) => isSame(finding, s.finding)) ?? null;
    if (found) left.delete(found);
    return found;
  });
  first.forEach((finding, index) => {
    let partner: FindingChange["after"] = partners[index] ?? null;
    if (!partner) {
      partner = [...left].find((s) => s.finding.id === finding.id) ?? null;
      if (partner) left.delete(partner);
    }
    changes.push({
      id: finding.id,
      fate: partner ? "stayed" : "gone",
      before: { finding, index },
      after: partner,
      difference_ns: (partner?.finding.cost_ns ?? 0) - finding.cost_ns,
    });
  });
  for (const come of left) changes.push({ id: come.finding.id, fate: "new", before: null, after: come, difference_ns: come.finding.cost_ns });
  return changes.sort((a, b) => Math.abs(b.difference_ns) - Math.abs(a.difference_ns));
}
