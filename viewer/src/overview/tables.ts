/** The tables of the overview as they are saved: with all rows, also those that the page does not show. */

import type { App } from "../app";
import { rankList } from "../format";
import type { CheckCall, CheckFinding, Report } from "../protocol/report";
import type { FunctionInfo } from "../protocol/types";
import type { CsvColumn, Table, Value } from "../save/csv";

/** As in the verdict and in `mpiscope report`: the time that shares refer to excludes MPI_Init and MPI_Finalize. */
export const surrounds = ({ name }: { name: string }): boolean => /^MPI_(Init|Init_thread|Finalize|Session_init|Session_finalize)$/.test(name);

type RankEnd = Report["ranks"][number];

/** Ranks that ended abnormally. */
export const oddRanks = (report: Report | null): RankEnd[] =>
  !report || report.overview.all_normal ? [] : report.ranks.filter((rank) => rank.fate.kind !== "finalized" || rank.in_flight.length);

export const endOf = ({ fate }: RankEnd): string => fate.signal_name ?? fate.kind.replace(/_/g, " ");

/** One row per item, one column per property. */
export function tableOf<T>(rows: readonly T[], columns: readonly (readonly [title: string, value: (row: T) => Value, unit?: string])[]): Table | null {
  if (!rows.length) return null;
  return { columns: columns.map(([title, value, unit = ""]): CsvColumn => ({ title, unit, cell: () => "", value: (i) => value(rows[i]!) })), count: rows.length };
}

const functionsTable = ({ run, report }: App): Table | null => {
  const whole = report?.overview.rank_time_ns ?? 0;
  return tableOf<FunctionInfo>([...(run?.functions ?? [])].sort((a, b) => b.time_ns - a.time_ns), [
    ["Function", (f) => f.name],
    ["Calls", (f) => f.calls],
    ["Time", (f) => f.time_ns, "ns"],
    ["Time without MPI inside", (f) => f.exclusive_ns, "ns"],
    ["Bytes", (f) => f.bytes, "bytes"],
    ["Share of rank time", (f) => (surrounds(f) || whole <= 0 ? null : f.time_ns / whole)],
  ]);
};

const endsTable = ({ report }: App): Table | null =>
  tableOf(oddRanks(report), [
    ["Rank", (rank) => rank.rank],
    ["Host", (rank) => rank.host],
    ["End", endOf],
    ["Last call", (rank) => rank.in_flight.map(({ call, site }) => (site ? `${call} ${site}` : call)).join("; ")],
  ]);

const findingsTable = ({ report }: App): Table | null =>
  tableOf(report?.explanation?.findings ?? [], [
    ["Finding", (f) => f.id],
    ["Title", (f) => f.title],
    ["Cost", (f) => f.cost_ns, "ns"],
    ["Share of rank time", (f) => f.share],
    ["Saves", (f) => f.savable_ns, "ns"],
    ["Gains (share of the run)", (f) => f.gain?.gain ?? null],
    ["Gains at least", (f) => f.gain?.low ?? null],
    ["Gains at most", (f) => f.gain?.high ?? null],
    ["Change", (f) => f.gain?.change ?? null],
    ["Caused by", (f) => f.caused_by],
    ["Confidence", (f) => f.confidence],
    ["Ranks", (f) => rankList(f.ranks)],
    ["Ranks that cause it", (f) => rankList(f.cause_ranks)],
    ["Text", (f) => f.text],
    ["Advice", (f) => f.advice],
  ]);

/** One row per call that a finding names. */
const checksTable = ({ report }: App): Table | null => {
  const found = (report?.checks?.findings ?? []).filter((finding) => !finding.suppressed);
  const rows = found.flatMap((finding) => (finding.parties.length ? finding.parties : [null]).map((call) => ({ finding, call })));
  const of = (value: (finding: CheckFinding) => Value) => ({ finding }: { finding: CheckFinding }) => value(finding);
  const by = (value: (call: CheckCall) => Value) => ({ call }: { call: CheckCall | null }) => call && value(call);
  return tableOf(rows, [
    ["Finding", of((f) => f.id)],
    ["Severity", of((f) => f.severity)],
    ["Confidence", of((f) => f.confidence)],
    ["Title", of((f) => f.title)],
    ["Times", of((f) => f.count)],
    ["Rank", by((call) => call.rank)],
    ["Function", by((call) => call.function)],
    ["Role", by((call) => call.role)],
    ["File", by((call) => call.file)],
    ["Line", by((call) => call.line)],
    ["Moment", by((call) => call.at_ns), "ns"],
    ["Text", of((f) => f.text)],
    ["Advice", of((f) => f.advice)],
    ["MPI-5.0 section", of((f) => f.section)],
  ]);
};

export const OVERVIEW_TABLES = {
  functions: { title: "functions by time in MPI", table: functionsTable },
  ends: { title: "how ranks ended", table: endsTable },
  findings: { title: "findings", table: findingsTable },
  checks: { title: "findings of the check", table: checksTable },
} as const;
