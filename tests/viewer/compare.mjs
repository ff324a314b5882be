// Two runs on one time scale.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { colours, folder, frame, open, painted, PATIENCE_MS, plot, refuse, settled, textOf, view, windowOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf, urlOf } from "./runs.mjs";

const ask = (page, question) => page.evaluate(async (q) => (await fetch(`api/${q}`)).json(), question);

/** The window of each timeline, in the time of its run. */
const windows = (page) =>
  page.locator("mp-timeline").evaluateAll((all) => all.map(({ app }) => ({ from: app.window.from, until: app.window.until, plot: app.run.name })));

journey("what changed, at a glance: length, efficiencies, findings, where", { run: "halo+after", hash: "page=compare" }, async (page) => {
  const [before, after] = [await ask(page, "report"), await ask(page, "1/report")];
  await until("findings", async () => (await page.locator("mp-compare li").count()) > 0);
  const text = await textOf(page, "mp-compare");
  // On a machine that others use, either may have taken longer.
  const [longBefore, longAfter] = [before, after].map(({ explanation: { scope } }) => scope.end_ns - scope.start_ns);
  assert.match(text, longAfter < longBefore ? /After is .* shorter than before/ : /After is .* longer than before/);
  const gone = before.explanation.findings.filter((f) => !after.explanation.findings.some((g) => g.id === f.id));
  const shown = await page.locator("mp-compare li .fate").allInnerTexts();
  assert.ok(shown.filter((fate) => fate === "gone").length >= gone.length);
  assert.match(text, /Load balance/);
  // Both names and words, and both on the screen.
  assert.match(await textOf(page, "mp-app header"), /before *halo\.mpiscope.*after *after\.mpiscope/);
  assert.equal(await page.locator("mp-timeline").count(), 2);
  // The table agrees with the server, which agrees with both runs.
  const answer = await ask(page, "0/differences/1?by=function");
  const [a, b] = [await ask(page, "groups?by=function"), await ask(page, "1/groups?by=function")];
  const of = (groups, name) => groups.rows.find((row) => row.key[0].text === name);
  for (const row of answer.rows) {
    assert.equal(row.before?.total_ns ?? null, of(a, row.text)?.total_ns ?? null, row.text);
    assert.equal(row.after?.count ?? null, of(b, row.text)?.count ?? null, row.text);
    assert.equal(row.difference_ns, (row.after?.total_ns ?? 0) - (row.before?.total_ns ?? 0));
  }
  const first = page.locator("mp-differences mp-vtable .body .row").first();
  assert.match(await first.innerText(), new RegExp(answer.rows[0].text));
});

journey("both timelines have one scale, and move together", { run: "halo+after", hash: "page=views" }, async (page) => {
  const [a, b] = [await ask(page, "run"), await ask(page, "1/run")];
  const init = (run) => Math.min(...run.ranks.rows_from_ns);
  const check = async () => {
    const [first, second] = await windows(page);
    assert.ok(Math.abs(first.until - first.from - (second.until - second.from)) < 2, "as wide");
    assert.ok(Math.abs(first.from - init(a) - (second.from - init(b))) < 2, "the ends of MPI_Init are above each other");
  };
  await check();
  // The plots are as wide and begin at the same place.
  const [top, bottom] = [await plot(page, 0), await plot(page, 1)];
  assert.deepEqual([top.left, top.width], [bottom.left, bottom.width]);
  const both = [await painted(page, "mp-timeline"), await painted(page, "mp-timeline >> nth=1")];
  // Zooming over the second one zooms both.
  await page.mouse.move(bottom.left + bottom.width * 0.6, bottom.top + 30);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -800);
  await page.keyboard.up("Control");
  await until("zoomed", () => windowOf(page));
  await settled(page);
  await check();
  assert.notEqual(await painted(page, "mp-timeline"), both[0]);
  assert.notEqual(await painted(page, "mp-timeline >> nth=1"), both[1]);
  await page.keyboard.press("KeyD");
  await settled(page);
  await check();
  await page.goBack();
  await until("back", async () => windowOf(page) === null || (await check(), true));
});

