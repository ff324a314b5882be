// Table, scatter, histogram, matrix, events, legend: each is linked to all others.

import assert from "node:assert/strict";
import { api, colours, frame, painted, settled, view, windowOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { goTo, loop } from "./timeline.mjs";

const chips = (page) => page.locator("mp-filters .chip").allInnerTexts();
const rows = (page, pane = "mp-table") => page.locator(`${pane} mp-vtable .body .row`);

journey("the table groups by another field, and by two", { hash: "page=views&scope=run" }, async (page) => {
  await page.locator("mp-table select").first().selectOption("rank");
  await settled(page);
  assert.equal(view(page).table, "rank~total_ns~0");
  await until("a row for each rank", async () => (await page.locator("mp-table mp-vtable .scroll").getAttribute("aria-rowcount")) === "17");
  await page.locator("mp-table select").nth(1).selectOption("function");
  await settled(page);
  assert.equal(view(page).table, "rank,function~total_ns~0");
  const answer = await api(page, "groups?by=rank,function&limit=5000");
  await until("their pairs", async () => (await page.locator("mp-table mp-vtable .scroll").getAttribute("aria-rowcount")) === String(answer.total + 1));
});

journey("a click on a column sorts by it, and again the other way", { hash: "page=views&scope=run" }, async (page) => {
  await page.locator("mp-table mp-vtable .head button", { hasText: "Max" }).click();
  await settled(page);
  assert.equal(view(page).table, "function~max_ns~0");
  const first = await rows(page).first().innerText();
  assert.match(first, /MPI_Init|MPI_Finalize/);
  await page.locator("mp-table mp-vtable .head button", { hasText: "Max" }).click();
  await until("the other end first", async () => (await rows(page).first().innerText()) !== first);
});

journey("a row of the table filters every view", { hash: "page=views&scope=run&right=events" }, async (page) => {
  await rows(page).filter({ hasText: "MPI_Allreduce" }).click();
  await until("a filter", async () => (await chips(page)).some((text) => text.includes("MPI_Allreduce")));
  await settled(page);
  const answer = await api(page, "groups?by=function&limit=10");
  const total = answer.rows.find((row) => row.key[0].text === "MPI_Allreduce").count;
  await until("only these events", async () => (await page.locator("mp-events mp-vtable .scroll").getAttribute("aria-rowcount")) === String(total + 1));
  assert.equal(await rows(page).count(), 1);
  const filtered = await painted(page, "mp-timeline");
  await page.locator('mp-filters button[aria-label^="Remove the filter"]').click();
  await settled(page);
  await until("the timeline has all again", async () => (await painted(page, "mp-timeline")) !== filtered);
});

journey("a point of the scatter plot leads to its call", { hash: "page=views" }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to);
  const answer = await page.locator("mp-scatter canvas").evaluate((canvas) => canvas.getAttribute("aria-label"));
  assert.match(answer, /Duration against End/);
  const box = await page.locator("mp-scatter .plot").boundingBox();
  // A point has a colour, everything else of the plot is grey.
  const point = await page.locator("mp-scatter canvas").evaluate((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    for (let y = 20; y < canvas.height - 44; y++)
      for (let x = 84; x < canvas.width - 20; x++) {
        const [r, g, b] = copy.getImageData(x, y, 1, 1).data;
        if (Math.max(r, g, b) - Math.min(r, g, b) > 60) return { x, y };
      }
    return null;
  });
  assert.ok(point, "there is a point");
  await page.mouse.move(box.x + point.x, box.y + point.y);
  await until("what it is", async () => /MPI_/.test(await page.locator("mp-scatter .tip").innerText()));
  await page.mouse.click(box.x + point.x, box.y + point.y);
  await until("its call is selected", () => view(page).call);
  await until("and described", async () => (await page.locator("mp-inspector h2").innerText()).includes("MPI_"));
});

