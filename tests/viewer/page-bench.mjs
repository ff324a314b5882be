// What the page costs in the browser, for `bench/run.py page`:
//
//   node tests/viewer/page-bench.mjs RANKS ROUNDS
//
// One JSON object: ms until the shell is painted, until there is a picture of the whole run, however coarse, and until
// it is as fine as it gets, CPU of the page's main thread in
// each frame while dragging, zooming and scrolling, also where ranks are folded by host, node, communicator and (where
// there is one) line of the grid, the memory of its process and of its script. The server is the real
// one, the run is synthetic and its store is there.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { folder, launch, mpiscope, open, plot, quit, serveWith, settled, synthetic } from "./harness.mjs";

const FRAMES = 120;

const [ranks, rounds] = process.argv.slice(2).map(Number);
const run = synthetic("bench", ranks, rounds);
const stored = spawnSync(mpiscope, ["store", run, "--json"], { encoding: "utf8" });
if (stored.status !== 0) throw new Error(stored.stderr);
const calls = JSON.parse(stored.stdout).tables.find((t) => t.name === "calls").rows;
// Eight ranks on each node of a torus that is large enough.
const network = path.join(folder, "network.toml");
fs.writeFileSync(network, `[torus]\nshape = "${Math.ceil(ranks / 8)}x1"\n[nodes]\nranks_per_node = 8\n`);
const server = await serveWith([run, "--topology", network]);
const result = { ranks, calls };

/** CPU ms of the main thread in each frame while `act` goes on. */
async function frames(page, act) {
  const browser = await launch();
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline", "devtools.timeline"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const beginnings = traceEvents.filter((e) => e.name === "FireAnimationFrame" && e.ph === "X").sort((a, b) => a.ts - b.ts);
  const { pid, tid } = beginnings[0];
  // Tasks do not lie in each other; what they have begun in a frame counts to it.
  const tasks = traceEvents.filter((e) => e.pid === pid && e.tid === tid && e.ph === "X" && (e.name === "RunTask" || e.name === "ThreadControllerImpl::RunTask"));
  tasks.sort((a, b) => a.ts - b.ts);
  const times = new Array(beginnings.length).fill(0);
  let at = -1;
  let end = -Infinity;
  for (const task of tasks) {
    while (at + 1 < beginnings.length && beginnings[at + 1].ts < task.ts + task.dur) at++;
    if (at < 0 || task.ts < end) continue;
    end = task.ts + task.dur;
    times[at] += (task.tdur ?? task.dur) / 1000;
  }
  times.sort((a, b) => a - b);
  const of = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { frames: times.length, median_ms: of(0.5), p95_ms: of(0.95), max_ms: of(1) };
}

/** Frames while the timeline is dragged, zoomed and scrolled. */
async function moved(page) {
  const at = await plot(page);
  const middle = [at.left + at.width / 2, at.top + at.height / 2];
  const frame = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  // Half of the run in sight, and a tenth of the ranks: room to move.
  await page.mouse.move(...middle);
  await page.keyboard.press("KeyW");
  await settled(page);
  const drag = await frames(page, async () => {
    await page.keyboard.down("Shift");
    await page.mouse.down();
    for (let i = 0; i < FRAMES; i++) {
      await page.mouse.move(middle[0] - 260 * Math.sin(i / 14), middle[1] + 20 * Math.sin(i / 9));
      await frame();
    }
    await page.mouse.up();
    await page.keyboard.up("Shift");
  });
  const zoom = await frames(page, async () => {
    await page.keyboard.down("Control");
    for (let i = 0; i < FRAMES; i++) {
      await page.mouse.wheel(0, i % 40 < 20 ? -40 : 40);
      await frame();
    }
    await page.keyboard.up("Control");
  });
  await settled(page);
  await page.keyboard.down("Alt");
  for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -240);
  await page.keyboard.up("Alt");
  await settled(page);
  const scroll = await frames(page, async () => {
    for (let i = 0; i < FRAMES; i++) {
      await page.mouse.wheel(0, i % 60 < 30 ? 40 : -40);
      await frame();
    }
  });
  await settled(page);
  return { drag, zoom, scroll };
}

