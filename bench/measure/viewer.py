"""The viewer: how soon a real `mpiscope view` says what, over HTTP, and what memory it takes.

Stores are synthetic (crates/pyramid/examples/pyramid_bench.rs); each stands in the place of the store of a small run with as
many ranks (crates/query/examples/rows_bench.rs). No MPI and no browser take part."""

from __future__ import annotations

import http.client
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import time
import urllib.parse

from . import ingest, preview, setup, stats

RUNS = preview.RUNS
LARGE = preview.LARGE
HUGE = preview.HUGE
QUESTIONS = 60


class Viewer:
    """`mpiscope view` of a run, and a connection to it."""

    def __init__(self, program, run, store):
        command = [program, "view", run, "--store", store, "--no-browser", "--port", "0"]
        begun = time.perf_counter()
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if "http://" in line:
                address = urllib.parse.urlparse("http://" + line.split("http://")[1].split()[0])
                break
        else:
            raise stats.RunFailed(f"{command}: printed no address")
        self.begun = begun
        self.base = address.path
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=300)
        self.get("")
        self.shell_ms = 1000 * (time.perf_counter() - begun)

    def get(self, path):
        self.connection.request("GET", self.base + path)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise stats.RunFailed(f"{path}: {answer.status} {body[:300]!r}")
        return body

    def ask(self, question, **parameters):
        """Milliseconds, and the body."""
        begun = time.perf_counter()
        body = self.get(f"api/{question}?{urllib.parse.urlencode(parameters)}")
        return 1000 * (time.perf_counter() - begun), body

    def json(self, question, **parameters):
        return json.loads(self.ask(question, **parameters)[1])

    def until(self, is_so, pause_s):
        """Waits until something holds of its progress."""
        while not is_so(progress := self.json("progress")) and progress["state"] != "failed":
            time.sleep(pause_s)
        if progress["state"] == "failed":
            raise stats.RunFailed(f"view: {progress}")

    def ready(self):
        self.until(lambda progress: progress["state"] == "ready", 0.005)
        return self.json("run")

    def memory_mib(self, name):
        """`VmHWM`: the peak; `VmRSS`: now."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return max(int(line.split()[1]) for line in status.splitlines() if line.startswith(name)) / 1024

    def close(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(30)


def head(frame):
    """The JSON head of a frame, and its columns by name as offsets."""
    length = struct.unpack_from("<I", frame, 4)[0]
    return json.loads(frame[8:8 + length])


def forget(place):
    """Takes the files of a store out of memory."""
    for path in pathlib.Path(place).rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def viewer(options):
    """A run is opened as the page opens it, and asked what the page asks."""
    program = preview.built()
    rows = ingest.built()
    tool = options.tool / "mpiscope"
    for size, ranks in RUNS[:1] if options.quick else RUNS + (LARGE if options.large else ()) + (HUGE if options.huge else ()):
        run, place = setup.WORK / f"view-run-{size}", setup.WORK / f"view-store-{size}"
        for path in (run, place):
            shutil.rmtree(path, ignore_errors=True)
        case = f"{size // 1_000_000}M calls, {ranks} ranks"
        try:
            stats.progress(f"viewer: {case}, store")
            subprocess.run([rows, "make", run, str(40 * ranks), str(ranks)], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([tool, "store", run, "--store", place], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            source = json.loads((place / "store.json").read_text())["source"]
            shutil.rmtree(place)
            preview.asked(program, "make", place, f"viewer: {case}, synthetic store", str(size), str(ranks), source)
            made = preview.asked(program, "build", place, f"viewer: {case}, preview", threads=1)
            yield stats.plain("viewer: preview, CPU", "-", case, "ns/call", 100.0, made["ns_per_call"])
            yield stats.plain("viewer: preview, size", "-", case, "% of the tables", 15.0, 100 * made["share"])
            yield stats.plain("viewer: preview from the store, peak memory", "-", case, "MiB", 1024.0, made["peak_kib"] / 1024)
            forget(place)
            yield from asked(Viewer(tool, run, place), case, ranks)
        finally:
            for path in (run, place):
                shutil.rmtree(path, ignore_errors=True)


def asked(view, case, ranks):
    try:
        run = view.ready()
        whole = {"from": run["from_ns"], "until": run["until_ns"]}
        screen = {"columns": 1200, "rows": 512}
        # As the page does: what the preview has is asked for first.
        view.ask("cells", **whole, **screen, quick=1)
        passed = lambda: 1000 * (time.perf_counter() - view.begun)
        first = passed()
        yield stats.plain("viewer: page", "-", case, "ms", 200.0, view.shell_ms)
        yield stats.plain("viewer: first picture", "-", case, "ms", 1000.0, first)
        view.until(lambda progress: not progress["files"], 0.02)
        yield stats.plain("viewer: rank files read", "-", case, "ms", None, passed())
        # What is measured now is not beside the explanation of the run.
        view.until(lambda progress: progress["is_explained"], 0.05)
        yield stats.plain("viewer: explained", "-", case, "ms", None, passed())
        yield stats.plain("viewer: peak memory until then", "-", case, "MiB", 1024.0, view.memory_mib("VmHWM"))
        dice = random.Random(7)
        length = run["until_ns"] - run["from_ns"]
        cold, panned, zoomed, click = [], [], [], []
        for _ in range(QUESTIONS):
            wide = length * 10 ** dice.uniform(-4.5, 0)
            begin = run["from_ns"] + dice.uniform(0, length - wide)
            high = max(1, int(min(ranks, 8 * (ranks / 8) ** dice.random())))
            row = dice.randrange(ranks - high + 1)
            part = {"row_from": row, "row_until": row + high, **screen}
            cells = lambda begin, wide: view.ask("cells", **{"from": int(begin), "until": int(begin + wide) + 1}, **part)
            cold.append(cells(begin, wide)[0])
            moved = begin + wide / 4
            took, body = cells(moved, wide)
            panned.append(took)
            # For a zoom nothing that was drawn is of use, but what was read is; of a window with too many calls none were.
            times = zoomed if head(body)["is_exact"] else cold
            times.append(cells(moved + wide / 4, wide / 2)[0])
            click.append(view.ask("call", rank=dice.randrange(ranks), row=dice.randrange(max(1, run_rows(case) // ranks - 2)))[0])
        windows = (("window, cold", 100.0, cold), ("window, panned", 30.0, panned), ("window, zoomed", 30.0, zoomed))
        for name, bar, values in (*windows, ("one call", 100.0, click)):
            yield stats.plain(f"viewer: {name}, p95", "-", case, "ms", bar, sorted(values)[len(values) * 95 // 100])
        size = {"width": 512, "height": 256, "points": 20000, "x_log": 0, "y_log": 1, "quick": 1}
        quick = (
            ("scatter, duration by start", "scatter", {"x": "start", "y": "duration", **size}),
            ("scatter, duration by bytes", "scatter", {"x": "bytes", "y": "duration", **size, "x_log": 1}),
            ("scatter, duration by rank", "scatter", {"x": "rank", "y": "duration", **size}),
            ("scatter, message latency by bytes", "scatter", {"of": "messages", "x": "bytes", "y": "duration", **size, "x_log": 1}),
            ("histogram of durations", "histogram", {"field": "duration", "is_log": 1, "quick": 1}),
            ("table by function", "groups", {"by": "function", "quick": 1}),
            ("table by size bin and function", "groups", {"by": "size_bin,function", "quick": 1}),
            ("table by rank", "groups", {"by": "rank", "quick": 1}),
            ("matrix", "matrix", {"by": "rank", "blocks": 128, "quick": 1}),
            ("matrix by host", "matrix", {"by": "host", "quick": 1}),
            ("scatter, duration by tag (sample)", "scatter", {"x": "tag", "y": "duration", **size}),
        )
        for name, question, parameters in quick:
            times = []
            for _ in range(3):
                took, body = view.ask(question, **whole, **parameters)
                times.append(took)
            about = json.loads(body) if question in ("histogram", "groups") else head(body)
            basis = about["basis"]["kind"]
            yield stats.plain(f"viewer: {name} ({basis})", "-", case, "ms", 300.0, sorted(times)[1])
        yield stats.plain("viewer: peak memory", "-", case, "MiB", 1024.0, view.memory_mib("VmHWM"))
        yield stats.plain("viewer: memory at the end", "-", case, "MiB", 1024.0, view.memory_mib("VmRSS"))
    finally:
        view.close()


def run_rows(case):
    return int(case.split("M")[0]) * 1_000_000
