// A journey: a page on a run, closed at the end, and without any error on the way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, PATIENCE_MS, settled } from "./harness.mjs";
import { urlOf } from "./runs.mjs";

/** `options`: run, hash, theme, width, height, allow (console messages that belong to it). */
export function journey(name, options, steps) {
  test(name, { timeout: 2 * PATIENCE_MS }, async () => {
    const url = await urlOf(options.run ?? "halo");
    const { page, problems, close } = await open(url, options);
    try {
      if (options.isSettled !== false) await settled(page);
      await steps(page, url);
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });
}

/** Waits until something holds; says what was there if it never does. */
export async function until(what, check) {
  const end = Date.now() + PATIENCE_MS;
  let last;
  for (;;) {
    try {
      last = await check();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) assert.fail(`${what}: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Waits until the page has what the explanation adds to its pictures: iterations, the grid, marks of findings. */
export async function explained(page) {
  const has = ({ app }) => !!app.report?.explanation && app.run.is_explained;
  await until("the explanation on the page", () => page.locator("mp-timeline").first().evaluate(has));
  await settled(page);
}
