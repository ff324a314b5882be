// The list of panes, as the page has it: a journey over all panes covers a new one without another edit.

import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./harness.mjs";

const viewer = path.join(root, "viewer");
const vite = createRequire(path.join(viewer, "package.json")).resolve("vite");
const { runnerImport } = await import(pathToFileURL(vite).href);
const { module } = await runnerImport(path.join(viewer, "src/panes/registry.ts"), { configFile: false, root: viewer, logLevel: "error" });

export const { PANES, TWINS } = module;

/** Panes about one run, and panes about both. */
export const OF_ONE = PANES.filter((pane) => !pane.ofBoth);
export const OF_BOTH = PANES.filter((pane) => pane.ofBoth);

/** Two by two, for the left and the right pane; an odd last one is beside the first. */
export const pairsOf = (panes) => Array.from({ length: Math.ceil(panes.length / 2) }, (_, i) => [panes[2 * i], panes[2 * i + 1] ?? panes[0]].map(({ id }) => id));
