// Lines over the timeline: in the lanes of threads, of one-sided accesses, and messages in bundles from afar.

import assert from "node:assert/strict";
import { api, frame, painted, settled, textOf, view, windowOf } from "./harness.mjs";
import { explained, journey, until } from "./journey.mjs";
import { goTo } from "./timeline.mjs";

const LINES = { run: "lines", hash: "page=views" };

/** Lines that are drawn, in CSS pixels of the timeline. */
const lines = (page) => page.locator("mp-timeline").evaluate((t) => t.lines);

/** Where threads are drawn, at moments. */
const places = (page, wanted) => page.locator("mp-timeline").evaluate((t, all) => all.map((each) => t.placeOf(...each)), wanted);

/** The calls of a function. */
async function callsOf(page, name) {
  const id = (await api(page, "run")).functions.find((f) => f.name === name).id;
  return frame(page, `calls?functions=${id}&limit=1000`);
}

/** A window around all calls of some functions, on the page. */
async function goToCalls(page, names, more = "") {
  const all = [];
  for (const name of names) all.push(await callsOf(page, name));
  const from = Math.min(...all.flatMap((c) => c.start_ns));
  const end = Math.max(...all.flatMap((c) => c.start_ns.map((ns, i) => ns + c.duration_ns[i])));
  await goTo(page, from - 1e5, end + 1e5, more);
}

const tipOf = (page) => page.locator("mp-timeline .tip").innerText();

journey("each thread has a lane, and the mouse finds the calls in it", LINES, async (page) => {
  await goToCalls(page, ["MPI_Isend", "MPI_Recv"]);
  assert.deepEqual((await api(page, "run")).ranks.threads, [3, 3, 3]);
  const calls = await callsOf(page, "MPI_Recv");
  const box = await page.locator("mp-timeline").boundingBox();
  for (const thread of [0, 1, 2]) {
    // The longest: it is wide enough to be pointed at.
    const own = calls.rank.map((rank, i) => i).filter((i) => calls.rank[i] === 1 && calls.thread[i] === thread);
    const at = own.sort((a, b) => calls.duration_ns[b] - calls.duration_ns[a])[0];
    const [{ x, y }] = await places(page, [[1, thread, calls.start_ns[at] + calls.duration_ns[at] / 2]]);
    await page.mouse.move(box.x + x, box.y + y);
    await until(`a tip of thread ${thread}`, async () => new RegExp(`rank 1, thread ${thread},`).test(await tipOf(page)));
    await page.mouse.click(box.x + x, box.y + y);
    await until("the call", () => view(page).call === `1~${calls.row[at]}`);
  }
});

journey("messages begin and end in the lanes of the threads that send and receive them", LINES, async (page) => {
  await goToCalls(page, ["MPI_Isend", "MPI_Recv"], "&layers=messages");
  const calls = await frame(page, "calls?limit=10000");
  const threads = new Map(calls.rank.map((rank, i) => [`${rank}~${calls.row[i]}`, calls.thread[i]]));
  const [from, to] = windowOf(page);
  const all = await frame(page, `messages?limit=2000&from=${from}&until=${to}`);
  const { messages } = await lines(page);
  assert.ok(messages.length === 45 && all.sender.length === 45, `${messages.length} of ${all.sender.length}`);
  const ends = all.sender.flatMap((sender, i) => [
    [sender, threads.get(`${sender}~${all.send_row[i]}`), all.sent_ns[i]],
    [all.receiver[i], threads.get(`${all.receiver[i]}~${all.receive_done_row[i]}`), all.received_ns[i]],
  ]);
  assert.deepEqual([...new Set(ends.map(([, thread]) => thread))].sort(), [0, 1, 2]);
  const expected = await places(page, ends);
  const text = (points) => points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const drawn = messages.map(({ x0, y0, x1, y1 }) => text([{ x: x0, y: y0 }, { x: x1, y: y1 }])).sort();
  assert.deepEqual(drawn, all.sender.map((_, i) => text(expected.slice(2 * i, 2 * i + 2))).sort());
});

