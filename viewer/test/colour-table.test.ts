// The table that the pictures of `mpiscope view --png` are checked by, too (crates/picture).
import fs from "node:fs";
import { expect, test } from "vitest";
import { css, functionColour } from "../src/palette";

const FILE = new URL("./function-colours.json", import.meta.url);
const CLASSES = ["send", "receive", "completion", "probe", "barrier", "collective", "rma", "file", "objects", "setup", "local"];

test("functions have the colours of the table (MPISCOPE_BLESS=1 writes it)", () => {
  const made = [1, 2, 7, 24, 101, 233, 496, 511, 600].flatMap((id, n) =>
    [0, 3, 7].map((more) => CLASSES[(n + more) % CLASSES.length]!).map((c) => [id, c, css(functionColour(id, c, "light")), css(functionColour(id, c, "dark"))]),
  );
  if (process.env.MPISCOPE_BLESS) fs.writeFileSync(FILE, `[\n${made.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`);
  expect(JSON.parse(fs.readFileSync(FILE, "utf8"))).toEqual(made);
});
