/** Settings that the browser stores for the next visit. A sandboxed frame or a local file may have no storage. */

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Without storage it holds for this page only.
  }
}
