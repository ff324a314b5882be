// Groups of ranks: folded into one row each by host, communicator or line of the process grid, and unfolded again.

import assert from "node:assert/strict";
import { api, colours, frame, open, painted, plot, settled, textOf, view } from "./harness.mjs";
import { explained, journey, until } from "./journey.mjs";
import { urlOf } from "./runs.mjs";

const FOLD = 'mp-toolbar select[aria-label="Fold by"]';
const ORDER = 'mp-toolbar select[aria-label="Order of ranks"]';
const NAMES = "mp-timeline .groups button";

/** Names beside the timeline, top to bottom. */
const names = (page) => page.locator(NAMES).evaluateAll((all) => all.map((button) => button.getAttribute("aria-label")));
const rows = (page) => page.locator("mp-timeline").first().evaluate(({ app }) => app.rows);

/** None of the names lies on another, and all lie beside the plot. */
async function areApart(page) {
  const boxes = await page.locator(NAMES).evaluateAll((all) => all.map((button) => button.getBoundingClientRect()).map(({ top, bottom, left, right }) => ({ top, bottom, left, right })));
  const whole = await page.locator("mp-timeline").first().boundingBox();
  const sorted = boxes.sort((a, b) => a.top - b.top);
  for (const [i, box] of sorted.entries()) {
    assert.ok(box.top >= whole.y && box.bottom <= whole.y + whole.height + 1 && box.left >= whole.x, JSON.stringify(box));
    if (i) assert.ok(box.top >= sorted[i - 1].bottom - 0.5, "names do not lie on each other");
  }
}

journey("four hosts are four rows with names, one is unfolded by a click and folded again", { run: "hosts", hash: "page=views", width: 1024, height: 700 }, async (page) => {
  assert.equal(await rows(page), 256);
  // What the explanation adds to the picture is there from the beginning.
  await explained(page);
  await page.locator(FOLD).selectOption("host");
  await until("four rows", async () => (await rows(page)) === 4);
  await settled(page);
  assert.equal(view(page).order, "group:host;fold:all");
  assert.deepEqual(await names(page), ["node000 · 64 ranks", "node001 · 64 ranks", "node002 · 64 ranks", "node003 · 64 ranks"]);
  assert.ok((await colours(page, "mp-timeline")) > 4, "rows show what their ranks do");
  await areApart(page);
  const folded = await painted(page, "mp-timeline");
  await page.locator(NAMES).nth(1).click();
  await until("its ranks", async () => (await rows(page)) === 67);
  await settled(page);
  assert.equal(view(page).order, "group:host;fold:0,2-3");
  assert.equal(await page.locator(NAMES).nth(1).getAttribute("aria-expanded"), "true");
  assert.deepEqual(await names(page), ["node000 · 64 ranks", "node001 · 64 ranks", "node002 · 64 ranks", "node003 · 64 ranks"], "thin rows have their names as well");
  await areApart(page);
  // The link has it, and so has the history.
  await page.reload();
  await settled(page);
  await until("unfolded after a reload", async () => (await rows(page)) === 67);
  await page.locator(NAMES).nth(1).click();
  await until("folded again", async () => (await rows(page)) === 4);
  await settled(page);
  await until("the same picture", async () => (await painted(page, "mp-timeline")) === folded);
  await page.goBack();
  await until("one step back", async () => (await rows(page)) === 67);
  await page.locator("mp-toolbar button", { hasText: "Fold all" }).click();
  await until("all folded", async () => (await rows(page)) === 4);
  await page.locator("mp-toolbar button", { hasText: "Unfold all" }).click();
  await until("all ranks", async () => (await rows(page)) === 256);
  assert.equal(view(page).order, "group:host");
  await page.locator(FOLD).selectOption("");
  await until("no groups", () => view(page).order === undefined);
  await until("no names of groups", async () => (await page.locator(NAMES).count()) === 0);
});

journey("names of groups are a tree for the keyboard", { run: "hosts", hash: "page=views&order=group:host;fold:all" }, async (page) => {
  await until("names", async () => (await names(page)).length === 4);
  assert.equal(await page.locator(`${NAMES}[tabindex="0"]`).count(), 1, "one stop for Tab");
  await page.locator(NAMES).first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await until("the third is unfolded", () => view(page).order === "group:host;fold:0-1,3");
  await until("its ranks", async () => (await rows(page)) === 67);
  const focused = () => page.evaluate(() => {
    let found = document.activeElement;
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
    return found?.getAttribute("aria-label");
  });
  assert.equal(await focused(), "node002 · 64 ranks", "the name keeps the focus");
  await page.keyboard.press("ArrowLeft");
  await until("folded", () => view(page).order === "group:host;fold:all");
  await until("its row", async () => (await rows(page)) === 4);
  await page.keyboard.press("Enter");
  await until("unfolded with Enter", () => view(page).order === "group:host;fold:0-1,3");
  assert.equal(view(page).t, undefined, "the arrows did not move the timeline");
});

