// Going somewhere: places typed into the palette, the ruler of iterations, the search, many keys at once, undo and redo.

import assert from "node:assert/strict";
import fs from "node:fs";
import { api, open, plot, refuse, serve, settled, view, windowOf, textOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf } from "./runs.mjs";
import { goTo, loop } from "./timeline.mjs";

const selected = (page) => view(page).call?.split("~").map(Number) ?? null;

/** Types a place into the palette; what it says that it will do. */
async function type(page, text) {
  await page.keyboard.press(":");
  await until("the palette", () => page.locator("mp-palette input").count());
  await page.keyboard.type(text);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  return textOf(page, "mp-palette");
}

journey("a time, a rank, ranks and an iteration are typed, seen in advance and gone to", { hash: "page=views" }, async (page) => {
  const { iterations, until_ns } = await api(page, "run");
  const ms = Math.round(until_ns / 2e6);
  assert.match(await type(page, `${ms} ms`), /Go to \d+\.[\d\s]+ s ?shows \d/);
  await page.keyboard.press("Enter");
  const [from, to] = await until("the moment", () => windowOf(page));
  assert.ok(Math.abs((from + to) / 2 - ms * 1e6) < 1e6 && to - from <= until_ns / 19, `${from} ${to}`);

  assert.match(await type(page, "rank 13"), /Go to rank 13/);
  await page.keyboard.press("Enter");
  await until("the rank is selected", () => view(page).area?.endsWith("~13~14"));

  await type(page, "ranks 4-6");
  await page.keyboard.press("Enter");
  await until("three rows", () => view(page).rows === "4~7");

  assert.match(await type(page, "iteration 184"), /Go to iteration 184/);
  await page.keyboard.press("Enter");
  await until("the iteration", () => windowOf(page)?.join() === [iterations.from_ns[184], iterations.until_ns[184]].map(Math.round).join());

  // A number may be both, and one is chosen.
  assert.match(await type(page, "7"), /Go to rank 7.*Go to iteration 7/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until("the other iteration", () => windowOf(page)?.[0] === Math.round(iterations.from_ns[7]));
});

journey("a palette that is opened as soon as the last one was left stays open", { hash: "page=views" }, async (page) => {
  await type(page, "rank 13");
  // Both keys come before the next picture of the browser.
  await page.locator("mp-palette").evaluate(async (first) => {
    const picture = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const key = (target, value) => target.dispatchEvent(new KeyboardEvent("keydown", { key: value, bubbles: true, composed: true, cancelable: true }));
    key(first.shadowRoot.querySelector("input"), "Enter");
    for (let turn = 0; turn < 50 && first.isConnected; turn++) await Promise.resolve();
    key(window, ":");
    for (let frame = 0; frame < 5; frame++) await picture();
  });
  assert.equal(await page.locator("mp-palette dialog[open]").count(), 1);
  await page.keyboard.press("Escape");
  await until("closed", async () => (await page.locator("mp-palette").count()) === 0);
});

journey("a place that does not exist is reported before Enter does anything", { hash: "page=views" }, async (page) => {
  for (const [text, message] of [
    ["rank 16", /There is no rank 16: the run has ranks 0 to 15\./],
    ["1 min 3 s", /63\.\d+ s is outside the run/],
    ["iteration 400", /There is no iteration 400: the run has iterations 0 to 399\./],
    ["ranks 14-18", /There are no ranks 16-18/],
    ["go to", /Enter a time/],
  ]) {
    assert.match(await type(page, text), message);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("mp-palette").count(), 1, `${text}: the message is still there`);
    await page.keyboard.press("Escape");
    await until("closed", async () => (await page.locator("mp-palette").count()) === 0);
  }
  assert.deepEqual(view(page), { page: "views" });
});