journey("one-sided accesses have arrows the way their data go, which say what they are and lead to the call", LINES, async (page) => {
  await goToCalls(page, ["MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Fetch_and_op"]);
  const { accesses } = await lines(page);
  assert.equal(accesses.length, 3 * 2 * 4);
  const put = await callsOf(page, "MPI_Put");
  const get = await callsOf(page, "MPI_Get");
  const ofRow = (y, rank, thread = 0) => places(page, [[rank, thread, 0]]).then(([place]) => Math.abs(place.y - y) < 60);
  const ways = (way) => accesses.filter(({ isToTarget, isFromTarget }) => `${isToTarget ? "to" : ""}${isFromTarget ? "from" : ""}` === way).length;
  assert.deepEqual([ways("to"), ways("from"), ways("tofrom")], [12, 6, 6], "puts and accumulates, gets, fetches");
  // From near, an arrow is under the mouse.
  for (const [calls, way, size] of [[put, "0 → 1", "2.00 KiB"], [get, "1 → 0", "1.00 KiB"]]) {
    const at = calls.rank.indexOf(0);
    const [start, length] = [calls.start_ns[at], Math.max(calls.duration_ns[at], 1000)];
    await goTo(page, start - 4 * length, start + 5 * length, "&layers=rma");
    const line = (await lines(page)).accesses.find(({ isFromTarget }) => isFromTarget === (calls === get));
    assert.ok(line, "its arrow");
    assert.ok(await ofRow(line.y0, calls === put ? 0 : 1), "from where the data come");
    const box = await page.locator("mp-timeline").boundingBox();
    const [x, y] = [box.x + line.x0 + (line.x1 - line.x0) * 0.45, box.y + line.y0 + (line.y1 - line.y0) * 0.45];
    await page.mouse.move(x, y);
    await until("what it is", async () => {
      const text = await tipOf(page);
      return text.includes(`rank ${way}`) && text.includes(size) && /window \d+/.test(text) && text.includes(calls === put ? "MPI_Put" : "MPI_Get");
    });
    await page.mouse.click(x, y);
    await until("its call", () => view(page).call === `0~${calls.row[at]}`);
    const withArrows = await painted(page, "mp-timeline");
    await page.keyboard.press("Shift+KeyM");
    await until("no arrows", async () => (await painted(page, "mp-timeline")) !== withArrows);
    assert.equal((await lines(page)).accesses.length, 0);
  }
});

journey("the filter takes arrows of accesses away, and the legend says what they are", LINES, async (page) => {
  const id = (await api(page, "run")).functions.find((f) => f.name === "MPI_Put").id;
  await goToCalls(page, ["MPI_Put", "MPI_Get"], `&filter=functions:${id}`);
  assert.equal((await lines(page)).accesses.length, 6);
  assert.match(await textOf(page, "mp-legend"), /one-sided access/);
});

const LARGE = { run: "large", hash: "page=views", allow: [/409/] };

journey("from afar messages are bundles that have all of them, and zooming in makes them arrows", LARGE, async (page) => {
  await explained(page);
  const far = await until("bundles", async () => (await lines(page)).bundles.length > 0 && lines(page));
  assert.ok(far.bundles.length <= 1000 && far.messages.length === 0, `${far.bundles.length} lines`);
  const withBundles = await painted(page, "mp-timeline");
  // The thickest says how many it stands for.
  const thick = far.bundles[far.bundles.length - 1];
  const box = await page.locator("mp-timeline").boundingBox();
  await page.mouse.move(box.x + (thick.x0 + thick.x1) / 2, box.y + (thick.y0 + thick.y1) / 2);
  await until("how many", async () => /^[\d,]+ messages, [\d.]+ .*\nranks \d+–\d+ (→ \d+–\d+|among themselves)/.test(await tipOf(page)));
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.keyboard.press("KeyM");
  await until("none", async () => (await painted(page, "mp-timeline")) !== withBundles);
  await page.keyboard.press("KeyM");
  await until("all again", async () => (await painted(page, "mp-timeline")) === withBundles);
  // No frame has neither of both.
  const rows = [4700, 4716];
  await page.evaluate(() => {
    const seen = (window.__seen = []);
    const timeline = document.querySelector("mp-app").shadowRoot.querySelector("mp-timeline") ?? null;
    const find = (root) => root.querySelector("mp-timeline") ?? [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
    const found = timeline ?? find(document);
    const look = () => {
      const { messages, bundles } = found.lines;
      seen.push([messages.length, bundles.length]);
      window.__look = requestAnimationFrame(look);
    };
    look();
  });
  await page.evaluate(([a, b]) => (location.hash = `page=views&rows=${a}~${b}`), rows);
  await page.waitForTimeout(150);
  await settled(page);
  const near = await until("arrows", async () => (await lines(page)).messages.length > 0 && lines(page));
  assert.equal(near.bundles.length, 0);
  const seen = await page.evaluate(() => (cancelAnimationFrame(window.__look), window.__seen));
  assert.ok(seen.every(([messages, bundles]) => messages + bundles > 0), JSON.stringify(seen.slice(-40)));
});
