// Colours of functions: distinct, editable, kept in the link; their names in the legend. What is filtered out is pale.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { api, idOf, open, painted, plot, root, settled, view } from "./harness.mjs";
import { journey, until } from "./journey.mjs";

const VIEWS = { run: "many", hash: "page=views" };
const well = (page, name) => page.locator(`mp-legend input[aria-label="Colour of ${name}"]`);
const rgb = (text) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));

const { compute } = JSON.parse(fs.readFileSync(path.join(root, "viewer/palette.json"), "utf8"));
/** Of a call that is filtered out, in the light theme: a quarter of its colour. */
const pale = (text) => `#${rgb(text).map((v, i) => Math.floor(rgb(compute.light)[i] * 0.75 + v * 0.25 + 0.5).toString(16).padStart(2, "0")).join("")}`;

/** How many pixels of the timeline have a colour. */
function pixelsOf(page, colour) {
  return page.locator("mp-timeline").first().evaluate((element, [r, g, b]) => {
    const canvas = element.shadowRoot.querySelector("canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) found++;
    return found;
  }, rgb(colour));
}

for (const theme of ["light", "dark"])
  journey(`the functions that take the most time differ in colour, in the legend and in the timeline, ${theme}`, { ...VIEWS, theme }, async (page) => {
    const most = (await api(page, "run")).functions.slice(0, 8);
    assert.ok(most.filter((f) => f.class === "collective").length >= 3, "several of one class");
    const colours = await Promise.all(most.map((f) => well(page, f.name).inputValue()));
    for (const [at, a] of colours.entries()) {
      for (const b of colours.slice(at + 1)) assert.ok(Math.max(...rgb(a).map((v, i) => Math.abs(v - rgb(b)[i]))) >= 48, `${a} ${b} of ${colours}`);
      // The main part begins after MPI_Init; how much of that is still drawn depends on how busy the machine was.
      if (/^MPI_(Init|Finalize)/.test(most[at].name)) continue;
      await until(`${most[at].name} is drawn in ${a}`, async () => (await pixelsOf(page, a)) > 0);
    }
  });

journey("a colour that is chosen in the legend is drawn, stands in the link, and can be taken back", VIEWS, async (page) => {
  const own = await well(page, "MPI_Allreduce").inputValue();
  assert.equal(await pixelsOf(page, "#00c8ff"), 0);
  await well(page, "MPI_Allreduce").fill("#00c8ff");
  await until("it is drawn", async () => (await pixelsOf(page, "#00c8ff")) > 100);
  await until("it stands in the link", async () => view(page).paint === `${await idOf(page, "MPI_Allreduce")}:00c8ff`);
  const other = await open(page.url());
  await settled(other.page);
  await until("the link draws it", async () => (await pixelsOf(other.page, "#00c8ff")) > 100);
  assert.equal(await well(other.page, "MPI_Allreduce").inputValue(), "#00c8ff");
  await other.close();
  await page.locator("mp-legend button", { hasText: "Reset colours" }).click();
  await until("its own again", async () => (await well(page, "MPI_Allreduce").inputValue()) === own && (await pixelsOf(page, "#00c8ff")) === 0);
  assert.equal(view(page).paint, undefined);
});

journey("a class has a colour that can be chosen, too", { ...VIEWS, hash: "page=views&colour=class" }, async (page) => {
  await well(page, "Collective operations").fill("#00c8ff");
  await until("it is drawn", async () => (await pixelsOf(page, "#00c8ff")) > 100);
  await until("it stands in the link", () => view(page).paint === "collective:00c8ff");
});

for (const width of [1440, 1100])
  journey(`names in the legend are not cut off, ${width} wide`, { ...VIEWS, width }, async (page) => {
    const names = (await api(page, "run")).functions.map((f) => f.name.replace(/^MPI_/, ""));
    assert.ok(names.includes("Neighbor_allgather") && names.includes("Cart_create"));
    const shown = await page.locator("mp-legend tbody .name").evaluateAll((all) =>
      all.map((cell) => {
        const [name, glass] = cell.querySelectorAll("button");
        const [text, end, box] = [document.createRange(), glass.getBoundingClientRect(), cell.closest("td").getBoundingClientRect()];
        text.selectNodeContents(name);
        const ink = text.getBoundingClientRect();
        return { name: name.textContent.trim(), isWhole: ink.right <= end.left + 1 && ink.bottom <= box.bottom + 1 && name.scrollWidth <= name.clientWidth + 1 };
      }),
    );
    assert.deepEqual(shown.filter((s) => !s.isWhole).map((s) => s.name), []);
    assert.deepEqual(shown.map((s) => s.name).sort(), names.sort());
  });

/** The same timeline with a layer and without: whether anything of that layer is drawn. */
async function isDrawn(page, layer) {
  const button = page.locator("mp-toolbar button", { hasText: layer });
  const first = await painted(page, "mp-timeline");
  await button.click();
  await settled(page);
  const second = await painted(page, "mp-timeline");
  await button.click();
  await settled(page);
  return first !== second;
}

journey("a filter leaves other calls pale; their messages, waits and operations are not drawn", VIEWS, async (page) => {
  await until("all is read", async () => (await api(page, "progress")).is_explained);
  await settled(page);
  const [reduce, gather, send] = await Promise.all(["MPI_Allreduce", "MPI_Allgather", "MPI_Isend"].map((name) => well(page, name).inputValue()));
  assert.ok((await pixelsOf(page, gather)) > 1000);
  for (const layer of ["Messages", "Collectives", "Waits"]) await until(`${layer} are drawn`, () => isDrawn(page, layer));
  const only = (name) => page.locator("mp-legend .name button", { hasText: new RegExp(`^\\s*${name}\\s*$`) }).click();
  await only("Allreduce");
  await settled(page);
  await until("the wanted one is strong", async () => (await pixelsOf(page, reduce)) > 1000);
  assert.equal(await pixelsOf(page, gather), 0);
  assert.ok((await pixelsOf(page, pale(gather))) > 1000);
  assert.deepEqual([await isDrawn(page, "Messages"), await isDrawn(page, "Collectives"), await isDrawn(page, "Waits")], [false, true, true]);
  await only("Isend");
  await settled(page);
  await until("another one is strong", async () => (await pixelsOf(page, send)) > 10 && (await pixelsOf(page, reduce)) === 0);
  assert.deepEqual([await isDrawn(page, "Messages"), await isDrawn(page, "Collectives"), await isDrawn(page, "Waits")], [true, false, false]);
});

journey("a filter by tag leaves other calls pale, and says how many of those in sight it wants", { ...VIEWS, hash: "page=views&filter=tag:7&scope=run" }, async (page) => {
  await until("144 calls", async () => /144 matching calls/.test(await page.locator("mp-timeline .status").innerText()));
  const gather = await well(page, "MPI_Allgather").inputValue();
  await until("others are pale", async () => (await pixelsOf(page, pale(gather))) > 1000 && (await pixelsOf(page, gather)) === 0);
  assert.deepEqual([await isDrawn(page, "Messages"), await isDrawn(page, "Collectives")], [true, false]);
});

journey("from afar a filter shows the share of its calls, however many they are, above the others", { run: "halo", hash: "page=views&scope=run" }, async (page) => {
  const [wait, send] = await Promise.all(["MPI_Waitall", "MPI_Isend"].map((name) => well(page, name).inputValue()));
  await page.evaluate((id) => (location.hash = `page=views&scope=run&filter=functions:${id};duration_max:1000000000`), await idOf(page, "MPI_Isend"));
  await settled(page);
  await until("sends are drawn", async () => (await pixelsOf(page, send)) > 100);
  await until("what else is there is pale", async () => (await pixelsOf(page, pale(wait))) > 1000);
  assert.equal(await pixelsOf(page, wait), 0);
  // Of 16 rows some 20 pixels high, sends of a µs have one pixel each.
  const { width, height } = await plot(page);
  assert.ok((await pixelsOf(page, send)) < (width * height) / 6, "sends of a µs are not most of the picture");
});

journey("nothing shown in the legend, and nothing is in the views", { ...VIEWS, hash: "page=views&scope=run&right=events" }, async (page) => {
  await page.locator("mp-legend .top button", { hasText: "None" }).click();
  await settled(page);
  for (const pane of ["mp-table", "mp-events"])
    await until(`no row in ${pane}`, async () => (await page.locator(`${pane} mp-vtable .body .row`).count()) === 0);
  for (const layer of ["Messages", "Collectives", "Waits"]) assert.equal(await isDrawn(page, layer), false, layer);
  await page.locator("mp-legend .top button", { hasText: "All" }).click();
  await until("all rows", async () => (await page.locator("mp-table mp-vtable .body .row").count()) > 5);
});