/** Whether this program has started a process, or what it has started. */
function isOurs(pid) {
  for (let at = pid; at > 1; ) {
    at = Number(/^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${at}/status`, "utf8"))[1]);
    if (at === process.pid) return true;
  }
  return false;
}

/** Memory of the renderer of the page: what it alone has, and its part of what it shares. */
function renderers() {
  const sizes = [];
  for (const name of fs.readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
    try {
      const words = fs.readFileSync(`/proc/${name}/cmdline`, "utf8");
      if (!words.includes("--type=renderer") || !isOurs(Number(name))) continue;
      const rollup = fs.readFileSync(`/proc/${name}/smaps_rollup`, "utf8");
      sizes.push({ pid: Number(name), pss_bytes: Number(/^Pss:\s+(\d+)/m.exec(rollup)[1]) * 1024 });
    } catch {
      // It has ended meanwhile.
    }
  }
  return sizes;
}

try {
  await launch();
  const before = new Set(renderers().map((r) => r.pid));
  const { page, problems, close } = await open("about:blank", { width: 1440, height: 900 });
  // The executable and the browser are warm from now on, as they are the second time, and the server has nothing else to do.
  await page.goto(server.url);
  while (!(await page.evaluate(async () => (await (await fetch("api/progress")).json()).is_explained))) await new Promise((r) => setTimeout(r, 500));
  const begin = performance.now();
  const painted = page.waitForFunction(() => document.querySelector("mp-app")?.shadowRoot?.querySelector("header")?.getBoundingClientRect().height > 0, undefined, { polling: "raf" });
  await page.goto(`${server.url}#page=views`, { waitUntil: "commit" });
  await page.reload({ waitUntil: "commit" });
  await painted.catch(() => {});
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0, undefined, { polling: 20 });
  result.shell_ms = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  await page.waitForFunction(
    () => {
      const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
      const timeline = all(document).find((e) => e.localName === "mp-timeline");
      if (timeline?.hasPicture) window.__first ??= performance.now();
      return timeline?.isSettled && (window.__full ??= performance.now());
    },
    undefined,
    { polling: "raf", timeout: 60_000 },
  );
  result.first_ms = await page.evaluate(() => window.__first);
  result.picture_ms = await page.evaluate(() => window.__full);
  result.until_known_ms = performance.now() - begin;
  await settled(page);
  Object.assign(result, await moved(page));
  // Ranks in groups that share rows; the first group keeps a row for each of its ranks, unless it has all ranks.
  const { grid } = await page.evaluate(async () => (await fetch("api/run")).json());
  result.folded = {};
  for (const group of ["host", "node", "comm:0", ...(grid ? ["grid:0"] : [])]) {
    const fold = group === "comm:0" ? "all" : "but:0";
    await page.evaluate((h) => (location.hash = h), `page=views&order=group:${group};fold:${fold}`);
    await settled(page);
    result.folded[group.split(":")[0]] = await moved(page);
  }
  await close();
  // Memory in a page of its own: what a trace has recorded lies in the page as well.
  const fresh = await open(`${server.url}#page=views`, { width: 1440, height: 900 });
  await settled(fresh.page);
  const at = await plot(fresh.page);
  await fresh.page.mouse.move(at.left + at.width / 2, at.top + at.height / 2);
  for (const [key, wheel] of [["Control", -40], ["Alt", -240], ["Control", 40]]) {
    await fresh.page.keyboard.down(key);
    for (let i = 0; i < 8; i++) await fresh.page.mouse.wheel(0, wheel);
    await fresh.page.keyboard.up(key);
    await settled(fresh.page);
  }
  // All panes are looked at.
  for (const hash of ["right=matrix&scope=run", "right=scatter&left=events", "order=group:host&left=table&table=rank~total_ns~0"]) {
    await fresh.page.evaluate((h) => (location.hash = `page=views&${h}`), hash);
    await settled(fresh.page);
  }
  const cdp = await fresh.page.context().newCDPSession(fresh.page);
  await cdp.send("HeapProfiler.collectGarbage");
  result.heap_bytes = (await cdp.send("Runtime.getHeapUsage")).usedSize;
  result.renderer_bytes = Math.max(...renderers().filter((r) => !before.has(r.pid)).map((r) => r.pss_bytes));
  const ours = [...problems, ...fresh.problems].filter((text) => !/about:blank|request to/.test(text));
  if (ours.length) throw new Error(ours.join("\n"));
  await fresh.close();
  console.log(JSON.stringify(result));
} finally {
  await quit();
  await server.stop();
}
