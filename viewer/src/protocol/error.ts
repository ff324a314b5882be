/** What went wrong, and what to do next, for people. */
export class ViewError extends Error {
  readonly status: number;
  readonly next: string;
  constructor(status: number, what: string, next: string) {
    super(what);
    this.status = status;
    this.next = next;
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Any failure as one that can be shown. */
export function asViewError(error: unknown): ViewError {
  if (error instanceof ViewError) return error;
  if (error instanceof TypeError)
    return new ViewError(0, "mpiscope does not answer", "See whether `mpiscope view` still runs in its terminal; start it again and reload this page.");
  return new ViewError(0, error instanceof Error ? error.message : String(error), "Reload this page.");
}
