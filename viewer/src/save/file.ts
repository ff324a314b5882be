/** Gives the user a file, as a download of the browser. */

export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A name that is safe on every system. */
export const fileName = (run: string | undefined, end: string): string => `${(run ?? "run").replace(/[^\w.-]/g, "_").replace(/^\.+/, "")}${end}`;
