/** Aligns both runs at the selected calls. */

import type { App } from "../app";

/** Aligns the starts of the selected calls. */
export function alignAtSelected(app: App): void {
  const moments = app.comparison.apps.map((a) => a.detail?.start_ns);
  const [a, b] = moments;
  if (a === undefined || b === undefined) {
    app.say("Select a call in each run first.");
      return;
  }
  app.comparison.store.set({ align: { by: "at", moments: [Math.round(a), Math.round(b)] } });
  app.say("Aligned at the selected calls.");
}
