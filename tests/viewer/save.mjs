// What panes show, as files: pictures in pixels and in lines, tables as CSV.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { api, axeSource, folder, frame, idOf, settled } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { OF_ONE } from "./registry.mjs";

/** The file that `act` makes the browser keep. */
export async function saved(page, act) {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  const file = path.join(folder, `${Math.random()}-${download.suggestedFilename()}`);
  await download.saveAs(file);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(file) };
}

const button = (page, pane) => page.locator(`${pane} mp-save > button, ${pane} mp-save button[aria-haspopup]`).first();

export async function save(page, pane, format) {
  return saved(page, async () => {
    await button(page, pane).click();
    await page.locator(`${pane} mp-save [role=menuitem]`, { hasText: format }).click();
  });
}

/** Rows of a CSV text; quoted fields may have commas and line ends. */
export function rowsOf(bytes) {
  const text = bytes.toString("utf8");
  assert.ok(text.endsWith("\r\n"), "the last line ends, too");
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ",") rows.push([]);
  }
  rows.pop();
  return { head: rows[0], rows: rows.slice(1) };
}

/** Opens the document in the browser, which takes only a sound one, and counts what is in it. */
export async function drawn(page, bytes) {
  return page.evaluate(async (text) => {
    const document = new DOMParser().parseFromString(text, "image/svg+xml");
    const error = document.querySelector("parsererror");
    if (error) throw new Error(error.textContent);
    const image = new Image();
    return {
      title: document.querySelector("title").textContent,
      images: document.querySelectorAll("image").length,
      paths: document.querySelectorAll("path").length,
      texts: [...document.querySelectorAll("text")].map((t) => t.textContent),
      fills: [...new Set([...document.querySelectorAll("[fill]")].map((e) => e.getAttribute("fill")))],
      width: Number(document.documentElement.getAttribute("width")),
      alt: image.alt,
    };
  }, bytes.toString("utf8"));
}

