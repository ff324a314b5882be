import type { CheckFinding } from "../protocol/report";

/** Follows from the standard, for this execution. */
export const isSure = (finding: CheckFinding): boolean => finding.confidence === "certain" && finding.severity !== "hint";