journey("a click on the ruler shows that iteration, dragging it moves", { hash: "page=views" }, async (page) => {
  const { iterations } = await api(page, "run");
  await goTo(page, iterations.from_ns[10], iterations.until_ns[19]);
  const at = await plot(page);
  const x = (ns) => at.left + (at.width * (ns - iterations.from_ns[10])) / (iterations.until_ns[19] - iterations.from_ns[10]);
  const middle = x((iterations.from_ns[14] + iterations.until_ns[14]) / 2);
  await page.mouse.move(middle, at.top - 10);
  await until("it says what a click does", async () => (await page.locator("mp-timeline .plot").getAttribute("title")) === "iteration 14: click to show");
  await page.mouse.click(middle, at.top - 10);
  await until("iteration 14", () => windowOf(page)?.join() === [iterations.from_ns[14], iterations.until_ns[14]].map(Math.round).join());
  const [from] = windowOf(page);
  await page.mouse.move(middle, at.top - 10);
  await page.mouse.down();
  await page.mouse.move(middle + 50, at.top - 10, { steps: 5 });
  await page.mouse.up();
  await until("moved, and as wide as before", () => windowOf(page)[0] < from);
});

/** Answers of the server come late. */
async function slow(page, question, ms) {
  await page.route(
    (at) => at.pathname.endsWith(`/api/${question}`),
    async (route) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await route.continue();
    },
  );
}

const press = (page, code, key, times, more = {}) =>
  page.evaluate(
    ({ code, key, times, more }) => {
      for (let i = 0; i < times; i++) {
        document.body.dispatchEvent(new KeyboardEvent("keydown", { code, key, bubbles: true, cancelable: true, ...more }));
        document.body.dispatchEvent(new KeyboardEvent("keyup", { code, key, bubbles: true, ...more }));
      }
    },
    { code, key, times, more },
  );

journey("ten quick presses are ten calls, also when answers are slow", { hash: "page=views" }, async (page) => {
  const { from } = await loop(page);
  const first = await api(page, `find?text=MPI_Isend&ranks=3&from=${Math.round(from)}`);
  await goTo(page, first.start_ns - 1e6, first.end_ns + 1e6, `&call=3~${first.row}`);
  await slow(page, "step", 60);
  await press(page, "Period", ".", 10);
  await until("ten calls on", () => selected(page)[1] === first.row + 10);
  await page.waitForTimeout(300);
  assert.equal(selected(page)[1], first.row + 10, "and not one more");
  await press(page, "Period", ".", 4);
  await press(page, "Comma", ",", 6);
  await until("four on and six back", () => selected(page)[1] === first.row + 8);
  // By length, too: what the call before takes is known when it is its turn.
  await slow(page, "call", 80);
  const longer = async (at) => api(page, `step?rank=3&row=${at.row}&by=longer&direction=next&than_ns=${(await api(page, `call?rank=3&row=${at.row}`)).duration_ns}`);
  let wanted = { row: first.row + 8 };
  for (let i = 0; i < 3; i++) wanted = await longer(wanted);
  await press(page, "KeyN", "n", 3);
  await until("three times longer", () => selected(page)[1] === wanted.row);
});

journey("steps that wait are forgotten when something else is selected", { hash: "page=views" }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to, "&call=3~1200");
  await slow(page, "step", 150);
  await press(page, "Period", ".", 10);
  await until("the first steps", () => selected(page)?.[1] > 1200);
  await page.keyboard.press("Escape");
  await until("nothing is selected", () => selected(page) === null);
  await page.waitForTimeout(500);
  assert.equal(selected(page), null);
});

journey("Ctrl+Z goes back as often as it is pressed, and Ctrl+Shift+Z forth", { hash: "page=views" }, async (page) => {
  const steps = [windowOf(page)];
  for (let i = 0; i < 6; i++) {
    // Six zooms within the rest of a gesture: each is a step of its own.
    await press(page, "KeyW", "w", 1);
    steps.push(windowOf(page));
  }
  assert.equal(new Set(steps.map(String)).size, 7, "each zoom is an address");
  await press(page, "KeyZ", "z", 4, { ctrlKey: true });
  await until("four back", () => String(windowOf(page)) === String(steps[2]));
  await press(page, "KeyZ", "Z", 3, { ctrlKey: true, shiftKey: true });
  await until("three forth", () => String(windowOf(page)) === String(steps[5]));
  await press(page, "KeyZ", "z", 20, { ctrlKey: true });
  await until("the first one", () => windowOf(page) === null);
  await until("the message", async () => /no earlier view/.test(await page.locator('footer [role="status"]').innerText()));
  assert.equal(await page.locator("mp-views").count(), 1, "still on the page");
  // In a field it is the text's.
  const input = page.locator('mp-legend input[type="search"]');
  await page.keyboard.press("KeyW");
  await until("zoomed", () => windowOf(page));
  await input.fill("abc");
  await input.press("Control+z");
  await page.waitForTimeout(200);
  assert.ok(windowOf(page), "the view is as it was");
});

