// The call tree as a flame graph and as a table, and the critical path by rank and place.

import assert from "node:assert/strict";
import { axe } from "./access.mjs";
import { api, colours, painted, settled, textOf, view, windowOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";

const FLAME = { run: "stacks", hash: "page=views&left=tree&right=table" };
const TABLE = { run: "stacks", hash: "page=views&left=tree&right=table&twins=tree" };

const rows = (page, pane) => page.locator(`${pane} mp-vtable .body .row`);
const crumbs = (page) => page.locator("mp-tree nav button:not(.line)").allInnerTexts();

/** The nodes of the run's tree by the functions that lead to them, all lines of a function together. */
async function nodes(page) {
  const way = [];
  const found = new Map();
  for (const node of (await api(page, "tree")).nodes) {
    way.push(node.parent === null ? "" : `${way[node.parent]}/${node.text.split(" ")[0]}`);
    const { calls = 0, inclusive_ns = 0, exclusive_ns = 0, waiting_ns = 0 } = found.get(way.at(-1)) ?? {};
    found.set(way.at(-1), {
      calls: calls + node.calls,
      inclusive_ns: inclusive_ns + node.inclusive_ns,
      exclusive_ns: exclusive_ns + node.exclusive_ns,
      waiting_ns: waiting_ns + node.waiting_ns,
      text: node.text,
    });
  }
  return found;
}

/** The part of the way to a frame that begins with `main`. */
const from = (all, end) => [...all.keys()].find((way) => way.endsWith(end));

journey("the tree has the program's functions, and as many calls as it makes", FLAME, async (page) => {
  const all = await nodes(page);
  const exchange = all.get(from(all, "/main/solve/exchange/MPI_Sendrecv"));
  const norm = all.get(from(all, "/main/solve/norm/MPI_Allreduce"));
  assert.deepEqual([exchange.calls, norm.calls], [40, 40]);
  assert.equal(all.get(from(all, "/main/finish/MPI_Barrier")).calls, 2);
  const solve = all.get(from(all, "/main/solve"));
  const parts = [...all].filter(([way]) => /\/main\/solve\/[a-z]+$/.test(way)).map(([, node]) => node);
  assert.equal(parts.reduce((sum, node) => sum + node.inclusive_ns, 0), solve.inclusive_ns);
  assert.equal(solve.exclusive_ns, 0);
  assert.ok(solve.waiting_ns > 0.5 * solve.inclusive_ns, "rank 0 waits for rank 1 most of the time");
  assert.match(solve.text, /^solve stacks\.c:\d+$/);
  assert.ok((await colours(page, "mp-tree")) > 4);
  assert.equal(await page.locator("mp-tree .hint").count(), 0, "stacks were recorded");
});

journey("a click zooms, Escape goes back, and the link keeps the frame", FLAME, async (page) => {
  const canvas = page.locator("mp-tree canvas");
  const before = await painted(page, "mp-tree");
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 20, box.y + 10);
  await until("a tip", async () => /all calls[\s\S]*in MPI calls/.test(await page.locator("mp-tree .tip").innerText()));
  await page.mouse.click(box.x + 20, box.y + 30);
  await until("zoomed", async () => view(page).tree && (await crumbs(page)).length > 1);
  await until("another picture", async () => (await painted(page, "mp-tree")) !== before);
  await page.reload();
  await settled(page);
  await until("still there", async () => (await crumbs(page)).length > 1);
  await page.locator("mp-tree .scroll").focus();
  await page.keyboard.press("Escape");
  await until("all again", async () => !view(page).tree && (await crumbs(page)).length === 0);
  await until("the picture as before", async () => (await painted(page, "mp-tree")) === before);
});

journey("by keyboard: arrows go from frame to frame, Enter zooms", FLAME, async (page) => {
  await page.locator("mp-tree .scroll").focus();
  const tip = () => page.locator("mp-tree .tip b").innerText();
  await page.keyboard.press("ArrowDown");
  await until("the root", async () => (await tip()) === "all calls");
  for (let depth = 0; depth < 12 && (await tip()) !== "solve"; depth++) {
    const last = await tip();
    await page.keyboard.press("ArrowDown");
    await until("the next frame", async () => (await tip()) !== last);
  }
  assert.equal(await tip(), "solve", "most of the time is below it");
  // Beside it what main calls from elsewhere: solve calls from two lines.
  const line = () => page.locator("mp-tree .tip .mono").innerText();
  const one = await line();
  await page.keyboard.press("ArrowRight");
  await until("its sibling", async () => /^(solve|finish)$/.test(await tip()) && (await line()) !== one);
  await page.keyboard.press("ArrowLeft");
  await until("back", async () => (await line()) === one);
  await page.keyboard.press("ArrowDown");
  await until("below", async () => /^(exchange|norm)$/.test(await tip()));
  await page.keyboard.press("Enter");
  await until("zoomed", async () => /^(exchange|norm)$/.test((await crumbs(page)).at(-1) ?? ""));
});

