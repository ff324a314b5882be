// Real runs, the real server, a real browser.
//
//   MPISCOPE_BIN_DIR     where mpiscope is (default: build/bin of this checkout)
//   MPISCOPE_EXAMPLES    the example programs (default: build/examples/openmpi)
//   CARGO_TARGET_DIR     where the example synthetic_run is (default: target)
//   MPISCOPE_VIEWER_DIST take the page from this folder, not from inside mpiscope: while working on it

import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(path.join(root, "viewer/package.json"));
const { chromium } = require("playwright-core");
export const axeSource = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const binDir = process.env.MPISCOPE_BIN_DIR ?? path.join(root, "build/bin");
export const examples = process.env.MPISCOPE_EXAMPLES ?? path.join(root, "build/examples/openmpi");
const dist = process.env.MPISCOPE_VIEWER_DIST ?? null;
const synthesizer = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, "target"), "release/examples/synthetic_run");
export const mpiscope = path.join(binDir, "mpiscope");

/** Chromium as the system has it; nothing is downloaded. */
function browserPath() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found) return found;
  }
  throw new Error("no Chromium is installed: apt-get install chromium");
}

/** How long something that must happen may take on a slow and busy machine; no claim about speed. */
export const PATIENCE_MS = 180_000;

export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "mpiscope-viewer-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

/** Compiles a program of tests/viewer/programs; where it is. */
export function compile(name) {
  const program = path.join(folder, name);
  const source = path.join(root, "tests/viewer/programs", `${name}.c`);
  const result = spawnSync("mpicc.openmpi", ["-O1", "-g", "-I", path.join(root, "include"), source, "-o", program], { encoding: "utf8" });
  if (result.status !== 0) throw new Error(`compiling ${name} failed: ${result.stderr}`);
  return program;
}

/** Records a program, of examples/ unless it is a path, into a run. */
export function record(name, ranks, program, args = [], options = [], code = 0) {
  const run = path.join(folder, `${name}.mpiscope`);
  // Pages show the command: a program of this checkout is named without the way to the checkout.
  const at = path.resolve(examples, program);
  const named = at.startsWith(root + path.sep) ? path.relative(root, at) : at;
  const result = spawnSync(mpiscope, ["run", "-n", String(ranks), ...options, "-o", run, named, ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...launcherEnv },
  });
  if (result.status !== code) throw new Error(`recording ${name} failed: ${result.stderr}`);
  return run;
}

/** Writes the run that is predicted under changes. */
export function predicted(name, from, changes) {
  const run = path.join(folder, `${name}.mpiscope`);
  const result = spawnSync(mpiscope, ["predict", from, "--what-if", changes, "-o", run], { encoding: "utf8" });
  if (result.status !== 0) throw new Error(`predicting ${name} failed: ${result.stderr}`);
  return run;
}

/** Measures experiments into a machine profile. */
export function measure(name, ranks, experiments, options = []) {
  const profile = path.join(folder, `${name}.machine`);
  const words = ["bench", "-n", String(ranks), "--launcher", "mpirun.openmpi", "-o", profile, ...options, ...experiments];
  const result = spawnSync(mpiscope, words, { cwd: root, encoding: "utf8", env: { ...process.env, ...launcherEnv } });
  if (result.status !== 0) throw new Error(`measuring ${name} failed: ${result.stderr}`);
  return profile;
}

/** What launchers need where they run as root and on few cores. */
export const launcherEnv = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
  // Who waits gives way: 25 ranks on two cores.
  OMPI_MCA_mpi_yield_when_idle: "1",
  OMPI_MCA_hwloc_base_binding_policy: "none",
};

/** A run that no launcher made: rank files of as many ranks as are wanted (crates/ingest/examples/synthetic_run.rs). */
export function synthetic(name, ranks, rounds) {
  const run = path.join(folder, `${name}.mpiscope`);
  const made = spawnSync(synthesizer, [run, String(ranks), String(rounds)], { encoding: "utf8" });
  if (made.error?.code === "ENOENT") throw new Error(`${synthesizer} is not built: cargo build --release -p mpiscope-ingest --example synthetic_run`);
  if (made.status !== 0) throw new Error(`a run of ${ranks} ranks could not be made: ${made.stderr}`);
  return run;
}

