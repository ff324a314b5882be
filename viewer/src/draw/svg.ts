/** A picture as an SVG document: lines, areas and texts; pixels become areas of one colour. */

import { FONT } from "../timeline/theme";
import type { Drawing } from "./drawing";
import { areasOf } from "./runs";

/** Operations that need a browser. */
export interface Paper {
  /** Width of a text. */
  measure(text: string, font: string): number;
  /** The pixels of part of an image, scaled. */
  pixels(image: CanvasImageSource, from: readonly [x: number, y: number, width: number, height: number], width: number, height: number, isSmooth: boolean): ArrayLike<number>;
}

/** The state that `save` stores. */
interface Look {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  globalAlpha: number;
  lineCap: CanvasLineCap;
  lineJoin: CanvasLineJoin;
  imageSmoothingEnabled: boolean;
  dash: number[];
  /** Groups that `restore` closes: of a clip, of a transformation. */
  groups: number;
}

const FIRST: Look = {
  fillStyle: "#000",
  strokeStyle: "#000",
  lineWidth: 1,
  font: FONT,
  textAlign: "left",
  textBaseline: "alphabetic",
  globalAlpha: 1,
  lineCap: "butt",
  lineJoin: "miter",
  imageSmoothingEnabled: true,
  dash: [],
  groups: 0,
};

/** Offset from the anchor of a text to its baseline, in font sizes: not all SVG programs support other baselines. */
const TO_BASELINE: Partial<Record<CanvasTextBaseline, number>> = { top: 0.85, middle: 0.35, bottom: -0.2 };
const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end", end: "end" };

/** Hundredths of a pixel: smaller differences are invisible. */
const n = (value: number): string => String(Math.round(value * 100) / 100);

/** Text escaped for the document; characters that XML forbids are replaced. */
export function escaped(text: string): string {
  const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd").replace(/[&<>"]/g, (sign) => signs[sign]!);
}

export class SvgDrawing implements Drawing {
  readonly #paper: Paper;
  readonly #out: string[] = [];
  readonly #kept: Look[] = [];
  #look: Look = { ...FIRST };
  #path = "";
  #ids = 0;
  readonly #hatches = new Map<string, string>();
  /** Successive areas of one colour form one path, also with ten thousand points. */
  #areas = { fill: "", path: [] as string[] };

  constructor(paper: Paper) {
    this.#paper = paper;
  }

  get fillStyle(): string {
    return this.#look.fillStyle;
  }
  set fillStyle(value: string | CanvasGradient | CanvasPattern) {
    this.#look.fillStyle = String(value);
  }
  get strokeStyle(): string {
    return this.#look.strokeStyle;
  }
  set strokeStyle(value: string | CanvasGradient | CanvasPattern) {
    this.#look.strokeStyle = String(value);
  }
  declare lineWidth: number;
  declare font: string;
  declare textAlign: CanvasTextAlign;
  declare textBaseline: CanvasTextBaseline;
  declare globalAlpha: number;
  declare lineCap: CanvasLineCap;
  declare lineJoin: CanvasLineJoin;
  declare imageSmoothingEnabled: boolean;
  static {
    for (const name of ["lineWidth", "font", "textAlign", "textBaseline", "globalAlpha", "lineCap", "lineJoin", "imageSmoothingEnabled"] as const)
      Object.defineProperty(this.prototype, name, {
        get(this: SvgDrawing) {
          return this.#look[name];
        },
        set(this: SvgDrawing, value: never) {
          this.#look[name] = value;
        },
      });
  }

  save(): void {
    this.#kept.push(this.#look);
    this.#look = { ...this.#look, groups: 0 };
  }

  restore(): void {
    const before = this.#kept.pop();
    if (!before) return;
    this.#put("</g>".repeat(this.#look.groups));
    this.#look = before;
  }

  translate(x: number, y: number): void {
    this.#group(`transform="translate(${n(x)} ${n(y)})"`);
  }

  rotate(angle: number): void {
    this.#group(`transform="rotate(${n((angle * 180) / Math.PI)})"`);
  }

  clip(): void {
    const id = `c${++this.#ids}`;
    this.#put(`<clipPath id="${id}"><path d="${this.#path}"/></clipPath>`);
    this.#group(`clip-path="url(#${id})"`);
  }