journey("a search says how many frames there are, and outlines them", FLAME, async (page) => {
  const before = await painted(page, "mp-tree");
  await page.locator("mp-tree input[type=search]").fill("MPI_sendrecv");
  await until("one frame", async () => (await page.locator("mp-tree .controls [role=status]").innerText()) === "1 found");
  await until("outlined", async () => (await painted(page, "mp-tree")) !== before);
});

journey("the table opens and closes, zooms, and restricts all views to a call site", TABLE, async (page) => {
  const grid = page.locator("mp-tree [role=treegrid]");
  const row = (text) => rows(page, "mp-tree").filter({ hasText: text });
  await until("rows", async () => (await row("exchange").count()) === 1);
  assert.equal(await row("exchange").getAttribute("aria-expanded"), "true");
  const level = Number(await row("exchange").getAttribute("aria-level"));
  assert.equal(Number(await row("MPI_Sendrecv").getAttribute("aria-level")), level + 1);
  await row("exchange").locator(".opener").click();
  await until("closed", async () => (await row("MPI_Sendrecv").count()) === 0);
  await grid.focus();
  await page.keyboard.press("ArrowRight");
  await until("open again", async () => (await row("MPI_Sendrecv").count()) === 1);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await until("zoomed to the function", async () => (await crumbs(page)).at(-1) === "MPI_Sendrecv");
  await page.locator("mp-tree nav button", { hasText: "Only this" }).click();
  await until("a filter", () => /site:\d+/.test(view(page).filter ?? ""));
  await settled(page);
  await until("the table as well", async () => (await rows(page, "mp-table").count()) === 1 && /MPI_Sendrecv/.test(await rows(page, "mp-table").innerText()));
  assert.match(await rows(page, "mp-tree").last().innerText(), /MPI_Sendrecv[\s\S]*40/);
});

journey("the tree follows ranks and window, and can be one for each rank", TABLE, async (page) => {
  const root = async () => (await rows(page, "mp-tree").first().innerText()).replace(/\s+/g, " ");
  await until("both ranks", async () => /all calls 8\d /.test(await root()));
  await page.evaluate(() => (location.hash += "&filter=ranks:1"));
  await until("one rank", async () => /all calls 4\d /.test(await root()));
  await page.evaluate(() => (location.hash = location.hash.replace("&filter=ranks:1", "")));
  await page.locator("mp-tree input[type=checkbox]").check();
  await until("a tree for each", async () => (await rows(page, "mp-tree").filter({ hasText: /^\s*[▾▸]?\s*rank [01]\b/ }).count()) === 2);
  const { until_ns: end } = await api(page, "run");
  await page.evaluate((ns) => (location.hash += `&t=${ns - 2}~${ns - 1}`), end);
  await until("nothing at the end", async () => (await rows(page, "mp-tree").filter({ hasText: "MPI_Sendrecv" }).count()) === 0);
});

journey("a run without stacks says how they are recorded", { run: "regions", hash: "page=views&left=tree" }, async (page) => {
  await until("the option", async () => /mpiscope run --stack 8/.test(await page.locator("mp-tree .hint").innerText()));
});

journey("the critical path by rank and place, and the way to its longest stretch", { run: "stacks", hash: "page=views&left=path" }, async (page) => {
  const first = rows(page, "mp-path").first();
  await until("rows", async () => (await rows(page, "mp-path").count()) > 1);
  // Rank 1 computes for 5 ms before each of 20 exchanges: nothing is longer.
  assert.match((await first.innerText()).replace(/\s+/g, " "), /^1 computing until Sendrecv exchange stacks\.c:\d+ .* 20 /);
  const { rows: all, path_ns } = await api(page, "path_groups");
  const sum = all.reduce((total, row) => total + row.total_ns, 0);
  assert.ok(Math.abs(sum / path_ns - 1) < 1e-6, "each moment of the path is somebody's");
  await first.click();
  const [begin, end] = await until("a window", () => windowOf(page));
  await settled(page);
  const { longest } = all.find((row) => row.rank === 1 && row.doing === "computing");
  assert.ok(begin <= longest.from_ns && end >= longest.until_ns && end - begin < 4 * (longest.until_ns - longest.from_ns));
  assert.ok(view(page).layers.includes("path"));
  await until("the call that ends it", async () => /MPI_Sendrecv/.test(await textOf(page, "mp-inspector h2")));
});

journey("a page for itself has both, of the whole run", { run: "file:stacks", hash: "page=views&left=tree&right=path&twins=tree" }, async (page) => {
  await until("the tree", async () => (await rows(page, "mp-tree").filter({ hasText: "MPI_Sendrecv" }).count()) === 1);
  await until("the path", async () => /computing[\s\S]*Sendrecv/.test(await rows(page, "mp-path").first().innerText()));
});

for (const theme of ["light", "dark"])
  journey(`axe finds nothing in call tree and critical path, ${theme}`, { ...FLAME, theme, hash: "page=views&left=tree&right=path" }, async (page) => {
    await axe(page, "flame graph and path");
    await page.locator("mp-tree .scroll").focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until("zoomed", async () => (await crumbs(page)).length > 1);
    await page.locator("mp-tree button", { hasText: "Table" }).click();
    await settled(page);
    await axe(page, "table");
  });
