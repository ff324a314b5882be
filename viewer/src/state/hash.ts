/** Converts the view state to the part of the address behind `#`, and back. Defaults are left out. */

import { SETTINGS, TWINS, isPane } from "../panes/registry";
import { alignText, parseAlign } from "../runs/align";
import { isWhole, numbers, parseNumbers } from "./text";
import { INITIAL, LAYERS, type Layer, NO_FILTER, type Filter, type ViewState } from "./view";

/** Instead of a window: the whole run. */
const WHOLE = "run";

function list(text: string): number[] {
  return text.split(",").map(Number).filter(isWhole);
}

function filterText(filter: Filter): string {
  return Object.entries(filter)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}:${Array.isArray(value) ? value.join(",") : String(value)}`)
    .join(";");
}

function parseFilter(text: string): Filter {
  const filter: Filter = { ...NO_FILTER };
  for (const part of text.split(";")) {
    const at = part.indexOf(":");
    const name = part.slice(0, at);
    const value = part.slice(at + 1);
    if (at < 0 || !(name in NO_FILTER)) continue;
    if (name === "ranks" || name === "peers") filter[name] = /^[\d,-]+$/.test(value) ? value : null;
    else if (name === "functions") filter.functions = list(value);
    else if (value !== "" && Number.isFinite(Number(value))) (filter as unknown as Record<string, number>)[name] = Number(value);
  }
  return filter;
}

function parsePaint(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(?<=^|,)(\d+|[a-z]+):([0-9a-f]{6})(?=,|$)/g)].map(([, key, colour]) => [key!, colour!]));
}

const place = (call: ViewState["selection"]): string => (call ? numbers([call.rank, call.row]) : "");

/** The text of each part of the address, also of defaults. */
function texts(state: ViewState): Map<string, string> {
  const all = new Map<string, string>();
  const put = (name: string, value: string): void => void all.set(name, value);
  put("page", state.page);
  put("t", state.from === null && state.isWhole ? WHOLE : numbers([state.from, state.until]));
  put("rows", numbers([state.row_from, state.row_until]));
  put("order", state.order);
  put("filter", filterText(state.filter));
  put("call", place(state.selection));
  put("area", state.area ? numbers([state.area.from, state.area.until, state.area.row_from, state.area.row_until]) : "");
  put("hidden", state.hidden.join(","));
  put("skipped", state.skipped.join(","));
  put("colour", state.colouring);
  put("paint", Object.entries(state.paint).map((chosen) => chosen.join(":")).join(","));
  put("layers", state.layers.join(","));
  put("left", state.left);
  put("right", state.right);
  put("scope", state.scope);
  for (const [pane, { write }] of SETTINGS) put(pane, write(state[pane]));
  put("at", state.moment === null ? "" : String(state.moment));
  put("twins", state.twins.join(","));
  put("about", String(state.about));
  put("other", place(state.other));
  put("align", alignText(state.align));
  put("finding", state.finding === null ? "" : String(state.finding));
  return all;
}

const AT_FIRST = texts(INITIAL);

/** The address's part for the view, without `#`. */
export function toHash(state: ViewState): string {
  return [...texts(state)]
    // For an address without a page, the runs decide on the initial page.
    .filter(([name, value]) => name === "page" || value !== AT_FIRST.get(name))
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%(3A|3B|2C|7E)/g, decodeURIComponent)}`)
    .join("&");
}

/** `1e3` is `1000`, and filters may be in any order. */
const canonical = (text: string): string =>
  text
    .split(";")
    .map((part) => part.replace(/[^~,:]+/g, (word) => (Number.isFinite(Number(word)) ? String(Number(word)) : word)))
    .sort()
    .join(";");

/** The invalid or partly invalid parts of an address, unchanged. */
export function unread(hash: string): string[] {
  const wrong = (part: string): boolean => {
    const [name = "", value] = decoded(part) ?? [];
    // A valid part comes back unchanged.
    return value === undefined || !AT_FIRST.has(name) || canonical(texts(fromHash(part)).get(name)!) !== canonical(value);
  };
  return partsOf(hash).filter(wrong);
}

const partsOf = (hash: string): string[] => hash.replace(/^#/, "").split("&").filter(Boolean);

/** Name and value of a part; null without a value or with a broken escape. */
function decoded(part: string): [name: string, value: string] | null {
  const at = part.indexOf("=");
  if (at < 0) return null;
  try {
    return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
  } catch {
    return null;
  }
}

/** The state of an address. Invalid parts keep their default. */
export function fromHash(hash: string): ViewState {
  const state: ViewState = { ...INITIAL };
  const found = new Map(partsOf(hash).map(decoded).filter((part) => part !== null));
  const get = (name: string): string => found.get(name) ?? "";
  const page = get("page");
  if (page === "views" || page === "compare") state.page = page;
  state.isWhole = get("t") === WHOLE;
  const window = parseNumbers(get("t"), 2);
  if (window && window[0] !== null && window[1] !== null && window[0]! < window[1]!) {
    state.from = window[0]!;
    state.until = window[1]!;
  }
  const rows = parseNumbers(get("rows"), 2);
  if (rows && rows[0] !== null && rows[1] !== null && rows[0]! < rows[1]!) {
    state.row_from = rows[0]!;
    state.row_until = rows[1]!;
  }
  state.order = get("order");
  if (found.has("filter")) state.filter = parseFilter(get("filter"));
  const call = parseNumbers(get("call"), 2);
  if (call && isWhole(call[0]) && isWhole(call[1])) state.selection = { rank: call[0], row: call[1] };
  const area = parseNumbers(get("area"), 4);
  if (area && typeof area[0] === "number" && typeof area[1] === "number" && area[0] < area[1])
    state.area = { from: area[0], until: area[1], row_from: area[2] ?? null, row_until: area[3] ?? null };
  if (get("hidden")) state.hidden = list(get("hidden"));
  if (get("skipped")) state.skipped = list(get("skipped"));
  if (get("colour") === "class") state.colouring = "class";
  state.paint = parsePaint(get("paint"));
  if (found.has("layers")) state.layers = get("layers").split(",").filter((l): l is Layer => (LAYERS as readonly string[]).includes(l));
  const left = get("left");
  const right = get("right");
  if (isPane(left)) state.left = left;
  if (isPane(right)) state.right = right;
  if (get("scope") === "run") state.scope = "run";
  for (const [pane, { read }] of SETTINGS) {
    const settings = found.has(pane) ? read(get(pane)) : null;
    if (settings !== null) Object.assign(state, { [pane]: settings });
  }
  if (found.has("at") && isWhole(Number(get("at")))) state.moment = Number(get("at"));
  if (get("twins")) state.twins = get("twins").split(",").filter((twin) => TWINS.includes(twin));
  if (get("about") === "1") state.about = 1;
  const other = parseNumbers(get("other"), 2);
  if (other && isWhole(other[0]) && isWhole(other[1])) state.other = { rank: other[0], row: other[1] };
  if (get("align")) state.align = parseAlign(get("align"));
  if (found.has("finding") && isWhole(Number(get("finding")))) state.finding = Number(get("finding"));
  return state;
}
