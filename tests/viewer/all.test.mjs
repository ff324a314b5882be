// Everything in one process: runs are recorded once, one browser is started.

import { after } from "node:test";
import { quit } from "./harness.mjs";
import { stopAll } from "./runs.mjs";
import "./first.mjs";
import "./overview.mjs";
import "./timeline.mjs";
import "./groups.mjs";
import "./checks.mjs";
import "./lines.mjs";
import "./walk.mjs";
import "./goto.mjs";
import "./panes.mjs";
import "./moments.mjs";
import "./tree.mjs";
import "./colours.mjs";
import "./state.mjs";
import "./commands.mjs";
import "./runs-journeys.mjs";
import "./compare.mjs";
import "./predicted.mjs";
import "./export.mjs";
import "./access.mjs";
import "./launch.mjs";
import "./large.mjs";
import "./pictures.mjs";
import "./machine.mjs";
import "./save.mjs";
import "./notes.mjs";

after(async () => {
  await quit();
  await stopAll();
});
