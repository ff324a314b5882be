/** A picture with the context for readers without the page: meaning of its colours, run and time range. */

import type { App } from "../app";
import type { Drawing } from "../draw/drawing";
import { moment, time } from "../format";
import { isFiltered } from "../state/view";
import { FONT_SMALL, INK, type Ink } from "../timeline/theme";
import type { Key, Picture, SavingPage } from "./saver";

const LINE_PX = 16;
const EDGE_PX = 8;
const SQUARE_PX = 9;

/** The content of a pane, in words. */
export function caption(app: App, title: string): string {
  const { state } = app.store;
  const { from, until } = app.scope;
  const window = from !== null && from !== undefined && until !== null && until !== undefined ? `${moment(from, (until - from) / 1000)} + ${time(until - from)}` : "whole run";
  const { area } = state;
  return [app.run?.name, title, area ? `selected area: ${window}` : window, isFiltered(state.filter) || state.hidden.length ? "filtered" : ""].filter(Boolean).join(" · ");
}

/** The keys, in as many lines as needed. */
export function lines(keys: readonly Key[], room: number, widthOf: (text: string) => number): { key: Key; x: number; line: number }[] {
  let x = 0;
  let line = 0;
  return keys.map((key) => {
    const width = SQUARE_PX + 4 + widthOf(key.text) + 14;
    if (x > 0 && x + width > room) {
      x = 0;
      line++;
    }
    const at = { key, x, line };
    x += width;
    return at;
  });
}

export function sheet(picture: Picture, text: string, ink: Ink, widthOf: (text: string, font: string) => number): Picture {
  const { width, height } = picture;
  const keys = lines(picture.keys ?? [], width - 2 * EDGE_PX, (key) => widthOf(key, FONT_SMALL));
  const below = ((keys[keys.length - 1]?.line ?? -1) + 2) * LINE_PX + 4;
  return {
    width,
    height: height + below,
    draw(c: Drawing) {
      c.fillStyle = ink.panel;
      c.fillRect(0, 0, width, height + below);
      c.save();
      c.beginPath();
      c.rect(0, 0, width, height);
      c.clip();
      picture.draw(c);
      c.restore();
      c.font = FONT_SMALL;
      c.textAlign = "left";
      c.textBaseline = "middle";
      for (const { key, x, line } of keys) {
        const y = height + 4 + (line + 0.5) * LINE_PX;
        c.fillStyle = key.colour;
        c.fillRect(EDGE_PX + x, y - SQUARE_PX / 2, SQUARE_PX, SQUARE_PX);
        c.fillStyle = ink.text;
        c.fillText(key.text, EDGE_PX + x + SQUARE_PX + 4, y);
      }
      c.fillStyle = ink.muted;
      c.fillText(text, EDGE_PX, height + below - LINE_PX / 2, width - 2 * EDGE_PX);
    },
  };
}

export const inkOf = (app: Pick<SavingPage, "theme">): Ink => INK[app.theme];
