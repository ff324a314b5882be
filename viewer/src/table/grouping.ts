/** From a group of calls to the filter that selects exactly these. */

import type { GroupKey } from "../protocol/types";
import type { Filter } from "../state/view";

/** Fields that calls can be grouped by, with their names. */
export const GROUP_FIELDS: readonly { id: string; title: string }[] = [
  { id: "function", title: "Function" },
  { id: "site", title: "Call site" },
  { id: "rank", title: "Rank" },
  { id: "host", title: "Host" },
  { id: "peer", title: "Peer" },
  { id: "comm", title: "Communicator" },
  { id: "size_bin", title: "Size bin" },
  { id: "bytes", title: "Bytes" },
  { id: "tag", title: "Tag" },
  { id: "region", title: "Region" },
  { id: "iteration", title: "Iteration" },
  { id: "thread", title: "Thread" },
  { id: "class", title: "Class" },
];

export const fieldTitle = (id: string): string => GROUP_FIELDS.find((f) => f.id === id)?.title ?? id;

/** The change of filter for a key of one field; null where calls cannot be filtered by it. */
export function filterFor(field: string, key: GroupKey, classFunctions: (id: number) => number[]): Partial<Filter> | null {
  const { id } = key;
  if (id === null) return null;
  switch (field) {
    case "function":
      return { functions: [id] };
    case "class":
      return { functions: classFunctions(id) };
    case "rank":
      return { ranks: String(id) };
    case "bytes":
      return { bytes_min: id, bytes_max: id };
    case "size_bin":
      return sizeBin(id);
    case "host":
    case "peer":
    case "comm":
    case "tag":
    case "site":
    case "region":
    case "iteration":
    case "thread":
      return { [field]: id };
    default:
      return null;
  }
}

/** Larger values are in the last bin, too. */
const LAST_BIN = 31;

/** Bin 0 is 0 bytes, bin n from 2ⁿ⁻¹ bytes to below 2ⁿ. */
function sizeBin(id: number): Partial<Filter> {
  if (id >= LAST_BIN) return { bytes_min: 2 ** (LAST_BIN - 1), bytes_max: null };
  return id <= 0 ? { bytes_min: 0, bytes_max: 0 } : { bytes_min: 2 ** (id - 1), bytes_max: 2 ** id - 1 };
}
