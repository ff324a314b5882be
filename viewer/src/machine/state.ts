/** What the page of machine profiles shows, as the part of its address behind `#`. */

export const PANES = ["times", "pairs", "steps", "staircase", "bandwidth", "latency", "roofline", "by-ranks", "by-partners", "parameters"] as const;
export type PaneId = (typeof PANES)[number];

export interface MachineState {
  /** The curves' experiment and axis; empty: the first one. */
  group: string;
  y: "time" | "rate";
  isLogX: boolean;
  isLogY: boolean;
  /** Keys of the lines that a pane shows; without an entry, those that it chooses itself. */
  shown: Partial<Record<PaneId, readonly string[]>>;
  /** Heat map: the number, and the message size; null for the smallest. */
  of: "time" | "rate";
  size: number | null;
  /** Panes that show their numbers as a table. */
  twins: readonly PaneId[];
}

export const INITIAL: MachineState = { group: "", y: "time", isLogX: true, isLogY: true, shown: {}, of: "time", size: null, twins: [] };

const isPane = (text: string): text is PaneId => (PANES as readonly string[]).includes(text);
const NONE = "-";

export function toHash(state: MachineState): string {
  const parts: [name: string, value: string][] = [];
  const put = (name: string, value: string, first: string): void => void (value !== first && parts.push([name, value]));
  put("curves", state.group, INITIAL.group);
  put("y", state.y, INITIAL.y);
  put("log", `${state.isLogX ? "x" : ""}${state.isLogY ? "y" : ""}` || NONE, "xy");
  put("of", state.of, INITIAL.of);
  put("size", state.size === null ? "" : String(state.size), "");
  put("twins", state.twins.join(","), "");
  for (const [pane, keys] of Object.entries(state.shown)) parts.push([`shown.${pane}`, keys.map(encodeURIComponent).join(",") || NONE]);
  // Names of series contain no `~`, but commas between them must remain.
  return parts.map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%2C/g, ",")}`).join("&");
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The state of an address, and its invalid parts, which are ignored. */
export function fromHash(hash: string): { state: MachineState; unread: string[] } {
  const state: MachineState = { ...INITIAL, shown: {} };
  const unread: string[] = [];
  for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const at = part.indexOf("=");
    const value = decoded(part.slice(at + 1));
    if (at < 0 || value === null || !read(state, part.slice(0, at), value)) unread.push(part);
  }
  return { state, unread };
}

/** Whether the part is valid. */
function read(state: MachineState, name: string, value: string): boolean {
  const pane = name.startsWith("shown.") ? name.slice(6) : null;
  if (pane !== null) {
    const keys = value === NONE ? [] : value.split(",").map(decoded);
    if (!isPane(pane) || !keys.every((key) => key !== null)) return false;
    state.shown = { ...state.shown, [pane]: keys };
    return true;
  }
  switch (name) {
    case "curves":
      state.group = value;
      return true;
    case "y":
    case "of":
      if (value !== "time" && value !== "rate") return false;
      state[name] = value;
      return true;
    case "log":
      if (![NONE, "x", "y", "xy"].includes(value)) return false;
      state.isLogX = value.includes("x");
      state.isLogY = value.includes("y");
      return true;
    case "size":
      if (!/^\d+$/.test(value)) return false;
      state.size = Number(value);
      return true;
    case "twins": {
      const twins = value.split(",");
      if (!twins.every(isPane)) return false;
      state.twins = twins;
      return true;
    }
    default:
      return false;
  }
}
