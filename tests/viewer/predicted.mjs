// Runs that were predicted: nowhere do they look like recorded ones.

import assert from "node:assert/strict";
import { api, settled, textOf } from "./harness.mjs";
import { explained, journey, until } from "./journey.mjs";

const SAYS = /Predicted, not recorded: .*halo\.mpiscope with balance=perfect\. Gain/;

/** The part of the page that says it, on every page. */
const said = async (page) => {
  const region = page.locator('mp-app >> [role="region"][aria-label="Predicted"]');
  assert.ok(await region.isVisible());
  return region.innerText();
};

journey("a predicted run says so on every page", { run: "predicted", hash: "page=overview" }, async (page) => {
  await until("the report", async () => (await page.locator("mp-overview section").count()) > 1);
  assert.equal(await page.title(), "predicted.mpiscope (predicted) – mpiscope");
  assert.match(await page.locator("mp-app h1").innerText(), /predicted\.mpiscope \(predicted\)/);
  assert.match(await said(page), SAYS);
  assert.match(await page.locator("mp-findings h2").innerText(), /of the predicted run/);
  await page.evaluate(() => (location.hash = "page=views"));
  await explained(page);
  assert.match(await said(page), SAYS);
  const run = await api(page, "run");
  assert.match(run.predicted, SAYS);
  // Once: not among the notes as well.
  assert.ok(run.caveats.every((text) => !/Predicted, not recorded/.test(text)), run.caveats.join());
});

journey("a run next to its prediction: which is which", { run: "halo+predicted", hash: "page=compare" }, async (page) => {
  await until("findings", async () => (await page.locator("mp-compare li").count()) > 0);
  assert.equal(await page.title(), "halo.mpiscope and predicted.mpiscope (predicted) – mpiscope");
  assert.match(await textOf(page, "mp-app header"), /halo\.mpiscope(?! \(predicted\)).*predicted\.mpiscope \(predicted\)/s);
  assert.match(await page.locator("mp-compare .verdict").innerText(), /after is predicted, not recorded/);
  // One of both, by its word.
  const text = await said(page);
  assert.match(text, SAYS);
  assert.equal(text.match(/Predicted, not recorded/g).length, 1);
  assert.match(text, /after/);
  await page.evaluate(() => (location.hash = "page=views"));
  await settled(page);
  assert.equal(await page.locator("mp-timeline").count(), 2);
  assert.match(await said(page), SAYS);
  const [was, now] = [await api(page, "report"), await api(page, "1/report")];
  const length = ({ explanation: { scope } }) => scope.end_ns - scope.start_ns;
  assert.ok(length(now) < length(was), "rank 5 has the work of the others");
});

journey("a recorded run does not say it", { run: "halo", hash: "page=overview" }, async (page) => {
  assert.equal(await page.locator('mp-app >> [role="region"][aria-label="Predicted"]').count(), 0);
  assert.doesNotMatch(await textOf(page, "mp-app"), /predicted, not recorded|predicted run|\(predicted\)/i);
});

journey("its exported page says it as well", { run: "file:predicted" }, async (page) => {
  assert.match(await said(page), SAYS);
  assert.match(await page.title(), /predicted\.mpiscope \(predicted\)/);
});
