// A run as one page for itself, opened as a file: nothing is asked of anyone.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { buttonOfFinding, colours, exported, folder, mpiscope, open, painted, plot, settled, textOf, view, windowOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf, urlOf } from "./runs.mjs";

/** Where the page has single calls. */
const kept = (page) => page.locator("mp-timeline").first().evaluate(({ app }) => app.client.kept);

const reportOf = (run) => JSON.parse(spawnSync(mpiscope, ["report", "--json", runOf(run)], { encoding: "utf8", maxBuffer: 1 << 28 }).stdout);

journey("the overview with its findings", { run: "file:halo" }, async (page) => {
  const { findings } = reportOf("halo").explanation;
  await until("findings", async () => (await page.locator("mp-findings li").count()) > 0);
  assert.equal((await page.locator("mp-findings li h3").first().innerText()).trim(), findings[0].title);
  assert.match(await textOf(page, "mp-verdict"), /Parallel efficiency/);
  assert.ok((await colours(page, "mp-timeline")) > 5);
});

journey("a finding leads to its call, in the window that is kept", { run: "file:halo" }, async (page) => {
  const { findings } = reportOf("halo").explanation;
  const index = findings.findIndex((f) => f.proof.length > 0 && f.proof[0].row !== null);
  assert.ok(index >= 0 && index < 8, "a finding with proofs");
  const { proof } = findings[index];
  await (await buttonOfFinding(page, index, "Show in the timeline")).click();
  await until("its call", () => view(page).call === `${proof[0].rank}~${proof[0].row}`);
  await settled(page);
  await until("described", async () => (await page.locator("mp-inspector h2").innerText()).includes("MPI_"));
  const { from, until: to } = await kept(page);
  assert.ok(from <= proof[0].start_ns && to >= proof[0].end_ns);
  // From call to call, along messages, by keys.
  await page.keyboard.press("Period");
  await until("the next call", () => view(page).call === `${proof[0].rank}~${proof[0].row + 1}`);
  await page.goBack();
  await until("back", () => view(page).call === `${proof[0].rank}~${proof[0].row}`);
});

journey("zooming from the whole run down to single calls", { run: "file:halo", hash: "page=views" }, async (page) => {
  const pictures = new Set([await painted(page, "mp-timeline")]);
  const { from, until: to } = await kept(page);
  const middle = (from + to) / 2;
  for (const width of [4, 1, 0.2]) {
    const half = ((to - from) / 2) * width;
    await page.evaluate(([a, b]) => (window.location.hash = `page=views&t=${Math.round(Math.max(0, a))}~${Math.round(b)}`), [middle - half, middle + half]);
    await settled(page);
    pictures.add(await painted(page, "mp-timeline"));
  }
  assert.equal(pictures.size, 4, "each zoom shows something else");
  const isSingle = () => page.locator("mp-timeline").evaluate((t) => !/exported page/.test(t.shadowRoot.querySelector(".status").textContent));
  assert.ok(await isSingle(), "single calls");
  const at = await plot(page);
  await page.mouse.click(at.left + at.width * 0.5, at.top + at.height * 0.5);
  await until("a call", () => view(page).call);
  await until("described", async () => /MPI_/.test(await page.locator("mp-inspector h2").innerText()));
  // The table, the scatter plot and the histogram are worked out from the calls.
  await until("a table", async () => (await page.locator("mp-table mp-vtable .body .row").count()) > 1);
  assert.match(await textOf(page, "mp-scatter"), /\d calls/);
});

journey("a call says as much as a server would: datatype, elements, all frames of its site", { run: "file:halo", hash: "page=views" }, async (page) => {
  const server = await urlOf("halo");
  const { from, until: to } = await kept(page);
  // All that is kept: of more than a limit the longest come back, and those may all be waits.
  const calls = await page.locator("mp-timeline").first().evaluate(
    async ({ app }, [from, until]) => {
      const { rank, row, function: functions } = await app.client.calls({ from, until, limit: 1_000_000 });
      const seen = new Map();
      const isWanted = (name) => seen.set(name, (seen.get(name) ?? 0) + 1).get(name) <= 4;
      const wanted = [...rank.keys()].filter((i) => isWanted(functions[i]) || i < 30);
      return Promise.all(wanted.map((i) => app.client.call({ rank: rank[i], row: row[i] })));
    },
    [from, to],
  );
  assert.ok(calls.length > 20);
  for (const call of calls) {
    const answer = await (await fetch(`${server}api/call?rank=${call.rank}&row=${call.row}`)).json();
    for (const name of ["function", "datatype", "elements", "root", "site"]) assert.deepEqual(call[name], answer[name], name);
  }
  assert.ok(calls.some((call) => call.datatype) && calls.some((call) => call.elements > 0));
});

