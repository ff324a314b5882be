// Ten thousand ranks: everything that is done with sixteen of them is done with these.

import assert from "node:assert/strict";
import { test } from "node:test";
import { api, colours, painted, PATIENCE_MS, plot, serve, settled, textOf, view } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf, urlOf } from "./runs.mjs";

export const LARGE = { run: "large", hash: "page=views", allow: [/409/] };

const rows = (page) => (view(page).rows ? view(page).rows.split("~").map(Number) : [0, 10_000]);

journey("ten thousand ranks: zoom, scroll, find one, select its call", LARGE, async (page) => {
  const run = await api(page, "run");
  assert.equal(run.ranks.count, 10_000);
  await until("all is read", async () => (await api(page, "progress")).is_explained);
  await settled(page);
  assert.ok((await colours(page, "mp-timeline")) > 8);
  // Rows zoom where the pointer is, and scroll.
  const at = await plot(page);
  await page.mouse.move(at.left + at.width / 2, at.top + at.height * 0.471);
  await page.keyboard.down("Alt");
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -240);
  await page.keyboard.up("Alt");
  await settled(page);
  const near = await until("fewer ranks", () => rows(page)[1] - rows(page)[0] < 2000 && rows(page));
  assert.ok(Math.abs((near[0] + near[1]) / 2 - 4710) < 300, `what is under the pointer stays there: ${near}`);
  const first = await painted(page, "mp-timeline");
  await page.mouse.wheel(0, 600);
  await settled(page);
  await until("other ranks", () => rows(page)[0] > near[0]);
  assert.notEqual(await painted(page, "mp-timeline"), first);
  // The rank for which all others wait computes longest.
  await page.evaluate(() => (location.hash = "page=views&order=sort:computing"));
  await settled(page);
  const order = await page.locator("mp-timeline").evaluate((t) => t.app.rankAt(0));
  assert.equal(order, 4711);
  // One rank alone, and its longest call.
  await page.evaluate(() => (location.hash = "page=views&order=ranks:4711"));
  await settled(page);
  await page.keyboard.press("KeyL");
  await until("its call", () => view(page).call?.startsWith("4711~"));
  await until("what it is", async () => (await page.locator("mp-inspector h2").innerText()).startsWith("MPI_"));
});

journey("ten thousand ranks: the one call of one rank is found and has a pixel", LARGE, async (page) => {
  await until("all is read", async () => (await api(page, "progress")).is_explained);
  await page.keyboard.press("Slash");
  await page.locator("mp-find input").fill("MPI_Barrier");
  await page.keyboard.press("Enter");
  const call = await until("the call", () => view(page).call);
  assert.equal(call.split("~")[0], "6666");
  const cells = await page.evaluate(async () => {
    const id = (await (await fetch("api/run")).json()).functions.find((f) => f.name === "MPI_Barrier").id;
    const answer = await (await fetch("api/cells?columns=600&rows=300")).arrayBuffer();
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(answer, 8, new DataView(answer).getUint32(4, true))));
    let begin = Math.ceil((8 + new DataView(answer).getUint32(4, true)) / 8) * 8;
    const sizes = { u8: 1, u16: 2, u32: 4, i32: 4, f32: 4, f64: 8 };
    for (const column of head.columns) {
      if (column.name === "function") return [...new Uint16Array(answer, begin, column.length)].filter((f) => f === id).length;
      begin += Math.ceil((column.length * sizes[column.type]) / 8) * 8;
    }
  });
  assert.ok(cells >= 1, "it is in the picture from afar");
});

test("ten thousand ranks: their pictures are there before their files are read", { timeout: 3 * PATIENCE_MS }, async () => {
  // Its store is there from the first server on.
  const first = await urlOf("large");
  await until("all is read", async () => (await (await fetch(`${first}api/progress`)).json()).is_explained);
  const server = await serve(runOf("large"));
  try {
    const seen = [];
    await until("the report", async () => {
      const cells = (await fetch(`${server.url}api/cells?columns=600&rows=300`)).status;
      const report = (await fetch(`${server.url}api/report?brief=1`)).status;
      seen.push(`${cells} ${report}`);
      return report === 200;
    });
    assert.ok(seen.includes("200 409"), [...new Set(seen)].join(", "));
    const { files, ranks } = await (await fetch(`${server.url}api/run`)).json();
    assert.ok(files === null && ranks.count === 10_000);
  } finally {
    await server.stop();
  }
});

