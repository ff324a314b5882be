/** Colours of what is drawn over the picture. */

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
  path: string;
  absent: string;
  phases: readonly string[];
}

export const INK: Record<Theme, Ink> = {
  light: {
    text: "#1a1f27",
    muted: "#586172",
    line: "#d5d9e0",
    faint: "#eceef2",
    panel: "#ffffff",
    background: "#f5f6f8",
    compute: "#e7eaef",
    accent: "#1257b8",
    shade: "rgba(70, 80, 100, 0.28)",
    selection: "#111111",
    arrow: "rgba(20, 24, 32, 0.5)",
    collective: "rgba(150, 40, 110, 0.55)",
    path: "#c2101c",
    absent: "#c9ced6",
    phases: ["#dfe4ec", "#ccd3de"],
  },
  dark: {
    text: "#e3e8ef",
    muted: "#9ca8b9",
    line: "#2e3744",
    faint: "#1e242d",
    panel: "#181d25",
    background: "#11151b",
    compute: "#262e39",
    accent: "#7db5ff",
    shade: "rgba(0, 0, 0, 0.5)",
    selection: "#ffffff",
    arrow: "rgba(245, 248, 252, 0.55)",
    collective: "rgba(240, 160, 215, 0.55)",
    path: "#ff6b6b",
    absent: "#3a4453",
    phases: ["#2a323e", "#353f4d"],
  },
};

export const FONT = '11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
export const FONT_SMALL = '10px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
