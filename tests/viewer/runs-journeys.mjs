// Runs that are not as usual.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { spawn, spawnSync } from "node:child_process";
import { api, colours, examples, folder, launcherEnv, mpiscope, open, painted, PATIENCE_MS, refuse, serve, settled, view, textOf, windowOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf } from "./runs.mjs";

journey("a run of one rank", { run: "one", hash: "page=views" }, async (page) => {
  assert.match(await textOf(page, "mp-app header"), /1 rank\b/);
  assert.ok((await colours(page, "mp-timeline")) > 3);
  await page.keyboard.press("KeyL");
  await until("a call", () => view(page).call?.startsWith("0~"));
});

journey("rank files that take long: the timeline is there before, the report comes after them", { hash: "page=views", allow: [/409/] }, async (page) => {
  // The server's answers, as they are while sixteen files are still read.
  let isReading = true;
  await page.route(/\/api\/(run|progress)$/, async (route) => {
    const response = await route.fetch();
    const early = isReading ? { id: null, files: { read: 3, of: 16 }, is_explained: false, iterations: null } : {};
    await route.fulfill({ response, json: { ...(await response.json()), ...early } });
  });
  await page.route(/\/api\/report/, (route) =>
    isReading ? route.fulfill({ status: 409, json: { error: { what: "the rank files of the run are still being read", next: "Wait." } } }) : route.continue(),
  );
  await page.reload();
  await settled(page);
  assert.ok((await colours(page, "mp-timeline")) > 5);
  assert.match(await textOf(page, "mp-app"), /Reading 16 rank files: 18 %/);
  assert.doesNotMatch(await textOf(page, "mp-app"), /still being read/);
  await page.evaluate(() => (location.hash = "page=overview"));
  await until("that it is analysed", async () => /being analysed/.test(await textOf(page, "mp-verdict")));
  assert.equal(await page.locator("mp-findings li").count(), 0);
  isReading = false;
  await until("findings", async () => (await page.locator("mp-findings li").count()) > 0);
  assert.doesNotMatch(await textOf(page, "mp-app"), /rank files/);
});