journey("ten thousand ranks by host, as a matrix of blocks", { ...LARGE, hash: "page=views&order=group:host&right=matrix&scope=run" }, async (page) => {
  await until("all is read", async () => (await api(page, "progress")).is_explained);
  await settled(page);
  const groups = await page.locator("mp-timeline").evaluate((t) => t.app.order.groups.length);
  assert.equal(groups, 157);
  await until("the matrix", async () => /of \d+ rows/.test(await page.locator("mp-matrix canvas").getAttribute("aria-label")));
  const count = Number(/of (\d+) rows/.exec(await page.locator("mp-matrix canvas").getAttribute("aria-label"))[1]);
  assert.ok(count > 1 && count <= 512);
  // A block: calls of its senders with its receivers, in all views.
  const box = await page.locator("mp-matrix .plot").boundingBox();
  const size = Math.min(40, Math.min(box.width - 204, box.height - 42) / count);
  await page.mouse.click(box.x + 84 + size * 1.5, box.y + 30 + size * 1.5);
  const filter = await until("the filter", () => view(page).filter);
  const [, from, to, peerFrom, peerTo] = /^ranks:(\d+)-(\d+);peers:(\d+)-(\d+)$/.exec(filter)?.map(Number) ?? [];
  const per = to - from + 1;
  assert.ok(per > 1 && from % per === 0 && peerFrom % per === 0 && peerTo - peerFrom + 1 === per, filter);
  assert.ok(Math.abs(peerFrom - from) <= per, `near the diagonal: ${filter}`);
  await settled(page);
  assert.match(await textOf(page, "mp-filters"), /ranks .*peers/);
  const answer = await api(page, `groups?by=function&ranks=${from}-${to}&peers=${peerFrom}-${peerTo}&limit=50`);
  assert.ok(answer.rows.length >= 1 && !answer.rows.some((row) => row.key[0].text === "MPI_Allreduce"));
});

journey("ten thousand ranks: something coarse at once, finer cells when calls were read", LARGE, async (page) => {
  await until("all is read", async () => (await api(page, "progress")).is_explained);
  const head = (question) =>
    page.evaluate(async (q) => {
      const answer = await (await fetch(`api/cells?columns=1200&rows=400&${q}`)).arrayBuffer();
      return JSON.parse(new TextDecoder().decode(new Uint8Array(answer, 8, new DataView(answer).getUint32(4, true))));
    }, question);
  const [quick, exact] = [await head("quick=1"), await head("")];
  assert.ok(quick.has_finer && !quick.is_exact);
  assert.ok(exact.is_exact && !exact.has_finer && exact.bin_ns <= quick.bin_ns);
  assert.equal(quick.calls_total, exact.calls_total);
});

journey("ten thousand ranks: the one that is late is seen from afar, named, and found under the pointer", LARGE, async (page) => {
  await until("all is read", async () => (await api(page, "progress")).is_explained);
  await settled(page);
  const { ranks } = await api(page, "apart");
  assert.deepEqual(ranks.map(({ rank, is_computing }) => [rank, is_computing]), [[4711, true]]);
  const strips = () => page.locator("mp-timeline").evaluate((timeline) => timeline.ranksApart);
  const [strip] = await until("its strip", async () => (await strips()).length > 0 && strips());
  assert.equal(strip.rank, 4711);
  const box = await page.locator("mp-timeline").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + strip.y + 4);
  await until("what it is", async () => /rank 4711, .*computes while others are in MPI/s.test(await page.locator("mp-timeline .tip").innerText()));
  await page.mouse.click(box.x + box.width / 2, box.y + strip.y + 4);
  await until("a call of it", () => view(page).call?.startsWith("4711~"));
  // In some of the ranks, and in another order, too; where it is not in sight there is none.
  await page.evaluate(() => (location.hash = "page=views&rows=4000~5000"));
  await settled(page);
  await until("its strip among fewer", async () => (await strips())[0]?.rank === 4711);
  await page.evaluate(() => (location.hash = "page=views&rows=0~4000"));
  await settled(page);
  await until("no strip", async () => (await strips()).length === 0);
});