/** A server for a run, or for two that are compared; resolves with the address of the page, without what stands behind `#`. */
export function serve(...runs) {
  return serveWith(runs);
}

/** The same with more words on its command line, started in `cwd`. */
export async function serveWith(words, cwd = undefined) {
  const child = spawn(mpiscope, ["view", ...words, "--no-browser"], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd,
    env: { ...process.env, ...launcherEnv },
  });
  let out = "";
  let err = "";
  child.stderr.on("data", (text) => (err += text));
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      out += text;
      const match = /http:\/\/[^\s#]+/.exec(out);
      if (match) resolve(match[0]);
    });
    child.on("exit", (code) => reject(new Error(`mpiscope view ended with ${code}: ${err}`)));
  });
  child.removeAllListeners("exit");
  return {
    url,
    pid: child.pid,
    /** What it has printed in its terminal so far. */
    printed: () => err,
    stop: () =>
      new Promise((resolve) => {
        child.on("exit", resolve);
        child.kill("SIGINT");
      }),
  };
}

/** What `mpiscope view` says and how it ends where it cannot serve. */
export function refuse(...runs) {
  return spawnSync(mpiscope, ["view", ...runs, "--no-browser"], { encoding: "utf8", timeout: PATIENCE_MS });
}

/** Exports a run; where the page is. */
export function exported(run, name, options = []) {
  const page = path.join(folder, name);
  const result = spawnSync(mpiscope, ["view", run, "--export", page, ...options], { encoding: "utf8", timeout: PATIENCE_MS });
  if (result.status !== 0) throw new Error(`exporting ${run} failed: ${result.stderr}`);
  return page;
}

let browser = null;

export async function launch() {
  // Without a GPU, as on a login node.
  browser ??= await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"] });
  return browser;
}

export async function quit() {
  await browser?.close();
  browser = null;
}

const KINDS = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

/** A page that fails the test on any error, any refusal of the policy and any request that leaves this machine. */
export async function open(url, { width = 1440, height = 900, theme = "light", hash = "", allow = [] } = {}) {
  const context = await (await launch()).newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const base = new URL(url);
  const problems = [];
  const isAllowed = (text) => allow.some((pattern) => pattern.test(text));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !isAllowed(message.text())) problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const to = new URL(request.url());
    if (to.protocol.startsWith("http") && to.host !== base.host) problems.push(`request to ${to.host}`);
  });
  if (dist && base.protocol === "http:")
    await page.route(
      (at) => at.host === base.host && !at.pathname.includes("/api/"),
      (route) => {
        const rest = new URL(route.request().url()).pathname.slice(base.pathname.length) || "index.html";
        const file = path.join(dist, rest);
        if (!fs.existsSync(file)) return route.fulfill({ status: 404 });
        return route.fulfill({
          body: fs.readFileSync(file),
          contentType: KINDS[file.split(".").pop()] ?? "application/octet-stream",
          headers: { "content-security-policy": "default-src 'self'" },
        });
      },
    );
  await page.goto(url + (hash ? `#${hash}` : ""));
  return { page, problems, close: () => context.close() };
}

/** Nothing is asked for any more, and what came is painted. */
export async function settled(page) {
  // What was just done requests and redraws at the next frame.
  await frames(page);
  await page.waitForFunction(
    () => {
      const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
      const elements = all(document);
      const timelines = elements.filter((e) => e.localName === "mp-timeline");
      return (
        elements.some((e) => ["mp-app", "mp-machine"].includes(e.localName) && e.shadowRoot?.querySelector("h1")?.textContent !== "mpiscope") &&
        timelines.every((t) => t.isSettled) &&
        !elements.some((e) => e.getAttribute("aria-busy") === "true")
      );
    },
    undefined,
    { timeout: PATIENCE_MS, polling: 50 },
  );
  await frames(page);
}

/** Two frames: what is done in the first is in sight in the second. */
const frames = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** What the address says of the view, as a map. */
export function view(page) {
  const hash = new URL(page.url()).hash.slice(1);
  return Object.fromEntries(hash.split("&").filter(Boolean).map((part) => part.split("=").map(decodeURIComponent)));
}

