/** The text of an order, part by part (docs/viewer/protocol.md). */

type Part = "ranks" | "pin" | "group" | "sort";

const PARTS: readonly Part[] = ["ranks", "pin", "group", "sort"];

export function partOf(order: string, part: Part): string | null {
  const found = order.split(";").find((text) => text.startsWith(`${part}:`));
  return found === undefined ? null : found.slice(part.length + 1);
}

/** The same order with another value of one part; null takes it out. */
export function withPart(order: string, part: Part, value: string | null): string {
  return PARTS.map((name) => [name, name === part ? value : partOf(order, name)] as const)
    .filter(([, text]) => text !== null && text !== "")
    .map(([name, text]) => `${name}:${text}`)
    .join(";");
}