journey("a search counts, lists and jumps, and says beside its box that there is nothing", { hash: "page=views" }, async (page) => {
  await page.keyboard.press("Slash");
  await page.keyboard.type("allreduce");
  const status = () => page.locator("mp-find [role=status]").innerText();
  const { total } = await api(page, "matches?text=allreduce&limit=1");
  assert.ok(total > 100, `${total}`);
  await until("the number", async () => (await status()).replace(/\D/g, "") === String(total));
  const rows = page.locator("mp-find ol button");
  await until("a list", async () => (await rows.count()) > 99);
  // Three at once.
  await page.evaluate(() => {
    const find = document.querySelector("mp-app").shadowRoot.querySelector("mp-find").shadowRoot;
    for (let i = 0; i < 3; i++) find.querySelector("form").requestSubmit();
  });
  const { rows: all } = await api(page, "matches?text=allreduce&limit=4");
  await until("the third", () => selected(page)?.join() === [all[2].rank, all[2].row].join());
  await until("which it is", async () => (await status()).startsWith("3 of "));
  await page.keyboard.press("Shift+Enter");
  await until("the second", () => selected(page)?.join() === [all[1].rank, all[1].row].join());
  await page.locator("mp-find ol button").nth(3).click();
  await until("the fourth, from the list", () => selected(page)?.join() === [all[3].rank, all[3].row].join());
  // Nothing is covered by it.
  const box = await page.locator("mp-find").boundingBox();
  for (const name of ["Main part", "Whole run"]) {
    const button = await page.getByRole("button", { name }).boundingBox();
    assert.ok(button.y >= box.y + box.height, `${name} is below the search`);
  }
  await page.locator("mp-find input").fill("no such thing");
  await until("the message that there is none", async () => /No call matches “no such thing”/.test(await status()));
  await page.keyboard.press("Escape");
  await until("closed", async () => (await page.locator("mp-find").count()) === 0);
});

journey("in a narrow window the search and the commands are there", { hash: "page=views", width: 1024, height: 700 }, async (page) => {
  for (const name of [/^Search/, /^Commands/]) {
    const button = page.locator("mp-app header").getByRole("button", { name });
    const box = await button.boundingBox();
    assert.ok(box && box.x + box.width <= 1024 && box.x >= 0, String(name));
  }
  await page.getByRole("button", { name: /^Commands/ }).click();
  await until("the palette", async () => (await page.locator("mp-palette [role=option]").count()) > 10);
});

journey("invalid parts of an address are reported, and go with a click", { hash: "page=views&colour=pink&wibble=1" }, async (page) => {
  const alert = page.locator("mp-app [role=alert]");
  assert.match(await alert.innerText(), /The address of this page has invalid parts, which are ignored: colour=pink, wibble=1/);
  await alert.getByRole("button", { name: "Close" }).click();
  await until("gone", async () => (await alert.count()) === 0);
  assert.deepEqual(view(page), { page: "views" });
  await page.evaluate(() => (location.hash = "page=views&t=9~1"));
  await until("the message for one that is typed", async () => /t=9~1/.test(await alert.innerText()));
});

journey("a link leads to the same view after the server was started again", { isSettled: false, allow: [/./] }, async () => {
  const run = runOf("after");
  const first = await serve(run);
  const { page, close } = await open(first.url, { hash: "page=views", allow: [/ERR_/] });
  try {
    await settled(page);
    await page.keyboard.press("KeyW");
    const there = await until("zoomed", () => windowOf(page));
    const link = page.url();
    await first.stop();
    const second = await serve(run);
    try {
      assert.equal(second.url, first.url);
      await page.goto(link);
      await page.reload();
      await settled(page);
      assert.deepEqual(windowOf(page), there);
    } finally {
      await second.stop();
    }
  } finally {
    await close();
  }
  fs.chmodSync(`${run}/view.address`, 0o644);
  const refused = refuse(run);
  fs.chmodSync(`${run}/view.address`, 0o600);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /others may open .*view\.address \(mode 644\).*chmod 600/);
});