journey("aligned at an iteration", { run: "halo+after", hash: "page=views" }, async (page) => {
  const [a, b] = [await ask(page, "run"), await ask(page, "1/run")];
  await page.locator('mp-runs-bar select[aria-label="Align both runs at"]').selectOption("iteration");
  await page.locator('mp-runs-bar input[aria-label="Aligned iteration"]').fill("200");
  await page.keyboard.press("Tab");
  await until("in the address", () => view(page).align === "iteration:200");
  await settled(page);
  const [first, second] = await windows(page);
  assert.ok(Math.abs(first.from - a.iterations.from_ns[200] - (second.from - b.iterations.from_ns[200])) < 2);
  // One that only one of them has: the page reports what it does instead.
  await page.locator('mp-runs-bar input[aria-label="Aligned iteration"]').fill("5000000");
  await page.keyboard.press("Tab");
  await until("the message", async () => /aligned at the end of MPI_Init/.test(await textOf(page, "mp-runs-bar")));
});

journey("aligned where a region begins first", { run: "regions+steps", hash: "page=views&align=region:step" }, async (page) => {
  const begins = [];
  for (const run of ["0", "1"]) {
    const { regions } = await ask(page, `${run}/run`);
    const { id } = regions.find((region) => region.name === "step");
    const { ns } = await ask(page, `${run}/begin?region=${id}`);
    const { start_ns } = await frame(page, `${run}/regions?region=${id}&until=${ns + 1}&limit=1000`);
    assert.equal(Math.min(...start_ns), ns, "none begins before");
    begins.push(ns);
  }
  await until("aligned", async () => {
    const [first, second] = await windows(page);
    return Math.abs(first.from - begins[0] - (second.from - begins[1])) < 2;
  });
  const shown = page.locator('mp-runs-bar select[aria-label="Align both runs at"]');
  assert.equal(await shown.inputValue(), "region:step");
  await shown.selectOption("start");
  await until("the starts are above each other", async () => {
    const [first, second] = await windows(page);
    return Math.abs(first.from - second.from) < 2;
  });
});

journey("a click in either selects its call; panes say of which run they are", { run: "halo+after", hash: "page=views&t=run" }, async (page) => {
  const [top, bottom] = [await plot(page, 0), await plot(page, 1)];
  // All ranks of both are in MPI_Init 20 ms before the first of them returns from it.
  const runs = [await ask(page, "run"), await ask(page, "1/run")];
  const init = async (which, { left, width }) => {
    const { from, until } = (await windows(page))[which];
    return left + (width * (Math.min(...runs[which].ranks.rows_from_ns) - 20e6 - from)) / (until - from);
  };
  await page.mouse.click(await init(0, top), top.top + 20);
  await until("a call before", () => view(page).call);
  await page.mouse.click(await init(1, bottom), bottom.top + 20);
  await until("a call after", () => view(page).other && view(page).about === "1");
  await settled(page);
  const [rank, row] = view(page).other.split("~");
  const call = await ask(page, `1/call?rank=${rank}&row=${row}`);
  await until("it is described", async () => (await textOf(page, "mp-inspector")).includes(call.function));
  for (const part of ['section[aria-label="Legend"]', 'section[aria-label="Selection"]', "section.pane.left", "section.pane.right"])
    assert.match(await page.locator(part).locator(".run-word").first().innerText(), /after/, part);
  // The switch changes all, and back does that, too.
  await page.keyboard.press("KeyJ");
  await until("about the first", () => !view(page).about);
  await until("its call", async () => (await page.locator("section.pane.left .run-word").first().innerText()) === "before");
  assert.ok(view(page).call && view(page).other, "each keeps its selected call");
  await page.goBack();
  await until("about the second again", () => view(page).about === "1");
  // Both selected calls above each other.
  await page.keyboard.press("Control+Shift+KeyP");
  await page.keyboard.type("selected calls");
  await page.keyboard.press("Enter");
  await until("aligned", () => view(page).align?.startsWith("at:"));
});

