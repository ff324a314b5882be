/** Whether the axis of a field was logarithmic when it was last chosen: stored for the next time. */

import { keep, kept } from "./kept";
import { INITIAL, type ViewState } from "./state/view";

const KEY = "mpiscope.log.";

export function lastScale(field: string, otherwise: boolean): boolean {
  const last = kept(KEY + field);
  return last === null ? otherwise : last === "1";
}

export const keepScale = (field: string, isLog: boolean): void => keep(KEY + field, isLog ? "1" : "0");

/** The plots of a view that the address does not describe. */
export function lastScales(): Pick<ViewState, "scatter" | "histogram"> {
  const { scatter: s, histogram: h } = INITIAL;
  return {
    scatter: { ...s, x_log: lastScale(s.x, s.x_log), y_log: lastScale(s.y, s.y_log) },
    histogram: { ...h, is_log: lastScale(h.field, h.is_log) },
  };
}
