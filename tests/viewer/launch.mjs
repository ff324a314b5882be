// Starting a program from the page: the form, the code, what it writes, and then its views.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { axe } from "./access.mjs";
import { colours, examples, folder, open, PATIENCE_MS, serveWith, settled, textOf } from "./harness.mjs";
import { until } from "./journey.mjs";
import { runOf } from "./runs.mjs";

/** A page of launching in a folder of its own; `code` is what the terminal shows. */
function launching(name, steps, { run = null, allow = [] } = {}) {
  test(name, { timeout: 3 * PATIENCE_MS }, async () => {
    const cwd = fs.mkdtempSync(path.join(folder, "launch-"));
    const server = await serveWith([...(run ? [run()] : []), "--launch"], cwd);
    const code = await until("the code", () => /from the page: (\S+)/.exec(server.printed())?.[1]);
    const { page, problems, close } = await open(server.url, { allow });
    try {
      await steps(page, { code, cwd, server });
      assert.deepEqual(problems, []);
    } finally {
      await close();
      await server.stop();
    }
  });
}

async function fill(page, program, ranks) {
  await page.getByLabel("Program and arguments").fill(program);
  await page.getByLabel("Ranks", { exact: true }).fill(String(ranks));
  await page.getByRole("button", { name: "Check" }).click();
}

async function confirm(page, code) {
  await page.getByLabel(/Code from the terminal/).fill(code);
  await page.getByRole("button", { name: "Run", exact: true }).click();
}

launching("from the form to the views of the new run", async (page, { code, cwd }) => {
  // Without a run this page comes first.
  assert.match(page.url(), /\/launch$/);
  await page.getByLabel("Program and arguments").waitFor();
  assert.ok((await textOf(page, "mp-launch")).includes(cwd), "the working directory is shown");
  await axe(page, "the form");
  await page.locator("summary", { hasText: "Recording" }).click();
  await page.getByLabel(/--buffer/).fill("32M");
  await fill(page, `${examples}/halo2d --iters 60 --work 5`, 4);
  const shown = await until("what will be run", () => page.locator("section[aria-label=Confirm] pre").innerText());
  assert.equal(shown, `mpiscope run -n 4 --buffer=32M --output=halo2d.mpiscope -- ${examples}/halo2d --iters 60 --work 5`);
  await axe(page, "before it is confirmed");
  await confirm(page, code);
  await page.waitForURL(/\/run\/1\/$/);
  await settled(page);
  assert.match(await textOf(page, "mp-app header"), /halo2d\.mpiscope.*4 ranks/);
  await page.keyboard.press("Digit2");
  await settled(page);
  assert.ok((await colours(page, "mp-timeline")) > 5);
  // And back to the form, which still has what was typed.
  await page.getByRole("link", { name: "Launch" }).click();
  await page.getByLabel("Program and arguments").waitFor();
  assert.match(await page.getByLabel("Program and arguments").inputValue(), /halo2d --iters 60/);
  assert.match(await textOf(page, "mp-launch"), /4 ranks recorded/);
});

launching(
  "a wrong code starts nothing; the form shows what is wrong",
  async (page, { code, cwd }) => {
    await fill(page, `${examples}/halo2d`, "many");
    await until("what is wrong with the ranks", async () => /many/.test(await page.getByRole("alert").innerText()));
    await fill(page, `${examples}/halo2d --iters 5`, 2);
    await confirm(page, "aaaa-aaaa");
    await until("that the code is wrong", async () => /not the code.*Tries left: 4/s.test(await page.getByRole("alert").innerText()));
    assert.deepEqual(fs.readdirSync(cwd), []);
    await confirm(page, code);
    await page.waitForURL(/\/run\/1\/$/);
  },
  { allow: [/400|403/] },
);

launching("a program that does not exist: run's own words", async (page, { code }) => {
  await fill(page, "./no-such-program", 2);
  await confirm(page, code);
  await until("the end", async () => /ended with exit code 2/.test(await textOf(page, "mp-launch")));
  assert.match(await page.getByRole("log").innerText(), /no-such-program/);
  await axe(page, "after a failure");
  assert.match(page.url(), /\/launch$/);
});

launching("a program that runs is watched and stopped", async (page, { code }) => {
  await fill(page, `${examples}/halo2d --iters 200000000 --work 5`, 2);
  await confirm(page, code);
  await until("both ranks", async () => /ranks started\s*2 of 2/.test(await textOf(page, "mp-launch")));
  await axe(page, "while it runs");
  await page.getByRole("button", { name: "Stop" }).click();
  await until("the end", async () => /The program was stopped/.test(await textOf(page, "mp-launch")));
  // Its views are offered, not opened: perhaps the output is what counts.
  await page.getByRole("link", { name: "Open the views" }).click();
  await page.waitForURL(/\/run\/1\/$/);
  await settled(page);
});

launching(
  "beside a run the page of launching is a link away",
  async (page) => {
    await settled(page);
    await page.getByRole("link", { name: "Launch" }).click();
    await page.getByLabel("Program and arguments").waitFor();
    await page.goBack();
    await settled(page);
    assert.match(await textOf(page, "mp-app header"), /1 rank\b/);
  },
  { run: () => runOf("one") },
);
