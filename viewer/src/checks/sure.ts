import type { CheckFinding } from "../protocol/report";

/** Proved by the standard for this execution. */
export const isSure = (finding: CheckFinding): boolean => finding.confidence === "certain" && finding.severity !== "hint";

const SEVERITIES = ["error", "warning", "hint"];

/** Certain findings before possible ones, errors before warnings; else in the order of the report. */
export const worstFirst = (a: CheckFinding, b: CheckFinding): number =>
  Number(isSure(b)) - Number(isSure(a)) || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