journey("the state of a moment and the curves are those of a server", { run: "file:halo", hash: "page=views&left=moment&right=curves" }, async (page) => {
  const { from, until: to } = await kept(page);
  const moments = Array.from({ length: 24 }, (_, i) => Math.round(from + ((to - from) * (i + 0.5)) / 24));
  const server = await open(`${await urlOf("halo")}#page=views`);
  const asked = async ({ app }, [moments, from, until]) => {
    const plain = (value) => JSON.parse(JSON.stringify(value, (_, v) => (ArrayBuffer.isView(v) ? Array.from(v) : v)));
    return {
      moments: plain(await Promise.all(moments.map((at) => app.client.moment({ at, limit: 5000 })))),
      few: plain(await app.client.moment({ at: moments[3], limit: 5000, ranks: "0-1" })),
      run: plain(await app.client.curves({ by_host: false, columns: 1024, from: app.run.from_ns, until: app.run.until_ns })),
      window_bin_ns: (await app.client.curves({ by_host: false, columns: 1024, from, until })).bin_ns,
    };
  };
  const ask = (page) => page.locator("mp-timeline").first().evaluate(asked, [moments, from, to]);
  let there;
  try {
    await settled(server.page);
    there = await ask(server.page);
  } finally {
    await server.close();
  }
  const here = await ask(page);
  assert.ok(there.moments.some((m) => m.messages.length > 0) && there.moments.some((m) => m.ranks.waits.some((w) => w)), "something is under way");
  assert.deepEqual(here.moments, there.moments);
  assert.deepEqual(here.few, there.few);
  for (const field of Object.keys(there.run.values)) assert.equal(here.run.values[field].length, here.run.columns, field);
  assert.ok(here.run.columns >= 256 && here.window_bin_ns < here.run.bin_ns, "the window has finer bins");
  await page.evaluate((at) => (location.hash = `page=views&left=moment&right=curves&at=${at}`), moments[3]);
  await until("its rows", async () => (await page.locator("mp-moment mp-vtable .body .row").count()) > 2);
  assert.equal(await page.locator("mp-curves canvas").count(), 1);
  await page.evaluate((at) => (location.hash = `page=views&left=moment&right=curves&at=${at}`), to + 5000);
  await until("why not", async () => /the state at this moment is not in this exported page/i.test(await textOf(page, "mp-moment")));
});

journey("the page reports what it does not contain, with what to type", { run: "file:halo", hash: "page=views" }, async (page) => {
  const { until: to } = await kept(page);
  await page.evaluate(([a, b]) => (window.location.hash = `page=views&t=${a}~${b}`), [to + 1000, to + 3_000_000]);
  await settled(page);
  assert.ok((await colours(page, "mp-timeline")) > 3, "the timeline is there all the same");
  assert.match(await textOf(page, "mp-timeline"), /exported page: individual calls are available from/);
  await until("in the table", async () => /not in this exported page.*mpiscope view halo\.mpiscope/.test(await textOf(page, "mp-table")));
  await page.locator('mp-toolbar select[aria-label="Order of ranks"]').selectOption("sort:wait");
  await until("the order", async () => /this order of ranks is not in this exported page/.test(await page.locator('footer [role="status"]').innerText()));
});

journey("names in a page are text", { run: "file:names" }, async (page) => {
  await until("the overview", async () => (await page.locator("mp-overview").count()) === 1);
  for (const hash of ["page=views&left=table&table=region~total_ns~0", "page=views&left=table&table=comm~total_ns~0", "page=views&layers=regions&left=events"]) {
    await page.evaluate((h) => (window.location.hash = h), hash);
    await settled(page);
  }
  await page.evaluate(() => (window.location.hash = "page=views&left=table&table=comm~total_ns~0"));
  await until("as they are", async () => (await textOf(page, "mp-table")).includes("</script><script>window.hacked=1</script>"));
  assert.match(await textOf(page, "h1"), /<img src=x onerror=window\.hacked=1>'"&/);
  assert.match(await page.title(), /<img src=x onerror=window\.hacked=1>'"&/);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll("img").length), 0);
});

journey("names from a server are text, too", { run: "names", hash: "page=views&left=table&table=region~total_ns~0" }, async (page) => {
  await until("as they are", async () => (await textOf(page, "mp-table")).includes("<img src=x onerror=window.hacked=1>"));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

journey("the page exports what is in sight, and that opens with it", { run: "halo", hash: "page=views" }, async (page) => {
  const run = await page.evaluate(async () => (await fetch("api/run")).json());
  const from = run.iterations.from_ns[100];
  const to = run.iterations.from_ns[104];
  await page.evaluate(([a, b]) => (window.location.hash = `page=views&t=${a}~${b}&right=histogram`), [from, to]);
  await settled(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Shift+KeyX")]);
  assert.equal(download.suggestedFilename(), "halo.mpiscope.html");
  const file = path.join(folder, "from-the-page.html");
  await download.saveAs(file);
  await until("the message", async () => /^Exported/.test(await page.locator('footer [role="status"]').innerText()));
  const other = await open(`file://${file}`);
  try {
    await settled(other.page);
    await until("the same window", () => windowOf(other.page)?.join() === [from, to].join());
    assert.equal(view(other.page).right, "histogram");
    const has = await kept(other.page);
    assert.ok(has.from <= from && has.until >= to);
    assert.deepEqual(other.problems, []);
  } finally {
    await other.close();
  }
});

journey("a page that was cut off on its way says so", { run: "file:one", isSettled: false }, async (_, url) => {
  const whole = fs.readFileSync(new URL(url), "utf8");
  const at = whole.indexOf('id="mpiscope-pack">') + 'id="mpiscope-pack">'.length;
  const cut = path.join(folder, "cut.html");
  fs.writeFileSync(cut, whole.slice(0, at + 4000) + whole.slice(whole.indexOf("</script>", at)));
  const { page, close } = await open(`file://${cut}`);
  try {
    await until("the message", async () => /This page cannot be read|this page cannot be read/.test(await textOf(page, "mp-app")));
  } finally {
    await close();
  }
});

journey("a page whose rings were written over", { run: "file:wrapped" }, async (page) => {
  await until("the message", async () => /overwritten/.test(await textOf(page, "mp-overview")));
});

test("the page is small, and the same run gives the same page", () => {
  const [a, b] = ["a.html", "b.html"].map((name) => fs.readFileSync(exported(runOf("halo"), name)));
  assert.ok(a.equals(b));
  assert.ok(a.length < 3_000_000, `${a.length} bytes`);
});