journey("latency against bytes, logarithmic, with a fit", { hash: "page=views&scope=run&scatter=bytes~duration~1~1~~~~" }, async (page) => {
  const head = await page.evaluate(async () => {
    const bytes = await (await fetch("api/scatter?x=bytes&y=duration&x_log=1&y_log=1&width=64&height=32&points=10")).arrayBuffer();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, new DataView(bytes).getUint32(4, true))));
  });
  const text = await page.locator("mp-scatter .controls").innerText();
  if (head.fit && head.fit.bytes_per_ns > 0 && head.fit.r2 >= 0.8) assert.match(text, /fit .* \+ bytes/);
  else if (head.fit) assert.match(text, /no line fits: R² /);
  else assert.doesNotMatch(text, /fit/);
  assert.ok(head.total > 0);
});

journey("brushing the scatter plot zooms into its values, and there is a way back", { hash: "page=views&scope=run" }, async (page) => {
  const box = await page.locator("mp-scatter .plot").boundingBox();
  await page.mouse.move(box.x + 200, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 380, box.y + 160, { steps: 3 });
  await page.mouse.up();
  const text = await until("ranges in the address", () => view(page).scatter);
  const [, , , , x0, x1, y0, y1] = text.split("~").map(Number);
  assert.ok(x0 < x1 && y0 < y1);
  await page.locator("mp-scatter button", { hasText: "All values" }).click();
  await until("all values", () => !view(page).scatter);
});

journey("brushing the histogram filters by duration", { hash: "page=views&scope=run&right=histogram" }, async (page) => {
  const box = await page.locator("mp-histogram .plot").boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 90, { steps: 3 });
  await page.mouse.up();
  const filter = await until("a filter", () => view(page).filter);
  const [, min, max] = /duration_min:(\d+);duration_max:(\d+)/.exec(filter);
  assert.ok(Number(min) < Number(max));
  await settled(page);
  const answer = await api(page, `groups?by=function&duration_min=${min}&duration_max=${max}&limit=50`);
  await until("the table has just those", async () => (await page.locator("mp-table mp-vtable .scroll").getAttribute("aria-rowcount")) === String(answer.total + 1));
});

journey("the histogram of another field, linear", { hash: "page=views&scope=run&right=histogram" }, async (page) => {
  await page.locator('mp-histogram select[aria-label="Field"]').selectOption("bytes");
  await page.locator("mp-histogram input[type=checkbox]").uncheck();
  await settled(page);
  assert.equal(view(page).histogram, "bytes~0");
  assert.match(await page.locator("mp-histogram canvas").getAttribute("aria-label"), /Histogram of bytes/);
});

journey("a cell of the matrix filters by sender and receiver", { hash: "page=views&scope=run&right=matrix" }, async (page) => {
  const box = await page.locator("mp-matrix .plot").boundingBox();
  const size = Math.min(40, Math.min(box.width - 204, box.height - 42) / 16);
  // Rank 0 sends to rank 1 on a 4 × 4 grid.
  await page.mouse.move(box.x + 84 + size * 1.5, box.y + 30 + size * 0.5);
  await until("what it is", async () => /0 → 1/.test(await page.locator("mp-matrix .tip").innerText()));
  assert.doesNotMatch(await page.locator("mp-matrix .tip").innerText(), /no messages/);
  await page.mouse.click(box.x + 84 + size * 1.5, box.y + 30 + size * 0.5);
  await until("the filter", () => view(page).filter === "ranks:0;peer:1");
  await settled(page);
  const answer = await api(page, "groups?by=function&ranks=0&peer=1&limit=50");
  await until("the table has just those", async () => (await page.locator("mp-table mp-vtable .scroll").getAttribute("aria-rowcount")) === String(answer.total + 1));
});

journey("the matrix shows another value, and by host", { hash: "page=views&scope=run&right=matrix" }, async (page) => {
  const first = await painted(page, "mp-matrix");
  await page.locator('mp-matrix select[aria-label="Value"]').selectOption("latency");
  await until("other colours", async () => (await painted(page, "mp-matrix")) !== first);
  await page.locator('mp-matrix select[aria-label="Rows and columns"]').selectOption("host");
  await settled(page);
  await until("one host", async () => /of 1 rows/.test(await page.locator("mp-matrix canvas").getAttribute("aria-label")));
});

journey("an event of the list is selected and brought into sight", { hash: "page=views&left=events" }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to, "&left=events");
  const row = rows(page, "mp-events").nth(3);
  const rank = (await row.innerText()).split(/\s+/)[0];
  await row.click();
  await until("selected", () => view(page).call?.split("~")[0] === rank);
  await until("marked in the list", async () => (await page.locator('mp-events [aria-selected="true"]').count()) === 1);
});