journey("panes, area and selected call agree with folded rows", { run: "hosts", hash: "page=views&scope=window&order=group:host;fold:all&left=table&table=rank~total_ns~0" }, async (page) => {
  await settled(page);
  const at = await plot(page);
  const left = await page.locator("mp-timeline").evaluate(({ app }) => app.comparison.groupWidth);
  // An area over the second row: of its 64 ranks.
  const y = at.top + at.height * 0.375;
  await page.mouse.move(at.left + left + at.width * 0.2, y - 12);
  await page.mouse.down();
  await page.mouse.move(at.left + left + at.width * 0.5, y + 12, { steps: 4 });
  await page.mouse.up();
  await settled(page);
  assert.match(await textOf(page, "mp-area"), /× 64 ranks/);
  assert.match(await textOf(page, "mp-area"), /node001 · 64 ranks/);
  const scope = await page.locator("mp-timeline").evaluate(({ app }) => app.scope.ranks);
  assert.equal(scope, "64-127");
  await page.keyboard.press("Escape");
  // A click selects the longest call of the group in that place.
  await page.mouse.click(at.left + left + at.width * 0.4, y);
  await until("a call of a rank of that host", () => {
    const rank = Number(view(page).call?.split("~")[0] ?? -1);
    return rank >= 64 && rank < 128;
  });
  await page.keyboard.press("Shift+KeyF");
  await until("its group is unfolded", () => view(page).order === "group:host;fold:0,2-3");
  await until("its ranks", async () => (await rows(page)) === 67);
  const shown = await page.locator("mp-timeline").evaluate(({ app }) => app.positions[app.store.state.selection.rank]);
  assert.ok(shown >= 1 && shown < 65, `its rank has a row of its own: ${shown}`);
  // Rows of ranks that share one are not single ranks in the table either.
  await page.evaluate(() => (location.hash = "page=views&order=group:host;fold:all&twins=timeline"));
  await until("names in the table", async () => /node003 · 64 ranks/.test(await textOf(page, "mp-timeline-twin")));
});

journey("ranks fold by nodes and switches of a network that is described", { run: "network:hosts", hash: "page=views" }, async (page) => {
  assert.deepEqual((await api(page, "run")).network, { has_switches: true });
  await page.locator(FOLD).selectOption("switch");
  await until("two rows", async () => (await rows(page)) === 2);
  await settled(page);
  assert.deepEqual(await names(page), ["leaf switch 0 · 128 ranks", "leaf switch 1 · 128 ranks"]);
  await page.locator(FOLD).selectOption("node");
  await until("four rows", async () => (await rows(page)) === 4);
  assert.deepEqual(await names(page), ["node000 · 64 ranks", "node001 · 64 ranks", "node002 · 64 ranks", "node003 · 64 ranks"]);
});

journey("members of a communicator fold into one row, the others into another", { run: "split", hash: "page=views" }, async (page) => {
  const { communicators } = await api(page, "run");
  const part = communicators.find((comm) => comm.size === 4);
  await page.locator(FOLD).selectOption(`comm:${part.id}`);
  await until("two rows", async () => (await rows(page)) === 2);
  await settled(page);
  assert.deepEqual(await names(page), [`${part.name} · 4 ranks`, "others · 2 ranks"]);
  await page.locator(NAMES).nth(1).click();
  await until("three rows", async () => (await rows(page)) === 3);
  assert.equal(view(page).order, `group:comm:${part.id};fold:0`);
  // Single calls of the ranks that have rows, and the row of the others shows what they do together.
  await settled(page);
  assert.equal(await page.locator("mp-timeline").evaluate(({ app }) => [...app.ownPositions].join()), "-1,-1,-1,-1,1,2");
  assert.ok((await colours(page, "mp-timeline")) > 4);
  // Another order of the ranks inside leaves the groups as they are.
  await page.locator(ORDER).selectOption("sort:mpi");
  await until("sorted", () => view(page).order === `group:comm:${part.id};fold:0;sort:mpi`);
});

