// What a check has found: in the overview, and on the timeline.

import assert from "node:assert/strict";
import { api, painted, settled, textOf, view, windowOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";

const checked = { run: "checked" };

journey("what a check has found stands in the overview, certain findings first", checked, async (page) => {
  const { checks } = await api(page, "report");
  assert.equal(checks.processes, 2);
  const text = await until("the findings", async () => textOf(page, "mp-checks"));
  for (const finding of checks.findings) assert.ok(text.includes(finding.title), finding.title);
  const kinds = await page.locator("mp-checks h3 b").allInnerTexts();
  const first = kinds.findIndex((kind) => kind.startsWith("possible"));
  assert.ok(first < 0 || kinds.slice(first).every((kind) => kind.startsWith("possible")));
});

journey("a call that a check names is shown in the timeline, with its mark", checked, async (page) => {
  const { checks } = await api(page, "report");
  const finding = checks.findings.find((f) => f.parties.some((call) => call.function === "MPI_Recv"));
  const call = finding.parties.find((party) => party.function === "MPI_Recv");
  await page.locator("mp-checks li", { hasText: finding.title }).getByRole("button", { name: /MPI_Recv/ }).click();
  await until("the call in the address", () => view(page).call);
  await settled(page);
  const [rank, row] = view(page).call.split("~").map(Number);
  const detail = await api(page, `call?rank=${rank}&row=${row}`);
  assert.equal(detail.function, "MPI_Recv");
  assert.equal(rank, call.rank);
  const [from, to] = windowOf(page);
  assert.ok(from <= call.at_ns && call.at_ns <= to, "the moment is in sight");
  // Without the findings the picture is another one.
  const marked = await painted(page, "mp-timeline");
  await page.locator("mp-app").evaluate(({ app }) => {
    app.report = { ...app.report, checks: null };
    app.comparison.dispatchEvent(new Event("change"));
  });
  await until("a picture without marks", async () => (await painted(page, "mp-timeline")) !== marked);
});

journey("a run that was not checked says nothing of checks", { run: "halo" }, async (page) => {
  assert.equal(await page.locator("mp-checks section").count(), 0);
});
