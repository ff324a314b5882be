/** Everything that a frame is painted from. */

import type { App } from "../app";
import type { Drawing } from "../draw/drawing";
import type { Area } from "../state/view";
import type { Window } from "../state/window";
import type { Layout } from "./geometry";
import type { Pictures } from "./pictures";
import type { Ink } from "./theme";

export interface Scene {
  app: App;
  window: Window;
  whole: Window;
  layout: Layout;
  pictures: Pictures;
  ink: Ink;
  /** An area that the user is dragging. */
  drag: Area | null;
  hover: { x: number; y: number } | null;
}

export type Canvas = Drawing;