journey("the list of events follows the walk", { hash: "page=views&left=events" }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to, "&left=events");
  await page.keyboard.press("KeyL");
  await until("one is marked", async () => (await page.locator('mp-events [aria-selected="true"]').count()) === 1);
});

journey("hiding a function in the legend draws it as computing", { hash: "page=views" }, async (page) => {
  // What is painted before all is read may become finer by itself.
  await until("all is read", async () => (await api(page, "progress")).is_explained);
  await settled(page);
  const first = await painted(page, "mp-timeline");
  await page.locator('mp-legend input[aria-label="Show MPI_Waitall"]').uncheck();
  await settled(page);
  assert.ok(view(page).hidden);
  await until("another picture", async () => (await painted(page, "mp-timeline")) !== first);
  await page.locator('mp-legend input[aria-label="Show MPI_Waitall"]').check();
  await until("the first picture", async () => (await painted(page, "mp-timeline")) === first);
});

journey("searching passes over what is hidden", { hash: "page=views" }, async (page) => {
  await page.locator('mp-legend input[aria-label="Show MPI_Cart_create"]').uncheck();
  await page.locator("mp-timeline .plot").focus();
  await page.keyboard.press("Slash");
  await page.keyboard.type("MPI_Cart_create");
  await page.keyboard.press("Enter");
  await until("there is none", async () => (await page.locator('mp-find [role="status"]').innerText()).includes("MPI_Cart_create"));
  assert.equal(view(page).call, undefined);
});

journey("walking passes over what is not to be searched, though it is shown", { hash: "page=views" }, async (page) => {
  const { from, until: to } = await loop(page);
  // What is painted before all is read may become finer by itself.
  await until("all is read", async () => (await api(page, "progress")).is_explained);
  await settled(page);
  const first = await painted(page, "mp-timeline");
  for (const name of ["MPI_Isend", "MPI_Irecv"]) await page.locator(`mp-legend button[aria-label="Search ${name}"]`).click();
  await settled(page);
  await until("the same picture", async () => (await painted(page, "mp-timeline")) === first);
  await goTo(page, from, to, `&skipped=${view(page).skipped}`);
  await page.keyboard.press("KeyL");
  await until("a call", () => view(page).call);
  for (let i = 0; i < 3; i++) {
    const before = view(page).call;
    await page.keyboard.press("Period");
    await until("the next", () => view(page).call !== before);
    const [rank, row] = view(page).call.split("~");
    const call = await api(page, `call?rank=${rank}&row=${row}`);
    assert.doesNotMatch(call.function, /Isend|Irecv/);
  }
});

journey("classes have colours of their own, and the legend's numbers are those of the run", { hash: "page=views" }, async (page) => {
  const { functions } = await api(page, "run");
  const waitall = functions.find((f) => f.name === "MPI_Waitall");
  const row = page.locator("mp-legend tbody tr", { hasText: "Waitall" });
  assert.equal((await row.locator("td").nth(1).innerText()).replace(/,/g, ""), String(waitall.calls));
  const first = await painted(page, "mp-timeline");
  await page.locator("mp-legend button", { hasText: "Classes" }).click();
  await settled(page);
  await until("other colours", async () => (await painted(page, "mp-timeline")) !== first);
  assert.ok(await page.locator("mp-legend tbody tr", { hasText: "Collective operations" }).count());
});

journey("one class alone, in all views", { hash: "page=views&colour=class&scope=run" }, async (page) => {
  await page.locator("mp-legend .name button", { hasText: "Collective operations" }).click();
  await settled(page);
  await until("only collective operations", async () => {
    const names = (await rows(page).allInnerTexts()).map((text) => text.trim().split(/\s/)[0]);
    return names.length > 0 && names.every((name) => name === "MPI_Allreduce");
  });
});

