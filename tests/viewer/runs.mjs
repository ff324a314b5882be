// The runs that the journeys look at: each is recorded once, and served once.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { compile, exported, folder, measure, predicted, record, serve, serveWith, synthetic } from "./harness.mjs";

const RECIPES = {
  // A stencil on a 4 × 4 grid in which rank 5 computes longer than the others.
  halo: () => record("halo", 16, "halo2d", ["--iters", "400", "--work", "20", "--slow-rank", "5"]),
  // The same without that: what tuning would come to.
  after: () => record("after", 16, "halo2d", ["--iters", "400", "--work", "20"]),
  // Names that try to be more than text, in a folder whose name does, too.
  names: () => record(`<img src=x onerror=window.hacked=1>'"&`, 2, compile("names")),
  // Rings of the smallest size, written over several times.
  wrapped: () => record("wrapped", 2, "halo2d", ["--iters", "30000", "--work", "1"], ["--buffer", "1M"]),
  one: () => record("one", 1, "halo2d", ["--iters", "20", "--work", "1"]),
  regions: () => record("regions", 4, "regions"),
  // More calls than are drawn one by one.
  steps: () => record("steps", 4, "regions", ["7000"]),
  threads: () => record("threads", 2, "threads"),
  empty: () => record("empty", 1, "nompi"),
  // One rank's file ends in the middle, as after a full disk.
  damaged: () => {
    const run = record("damaged", 4, "halo2d", ["--iters", "100", "--work", "5"]);
    const ranks = path.join(run, "ranks");
    const file = path.join(ranks, fs.readdirSync(ranks).filter((name) => name.endsWith(".rank")).sort()[2]);
    // The file has holes: what was written lies at its beginning.
    fs.truncateSync(file, 2_000_000);
    return run;
  },
};

// Checked, and found wrong: the exit code says so.
RECIPES.checked = () => record("checked", 2, compile("mismatch"), [], ["--check"], 10);
// Three ranks that wait for each other until a signal ends them: 128 + SIGALRM.
RECIPES.ring = () => record("ring", 3, compile("ring"), [], [], 142);
// Messages that are unexpected for long, and receives that are posted early.
RECIPES.queues = () => record("queues", 2, compile("queues"));
// Calls with known callers, all of which are recorded.
RECIPES.stacks = () => record("stacks", 2, compile("stacks"), [], ["--stack", "8"]);
// Rank 0 waits for a rank that sleeps: found on a busy machine, too.
RECIPES.late = () => record("late", 4, compile("late"));
// A rank dies in the middle; mpirun ends the others: 128 + SIGABRT.
RECIPES.died = () => record("died", 4, compile("died"), [], [], 134);
// Long enough that its store is not built at once. Used once, since it is there from then on.
RECIPES.long = () => record("long", 4, "halo2d", ["--iters", "130000", "--work", "1"], ["--buffer", "64M"]);
/** For machines that are too quick for the one above. */
RECIPES.longer = () => record("longer", 4, "halo2d", ["--iters", "600000", "--work", "1"], ["--buffer", "256M"]);
// One rank's file is there and makes no sense at all.
RECIPES.garbage = () => {
  const run = record("garbage", 4, "halo2d", ["--iters", "50", "--work", "5"]);
  const ranks = path.join(run, "ranks");
  const file = path.join(ranks, fs.readdirSync(ranks).filter((name) => name.endsWith(".rank")).sort()[1]);
  fs.writeFileSync(file, Buffer.alloc(100_000, "nonsense "));
  return run;
};
// Its store was written by a later version.
RECIPES.newerStore = () => {
  const run = record("newer-store", 2, "halo2d", ["--iters", "20", "--work", "1"]);
  fs.mkdirSync(path.join(run, "store"));
  fs.writeFileSync(path.join(run, "store", "store.json"), JSON.stringify({ format: 99, made_by: "a later version" }));
  return run;
};

// What the model says of `halo` with equal work.
RECIPES.predicted = () => predicted("predicted", runOf("halo"), "balance=perfect");

// Several threads with messages and collective operations of their own, then one-sided accesses.
RECIPES.lines = () => record("lines", 3, compile("lines"));
// Many functions, several of one class, all with time enough to be seen.
RECIPES.many = () => record("many", 6, compile("many"));
// Three phases in each iteration, later ranks computing longer.
RECIPES.stencil = () => record("stencil", 25, "stencil3", ["--iters", "10", "--work", "4000", "--imbalance", "150"]);
// A communicator of some ranks, which the others have no part in.
RECIPES.split = () => record("split", 6, compile("split"));
// Four nodes with 64 ranks each.
RECIPES.hosts = () => synthetic("hosts", 256, 40);
// As many ranks as an exported page has rows for.
RECIPES.twoHosts = () => synthetic("two-hosts", 128, 20);
// Ten thousand ranks on 157 nodes; nobody has so many processes at hand.
RECIPES.large = () => synthetic("large", 10_000, 20);

