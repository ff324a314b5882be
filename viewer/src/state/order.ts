/** The text of an order, part by part (docs/viewer/protocol.md). */

type Part = "ranks" | "pin" | "group" | "fold" | "sort";

const PARTS: readonly Part[] = ["ranks", "pin", "group", "fold", "sort"];

export function partOf(order: string, part: Part): string | null {
  const found = order.split(";").find((text) => text.startsWith(`${part}:`));
  return found === undefined ? null : found.slice(part.length + 1);
}

/** The same order with another value of one part; null removes it. Folded groups are removed with the grouping that numbers them. */
export function withPart(order: string, part: Part, value: string | null): string {
  const isRegrouped = part === "group" && value !== partOf(order, "group");
  return PARTS.map((name) => [name, name === part ? value : name === "fold" && isRegrouped ? null : partOf(order, name)] as const)
    .filter(([, text]) => text !== null && text !== "")
    .map(([name, text]) => `${name}:${text}`)
    .join(";");
}