  beginPath(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${n(x)} ${n(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `${this.#path ? "L" : "M"}${n(x)} ${n(y)}`;
  }

  closePath(): void {
    this.#path += "Z";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path += rectangle(x, y, width, height);
  }

  /** Full circles only: nothing else is drawn. */
  arc(x: number, y: number, radius: number): void {
    const half = `a${n(radius)} ${n(radius)} 0 0 1 `;
    this.#path += `M${n(x - radius)} ${n(y)}${half}${n(2 * radius)} 0${half}${n(-2 * radius)} 0Z`;
  }

  fill(): void {
    this.#put(`<path d="${this.#path}" fill="${this.fillStyle}"${this.#alpha()}/>`);
  }

  stroke(): void {
    this.#stroke(this.#path);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const path = rectangle(x, y, width, height);
    if (this.globalAlpha < 1) {
      this.#put(`<path d="${path}" fill="${this.fillStyle}"${this.#alpha()}/>`);
      return;
    }
    if (this.#areas.fill !== this.fillStyle) this.#flush();
    this.#areas.fill = this.fillStyle;
    this.#areas.path.push(path);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#stroke(rectangle(x, y, width, height));
  }

  setLineDash(dash: Iterable<number>): void {
    this.#look.dash = [...dash];
  }

  measureText(text: string): { width: number } {
    return { width: this.#paper.measure(text, this.font) };
  }

  fillText(text: string, x: number, y: number, most?: number): void {
    const size = Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 11);
    const isBold = this.font.startsWith("bold");
    const anchor = ANCHORS[this.textAlign];
    const isLong = most !== undefined && this.measureText(text).width > most;
    this.#put(
      `<text x="${n(x)}" y="${n(y + size * (TO_BASELINE[this.textBaseline] ?? 0))}" font-size="${n(size)}" fill="${this.fillStyle}"` +
        `${isBold ? ' font-weight="bold"' : ""}${anchor ? ` text-anchor="${anchor}"` : ""}${isLong ? ` textLength="${n(most)}" lengthAdjust="spacingAndGlyphs"` : ""}${this.#alpha()}` +
        `>${escaped(text)}</text>`,
    );
  }

  drawImage(image: CanvasImageSource, ...at: number[]): void {
    const { width: w, height: h } = image as { width: number; height: number };
    const [sx, sy, sw, sh, x, y, width, height] = (at.length > 4 ? at : [0, 0, w, h, ...at]) as [number, number, number, number, number, number, number, number];
    // No finer than the image, and no finer than it is shown.
    const columns = Math.max(1, Math.round(Math.min(width, sw)));
    const rows = Math.max(1, Math.round(Math.min(height, sh)));
    const areas = areasOf(this.#paper.pixels(image, [sx, sy, sw, sh], columns, rows, this.imageSmoothingEnabled), columns, rows);
    this.#put(`<g transform="translate(${n(x)} ${n(y)}) scale(${width / columns} ${height / rows})" shape-rendering="crispEdges"${this.#alpha()}>`);
    for (const { colour, path } of areas) {
      const alpha = colour & 0xff;
      this.#put(`<path fill="#${(colour >>> 8).toString(16).padStart(6, "0")}"${alpha < 255 ? ` fill-opacity="${n(alpha / 255)}"` : ""} d="${path}"/>`);
    }
    this.#put("</g>");
  }

  hatched(colour: string): string {
    const known = this.#hatches.get(colour);
    if (known) return known;
    const id = `h${++this.#ids}`;
    this.#put(`<pattern id="${id}" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M-8 8L0 0M0 8L8 0M8 8L16 0" stroke="${colour}"/></pattern>`);
    this.#hatches.set(colour, `url(#${id})`);
    return `url(#${id})`;
  }

  /** Returns the document; nothing can be drawn afterwards. */
  finish(width: number, height: number, title: string): string {
    while (this.#kept.length) this.restore();
    this.#put("</g>".repeat(this.#look.groups));
    const family = escaped(FONT.replace(/^\S+ /, ""));
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" font-family="${family}">` +
      `<title>${escaped(title)}</title>\n${this.#out.join("\n")}\n</svg>\n`
    );
  }

  #alpha(): string {
    return this.globalAlpha < 1 ? ` opacity="${n(this.globalAlpha)}"` : "";
  }

  #group(attribute: string): void {
    this.#put(`<g ${attribute}>`);
    this.#look.groups++;
  }

  #stroke(path: string): void {
    const { dash, lineCap, lineJoin } = this.#look;
    const more = `${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}${lineCap === "butt" ? "" : ` stroke-linecap="${lineCap}"`}${lineJoin === "miter" ? "" : ` stroke-linejoin="${lineJoin}"`}`;
    this.#put(`<path d="${path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${n(this.lineWidth)}"${more}${this.#alpha()}/>`);
  }

  #flush(): void {
    const { fill, path } = this.#areas;
    if (path.length) this.#out.push(`<path fill="${fill}" d="${path.join("")}"/>`);
    this.#areas = { fill: "", path: [] };
  }

  #put(text: string): void {
    this.#flush();
    if (text) this.#out.push(text);
  }
}

function rectangle(x: number, y: number, width: number, height: number): string {
  return `M${n(Math.min(x, x + width))} ${n(Math.min(y, y + height))}h${n(Math.abs(width))}v${n(Math.abs(height))}h${n(-Math.abs(width))}z`;
}

/** The implementation of this browser. */
export function browserPaper(): Paper {
  const ruler = new OffscreenCanvas(1, 1).getContext("2d")!;
  return {
    measure(text, font) {
      ruler.font = font;
      return ruler.measureText(text).width;
    },
    pixels(image, [x, y, w, h], width, height, isSmooth) {
      const c = new OffscreenCanvas(width, height).getContext("2d")!;
      c.imageSmoothingEnabled = isSmooth;
      c.drawImage(image, x, y, w, h, 0, 0, width, height);
      return c.getImageData(0, 0, width, height).data;
    },
  };
}
