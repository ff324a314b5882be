/** An error as the page shows it: what happened, and what to do next. */
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

/** Converts any failure. */
export function asViewError(error: unknown): ViewError {
  if (error instanceof ViewError) return error;
  if (error instanceof TypeError)
    return new ViewError(0, "mpiscope does not answer", "Check in the terminal whether `mpiscope view` is still running. If it has ended, start it again and open the address that it prints.");
  return new ViewError(0, error instanceof Error ? error.message : String(error), "Reload this page.");
}
