// Runs that are not as usual.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { api, colours, folder, refuse, settled, view, textOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf } from "./runs.mjs";

journey("a run of one rank", { run: "one", hash: "page=views" }, async (page) => {
  assert.match(await textOf(page, "mp-app header"), /1 rank\b/);
  assert.ok((await colours(page, "mp-timeline")) > 3);
  await page.keyboard.press("KeyL");
  await until("a call", () => view(page).call?.startsWith("0~"));
});

journey("rings that were written over: said, and marked where the data begin", { run: "wrapped", allow: [/409/] }, async (page) => {
  const run = await api(page, "run");
  assert.ok(run.ranks.calls_lost.every((n) => n > 0), "the test's run is written over");
  await until("it is said", async () => /overwritten/.test(await textOf(page, "mp-overview")));
  await page.keyboard.press("Digit2");
  await settled(page);
  // The mark is a red line at the beginning of what is there.
  const marks = await page.locator("mp-timeline").evaluate((timeline) => {
    const canvas = timeline.shadowRoot.querySelector("canvas");
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const columns = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i] === 0xc2 && data[i + 1] === 0x10 && data[i + 2] === 0x1c) columns.add((i / 4) % width);
    return [...columns];
  });
  assert.ok(marks.length >= 1, "a mark");
});

journey("a rank file that ends in the middle: the rest is shown, and what is missing is said", { run: "damaged" }, async (page) => {
  const run = await api(page, "run");
  assert.ok(run.ranks.count >= 3);
  const report = await api(page, "report");
  assert.ok(report.diagnostics.some((d) => d.damage));
  await until("what is damaged", async () => (await textOf(page, "mp-overview")).includes(report.diagnostics.find((d) => d.damage).text));
  await page.keyboard.press("Digit2");
  await settled(page);
  assert.ok((await colours(page, "mp-timeline")) > 5);
});

test("a run without a call of MPI is refused with a reason", () => {
  const { status, stderr } = refuse(runOf("empty"));
  assert.equal(status, 2);
  assert.match(stderr, /never called MPI/);
});

test("a run of a newer mpiscope is refused, and it is said that it is newer", () => {
  const newer = path.join(folder, "newer.mpiscope");
  fs.cpSync(runOf("one"), newer, { recursive: true });
  const ranks = path.join(newer, "ranks");
  const name = fs.readdirSync(ranks).find((file) => file.endsWith(".rank"));
  const bytes = fs.readFileSync(path.join(ranks, name));
  // The version stands behind the magic (docs/rank-file.md).
  bytes.writeUInt32LE(99, 8);
  fs.writeFileSync(path.join(ranks, name), bytes);
  const { status, stderr } = refuse(newer);
  assert.equal(status, 2);
  assert.match(stderr, /newer/);
});

test("a run that is not there is refused", () => {
  const { status, stderr } = refuse(path.join(folder, "nowhere.mpiscope"));
  assert.equal(status, 2);
  assert.match(stderr, /nowhere\.mpiscope/);
});

test("a folder that is no run is refused", () => {
  const dir = path.join(folder, "no-run.mpiscope");
  fs.mkdirSync(dir);
  const { status, stderr } = refuse(dir);
  assert.equal(status, 2);
  assert.match(stderr, /no-run\.mpiscope/);
});
