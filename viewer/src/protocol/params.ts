/** Parameters of requests, in one place. */

/** The restrictions of a request: the same everywhere. */
export interface Restriction {
  from?: number | null;
  until?: number | null;
  ranks?: string | null;
  functions?: readonly number[] | null;
  comm?: number | null;
  site?: number | null;
  region?: number | null;
  peer?: number | null;
  peers?: string | null;
  tag?: number | null;
  bytes_min?: number | null;
  bytes_max?: number | null;
  duration_min?: number | null;
  duration_max?: number | null;
  host?: number | null;
  iteration?: number | null;
  thread?: number | null;
}

export type Value = string | number | boolean | readonly number[] | null | undefined;

/** A query string without null, undefined or empty values. Names are sorted, so that the same request always has the same address. */
export function query(parameters: object): string {
  const parts: string[] = [];
  for (const [name, value] of (Object.entries(parameters) as [string, Value][]).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === null || value === undefined || value === "") continue;
    let text: string;
    if (Array.isArray(value)) {
      if (value.length === 0) continue;
      text = value.join(",");
    } else if (typeof value === "boolean") text = value ? "1" : "0";
    else text = String(value);
    parts.push(`${name}=${encodeURIComponent(text)}`);
  }
  return parts.length ? `?${parts.join("&")}` : "";
}
