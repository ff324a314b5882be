// What a person sees before anything was clicked, and where one click leads from there.

import assert from "node:assert/strict";
import { api, plot, settled, textOf, view } from "./harness.mjs";
import { journey, until } from "./journey.mjs";

const mainOf = ({ ranks }) => ({ from: Math.min(...ranks.rows_from_ns), until: Math.max(...ranks.rows_until_ns) });
const inSight = (page) => page.locator("mp-timeline").first().evaluate(({ app }) => app.window);
const functions = (page) => page.locator("mp-table mp-vtable .body .row").allInnerTexts();

journey("the first line is the verdict: what costs most, and what that is worth", {}, async (page) => {
  const { findings } = (await api(page, "report")).explanation;
  const text = await until("the sentence", () => page.locator("mp-first .sentence").innerText());
  assert.ok(findings.some(({ title }) => text.startsWith(title.replace(/\.$/, ""))), text);
  assert.match(text, /% (less|of the) .*rank time\.$/);
  const [sentence, picture] = [await page.locator("mp-first .sentence").boundingBox(), await page.locator("mp-timeline").boundingBox()];
  assert.ok(sentence.y < picture.y && sentence.y < 150, "above everything else");
});

journey("the main part of the run is in sight at first, the whole run is one click away", { hash: "page=views" }, async (page) => {
  const run = await api(page, "run");
  const main = mainOf(run);
  assert.ok(main.from > run.from_ns && main.until < run.until_ns, "there is something before and after it");
  const first = await inSight(page);
  assert.deepEqual([first.from, first.until], [main.from, main.until]);
  // The panes are about what is in sight.
  await until("a table", async () => (await functions(page)).length > 2);
  // A rank may leave it later than another; what lies before that is not counted.
  const { rows } = await api(page, `groups?by=function&from=${main.from}&until=${main.until}&limit=50`);
  const init = rows.find((row) => row.key[0].text === "MPI_Init")?.total_ns ?? 0;
  assert.ok(init <= run.ranks.rows_from_ns.reduce((sum, from) => sum + from - main.from, 0), `MPI_Init: ${init} ns in sight`);
  await page.locator("mp-toolbar button", { hasText: "Whole run" }).click();
  await until("the whole run", () => view(page).t === "run");
  await settled(page);
  const whole = await inSight(page);
  assert.deepEqual([whole.from, whole.until], [run.from_ns, run.until_ns]);
  await until("MPI_Init", async () => (await functions(page)).some((row) => /MPI_Init/.test(row)));
  await page.locator("mp-toolbar button", { hasText: "Main part" }).click();
  await until("the main part", () => view(page).t === undefined);
  await page.reload();
  await settled(page);
  assert.equal((await inSight(page)).from, main.from);
});

journey("the overview shows the main part, and the whole run by its button", {}, async (page) => {
  const run = await api(page, "run");
  assert.equal((await inSight(page)).from, mainOf(run).from);
  await page.locator("mp-overview button", { hasText: "Whole run" }).click();
  await until("the whole run", async () => (await inSight(page)).from === run.from_ns);
});

journey("a run has one length, and shares have one base", {}, async (page) => {
  const { scope } = (await api(page, "report")).explanation;
  const length = await until("the length", async () => /length\s*([\d.]+ \S+)/.exec(await textOf(page, "mp-overview"))?.[1]);
  assert.ok((await page.locator("mp-app header .facts").innerText()).endsWith(length), `${length} in the header, too`);
  const main = mainOf(await api(page, "run"));
  assert.ok(Math.abs(scope.end_ns - scope.start_ns - (main.until - main.from)) < 1e6, "it is that of the report");
  const base = (text) => /of ([\d.]+ \S+) of rank time/.exec(text)?.[1];
  const bases = await page.locator("mp-overview").evaluate((overview) =>
    [...overview.renderRoot.querySelectorAll("mp-verdict")].map((v) => v.renderRoot.querySelector("h2").textContent).concat([...overview.renderRoot.querySelectorAll("h2")].map((h) => h.textContent)),
  );
  const found = bases.map((text) => base(text.replace(/\s+/g, " "))).filter(Boolean);
  assert.ok(found.length >= 2 && new Set(found).size === 1, bases.join(" | "));
});

