// The timeline: zooming, moving, selecting, layers.

import assert from "node:assert/strict";
import { api, colours, painted, placeOfCall, plot, settled, view, windowOf, textOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";

const VIEWS = "page=views";

/** A stretch in the middle of the main loop. */
export async function loop(page) {
  const run = await page.evaluate(async () => (await fetch("api/run")).json());
  const { from_ns: from, until_ns: to } = run.iterations;
  const at = Math.floor(from.length / 2);
  return { from: from[at], until: to[at + 1], run };
}

/** Goes to a stretch by its address. */
export async function goTo(page, from, to, more = "") {
  await page.evaluate(([a, b, rest]) => (location.hash = `page=views&t=${a}~${b}${rest}`), [Math.floor(from), Math.ceil(to), more]);
  await page.waitForTimeout(150);
  await settled(page);
}

journey("the timeline shows all ranks in many colours", { hash: VIEWS }, async (page) => {
  assert.ok((await colours(page, "mp-timeline")) > 8, "a picture of calls");
  const label = await page.locator("mp-timeline canvas").getAttribute("aria-label");
  assert.match(label, /ranks 0 to 15/);
});

journey("Ctrl and wheel zoom in, and what is under the pointer stays there", { hash: VIEWS }, async (page) => {
  const at = await plot(page);
  const first = await page.locator("mp-timeline").evaluate(({ app }) => app.window);
  const whole = first.until - first.from;
  await page.mouse.move(at.left + at.width * 0.6, at.top + 50);
  await page.keyboard.down("Control");
  for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  const [from, to] = await until("a window in the address", () => windowOf(page));
  assert.ok(to - from < whole / 10, `zoomed in: ${to - from} of ${whole}`);
  const under = from + (to - from) * 0.6;
  assert.ok(Math.abs(under - (first.from + whole * 0.6)) < whole * 0.01, "the same moment is under the pointer");
});

journey("W, S, A and D zoom and move, by the place of the keys", { hash: VIEWS }, async (page) => {
  await page.keyboard.press("KeyW");
  const first = await until("a window", () => windowOf(page));
  await page.keyboard.press("KeyW");
  const near = await until("a narrower one", () => windowOf(page)[1] - windowOf(page)[0] < (first[1] - first[0]) * 0.9 && windowOf(page));
  await page.keyboard.press("KeyD");
  const later = await until("a later window", () => windowOf(page)[0] > near[0] && windowOf(page));
  assert.ok(Math.abs(later[1] - later[0] - (near[1] - near[0])) <= 2, "moving does not zoom");
  await page.keyboard.press("KeyA");
  await until("back", () => Math.abs(windowOf(page)[0] - near[0]) <= 2);
  // On a French keyboard the same key writes Z.
  await page.evaluate(() => window.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyW", key: "z", bubbles: true })));
  await until("zoomed in further", () => windowOf(page)[1] - windowOf(page)[0] < (near[1] - near[0]) * 0.9);
  await page.keyboard.press("Home");
  await until("the whole run", () => view(page).t === "run");
});

journey("rows zoom with Alt and scroll with the wheel", { hash: VIEWS }, async (page) => {
  const at = await plot(page);
  await page.mouse.move(at.left + 300, at.top + 20);
  await page.keyboard.down("Alt");
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -200);
  await page.keyboard.up("Alt");
  const rows = await until("fewer rows", () => view(page).rows?.split("~").map(Number));
  assert.ok(rows[1] - rows[0] < 10);
  await page.mouse.wheel(0, 200);
  await until("rows further down", () => Number(view(page).rows.split("~")[0]) > rows[0] + 0.5);
});

journey("the small picture of the run moves the window", { hash: VIEWS }, async (page) => {
  const { run } = await loop(page);
  await goTo(page, run.from_ns + 1e6, run.from_ns + 2e7);
  const box = await page.locator("mp-timeline").boundingBox();
  const at = await plot(page);
  await page.mouse.click(at.left + at.width * 0.75, box.y + 12);
  const [from, to] = await until("a window", () => windowOf(page)[0] > run.until_ns * 0.5 && windowOf(page));
  assert.ok(Math.abs((from + to) / 2 - (run.from_ns + (run.until_ns - run.from_ns) * 0.75)) < (run.until_ns - run.from_ns) * 0.02);
});

journey("dragging selects an area whose statistics are those of the calls in it", { hash: VIEWS }, async (page) => {
  const at = await plot(page);
  await page.mouse.move(at.left + at.width * 0.6, at.top + at.height * 0.1);
  await page.mouse.down();
  await page.mouse.move(at.left + at.width * 0.65, at.top + at.height * 0.3, { steps: 4 });
  await page.mouse.up();
  await until("an area in the address", () => view(page).area);
  await settled(page);
  const [from, to, first, last] = view(page).area.split("~").map(Number);
  const ranks = Array.from({ length: last - first }, (_, i) => first + i).join(",");
  const answer = await page.evaluate(async (q) => (await fetch(`api/groups?${q}`)).json(), `by=function&from=${from}&until=${to}&ranks=${ranks}&limit=40`);
  const panel = page.locator("mp-area");
  await until("the most costly function", async () => (await textOf(page, "mp-area")).includes(answer.rows[0].key[0].text.replace("MPI_", "")));
  const counts = await panel.locator("tbody tr td:nth-child(2)").allInnerTexts();
  assert.equal(counts[0].replace(/,/g, ""), String(answer.rows[0].count));
  await page.keyboard.press("Escape");
  await until("no area", () => !view(page).area);
});

journey("a click selects the call that is there", { hash: VIEWS }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to);
  const at = await plot(page);
  const { x, y } = await placeOfCall(page, 3);
  await page.mouse.click(at.left + at.width * x, at.top + at.height * y);
  const call = await until("a call in the address", () => view(page).call);
  const [rank, row] = call.split("~").map(Number);
  assert.equal(rank, 3);
  const detail = await page.evaluate(async (q) => (await fetch(`api/call?${q}`)).json(), `rank=${rank}&row=${row}`);
  const [a, b] = windowOf(page);
  const ns = a + (b - a) * x;
  assert.ok(detail.start_ns <= ns + (b - a) * 0.01 && detail.start_ns + detail.duration_ns >= ns - (b - a) * 0.01, "the call covers the place");
  await until("its name", async () => (await page.locator("mp-inspector h2").innerText()).includes(detail.function));
});

