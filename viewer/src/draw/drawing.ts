/** What pictures are drawn with: the part of a canvas that they use, so that it can be an SVG document as well. */

export type Drawing = Pick<
  CanvasRenderingContext2D,
  | "arc"
  | "beginPath"
  | "clip"
  | "closePath"
  | "drawImage"
  | "fill"
  | "fillRect"
  | "fillStyle"
  | "fillText"
  | "font"
  | "globalAlpha"
  | "imageSmoothingEnabled"
  | "lineCap"
  | "lineJoin"
  | "lineTo"
  | "lineWidth"
  | "moveTo"
  | "rect"
  | "restore"
  | "rotate"
  | "save"
  | "setLineDash"
  | "stroke"
  | "strokeRect"
  | "strokeStyle"
  | "textAlign"
  | "textBaseline"
  | "translate"
> & {
  measureText(text: string): Pick<TextMetrics, "width">;
  /** Only of a document: the name of a fill with slanting lines. A canvas makes a pattern of pixels. */
  hatched?(colour: string): string;
};
