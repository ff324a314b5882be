// The table that the pictures of `mpiscope view --png` are checked by, too (crates/picture).
import fs from "node:fs";
import { expect, test } from "vitest";
import { Colours, type Timed } from "../src/colours";
import { css } from "../src/palette";
import { INITIAL } from "../src/state/view";

const FILE = new URL("./function-colours.json", import.meta.url);
const CLASSES = ["send", "receive", "completion", "probe", "barrier", "collective", "rma", "file", "objects", "setup", "local"];

/** Runs of more and more functions: of all classes, and of one alone. */
function runs(): Timed[][] {
  const ids = [1, 2, 7, 24, 101, 233, 496, 511, 600, 12, 13, 300, 301, 44];
  const mixed = [1, 3, 8, 9, 14].map((many) => ids.slice(0, many).map((id, n) => ({ id, class: CLASSES[(n * many + 3) % CLASSES.length]!, time_ns: ((n * 7) % 5) * 1000 })));
  return [...mixed, ids.map((id, n) => ({ id, class: "collective", time_ns: 10 ** n }))];
}

test("functions have the colours of the table (MPISCOPE_BLESS=1 writes it)", () => {
  const made = runs().map((run) => {
    const [light, dark] = (["light", "dark"] as const).map((theme) => new Colours(run, INITIAL, theme));
    return run.map((f) => [f.id, f.class, f.time_ns, css(light!.function(f.id)), css(dark!.function(f.id))]);
  });
  const text = made.map((run) => `  [\n${run.map((row) => `    ${JSON.stringify(row)}`).join(",\n")}\n  ]`).join(",\n");
  if (process.env.MPISCOPE_BLESS) fs.writeFileSync(FILE, `[\n${text}\n]\n`);
  expect(JSON.parse(fs.readFileSync(FILE, "utf8"))).toEqual(made);
});