for (const [pane, side] of [
  ["scatter", "right"],
  ["histogram", "right"],
  ["matrix", "right"],
])
  journey(`${pane} has the same as a table`, { hash: `page=views&scope=run&${side}=${pane}` }, async (page) => {
    await page.locator(`mp-${pane} button[aria-label="As a table"]`).click();
    await until("rows", async () => (await rows(page, `mp-${pane}`).count()) > 3);
    assert.ok(view(page).twins.includes(pane));
  });

journey("the timeline has the same as a table, from afar and near", { hash: "page=views" }, async (page) => {
  await page.keyboard.press("KeyV");
  await until("a row for each rank", async () => (await rows(page, "mp-timeline-twin").count()) === 16);
  const { from, until: to } = await loop(page);
  await goTo(page, from, to, "&twins=timeline");
  await until("calls", async () => (await page.locator("mp-timeline-twin .head").innerText()).includes("Called from"));
  await rows(page, "mp-timeline-twin").nth(2).click();
  await until("selected", () => view(page).call);
  assert.ok(windowOf(page));
});

journey("messages as points: as many as the run has, and each leads to the call that sends it", { hash: "page=views&scope=run" }, async (page) => {
  const found = await frame(page, "messages?limit=2000");
  await page.locator('mp-scatter select[aria-label="Of what"]').selectOption("messages");
  await settled(page);
  await page.locator('mp-scatter select[aria-label="Vertical axis"]').selectOption("queue");
  await settled(page);
  assert.match(view(page).scatter, /~queue~.*~messages$/);
  // One message alone: as long on its way as the list says.
  const [sender, row, bytes] = [found.sender[0], found.send_row[0], found.bytes[0]];
  const all = await frame(page, `scatter?of=messages&x=bytes&y=duration&width=64&height=64&points=50000&from=${found.sent_ns[0]}&until=${found.sent_ns[0] + 1}`);
  const at = all.row.findIndex((r, i) => r === row && all.rank[i] === sender);
  assert.ok(at >= 0, "the message is a point");
  assert.deepEqual([all.x[at], all.y[at]], [bytes, found.received_ns[0] - found.sent_ns[0]]);
  assert.ok((await colours(page, "mp-scatter")) > 3);
});

journey("cells of a filter are of the calls that match", { hash: "page=views&scope=run" }, async (page) => {
  const whole = await painted(page, "mp-timeline");
  await page.evaluate(() => (location.hash = "page=views&scope=run&filter=peer:1"));
  await settled(page);
  const rows = (await api(page, "groups?by=function&peer=1&limit=100")).rows;
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  assert.ok(count > 0);
  const text = async () => (await page.locator("mp-timeline .status").innerText()).replace(/(\d)\D(?=\d)/g, "$1");
  await until("how many match", async () => assert.match(await text(), new RegExp(`\\b${count} matching`)) ?? true);
  assert.notEqual(await painted(page, "mp-timeline"), whole);
  const { calls } = await frame(page, "cells?columns=600&rows=64&peer=1");
  assert.equal(calls.reduce((sum, n) => sum + n, 0), count);
});

journey("the first column of a table stays in sight, of two groupings both", { hash: "page=views&scope=run&table=function,rank~total_ns~0", width: 1024, height: 700 }, async (page) => {
  const cell = (n) => page.locator(`mp-table mp-vtable .body .row >> nth=0 >> .cell:nth-child(${n})`).boundingBox();
  const before = [await cell(1), await cell(2), await cell(4)];
  await page.locator("mp-table mp-vtable .scroll").evaluate((scroll) => (scroll.scrollLeft = 150));
  await until("numbers move", async () => (await cell(4)).x < before[2].x - 100);
  assert.deepEqual([(await cell(1)).x, (await cell(2)).x], [before[0].x, before[1].x]);
});

journey("linear or logarithmic is remembered by field, also in the next page", { hash: "page=views&right=histogram" }, async (page, url) => {
  const log = page.locator("mp-histogram .controls input[type=checkbox]");
  await log.uncheck();
  await until("linear", () => view(page).histogram === "duration~0");
  await page.getByLabel("Field").selectOption("bytes");
  await page.getByLabel("Field").selectOption("duration");
  await until("as it was", () => view(page).histogram === "duration~0");
  await page.goto("about:blank");
  await page.goto(url);
  await settled(page);
  assert.equal(view(page).histogram, "duration~0");
});
