/** The run as a self-contained page, with the visible calls. */

import type { App } from "../app";
import { bytes } from "../format";
import { viewOf } from "../notes/bookmark";
import { download, fileName } from "../save/file";

export async function exportView(app: App): Promise<void> {
  app.store.flush();
  app.say("Exporting \u2026");
  const { from, until } = app.window;
  const view = viewOf(app, { order: "" });
  try {
    const file = await app.client.export({ from: Math.max(0, Math.floor(from)), until: Math.ceil(until), view });
    download(new Blob([file], { type: "text/html" }), fileName(app.run?.name, ".html"));
    app.say(`Exported: ${bytes(file.byteLength)}. The page is in the browser's downloads.`);
  } catch (error) {
    app.fail(error);
  }
}