journey("overwritten rings: reported, and marked where the data begin", { run: "wrapped", allow: [/409/] }, async (page) => {
  const run = await api(page, "run");
  assert.ok(run.ranks.calls_lost.every((n) => n > 0), "the test's run is written over");
  await until("the note", async () => /overwritten/.test(await textOf(page, "mp-overview")));
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

journey("a rank file that ends in the middle: the rest is shown, and what is missing is reported", { run: "damaged" }, async (page) => {
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

test("a run of a newer mpiscope is refused with the reason that it is newer", () => {
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

test("a run whose run.json is of a newer mpiscope is refused with the reason that it is newer", () => {
  const newer = path.join(folder, "newer-json.mpiscope");
  fs.cpSync(runOf("one"), newer, { recursive: true });
  fs.writeFileSync(path.join(newer, "run.json"), JSON.stringify({ format: 2, everything: "is called otherwise" }));
  const { status, stderr } = refuse(newer);
  assert.equal(status, 2);
  assert.match(stderr, /newer mpiscope.*format 2/);
});

journey("a store of a newer mpiscope is left alone, and the page says what to do", { run: "newerStore", hash: "page=views", isSettled: false, allow: [/409/] }, async (page) => {
  const alert = page.getByRole("alert");
  await until("why", async () => /format 99.*newer/s.test(await alert.innerText()));
  assert.match(await alert.innerText(), /--store DIR.*--force/s);
  const kept = JSON.parse(fs.readFileSync(path.join(runOf("newerStore"), "store", "store.json"), "utf8"));
  assert.equal(kept.format, 99);
});

journey("a rank file that makes no sense: the others are shown, and the page names it", { run: "garbage" }, async (page) => {
  const run = await api(page, "run");
  assert.equal(run.ranks.count, 3);
  const report = await api(page, "report");
  const bad = report.diagnostics.find((d) => d.file?.endsWith(".rank"));
  assert.ok(bad, JSON.stringify(report.diagnostics));
  await until("which file", async () => (await textOf(page, "mp-overview")).includes(bad.file));
  await page.keyboard.press("Digit2");
  await settled(page);
  assert.ok((await colours(page, "mp-timeline")) > 5);
});

/** What the page shows each time it has heard of progress, until everything is there. */
async function picturesOf(page) {
  const seen = [];
  await until("the whole run", async () => {
    // Asked at once: the bar may be gone a moment later.
    const bars = await page.locator(".building progress").evaluateAll((found) => found.map((bar) => bar.value));
    const isBuilding = bars.length > 0;
    const done = bars[0] ?? 1;
    const picture = (await page.locator("mp-timeline").count()) ? await painted(page, "mp-timeline") : null;
    if (picture !== null && picture !== seen.at(-1)?.picture) seen.push({ done, picture });
    return picture !== null && !isBuilding;
  });
  return seen;
}

test("the picture grows while the store is built", { timeout: 9 * PATIENCE_MS }, async (t) => {
  let seen = [];
  // A page that opens slowly may come when the store is there.
  for (const name of ["long", "longer", "longer", "longer"]) {
    fs.rmSync(path.join(runOf(name), "store"), { recursive: true, force: true });
    const server = await serve(runOf(name));
    const { page, problems, close } = await open(server.url, { hash: "page=views", allow: [/409/] });
    try {
      seen = await picturesOf(page);
      const before = seen.filter((s) => s.done > 0 && s.done < 1);
      if (before.length < 2) continue;
      await settled(page);
      assert.ok((await colours(page, "mp-timeline")) > 5);
      assert.notEqual(await painted(page, "mp-timeline"), before[0].picture);
      assert.deepEqual(problems, []);
      return;
    } finally {
      await close();
      await server.stop();
    }
  }
  // On a busy machine the store is built before the browser has painted twice.
  if (seen.every((s) => s.done === 1)) return t.skip("the store was built before the page was there, four times");
  assert.fail(`pictures before the end: ${JSON.stringify(seen)}`);
});

test("a run whose program still runs: the page reports that, shows what there is, and all of it at the end", { timeout: 3 * PATIENCE_MS }, async () => {
  const run = path.join(folder, "live.mpiscope");
  const program = spawn(mpiscope, ["run", "-n", "2", "-o", run, path.join(examples, "halo2d"), "--iters", "1000000", "--work", "20"], {
    stdio: "ignore",
    env: { ...process.env, ...launcherEnv },
  });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  let server = null;
  try {
    // Until ranks have begun there is nothing to open.
    const calls = () => JSON.parse(spawnSync(mpiscope, ["report", run, "--json"], { encoding: "utf8" }).stdout || "{}").overview?.calls ?? 0;
    await until("its first calls", () => calls() > 1000);
    server = await serve(run);
    const { page, problems, close } = await open(server.url, { hash: "page=views", allow: [/409/] });
    try {
      await settled(page);
      await until("that it still runs", async () => /The program is still running/.test(await textOf(page, "mp-app")));
      const early = await api(page, "run");
      assert.ok(early.is_writing && early.calls > 0);
      // More of it comes while it runs; what is looked at and what is selected stays.
      await page.evaluate(([a, b]) => (location.hash = `page=views&t=${a}~${b}`), [Math.round(early.until_ns / 2), early.until_ns]);
      await settled(page);
      await page.keyboard.press("KeyL");
      const selected = await until("a call", () => view(page).call);
      await settled(page);
      // The call may have been brought into sight.
      const window = windowOf(page);
      const later = await until("more of it", async () => {
        const run = await page.locator("mp-timeline").evaluate((t) => ({ ...t.app.run, whole: t.app.whole.until }));
        return run.readings > 0 && run.calls > early.calls && run;
      });
      assert.ok(later.is_writing && later.whole > early.until_ns, `${early.until_ns}, then ${later.whole}`);
      assert.equal(view(page).call, selected);
      assert.deepEqual(windowOf(page), window);
      program.kill("SIGINT");
      await ended;
      await until("the end", async () => /has ended/.test(await page.getByRole("status").first().innerText()));
      await settled(page);
      const whole = await api(page, "run");
      assert.ok(!whole.is_writing && whole.calls > early.calls, `${early.calls}, then ${whole.calls}`);
      assert.doesNotMatch(await textOf(page, "mp-app"), /is still running/);
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  } finally {
    program.kill("SIGKILL");
    await server?.stop();
  }
});
