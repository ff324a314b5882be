/** A file for the user, put where the browser puts downloads. */

export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A name that no system takes for more than a name. */
export const fileName = (run: string | undefined, end: string): string => `${(run ?? "run").replace(/[^\w.-]/g, "_").replace(/^\.+/, "")}${end}`;
