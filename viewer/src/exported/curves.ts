/** Curves over time from the curves in the page: of the whole run, and of the window with individual calls. */

import { decodeFrame, encodeFrame } from "../protocol/frame";
import type { Column } from "../protocol/frame";
import type { Pack } from "./pack";

interface Head {
  bin_ns: number;
  from_ns: number;
  columns_count: number;
  hosts: (number | null)[];
}

/** Frame `curves`, as the server would send it: the finest bins that cover the requested range; null if there are none. */
export function curvesFrame(pack: Pack, by_host: boolean, from: number, until: number): ArrayBuffer | null {
  let best: { head: Head; columns: Map<string, Column> } | null = null;
  for (const of of ["run", "window"]) {
    const buffer = pack.buffer(`curves/${of}/${by_host ? 1 : 0}`) ?? pack.buffer(`curves/${of}/0`);
    if (!buffer) continue;
    const found = decodeFrame<Head>(buffer);
    const { from_ns, bin_ns, columns_count } = found.head;
    const isWhole = of === "run" || (from_ns <= from && from_ns + columns_count * bin_ns >= until);
    if (isWhole && (!best || bin_ns < best.head.bin_ns)) best = found;
  }
  if (!best) return null;
  const { bin_ns, from_ns, columns_count, hosts } = best.head;
  const first = Math.max(0, Math.min(columns_count - 1, Math.floor((from - from_ns) / bin_ns)));
  const last = Math.max(first + 1, Math.min(columns_count, Math.ceil((until - from_ns) / bin_ns)));
  const cut: Record<string, Column> = {};
  for (const [name, values] of best.columns) {
    const to = new Float64Array(hosts.length * (last - first));
    hosts.forEach((_, host) => to.set(values.subarray(host * columns_count + first, host * columns_count + last) as Float64Array, host * (last - first)));
    cut[name] = to;
  }
  const { columns: _, ...head } = best.head as Head & { columns?: unknown };
  return encodeFrame({ ...head, kind: "curves", from_ns: from_ns + first * bin_ns, columns_count: last - first, has_finer: false }, cut);
}
