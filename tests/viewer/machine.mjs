// Machine profiles: what is measured here, in the browser.

import assert from "node:assert/strict";
import fs from "node:fs";
import { axe } from "./access.mjs";
import { colours, painted, settled, textOf, view } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf } from "./runs.mjs";
import { drawn, rowsOf, save, saved, sizeOf } from "./save.mjs";

const profileOf = (name) => JSON.parse(fs.readFileSync(`${runOf(name)}/machine.json`, "utf8"));
const PLOTS = ["times", "bandwidth", "latency", "roofline"];

/** The texts of a pane's legend whose boxes are checked. */
const shown = (page, pane) =>
  page.locator(`mp-machine-${pane}`).evaluate((e) => [...e.shadowRoot.querySelectorAll("li")].filter((li) => li.querySelector("input").checked).map((li) => li.textContent.trim()));

journey("a profile opens with its facts, its curves and its parameters", { run: "machine" }, async (page) => {
  const { hosts, mpi, parameters } = profileOf("machine");
  const text = await textOf(page, "mp-machine");
  for (const part of ["machine.machine", hosts[0].processor ?? "unknown processor", mpi.version, "2 ranks", "UTC"]) assert.ok(text.includes(part), part);
  for (const pane of PLOTS) assert.ok((await colours(page, `mp-machine-${pane}`)) > 10, pane);
  assert.equal(await page.locator("mp-machine-pairs, mp-machine-steps").count(), 0, "one pair, no mesh");
  assert.match(await page.title(), /^machine\.machine – mpiscope$/);
  const csv = rowsOf((await saved(page, () => page.locator("mp-machine-parameters mp-save button").click())).bytes);
  assert.deepEqual(csv.rows.map((row) => row[0]), parameters.map((p) => p.id));
  // The server reads and writes numbers once, which may change their last digit.
  for (const [i, { id, value }] of parameters.entries()) assert.ok(Math.abs(Number(csv.rows[i][4]) - value) <= 1e-12 * Math.abs(value), id);
  assert.ok(csv.head.includes("Unit"));
});

journey("what spoils the numbers comes first", { run: "mesh" }, async (page) => {
  const { problems } = profileOf("mesh");
  assert.ok(problems.length > 0, "four ranks, or a short time");
  const text = await textOf(page, "mp-machine main");
  for (const problem of problems) assert.ok(text.includes(problem), problem);
  assert.ok(text.indexOf(problems[0]) < text.indexOf("Curves"));
});

journey("series are hidden and shown; the address keeps them, with the axes", { run: "machine" }, async (page, url) => {
  const before = await painted(page, "mp-machine-times");
  const all = await shown(page, "times");
  assert.ok(all.includes("ping-pong"));
  await page.locator("mp-machine-times").getByLabel("ping-pong", { exact: true }).uncheck();
  await until("it is hidden", async () => (await painted(page, "mp-machine-times")) !== before);
  await page.locator("mp-machine-times").getByLabel("log y").uncheck();
  await page.locator("mp-machine-times").getByLabel("Number", { exact: true }).selectOption("rate");
  const hash = new URL(page.url()).hash;
  const one = await painted(page, "mp-machine-times");
  assert.deepEqual([view(page).y, view(page).log], ["rate", "x"]);
  await page.goto("about:blank");
  await page.goto(url + hash);
  await settled(page);
  // Calls without a transfer have no rate.
  assert.deepEqual(await shown(page, "times"), all.filter((name) => name !== "ping-pong" && !/-overhead$|-receive$/.test(name)));
  assert.equal(await painted(page, "mp-machine-times"), one, "the same picture");
  assert.equal(await page.locator("mp-machine-times").getByLabel("log y").isChecked(), false);
  await page.locator("mp-machine-times").getByLabel("Experiment").selectOption({ label: "memory" });
  assert.ok((await shown(page, "times")).some((name) => name.startsWith("read")));
  await page.goBack();
  await until("back", async () => (await shown(page, "times")).includes("stream"));
});

journey("the crosshair has the numbers of the profile, by pointer and by keys", { run: "machine" }, async (page) => {
  const curve = profileOf("machine").curves.find((c) => c.series === "ping-pong");
  const canvas = page.locator("mp-machine-times canvas");
  await canvas.focus();
  await page.keyboard.press("Home");
  const tip = () => textOf(page, "mp-machine-times .tip");
  await until("the first size", async () => /^ ?0 B/.test(await tip()));
  await page.keyboard.press("ArrowRight");
  await until("the next one", async () => /^ ?1 B/.test(await tip()));
  await page.keyboard.press("End");
  await until("the last one", async () => /^ ?256 KiB/.test(await tip()));
  const [, number, unit] = /ping-pong: ([\d.]+) (ns|µs|ms|s)\b/.exec(await tip());
  const ns = Number(number) * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit];
  assert.ok(Math.abs(ns / curve.points.at(-1).median_ns - 1) < 0.01, `${await tip()}, not ${curve.points.at(-1).median_ns} ns`);
  await page.keyboard.press("Escape");
  await until("no box", async () => (await page.locator("mp-machine-times .tip").count()) === 0);
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await until("a box", async () => /ping-pong/.test(await tip()));
});