export const sizeOf = (png) => {
  assert.equal(png.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
};

/** What a picture says besides; one of another pane has some text. */
const WORDS = { curves: /Ranks/, histogram: /Calls/, scatter: /Duration/, matrix: /receiver →/, tree: /MPI_/ };

journey("each pane is saved in all of its formats, as it is in sight", { run: "halo", hash: "page=views&scope=run" }, async (page) => {
  const { from_ns, until_ns } = await api(page, "run");
  // The State pane is about a moment.
  const moment = Math.round((from_ns + until_ns) / 2);
  for (const { id, element, saves } of OF_ONE) {
    const other = OF_ONE.find((pane) => pane.id !== id).id;
    await page.evaluate((h) => (location.hash = h), `page=views&scope=run&left=${id}&right=${other}&at=${moment}`);
    await settled(page);
    const name = (format) => `halo.mpiscope-${id}.${format}`;
    const keep = (format) => (saves.length > 1 ? save(page, element, format.toUpperCase()) : saved(page, () => button(page, element).click()));
    if (saves.includes("png")) {
      const plot = await page.locator(`${element} .plot`).boundingBox();
      const png = await keep("png");
      assert.equal(png.name, name("png"));
      const { width, height } = sizeOf(png.bytes);
      // A picture of rows may be lower than its pane, if there are few.
      assert.ok(Math.abs(width - 2 * plot.width) <= 2 && height > 2 * Math.min(plot.height, 100), `${id}: the pane, twice as fine, and a line below it: ${width} × ${height}, ${plot.width} × ${plot.height}`);
    }
    if (saves.includes("svg")) {
      const svg = await drawn(page, (await keep("svg")).bytes);
      assert.equal(svg.images, 0, "no picture of pixels in it");
      assert.ok(svg.paths > 5 && svg.texts.some((text) => (WORDS[id] ?? /\w/).test(text)), `${id}: ${svg.texts.join("|")}`);
      assert.match(svg.title, /halo\.mpiscope · [\w ]+ · whole run/);
    }
    const csv = await keep("csv");
    assert.equal(csv.name, name("csv"));
    const { head, rows } = rowsOf(csv.bytes);
    assert.ok(rows.length > 3 && rows.every((row) => row.length === head.length), `${id}: ${rows.length} rows`);
  }
});

journey("the numbers are those of the server, with their units, and the filter holds", { run: "halo", hash: "page=views&scope=run&left=events&right=histogram" }, async (page) => {
  const id = await idOf(page, "MPI_Allreduce");
  const { halo } = { halo: await frame(page, `calls?functions=${id}&limit=5000`) };
  await page.evaluate((f) => (location.hash += `&filter=functions:${f}`), id);
  await settled(page);
  const events = rowsOf((await saved(page, () => button(page, "mp-events").click())).bytes);
  assert.deepEqual(events.head.slice(0, 4), ["Rank", "Start (ns)", "Duration (ns)", "Function"]);
  assert.equal(events.rows.length, halo.rank.length);
  assert.deepEqual(events.rows.map((row) => row.slice(0, 4)), Array.from(halo.rank, (rank, i) => [String(rank), String(halo.start_ns[i]), String(halo.duration_ns[i]), "MPI_Allreduce"]));
  const histogram = rowsOf((await save(page, "mp-histogram", "CSV")).bytes);
  assert.deepEqual(histogram.head, ["From (ns)", "Until (ns)", "Calls", "Time (ns)"]);
  assert.equal(histogram.rows.reduce((sum, row) => sum + Number(row[2]), 0), halo.rank.length);
});

journey("a table that lacks rows says so when it is saved", { run: "large", hash: "page=views&scope=run&left=events" }, async (page) => {
  // Its store may still be being built.
  await until("calls", async () => Number(await page.locator("mp-events mp-vtable .scroll").getAttribute("aria-rowcount")) > 1);
  const { rows } = rowsOf((await saved(page, () => button(page, "mp-events").click())).bytes);
  assert.equal(rows.length, 5000);
  await until("how many there are", async () => /It has the 5,000 rows of the pane, out of [\d,]+/.test(await page.locator('footer [role="status"]').innerText()));
});

journey("the timeline as a drawing, from afar and near by, without pixels", { run: "halo", hash: "page=views" }, async (page) => {
  const afar = await drawn(page, (await save(page, "mp-toolbar", "SVG")).bytes);
  assert.equal(afar.images, 0);
  assert.ok(afar.texts.includes("MPI_Waitall") && afar.texts.includes("computing"), "its colours are named");
  const { from_ns, until_ns } = await api(page, "run");
  const middle = Math.round((from_ns + until_ns) / 2);
  await page.evaluate(([a, b]) => (location.hash = `page=views&t=${a}~${b}`), [middle, middle + 200_000]);
  await settled(page);
  const near = await drawn(page, (await save(page, "mp-toolbar", "SVG")).bytes);
  assert.ok(near.paths > 20 && near.images === 0);
  const csv = rowsOf((await save(page, "mp-toolbar", "CSV")).bytes);
  assert.ok(csv.head.includes("Duration (ns)") && csv.rows.length > 0);
});

journey("tables of panes and of the overview, by the command palette as well", { run: "halo", hash: "page=views&scope=run" }, async (page) => {
  const command = async (text) => {
    await page.keyboard.press("Control+Shift+P");
    await page.locator("mp-palette input").fill(text);
    await until("the command", async () => (await page.locator("mp-palette .option").count()) === 1);
    return saved(page, () => page.keyboard.press("Enter"));
  };
  const table = await command("save left pane csv");
  assert.equal(table.name, "halo.mpiscope-table.csv");
  const { head, rows } = rowsOf(table.bytes);
  assert.deepEqual(head.slice(0, 4), ["Function", "Count", "Total (ns)", "Share"]);
  const { rows: groups } = await api(page, "groups?by=function&sort=total_ns&limit=100");
  assert.deepEqual(rows.map((row) => row.slice(0, 3)), groups.map((g) => [g.key[0].text, String(g.count), String(g.total_ns)]));
  assert.equal((await command("save right pane svg")).name, "halo.mpiscope-scatter.svg");
  assert.equal((await command("save timeline png")).name, "halo.mpiscope-timeline.png");
  await page.evaluate(() => (location.hash = "page=overview"));
  await until("findings", async () => (await page.locator("mp-findings li").count()) > 0);
  const functions = rowsOf((await saved(page, () => page.locator('mp-save[view="functions"] button').click())).bytes);
  assert.equal(functions.rows.length, (await api(page, "run")).functions.length);
  const findings = rowsOf((await command("save findings csv")).bytes);
  const { explanation } = await api(page, "report");
  assert.deepEqual(findings.rows.map((row) => row[0]), explanation.findings.map((f) => f.id));
});

journey("the menu by keys: arrows go round, Escape gives the focus back, and no command hears them", { run: "halo", hash: "page=views&right=matrix" }, async (page) => {
  const open = button(page, "mp-matrix");
  await open.focus();
  await page.keyboard.press("Enter");
  const focused = () => page.locator("mp-matrix mp-save").evaluate((e) => e.shadowRoot.activeElement?.textContent.trim().slice(0, 3));
  await until("the first", async () => (await focused()) === "PNG");
  assert.equal(await open.getAttribute("aria-expanded"), "true");
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), "CSV");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "SVG");
  const before = page.url();
  await page.keyboard.press("w");
  assert.equal(page.url(), before, "the timeline is not zoomed meanwhile");
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa"] }));
  assert.deepEqual(violations.map((v) => v.id), []);
  await page.keyboard.press("Escape");
  await until("closed", async () => (await focused()) === "Sav" && (await open.getAttribute("aria-expanded")) === "false");
});

journey("names from a trace cannot be calculated with", { run: "names", hash: "page=views&scope=run&left=table&table=region~total_ns~0" }, async (page) => {
  const { rows } = rowsOf((await saved(page, () => button(page, "mp-table").click())).bytes);
  assert.ok(rows.length > 0 && rows.every(([name]) => !/^[=+\-@]/.test(name)), JSON.stringify(rows));
});

journey("an exported page saves as well", { run: "file:halo", hash: "page=views" }, async (page) => {
  const svg = await drawn(page, (await save(page, "mp-toolbar", "SVG")).bytes);
  assert.ok(svg.images === 0 && svg.texts.length > 5);
  const { rows } = rowsOf((await saved(page, () => button(page, "mp-table").click())).bytes);
  assert.ok(rows.length > 1);
});