/** The window of time that the address names; null for the main part and for the whole run. */
export function windowOf(page) {
  const text = view(page).t;
  return text && text !== "run" ? text.split("~").map(Number) : null;
}

/** Answers of the server, from the page's side. */
export function api(page, question) {
  return page.evaluate(async (q) => (await fetch(`api/${q}`)).json(), question);
}

/** The columns of a frame that the server answers with. */
export function frame(page, question) {
  return page.evaluate(async (q) => {
    const bytes = await (await fetch(`api/${q}`)).arrayBuffer();
    const length = new DataView(bytes).getUint32(4, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length)));
    const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };
    const up = (at) => Math.ceil(at / 8) * 8;
    let at = up(8 + length);
    const columns = {};
    for (const { name, type, length } of head.columns) {
      const column = new types[type](bytes, at, length);
      columns[name] = [...column];
      at = up(at + column.byteLength);
    }
    return columns;
  }, question);
}

/**
 * A place of the plot, as shares of its width and height, where a call of this rank is for certain: the middle of what is seen of
 * its longest one. `row` is where the rank is drawn.
 */
export async function placeOfCall(page, rank, row = rank, ranks = 16) {
  const [from, until] = windowOf(page);
  const { start_ns, duration_ns } = await frame(page, `calls?ranks=${rank}&from=${from}&until=${until}&limit=1`);
  const ns = (Math.max(start_ns[0], from) + Math.min(start_ns[0] + duration_ns[0], until)) / 2;
  return { x: (ns - from) / (until - from), y: (row + 0.5) / ranks };
}

/** The id of a function by its name. */
export const idOf = async (page, name) => (await api(page, "run")).functions.find((f) => f.name === name).id;

/** The address of a scatter plot of one function: duration over `x`. */
export const scatterOf = (id, x, isLog) =>
  `page=views&scope=run&right=scatter&filter=functions:${id}&scatter=${x}~duration~${isLog ? 1 : 0}~${isLog ? 1 : 0}~~~~`;

/** Where the plot of a timeline is on the screen. */
export async function plot(page, which = 0) {
  const box = await page.locator("mp-timeline").nth(which).boundingBox();
  return { left: box.x + 60, top: box.y + 62, width: box.width - 72, height: box.height - 66 };
}

/** All text of an element, also inside of its parts. */
export function textOf(page, selector) {
  return page.locator(selector).first().evaluate((element) => {
    const text = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data;
      if (node.nodeType !== Node.ELEMENT_NODE && node.nodeType !== Node.DOCUMENT_FRAGMENT_NODE) return "";
      if (node.localName === "style") return "";
      const inside = [...(node.shadowRoot ?? node).childNodes].map(text).join("");
      return /^(td|dd|dt|p|li|h\d|div|tr)$/.test(node.localName ?? "") ? `${inside} ` : inside;
    };
    return text(element).replace(/\s+/g, " ");
  });
}

/** A number for what is painted in an element. */
export async function painted(page, selector) {
  return page.locator(selector).first().evaluate((element) => {
    const canvas = element.localName === "canvas" ? element : element.shadowRoot.querySelector("canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let hash = 2166136261;
    for (let i = 0; i < data.length; i += 4) hash = Math.imul(hash ^ (data[i] | (data[i + 1] << 8) | (data[i + 2] << 16)), 16777619);
    return hash >>> 0;
  });
}

/** How many different colours an element's canvas has: an empty one has few. */
export async function colours(page, selector) {
  return page.locator(selector).first().evaluate((element) => {
    const canvas = element.localName === "canvas" ? element : element.shadowRoot.querySelector("canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.size;
  });
}

export function chromiumVersion() {
  return execFileSync(browserPath(), ["--version"], { encoding: "utf8" }).trim();
}

/** A button of a finding, by its place in the report; symptoms and what saves nothing stand in lists that open. */
export async function buttonOfFinding(page, index, text) {
  await page.locator("mp-findings details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
  return page.locator(`mp-findings li[data-index="${index}"] > div > .buttons > button`, { hasText: text });
}
