/** Memory of one process, from the parameters of `start` whose names end in a number: of ranks in the job, or of ranks with which it has exchanged messages. */

import { bytes } from "../format";
import { firstKeys, xAxis } from "./curves";
import type { Figure, Line } from "./figure";
import type { Machine } from "./profile";

/** Parameters that are one line: the beginning of their names, which a number follows, and the line's name. */
type Family = readonly [prefix: string, name: string];

const BY_RANKS: readonly Family[] = [
  ["memory_after_init_ranks_", "after MPI_Init"],
  ["memory_connected_ranks_", "after a first message to and from every rank"],
  ["memory_resident_ranks_", "the same, shared memory in full"],
];
const BY_PARTNERS: readonly Family[] = [["memory_partners_", "growth by first messages"]];

/** A single number is no line: it is among the parameters. */
function figureOf(machines: readonly Machine[], families: readonly Family[], name: string, title: string, isLog: boolean): Figure | null {
  const lines = machines.flatMap(({ profile }, machine) =>
    families.map(([key, name]): Line => {
      const points = profile.parameters
        .filter(({ id }) => id.startsWith(key))
        .map(({ id, value: y, low, high, disturbed }) => ({ x: Number(id.slice(key.length)), y, low, high, note: disturbed ? "machine not quiet" : "" }));
      return { key, name, machine, points: points.sort((a, b) => a.x - b.x), hasSigns: true };
    }),
  );
  const found = lines.filter(({ points }) => points.length > 1);
  // From 0, so that a part looks like a part.
  const y = { title, isLog: false, isBinary: true, text: bytes, unit: "bytes" };
  return found.length ? { x: xAxis({ name, unit: "ranks" }, isLog), y, lines: found, marks: [], first: firstKeys(found) } : null;
}

export const byRanks = (machines: readonly Machine[]): Figure | null => figureOf(machines, BY_RANKS, "ranks of the job", "Memory of one process", true);

export const byPartners = (machines: readonly Machine[]): Figure | null =>
  figureOf(machines, BY_PARTNERS, "other ranks with which it has exchanged a message", "Growth of its resident memory", false);
