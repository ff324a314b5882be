// The overview: the report, and the way from a finding to its proof.

import assert from "node:assert/strict";
import { api, buttonOfFinding, plot, settled, view, windowOf, textOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";

journey("something is painted before the run is known", { isSettled: false }, async (page) => {
  // The answer waits until it has been seen that the page did not.
  let answer;
  const isSeen = new Promise((resolve) => (answer = resolve));
  await page.route(/\/api\/run/, async (route) => {
    await isSeen;
    await route.continue();
  });
  await page.reload();
  await page.getByText("opening the run").first().waitFor();
  await until("the first paint", () => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length > 0));
  answer();
  await settled(page);
});

journey("the overview shows the verdict and the findings of the report", {}, async (page) => {
  const report = await api(page, "report");
  await until("findings", async () => (await page.locator("mp-findings li").count()) > 0);
  const { findings } = report.explanation;
  assert.equal((await page.locator("mp-findings li h3").first().innerText()).trim(), findings[0].title);
  // Each is there once, symptoms below what causes them.
  const places = await page.locator("mp-findings li").evaluateAll((all) => all.map((li) => Number(li.dataset.index)));
  assert.deepEqual(places.toSorted((a, b) => a - b), findings.map((_, index) => index).filter((index) => places.includes(index)));
  assert.ok(places.length >= Math.min(8, findings.length), `${places.length} of ${findings.length}`);
  const nested = await page.locator("mp-findings li li").evaluateAll((all) => all.map((li) => [Number(li.dataset.index), Number(li.parentElement.closest("li").dataset.index)]));
  for (const [symptom, cause] of nested) assert.equal(findings[symptom].caused_by, findings[cause].id);
  const [{ gain, savable_ns }] = findings;
  const saves = gain ? gain.gain : savable_ns / report.explanation.scope.rank_time_ns;
  assert.ok((await page.locator("mp-findings .cost b").first().innerText()).startsWith((saves * 100).toFixed(1)), "what the first one saves");
  await until("the verdict", async () => /Parallel efficiency/.test(await textOf(page, "mp-verdict")));
  assert.match(await textOf(page, "mp-overview"), /halo2d --iters 400/);
});

journey("the verdict begins with what the machine did, where it is to blame", {}, async (page) => {
  const { machine } = (await api(page, "report")).explanation;
  const text = await until("the verdict", async () => textOf(page, "mp-verdict"));
  // 16 ranks: more than cores, or not.
  assert.equal(text.includes("Machine:"), Boolean(machine?.headline));
  if (machine?.headline) assert.ok(text.includes(machine.headline), text);
});

journey("of a run that was stuck the verdict says who waits for whom", { run: "ring" }, async (page) => {
  const { stuck } = (await api(page, "report")).explanation;
  assert.equal(stuck.kind, "deadlock");
  await until("the ring", async () => (await textOf(page, "mp-verdict")).includes(stuck.text));
  assert.match(await page.locator("mp-verdict [role=alert]").innerText(), /^Deadlock:/);
});

journey("a finding opens the views that prove it", {}, async (page) => {
  const report = await api(page, "report");
  const index = report.explanation.findings.findIndex((f) => f.proof.length > 1 && f.proof[0].row !== null);
  assert.ok(index >= 0, "a finding with proofs");
  const { proof } = report.explanation.findings[index];
  await (await buttonOfFinding(page, index, "Show in the timeline")).click();
  await until("its call", () => view(page).call === `${proof[0].rank}~${proof[0].row}`);
  const [from, to] = windowOf(page);
  assert.ok(from <= proof[0].start_ns && to >= proof[0].end_ns, "its stretch is in sight");
  await settled(page);
  await until("described", async () => (await page.locator("mp-inspector h2").innerText()).includes("MPI_"));
  await page.locator("mp-proofs button", { hasText: "Next place" }).click();
  await until("the next proof", () => view(page).call === `${proof[1].rank}~${proof[1].row}`);
  await page.locator("mp-proofs button", { hasText: "All findings" }).click();
  await until("the overview", async () => (await page.locator("mp-overview").count()) === 1);
});

journey("a finding shows the calls that it is about", {}, async (page) => {
  // Causes come first, and not all of them are about functions.
  const report = await api(page, "report");
  const index = report.explanation.findings.findIndex((f) => Array.isArray(f.evidence.functions));
  assert.ok(index >= 0, "a finding about functions");
  await (await buttonOfFinding(page, index, "Show its calls")).click();
  await settled(page);
  assert.match(view(page).filter, /^functions:\d+/);
  assert.equal(await page.locator("mp-views").count(), 1);
});

journey("a stretch that is dragged in the overview is opened in the timeline", {}, async (page) => {
  const at = await plot(page);
  await page.mouse.move(at.left + at.width * 0.6, at.top + 20);
  await page.mouse.down();
  await page.mouse.move(at.left + at.width * 0.65, at.top + 22, { steps: 4 });
  await page.mouse.up();
  await until("the views with the area", async () => view(page).area && (await page.locator("mp-area table").count()) === 1);
});

journey("from the overview to the timeline and back by keys", {}, async (page) => {
  await page.keyboard.press("Digit2");
  await until("the timeline", async () => (await page.locator("mp-views").count()) === 1);
  await page.keyboard.press("Digit1");
  await until("the overview", async () => (await page.locator("mp-overview").count()) === 1);
});