journey("from afar a click selects the longest call of the place", { hash: VIEWS }, async (page) => {
  const at = await plot(page);
  await page.mouse.click(at.left + at.width * 0.7, at.top + (at.height * 7.5) / 16);
  const call = await until("a call in the address", () => view(page).call);
  assert.equal(call.split("~")[0], "7");
});

journey("resting over a call says what it is", { hash: VIEWS }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to);
  const at = await plot(page);
  const { x, y } = await placeOfCall(page, 8);
  await page.mouse.move(at.left + at.width * x, at.top + at.height * y);
  await until("a tip", async () => /rank 8/.test(await page.locator("mp-timeline .tip").innerText()));
});

journey("message arrows, hatching and the other layers change the picture", { hash: VIEWS }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to);
  const first = await painted(page, "mp-timeline");
  for (const key of ["KeyM", "KeyH"]) {
    await page.keyboard.press(key);
    await settled(page);
    await until(`${key} takes something away`, async () => (await painted(page, "mp-timeline")) !== first);
    await page.keyboard.press(key);
    await settled(page);
    await until(`${key} brings it back`, async () => (await painted(page, "mp-timeline")) === first);
  }
});

journey("collective operations are joined across ranks", { hash: VIEWS }, async (page) => {
  const calls = await page.evaluate(async () => {
    const run = await (await fetch("api/run")).json();
    const id = run.functions.find((f) => f.name === "MPI_Allreduce").id;
    const span = await (await fetch(`api/find?text=MPI_Allreduce&from=${run.iterations.from_ns[50]}`)).json();
    return { id, span };
  });
  await goTo(page, calls.span.start_ns - 2e5, calls.span.end_ns + 2e5, "&layers=collectives");
  const withLines = await painted(page, "mp-timeline");
  await page.keyboard.press("KeyK");
  await until("no lines", async () => (await painted(page, "mp-timeline")) !== withLines);
});

