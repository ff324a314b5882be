// The list of commands: palette, help, keys.

import assert from "node:assert/strict";
import { settled, view, textOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { goTo, loop } from "./timeline.mjs";

journey("the palette finds a command and does it", { hash: "page=views" }, async (page) => {
  await page.keyboard.press("Control+Shift+KeyP");
  await page.keyboard.type("histogram left");
  await page.keyboard.press("Enter");
  await until("the histogram", () => view(page).left === "histogram");
  assert.equal(await page.locator("mp-palette").count(), 0);
});

journey("? lists the keys; Escape closes it and nothing else", { hash: "page=views" }, async (page) => {
  await page.keyboard.press("?");
  await until("the list", async () => (await page.locator("mp-help kbd").count()) > 40);
  const text = await textOf(page, "mp-help");
  for (const what of ["Zoom in", "Next call on the rank", "Search calls", "Command palette"]) assert.ok(text.includes(what), what);
  await page.keyboard.press("Escape");
  await until("closed", async () => (await page.locator("mp-help").count()) === 0);
});

journey("every command can be done", { hash: "page=views", allow: [/clipboard|404/i] }, async (page) => {
  const { from, until: to } = await loop(page);
  const start = async () => {
    await goTo(page, from, to, `&call=3~1200&area=${from}~${to}~0~4&filter=ranks:0-7`);
    await page.keyboard.press("Control+Shift+KeyP");
    await until("the palette", async () => (await page.locator("mp-palette [role=option]").count()) > 0);
  };
  await start();
  const titles = await page.locator("mp-palette [role=option] span:first-child").allInnerTexts();
  assert.ok(titles.length > 50, `${titles.length} commands`);
  assert.equal(new Set(titles).size, titles.length, "no two have the same title");
  for (const title of titles) {
    if (!(await page.locator("mp-palette").count())) await page.keyboard.press("Control+Shift+KeyP");
    const option = page.locator("mp-palette [role=option]", { has: page.getByText(title, { exact: true }) }).first();
    if (!(await option.count())) {
      // Another command took away what this one needs.
      await page.keyboard.press("Escape");
      await start();
    }
    await option.click();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    assert.equal(await page.locator("[role=alert]").count(), 0, `${title}: no error is shown`);
    for (const open of ["mp-help", "mp-find"]) if (await page.locator(open).count()) await page.keyboard.press("Escape");
  }
  await page.evaluate(() => (location.hash = "page=views"));
  await settled(page);
});

journey("keys are not commands while something is typed or chosen", { hash: "page=views" }, async (page) => {
  const input = page.locator('mp-legend input[type="search"]');
  await input.focus();
  await page.keyboard.type("wasd");
  await page.waitForTimeout(450);
  assert.equal(view(page).t, undefined);
  assert.equal(await input.inputValue(), "wasd");
});

journey("single keys can be turned off", { hash: "page=views" }, async (page) => {
  await page.keyboard.press("Control+Shift+KeyP");
  await page.keyboard.type("single-key");
  await page.keyboard.press("Enter");
  await page.keyboard.press("KeyW");
  await page.waitForTimeout(450);
  assert.equal(view(page).t, undefined);
  await page.keyboard.press("Control+Shift+KeyP");
  await page.keyboard.type("single-key");
  await page.keyboard.press("Enter");
  await page.keyboard.press("KeyW");
  await until("they are on again", () => view(page).t);
});