journey("each picture is saved in all formats, and is a table", { run: "pairs" }, async (page) => {
  for (const pane of ["times", "pairs", "steps", "staircase"]) {
    const element = `mp-machine-${pane}`;
    const png = await save(page, element, "PNG");
    assert.equal(png.name, `pairs.machine-${pane}.png`);
    const plot = await page.locator(`${element} .plot`).boundingBox();
    assert.ok(Math.abs(sizeOf(png.bytes).width - 2 * plot.width) <= 2, pane);
    const svg = await drawn(page, (await save(page, element, "SVG")).bytes);
    assert.ok(svg.images === 0 && svg.paths > 3 && svg.texts.length > 3, `${pane}: ${svg.texts}`);
    assert.match(svg.title, /pairs\.machine \(.*Open MPI.*\) · /);
    const { head, rows } = rowsOf((await save(page, element, "CSV")).bytes);
    assert.ok(rows.length >= 2 && rows.every((row) => row.length === head.length), pane);
    await page.locator(element).getByRole("button", { name: /as a table/ }).click();
    await until("the table", async () => (await page.locator(`${element} mp-vtable`).count()) === 1);
  }
  assert.equal(view(page).twins, "times,pairs,steps,staircase");
});

journey("roofs of bandwidth end at the peak rate", { run: "machine" }, async (page) => {
  const { parameters } = profileOf("machine");
  const value = (id) => parameters.find((p) => p.id === id).value;
  assert.match(await textOf(page, "mp-machine-roofline"), /Dots: from there on, the peak rate limits/);
  const first = await shown(page, "roofline");
  assert.ok(first.some((name) => /^peak, double precision: [\d.]+ [MGT]flop\/s$/.test(name)), first.join("|"));
  const { rows } = rowsOf((await save(page, "mp-machine-roofline", "CSV")).bytes);
  const roof = rows.filter((row) => row[0].startsWith("L1, triad:"));
  const [x, y] = roof.at(-1).slice(1, 3).map(Number);
  assert.ok(Math.abs(y / value("peak_double") - 1) < 1e-9 && Math.abs(x / (value("peak_double") / value("triad_L1")) - 1) < 1e-9, roof.at(-1).join());
  assert.ok(roof.length > 3 && roof.slice(0, -1).every((row) => Number(row[2]) < y));
});

journey("a profile without the peak rate has roofs of bandwidth only", { run: "withoutPeak" }, async (page) => {
  assert.match(await textOf(page, "mp-machine-roofline"), /Bandwidth roofs only: without-peak\.machine has no peak rate \(mpiscope bench arithmetic\)/);
  const { rows } = rowsOf((await save(page, "mp-machine-roofline", "CSV")).bytes);
  assert.ok(rows.length > 0 && rows.every((row) => Number(row[1]) <= 64 && row[0].includes("triad")));
});

journey("pairs: the numbers at the chosen size", { run: "pairs" }, async (page) => {
  const { curves } = profileOf("pairs");
  await page.locator("mp-machine-pairs").getByLabel("Message size").selectOption("1024");
  const { rows } = rowsOf((await save(page, "mp-machine-pairs", "CSV")).bytes);
  const at = (pair) => curves.find((c) => c.pair === pair && c.series === "ping-pong").points.find((p) => p.x === 1024).median_ns;
  assert.deepEqual(rows.map((row) => row[0]), ["0,1", "0,3"]);
  for (const pair of [0, 1]) assert.ok(Math.abs(Number(rows[pair][3]) / at(pair) - 1) < 1e-12, `pair ${pair}`);
  assert.equal(view(page).size, "1024");
});

