/** Parses a destination: a time, ranks or iterations. Pure functions. */

export type Place =
  /** Without `until`: a moment. */
  | { kind: "time"; from: number; until: number | null }
  /** Numbers in MPI_COMM_WORLD. */
  | { kind: "ranks"; ranks: number[]; isOne: boolean }
  | { kind: "iterations"; first: number; last: number };

const UNITS: readonly [names: RegExp, ns: number][] = [
  [/^h(ours?)?$/, 3600e9],
  [/^m(in(utes?)?)?$/, 60e9],
  [/^s(ec(onds?)?)?$/, 1e9],
  [/^ms$/, 1e6],
  [/^[uµμ]s$/, 1e3],
  [/^ns$/, 1],
];

const PART = /(\d+(?:[.,]\d+)?|[.,]\d+)\s*([a-zµμ]+)\s*/y;

/** `12.5 s`, `3.2ms`, `1 min 3 s` in ns; null for any other text. */
export function parseTime(text: string): number | null {
  // Times on the page have thin spaces between digits.
  const rest = text.trim().toLowerCase().replace(/[\u2009\u202f]/g, "");
  if (!rest) return null;
  let [at, sum] = [0, 0];
  let before = Infinity;
  while (at < rest.length) {
    PART.lastIndex = at;
    const part = PART.exec(rest);
    const unit = part && UNITS.find(([names]) => names.test(part[2]!))?.[1];
    // From large to small, each once.
    if (!part || !unit || unit >= before) return null;
    before = unit;
    sum += Number(part[1]!.replace(",", ".")) * unit;
    at = PART.lastIndex;
  }
  return Math.round(sum);
}

const TO = String.raw`\s*(?:-|–|\.\.|\bto\b)\s*`;
const NUMBERS = new RegExp(`^(\\d{1,9})(?:${TO}(\\d{1,9}))?$`);
const MOST_RANKS = 1_000_000;

function times(text: string): Place | null {
  const moment = parseTime(text);
  if (moment !== null) return { kind: "time", from: moment, until: null };
  for (const [at, length] of [...text.matchAll(new RegExp(TO, "g"))].map((m) => [m.index, m[0].length] as const)) {
    const last = text.slice(at + length);
    // `12..13 s`: the unit of both.
    const unit = /[a-zµμ]+\s*$/i.exec(last)?.[0] ?? "";
    const first = text.slice(0, at);
    const [from, until] = [parseTime(first) ?? parseTime(first + unit), parseTime(last)];
    if (from !== null && until !== null && until > from) return { kind: "time", from, until };
  }
  return null;
}

function ranks(text: string): Place | null {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const match = NUMBERS.exec(part.trim());
    const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (!match || last < first || last - first > MOST_RANKS) return null;
    for (let rank = first; rank <= last; rank++) found.add(rank);
  }
  return { kind: "ranks", ranks: [...found], isOne: found.size === 1 };
}

function iterations(text: string): Place | null {
  const match = NUMBERS.exec(text);
  const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
  return match && last >= first ? { kind: "iterations", first, last } : null;
}

const some = (...places: (Place | null)[]): Place[] => places.filter((place) => place !== null);

/** The possible meanings of a text, the most likely first; empty if it names no place. A number without a unit is a rank or an iteration. */
export function parsePlaces(text: string): Place[] {
  const [, word, rest] = /^(?:go\s*to\s+)?(?:(ranks?|iterations?|iter|time)\b)?\s*(.*)$/.exec(text.trim().toLowerCase())!;
  if (!rest) return [];
  if (word === "time") return some(times(rest));
  if (word?.startsWith("rank")) return some(ranks(rest));
  if (word) return some(iterations(rest));
  return some(times(rest), ranks(rest), iterations(rest));
}

/** Whether the text is the start of a destination. */
export const isBegun = (text: string): boolean => /^\s*(go\s*to\b|(ranks?|iterations?|iter|time)\s*$|[\d.,]+\s*[a-zµμ]{0,3}\s*$)/i.test(text);

export const EXAMPLES = "a time (12.5 s, 1 min 3 s, 2 s..3 s), ranks (rank 7, ranks 0-15) or an iteration (iteration 184)";
