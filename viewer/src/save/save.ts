/** A pane as a file: the picture in pixels or in lines, or its table. */

import { browserPaper, SvgDrawing } from "../draw/svg";
import { bytes, count } from "../format";
import { csv, type Table } from "./csv";
import { download, fileName } from "./file";
import { type Format, type Picture, type SavingPage, saverOf } from "./saver";
import { inkOf, sheet } from "./sheet";

/** A picture for a page or a slide: at least twice the resolution of a plain screen. */
const LEAST_RATIO = 2;

async function png({ width, height, draw }: Picture): Promise<Blob> {
  const ratio = Math.max(LEAST_RATIO, devicePixelRatio || 1);
  const canvas = new OffscreenCanvas(Math.round(width * ratio), Math.round(height * ratio));
  const c = canvas.getContext("2d", { alpha: false })!;
  c.scale(ratio, ratio);
  draw(c);
  return canvas.convertToBlob({ type: "image/png" });
}

interface Content {
  blob: Blob;
  /** What is missing, in words. */
  lack: string;
}

function rowsOf(table: Table): Content {
  const { count: rows, total = rows } = table;
  const lack = rows < total ? ` It has the ${count(rows)} rows of the pane, out of ${count(total)}: filter or zoom in to get the others.` : "";
  return { blob: new Blob([csv(table)], { type: "text/csv;charset=utf-8" }), lack };
}

async function contentOf(app: SavingPage, view: string, format: Format, title: string): Promise<Content | null> {
  const saver = saverOf(app, view);
  if (format === "csv") {
    const table = saver?.table();
    return table ? rowsOf(table) : null;
  }
  const picture = saver?.picture?.();
  if (!picture) return null;
  const paper = browserPaper();
  const text = saver!.app.caption(title);
  const whole = sheet(picture, text, inkOf(app), paper.measure);
  if (format === "png") return { blob: await png(whole), lack: "" };
  const drawing = new SvgDrawing(paper);
  whole.draw(drawing);
  return { blob: new Blob([drawing.finish(whole.width, whole.height, text)], { type: "image/svg+xml" }), lack: "" };
}

export async function save(app: SavingPage, view: string, format: Format, title: string): Promise<void> {
  try {
    const content = await contentOf(app, view, format, title);
    if (!content) {
      app.say("There is nothing to save yet.");
      return;
    }
    const name = fileName(app.savedName, `-${view}.${format}`);
    download(content.blob, name);
    app.say(`Saved: ${name}, ${bytes(content.blob.size)}, in the browser's downloads.${content.lack}`);
  } catch (error) {
    app.fail(error);
  }
}