journey("the start: times by ranks, and memory of a process by ranks and by partners", { run: "start" }, async (page) => {
  const { curves, parameters } = profileOf("start");
  await page.locator("mp-machine-times").getByLabel("Experiment").selectOption({ label: "start" });
  assert.deepEqual(await shown(page, "times"), ["comm_dup", "comm_split", "init", "win_create"]);
  assert.match(await textOf(page, "mp-machine-times"), /init: MPI_Init in jobs with so many ranks/);
  const init = rowsOf((await save(page, "mp-machine-times", "CSV")).bytes).rows.filter((row) => row[0] === "init");
  assert.deepEqual(init.map((row) => Number(row[1])), [2, 4, 5]);
  for (const [i, { median_ns: ns }] of curves.find((c) => c.series === "init").points.entries()) assert.ok(Math.abs(Number(init[i][2]) / ns - 1) < 1e-12, init[i].join());
  const svg = await drawn(page, (await save(page, "mp-machine-times", "SVG")).bytes);
  assert.ok(["Ranks", "2", "4"].every((text) => svg.texts.includes(text)) && !svg.texts.includes("4 ranks"), svg.texts.join("|"));
  for (const [pane, prefix, places] of [
    ["by-ranks", "memory_connected_ranks_", [2, 4, 5]],
    ["by-partners", "memory_partners_", [1, 2, 4]],
  ]) {
    const { head, rows } = rowsOf((await save(page, `mp-machine-${pane}`, "CSV")).bytes);
    assert.ok(head.some((name) => name.includes("bytes")), head.join());
    const values = places.map((n) => parameters.find((p) => p.id === `${prefix}${n}`).value);
    const found = rows.filter((row) => row[0] === (pane === "by-ranks" ? "after a first message to and from every rank" : "growth by first messages"));
    assert.deepEqual(found.map((row) => [Number(row[1]), Number(row[2])]), places.map((n, i) => [n, values[i]]));
    assert.ok((await colours(page, `mp-machine-${pane}`)) > 10, pane);
  }
});

journey("where 0 B is drawn on a logarithmic axis, the tick says so", { run: "start" }, async (page) => {
  await page.locator("mp-machine-times").getByLabel("Experiment").selectOption({ label: "collectives" });
  const svg = await drawn(page, (await save(page, "mp-machine-times", "SVG")).bytes);
  assert.ok(svg.texts.includes("0 B") && !svg.texts.includes("4 B"), svg.texts.join("|"));
});

journey("two profiles: the same series over each other", { run: "machine+machineAfter" }, async (page) => {
  assert.match(await textOf(page, "mp-machine header"), /machine\.machine and machine-after\.machine/);
  assert.match(await textOf(page, "mp-machine-times"), /dashed: machine-after\.machine/);
  const svg = await drawn(page, (await save(page, "mp-machine-times", "SVG")).bytes);
  assert.ok(svg.texts.includes("solid: machine.machine, dashed: machine-after.machine"), svg.texts.join("|"));
  const { rows } = rowsOf((await save(page, "mp-machine-times", "CSV")).bytes);
  assert.deepEqual([...new Set(rows.map((row) => row[1]))], ["machine.machine", "machine-after.machine"]);
});

journey("names of a profile are only text", { run: "hostileMachine" }, async (page) => {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.match(await textOf(page, "mp-machine"), /<b>&amp;,=\|%/);
  await page.locator("mp-machine-times").getByLabel("<b>&amp;,=|%", { exact: true }).uncheck();
  await page.reload();
  await settled(page);
  assert.ok(!(await shown(page, "times")).includes("<b>&amp;,=|%"));
});

journey("an invalid address is named", { run: "machine", hash: "y=rate&of=much" }, async (page) => {
  assert.match(await page.getByRole("alert").innerText(), /of=much/);
});

journey("an exported page of a profile is the same", { run: "file:machine" }, async (page) => {
  for (const pane of PLOTS) assert.ok((await colours(page, `mp-machine-${pane}`)) > 10, pane);
  const { rows } = rowsOf((await save(page, "mp-machine-times", "CSV")).bytes);
  assert.ok(rows.length > 50);
});

for (const theme of ["light", "dark"])
  for (const [width, height] of [
    [1440, 900],
    [1024, 700],
    [1920, 1080],
  ])
    journey(`a profile: axe finds nothing, and nothing is cut off, ${theme}, ${width} × ${height}`, { run: "pairs", theme, width, height }, async (page) => {
      await axe(page, "profile");
      const wide = await page.evaluate((w) => {
        const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
        return all(document.body)
          .filter((e) => !e.closest("mp-vtable, .row") && e.getRootNode().host?.localName !== "mp-vtable")
          .filter((e) => e.getBoundingClientRect().right > w + 1)
          .map((e) => e.localName);
      }, width);
      assert.deepEqual(wide, []);
      await page.evaluate(() => (location.hash = "twins=times,pairs,steps,staircase"));
      await until("tables", async () => (await page.locator("mp-machine-times mp-vtable").count()) === 1);
      await axe(page, "as tables");
    });
