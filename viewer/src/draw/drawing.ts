/** The drawing interface: the part of a canvas that pictures use, so that an SVG document can implement it as well. */

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
  /** Only in a document: the name of a hatched fill. A canvas makes a pattern of pixels. */
  hatched?(colour: string): string;
};