journey("how ranks ended stands on the first screen, with a mark at the place", { run: "died" }, async (page) => {
  await until("who died", async () => /Rank 2 was killed by SIGABRT\./.test(await page.locator("mp-first .sentence").innerText()));
  const box = await page.locator("mp-first").boundingBox();
  assert.ok(box.y + box.height < 300, "without scrolling");
  await page.locator("mp-first button", { hasText: "Show" }).first().click();
  await until("the timeline", () => view(page).page === "views");
  await settled(page);
  const { ranks } = await api(page, "run");
  const window = await inSight(page);
  assert.ok(window.from < ranks.rows_until_ns[2] && window.until > ranks.rows_until_ns[2], "the end is in sight");
  const at = await page.locator("mp-timeline").evaluate((timeline, ns) => {
    const { left, top } = timeline.getBoundingClientRect();
    const { from, until } = timeline.app.window;
    // As geometry.ts has it.
    const hasRuler = !!timeline.app.run.iterations;
    const [x, width] = [60, timeline.clientWidth - 70];
    const y = 46 + (hasRuler ? 14 : 0);
    return { x: left + x + ((ns - from) / (until - from)) * width, y: top + y + ((timeline.clientHeight - y - 2) * 2.5) / 4 };
  }, ranks.rows_until_ns[2]);
  await page.mouse.move(at.x, at.y);
  await until("what the mark says", async () => /rank 2 was killed by SIGABRT/.test(await page.locator("mp-timeline .tip").innerText()));
});

journey("what is lost stands on the first screen, with the place where the rest begins", { run: "wrapped" }, async (page) => {
  await until("the loss", async () => /calls of 2 ranks were overwritten/.test(await textOf(page, "mp-first")));
  await page.locator("mp-first button", { hasText: "Show" }).first().click();
  await settled(page);
  const { ranks } = await api(page, "run");
  const { from, until: to } = await inSight(page);
  assert.ok(from < ranks.first_ns[0] && to > ranks.first_ns[0]);
});

journey("two runs open in what is different between them", { run: "halo+after" }, async (page) => {
  await until("the comparison", async () => (await page.locator("mp-compare").count()) === 1);
  await page.getByRole("button", { name: "Overview" }).click();
  await until("the overview", () => view(page).page === "overview");
  await page.reload();
  await settled(page);
  assert.equal(await page.locator("mp-compare").count(), 0, "whoever has gone elsewhere stays there");
});

journey("every finding can be shown, and a culprit stands beside who waits for it", { run: "late" }, async (page) => {
  const { findings } = (await api(page, "report")).explanation;
  await page.locator("mp-findings details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
  const shown = await page.locator("mp-findings li").count();
  assert.equal(await page.locator("mp-findings button", { hasText: "Show in the timeline" }).count(), shown);
  const index = findings.findIndex((f) => f.cause_ranks.length > 0 && f.proof.length > 0 && !f.cause_ranks.includes(f.proof[0].rank));
  assert.ok(index >= 0, "a finding that names a culprit");
  await page.locator(`mp-findings li[data-index="${index}"] > div > .buttons > button`, { hasText: "Show in the timeline" }).click();
  await until("the timeline", () => view(page).page === "views");
  await settled(page);
  const { proof, cause_ranks } = findings[index];
  const [culprit, victim] = await page.locator("mp-timeline").evaluate(({ app }, ranks) => ranks.map((rank) => app.positions[app.rankOfWorld(rank)]), [cause_ranks[0], proof[0].rank]);
  assert.ok(Math.abs(culprit - victim) <= cause_ranks.length, `rank ${cause_ranks[0]} in row ${culprit}, rank ${proof[0].rank} in row ${victim}`);
  const { row_from, row_until } = await inSight(page);
  for (const row of [culprit, victim]) assert.ok(row >= row_from && row < row_until);
});

journey("the longest call in sight is not one that ends as the window begins", { hash: "page=views" }, async (page) => {
  const run = await api(page, "run");
  const from = Math.max(...run.ranks.rows_from_ns) - 1000;
  await page.evaluate((hash) => (location.hash = hash), `page=views&t=${from}~${from + 5e7}`);
  await settled(page);
  await page.keyboard.press("KeyL");
  const [rank, row] = (await until("a call", () => view(page).call)).split("~");
  assert.notEqual((await api(page, `call?rank=${rank}&row=${row}`)).function, "MPI_Init");
});
