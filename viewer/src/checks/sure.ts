import type { CheckFinding } from "../protocol/report";

/** Follows from the standard, for this execution. */
export const isSure = (finding: CheckFinding): boolean => finding.confidence === "certain" && finding.severity !== "hint";

const SEVERITIES = ["error", "warning", "hint"];

/** What is certain before what is possible, errors before warnings; else in the order of the report. */
export const worstFirst = (a: CheckFinding, b: CheckFinding): number =>
  Number(isSure(b)) - Number(isSure(a)) || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