// Machine profiles: measured here; a second one; with a second pair of ranks, as on a node with two L3 caches.
RECIPES.machine = () => measure("machine", 2, ["pingpong", "memory", "arithmetic"], ["--budget", "5", "--max-bytes", "256K"]);
RECIPES.start = () => measure("start", 5, ["start", "collectives/barrier", "collectives/bcast/ranks-2"], ["--budget", "60", "--max-bytes", "1K"]);
RECIPES.machineAfter = () => measure("machine-after", 2, ["pingpong"], ["--budget", "2", "--max-bytes", "256K"]);
RECIPES.mesh = () => measure("mesh", 4, ["pingpong", "steps"], ["--budget", "4", "--max-bytes", "256K"]);
RECIPES.pairs = () => {
  const profile = path.join(path.dirname(runOf("mesh")), "pairs.machine");
  fs.cpSync(runOf("mesh"), profile, { recursive: true });
  const file = path.join(profile, "machine.json");
  const found = JSON.parse(fs.readFileSync(file, "utf8"));
  found.pairs.push({ class: "same-package", ranks: [0, 3] });
  const slower = (p) => ({ ...p, median_ns: 2 * p.median_ns, low_ns: p.low_ns && 2 * p.low_ns, high_ns: p.high_ns && 2 * p.high_ns });
  found.curves.push(...found.curves.filter((c) => c.pair === 0).map((c) => ({ ...c, pair: 1, points: c.points.map(slower) })));
  fs.writeFileSync(file, JSON.stringify(found));
  return profile;
};

/** As profiles were before the peak rate was measured. */
RECIPES.withoutPeak = () => {
  const profile = path.join(path.dirname(runOf("machine")), "without-peak.machine");
  fs.cpSync(runOf("machine"), profile, { recursive: true });
  const file = path.join(profile, "machine.json");
  const found = JSON.parse(fs.readFileSync(file, "utf8"));
  for (const part of ["parameters", "curves"]) found[part] = found[part].filter((p) => p.experiment !== "arithmetic");
  fs.writeFileSync(file, JSON.stringify(found));
  return profile;
};

// Names and texts that try to be more than text.
RECIPES.hostileMachine = () => {
  const profile = path.join(folder, `<img src=x onerror=window.hacked=1>'".machine`);
  fs.cpSync(runOf("machine"), profile, { recursive: true });
  const file = path.join(profile, "machine.json");
  const found = JSON.parse(fs.readFileSync(file, "utf8"));
  found.problems.push("</script><script>window.hacked=1</script>");
  found.curves[0].series = "<b>&amp;,=|%";
  fs.writeFileSync(file, JSON.stringify(found));
  return profile;
};

const recorded = new Map();
const served = new Map();
const files = new Map();

export function runOf(name) {
  if (!recorded.has(name)) recorded.set(name, RECIPES[name]());
  return recorded.get(name);
}

/** Two nodes at each of two switches, for `hosts`. */
const NETWORK = '[tree]\narity = [2, 2]\n[nodes]\nhosts = ["node[000-003]"]\n';

/** The exported page of a run; of one with a network its server exports it, since `--export` reads no description of a network. */
async function exportedOf(name) {
  if (!name.startsWith("network:")) return exported(runOf(name), `${name}.html`);
  const url = await urlOf(name);
  const file = path.join(folder, `${name.replace(":", "-")}.html`);
  fs.writeFileSync(file, Buffer.from(await (await fetch(`${url}api/export`)).arrayBuffer()));
  return file;
}

/** The address of a run's page; of `one+other` it is that of both; of `file:one` that of its exported page; of `network:one` with a network. */
export async function urlOf(name) {
  if (name.startsWith("file:")) {
    const run = name.slice(5);
    if (!files.has(name)) files.set(name, pathToFileURL(await exportedOf(run)).href);
    return files.get(name);
  }
  if (name.startsWith("network:")) {
    const file = path.join(runOf(name.slice(8)), "..", "network.toml");
    fs.writeFileSync(file, NETWORK);
    if (!served.has(name)) served.set(name, serveWith([runOf(name.slice(8)), "--topology", file]).then((server) => read(server, 1)));
    return (await served.get(name)).url;
  }
  const paths = name.split("+").map(runOf);
  // What a page shows before its run is read is tried with the largest one; keys and views of the others need it.
  if (!served.has(name)) served.set(name, name === "large" || isProfile(paths[0]) ? serve(...paths) : serve(...paths).then((server) => read(server, paths.length)));
  return (await served.get(name)).url;
}

const isProfile = (path) => path.endsWith(".machine");

/** The server, when it has read its runs, or cannot. */
async function read(server, runs) {
  for (let run = 0; run < runs; run++)
    for (let tries = 0; tries < 600; tries++) {
      const { state, is_explained } = await (await fetch(`${server.url}api/${run}/progress`)).json();
      if (is_explained || state === "failed") break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  return server;
}

export async function stopAll() {
  for (const server of served.values()) await (await server).stop();
  served.clear();
}
