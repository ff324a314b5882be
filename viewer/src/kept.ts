/** What the browser keeps for the next time. A page in a frame without rights, or a file, may have nowhere to keep it. */

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
    // Then it holds for this page only.
  }
}