journey("a link to a comparison restores it", { run: "halo+after", hash: "page=views&left=differences&differences=site~difference~0&align=iteration:100&about=1" }, async (page, url) => {
  // Before the page knows how long the runs are there is nothing to zoom. The address follows a moment after the last key.
  for (let tries = 0; tries < 5 && !windowOf(page); tries++) {
    await page.keyboard.press("KeyW");
    await until("zoomed", () => windowOf(page), 1500).catch(() => {});
  }
  assert.ok(windowOf(page), "zoomed");
  await settled(page);
  await page.mouse.move(5, 5);
  const pictures = [await painted(page, "mp-timeline"), await painted(page, "mp-timeline >> nth=1")];
  const other = await open(url, { hash: new URL(page.url()).hash.slice(1) });
  try {
    await settled(other.page);
    await until("the same pictures", async () => (await painted(other.page, "mp-timeline")) === pictures[0] && (await painted(other.page, "mp-timeline >> nth=1")) === pictures[1]);
    assert.match(await textOf(other.page, "mp-differences"), /MPI_Waitall at swap_irecv_isend halo2d_exchange\.c:\d+/);
    assert.deepEqual(other.problems, []);
  } finally {
    await other.close();
  }
});

journey("a row of the differences filters both runs by it", { run: "halo+after", hash: "page=views&left=differences&differences=site~difference~0" }, async (page) => {
  await page.locator("mp-differences mp-vtable .body .row").first().click();
  await until("filtered", () => /site:\d+/.test(view(page).filter ?? ""));
  const [a, b] = await page.locator("mp-timeline").evaluateAll((all) => all.map(({ app }) => app.names.site(app.store.state.filter.site)));
  assert.ok(a && a === b, "the same place, whatever its id");
});

journey("runs of another size, another program, with a damaged file", { run: "damaged+regions", hash: "page=compare" }, async (page) => {
  await until("numbers", async () => /Length/.test(await textOf(page, "mp-compare")));
  await until("the table", async () => (await page.locator("mp-differences mp-vtable .body .row").count()) > 3);
  const text = await textOf(page, "mp-compare");
  assert.match(text, /the commands differ/);
  assert.match(text, /new/);
  assert.match(text, /gone/);
  await page.keyboard.press("Digit2");
  await settled(page);
  assert.ok((await colours(page, "mp-timeline")) > 5 && (await colours(page, "mp-timeline >> nth=1")) > 5);
  await page.locator('mp-runs-bar button', { hasText: "regions" }).click();
  await until("about the other", () => view(page).about === "1");
  await settled(page);
  assert.match(await textOf(page, "mp-legend"), /Sendrecv/);
});

test("a run that cannot be read beside one that can: the page says which and why, and shows the other", { timeout: 3 * PATIENCE_MS }, async () => {
  const url = await urlOf("halo+after");
  const { page, close } = await open("about:blank");
  try {
    await page.route(/\/api\/1\/run$/, (route) =>
      route.fulfill({ status: 500, contentType: "application/json", body: JSON.stringify({ error: { what: "the store is gone", next: "Build it anew." } }) }),
    );
    await page.goto(`${url}#page=compare`);
    await until("the message", async () => /This run cannot be shown\. the store is gone\. Build it anew\./.test(await textOf(page, "mp-compare")));
    assert.equal(await page.locator("mp-timeline").count(), 1);
  } finally {
    await close();
  }
});

test("another run that is not there is refused", () => {
  const { status, stderr } = refuse(runOf("one"), path.join(folder, "nowhere.mpiscope"));
  assert.equal(status, 2);
  assert.match(stderr, /nowhere\.mpiscope/);
});

journey("a link to a comparison on one run alone shows that run", { run: "one", hash: "page=compare&about=1&other=0~5&left=differences" }, async (page) => {
  assert.match(await textOf(page, "mp-app"), /One run is open\. Use mpiscope view RUN OTHER/);
  await page.keyboard.press("Digit2");
  await settled(page);
  assert.equal(await page.locator("mp-timeline").count(), 1);
  assert.match(await textOf(page, "mp-views"), /This pane shows the differences between two runs, and one run is open/);
});
