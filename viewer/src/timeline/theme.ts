/** Colours of the items drawn over the picture. */

import PALETTE from "../../palette.json";
import type { Theme } from "../palette";

export interface Ink {
  text: string;
  muted: string;
  line: string;
  faint: string;
  panel: string;
  background: string;
  compute: string;
  accent: string;
  shade: string;
  selection: string;
  arrow: string;
  collective: string;
  rma: string;
  bundle: string;
  path: string;
  absent: string;
  phases: readonly string[];
}

export const INK: Record<Theme, Ink> = PALETTE.ink;

export const FONT = '11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
export const FONT_SMALL = '10px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