journey("rows and columns of the grid that was found", { hash: "page=views" }, async (page) => {
  await until("it is explained", async () => (await api(page, "run")).grid);
  await until("the grid is offered", async () => (await page.locator(`${ORDER} option`).allInnerTexts()).includes("By columns of the 4 × 4 grid"));
  await page.locator(ORDER).selectOption("group:grid:1");
  await until("columns", async () => (await names(page)).join() === [0, 1, 2, 3].map((i) => `column ${i} · 4 ranks`).join());
  const { rank } = await frame(page, "order?order=group:grid:1");
  assert.deepEqual(rank.slice(0, 8), [0, 4, 8, 12, 1, 5, 9, 13]);
  assert.equal(await page.locator("mp-timeline").evaluate(({ app }) => app.rankAt(1)), 4);
  // The palette names its shape as well, and folds by its rows.
  await page.keyboard.press("Control+Shift+KeyP");
  await page.locator("mp-palette input").fill("fold by rows of the 4 × 4");
  await page.keyboard.press("Enter");
  await until("folded by rows", () => view(page).order === "group:grid:0;fold:all");
  await until("four rows", async () => (await rows(page)) === 4);
  assert.deepEqual((await names(page))[3], "row 3 · 4 ranks");
});

journey("without hosts, grid or communicators there is nothing to fold by, and wrong orders are refused", { run: "one", hash: "page=views", allow: [/status of 400/] }, async (page) => {
  assert.equal(await page.locator(FOLD).count(), 0);
  const status = (order) => page.evaluate(async (o) => (await fetch(`api/order?order=${o}`)).status, order);
  for (const wrong of ["fold:all", "group:host;fold:some", "group:host;fold:but:", "group:grid:x", "group:host;fold:2-1"]) assert.equal(await status(wrong), 400, wrong);
  assert.equal(await status("group:host;fold:all"), 200);
});

journey("an exported page folds by host, and says what it lacks", { run: "file:twoHosts", hash: "page=views" }, async (page) => {
  await page.locator(FOLD).selectOption("host");
  await until("two rows", async () => (await rows(page)) === 2);
  await settled(page);
  assert.deepEqual(await names(page), ["node000 · 64 ranks", "node001 · 64 ranks"]);
  assert.ok((await colours(page, "mp-timeline")) > 4, "rows show what their ranks do");
  await page.locator(NAMES).first().click();
  await until("the ranks of one", async () => (await rows(page)) === 65);
  await page.evaluate(() => (location.hash = "page=views&order=group:host;fold:all;sort:wait"));
  await until("what is lacking", async () => /this order of ranks is not in this exported page/.test(await page.locator('footer [role="status"]').innerText()));
});

/** Groups and ranks of an order, as the page gets them from its server or from its pack. */
const orderOf = (page, order) => page.locator("mp-timeline").first().evaluate(async ({ app }, order) => {
  const { ranks, groups } = await app.client.order(order);
  return { ranks: [...ranks], groups };
}, order);

for (const [run, groupings] of [
  ["halo", ["grid:0", "grid:1"]],
  ["split", ["comm:1", "comm:0"]],
  ["network:hosts", ["node", "switch"]],
])
  journey(`an exported page of ${run} groups and folds by all that a server offers: ${groupings.join(", ")}`, { run: `file:${run}`, hash: "page=views" }, async (page) => {
    const server = await open(`${await urlOf(run)}#page=views`);
    try {
      await explained(server.page);
      const offered = (page) => page.locator(`${FOLD} option`).evaluateAll((all) => all.map((option) => option.value));
      assert.deepEqual(await offered(page), await offered(server.page));
      for (const grouping of groupings) {
        assert.ok((await offered(page)).includes(grouping), grouping);
        for (const order of [`group:${grouping}`, `group:${grouping};fold:all`, `ranks:1-200;pin:3,2;group:${grouping};fold:0`])
          assert.deepEqual(await orderOf(page, order), await orderOf(server.page, order), order);
        await page.locator(FOLD).selectOption(grouping);
        await until("folded", async () => view(page).order === `group:${grouping};fold:all`);
        await settled(page);
        assert.equal(await rows(page), (await names(page)).length);
        assert.ok((await colours(page, "mp-timeline")) > 4, "rows show what their ranks do");
        const before = await rows(page);
        await page.locator(NAMES).first().click();
        await until("unfolded", async () => (await rows(page)) > before);
      }
    } finally {
      await server.close();
    }
  });