journey("the old picture stays while the next one loads, and superseded questions are given up", { hash: VIEWS }, async (page) => {
  const given = [];
  page.on("requestfailed", (request) => request.url().includes("/api/cells") && given.push(request.failure()?.errorText));
  // A slow line: no answer comes before the last question.
  let answer;
  const isAsked = new Promise((resolve) => (answer = resolve));
  await page.route(/\/api\/cells/, async (route) => {
    await isAsked;
    await route.continue().catch(() => {});
  });
  for (let i = 0; i < 6; i++) {
    await page.keyboard.press("KeyW");
    await page.waitForTimeout(90);
    assert.ok((await colours(page, "mp-timeline")) > 8, "there is always a picture");
  }
  answer();
  await page.unroute(/\/api\/cells/);
  await settled(page);
  assert.ok(given.length > 0 && given.every((text) => /ABORTED/.test(text)), `given up: ${given}`);
});

journey("questions of a filtered picture are given up together, and none is an error", { hash: VIEWS }, async (page) => {
  const id = await page.evaluate(async () => (await (await fetch("api/run")).json()).functions.find((f) => f.name === "MPI_Allreduce").id);
  // The cells of the filter and the messages do not arrive before the next zoom.
  let answer;
  const isAsked = new Promise((resolve) => (answer = resolve));
  const held = [];
  for (const pattern of [/\/api\/cells.*functions=/, /\/api\/(bundles|messages)/])
    await page.route(pattern, async (route) => {
      held.push(new URL(route.request().url()).pathname.split("/").pop());
      await isAsked;
      await route.continue().catch(() => {});
    });
  await page.evaluate((id) => (location.hash += `&filter=functions:${id}`), id);
  await until("both are requested", () => held.includes("cells") && held.includes("bundles"));
  await page.keyboard.press("KeyW");
  await page.waitForTimeout(300);
  answer();
  await page.unrouteAll();
  await settled(page);
});

// What a frame costs is measured by `bench/run.py page`.
journey("while it is dragged, the picture moves with every step", { hash: VIEWS }, async (page) => {
  await page.keyboard.press("KeyW");
  await settled(page);
  const at = await plot(page);
  await page.mouse.move(at.left + 600, at.top + 100);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  const pictures = new Set();
  for (let i = 0; i < 6; i++) {
    await page.mouse.move(at.left + 600 - i * 40, at.top + 100);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    pictures.add(await painted(page, "mp-timeline"));
  }
  await page.mouse.up();
  await page.keyboard.up("Shift");
  assert.equal(pictures.size, 6);
});

journey("threads of a rank have lanes", { run: "threads", hash: VIEWS }, async (page) => {
  const { calls } = await page.evaluate(async () => (await fetch("api/run")).json());
  assert.ok(calls > 1000);
  const grid = "left=table&table=thread~total_ns~0";
  await page.evaluate((hash) => (location.hash = `page=views&${hash}`), grid);
  await settled(page);
  await until("several threads in the table", async () => (await page.locator("mp-table mp-vtable .body .row").count()) >= 2);
});

journey("regions of the program are shown nested", { run: "regions", hash: VIEWS }, async (page) => {
  const span = await page.evaluate(async () => (await fetch("api/find?text=Allreduce&from=0")).json());
  await goTo(page, span.start_ns - 3e5, span.end_ns + 3e5);
  const without = await painted(page, "mp-timeline");
  await page.keyboard.press("KeyR");
  await settled(page);
  await until("bands of regions", async () => (await painted(page, "mp-timeline")) !== without);
});

journey("regions are to be seen from afar, where calls are too many to be drawn one by one", { run: "steps", hash: VIEWS }, async (page) => {
  const run = await api(page, "run");
  assert.ok(run.calls > 40_000, `${run.calls} calls`);
  const without = await painted(page, "mp-timeline");
  const asked = page.waitForRequest((request) => /\/cells\?.*layer=regions/.test(request.url()));
  await page.keyboard.press("KeyR");
  // What is there was asked for without them.
  await page.keyboard.press("KeyW");
  await asked;
  await settled(page);
  const step = run.regions.find((region) => region.name === "step").id;
  const bands = await page.locator("mp-timeline").evaluate((t) => t.regionsInSight);
  assert.ok(bands.includes(step), `regions ${bands}`);
  assert.notEqual(await painted(page, "mp-timeline"), without);
});
