// History, links, themes, and what happens when things go wrong.

import assert from "node:assert/strict";
import { api, frame, open, painted, placeOfCall, plot, serve, settled, view, windowOf, textOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf } from "./runs.mjs";
import { goTo, loop } from "./timeline.mjs";

journey("back and forward go through zooms, filters and selections", { hash: "page=views&scope=run" }, async (page) => {
  const { from, until: to } = await loop(page);
  await page.keyboard.press("KeyW");
  const zoomed = await until("zoomed", () => windowOf(page));
  await page.locator("mp-table mp-vtable .body .row").first().click();
  await until("filtered", () => view(page).filter);
  await page.locator('mp-legend input[aria-label="Show MPI_Init"]').uncheck();
  await until("hidden", () => view(page).hidden);
  await page.goBack();
  await until("shown again", () => !view(page).hidden && view(page).filter);
  assert.ok(await page.locator('mp-legend input[aria-label="Show MPI_Init"]').isChecked());
  await page.goBack();
  await until("not filtered", () => !view(page).filter);
  assert.equal(await page.locator("mp-filters .chip").count(), 0);
  await page.goBack();
  await until("not zoomed", () => windowOf(page) === null);
  await page.goForward();
  await until("zoomed again", () => windowOf(page)?.join() === zoomed.join());
  assert.ok(from < to);
});

journey("a gesture of many steps is one entry", { hash: "page=views" }, async (page) => {
  const before = await page.evaluate(() => history.length);
  // At once: keys that come from here, one by one, may be so far apart on a busy machine that they are several gestures.
  await page.evaluate(() => {
    for (let i = 0; i < 6; i++) document.body.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyW", key: "w", repeat: i > 0, bubbles: true, cancelable: true }));
    document.body.dispatchEvent(new KeyboardEvent("keyup", { code: "KeyW", key: "w", bubbles: true }));
  });
  await until("zoomed", () => windowOf(page));
  await page.waitForTimeout(500);
  assert.equal(await page.evaluate(() => history.length), before + 1);
});

journey("a link restores the view exactly, in another page", { hash: "page=views" }, async (page, url) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to, "&order=sort:mpi&colour=class&hidden=&left=events&right=matrix");
  const at = await plot(page);
  const { rank } = await frame(page, "order?order=sort:mpi");
  const { x, y } = await placeOfCall(page, rank[4], 4);
  await page.mouse.click(at.left + at.width * x, at.top + at.height * y);
  await until("a call", () => view(page).call);
  await page.mouse.move(5, 5);
  await settled(page);
  await page.waitForTimeout(200);
  const first = await painted(page, "mp-timeline");
  const other = await open(url, { hash: new URL(page.url()).hash.slice(1) });
  try {
    await settled(other.page);
    assert.equal(new URL(other.page.url()).hash, new URL(page.url()).hash);
    await until("the same picture", async () => (await painted(other.page, "mp-timeline")) === first);
    assert.ok(await other.page.locator("mp-events").count());
  } finally {
    await other.close();
  }
});

journey("reloading changes nothing", { hash: "page=views&scope=run&table=site~count~1&right=histogram" }, async (page) => {
  await page.keyboard.press("KeyW");
  await until("zoomed", () => windowOf(page));
  await settled(page);
  const before = page.url();
  const first = await painted(page, "mp-timeline");
  await page.reload();
  await settled(page);
  assert.equal(page.url(), before);
  await until("the same picture", async () => (await painted(page, "mp-timeline")) === first);
});

journey("ranks in another order, with the numbers at the left", { hash: "page=views" }, async (page) => {
  const first = await painted(page, "mp-timeline");
  await page.locator('mp-toolbar select[aria-label="Order of ranks"]').selectOption("sort:wait");
  await settled(page);
  assert.equal(view(page).order, "sort:wait");
  await until("another picture", async () => (await painted(page, "mp-timeline")) !== first);
  const top = (await frame(page, "order?order=sort:wait")).rank[0];
  // A click on the first row selects a call of the rank that waits longest.
  const at = await plot(page);
  await page.mouse.click(at.left + at.width * 0.7, at.top + at.height / 32);
  await until(`rank ${top}`, () => view(page).call?.split("~")[0] === String(top));
});

journey("a pinned rank is on top, and is marked after a reload", { hash: "page=views" }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to, "&call=9~0");
  await page.keyboard.press("KeyI");
  await until("pinned", () => view(page).order === "pin:9");
  await settled(page);
  await page.reload();
  await settled(page);
  const at = await plot(page);
  const { x, y } = await placeOfCall(page, 9, 0);
  await page.mouse.click(at.left + at.width * x, at.top + at.height * y);
  await until("rank 9 in the first row", () => view(page).call?.split("~")[0] === "9" && view(page).call !== "9~0");
});

journey("dark and light, kept for the next time", { hash: "page=views" }, async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.keyboard.press("KeyT");
  await until("dark", async () => (await ground()) !== light);
  await page.reload();
  await settled(page);
  assert.notEqual(await ground(), light);
});

journey("an address that makes no sense opens the run all the same", { hash: "page=views&t=9~1&rows=x&area=1&filter=zzz&table=%%%&call=a~b&layers=nothing" }, async (page) => {
  assert.equal(await page.locator("mp-views").count(), 1);
  assert.match(await textOf(page, "mp-app .unread"), /invalid parts.*t=9~1, rows=x, area=1, filter=zzz, table=%%%, call=a~b, layers=nothing/);
  await page.keyboard.press("KeyW");
  await until("it works", () => windowOf(page));
});

journey(
  "an address with a call that is not there says so",
  { hash: "page=views&call=3~99999999", allow: [/404/] },
  async (page) => {
    await until("what, and what to do", async () => /no call 99999999/.test(await textOf(page, "mp-inspector")));
  },
);

journey("the page says when mpiscope has ended", { isSettled: false, allow: [/ERR_CONNECTION_REFUSED|ERR_FAILED|ERR_EMPTY_RESPONSE/] }, async () => {
  const server = await serve(runOf("one"));
  const { page, close } = await open(server.url, { hash: "page=views" });
  try {
    await settled(page);
    await server.stop();
    await page.keyboard.press("KeyL");
    await until("what, and what to do", async () => /mpiscope does not answer.*mpiscope view/.test(await page.locator('footer [role="status"]').innerText()));
  } finally {
    await close();
  }
});

journey("ranks by the time that each spends in a region", { run: "regions", hash: "page=views" }, async (page) => {
  const { regions } = await api(page, "run");
  const { id } = regions.find((region) => region.name === "exchange");
  await page.locator('mp-toolbar select[aria-label="Order of ranks"]').selectOption(`sort:region:${id}`);
  await settled(page);
  const { rank, value } = await frame(page, `order?order=sort:region:${id}`);
  const spans = await frame(page, `regions?region=${id}&limit=200000`);
  const of = (wanted) => spans.rank.reduce((sum, r, i) => sum + (r === wanted && spans.region[i] === id ? spans.end_ns[i] - spans.start_ns[i] : 0), 0);
  assert.deepEqual(value, rank.map(of));
  assert.deepEqual(value, [...value].sort((a, b) => b - a));
  assert.equal(await page.locator("mp-timeline").evaluate((t) => t.app.rankAt(0)), rank[0]);
});
