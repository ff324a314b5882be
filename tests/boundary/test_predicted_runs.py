"""`mpiscope predict --output`: predicted runs are runs that every command opens, and all say so."""

import csv
import json
import re
import sys

import jsonschema
import pytest

from harness import MPISCOPE, ROOT, run
from hosts import Cluster, why_not
from profiles import network

sys.path.insert(0, str(ROOT / "tests/predicted"))

import pictures


def schema(name):
    return json.loads((ROOT / f"schemas/{name}.schema.json").read_text())


@pytest.fixture
def program(mpi, work):
    return mpi.compile(ROOT / "tests/predicted/predicted.c", work / "predicted")


@pytest.fixture
def halo(mpi, work):
    """A grid of which one rank computes longer."""
    words = [mpi.example("halo2d"), "--iters", 60, "--work", 100, "--slow-rank", 1]
    return mpi.record(2, *words, cwd=work).ok().path


def predict(path, target, what_if, *options):
    """The answer, and the run that was written."""
    words = [MPISCOPE, "predict", path, "--what-if", what_if, "-o", target, "--json", *options]
    found = json.loads(run(words).ok().out)
    manifest = json.loads((target / "run.json").read_text())
    jsonschema.validate(manifest, schema("run"))
    assert manifest["predicted"]["changes"] == found["answers"][0]["change"]
    return found["answers"][0], found["reproduction"]


def report(path):
    found = json.loads(run([MPISCOPE, "report", path, "--json"]).ok().out)
    jsonschema.validate(found, schema("report"))
    return found


def calls(found):
    return {row["call"]: (row["calls"], row["bytes"]) for row in found["calls"]}


def waits(found):
    return found["explanation"]["time"]["waiting_ns"]


def run_time(found):
    """From the first end of `MPI_Init` to the last begin of `MPI_Finalize`."""
    scope = found["explanation"]["scope"]
    return scope["end_ns"] - scope["start_ns"]


def sites(found):
    frame = lambda row: [(frame["function"], frame["file"], frame["line"]) for frame in row["frames"]]
    return sorted((row["call"], frame(row), row["calls"]) for row in found["sites"])


def test_the_unchanged_program_is_the_recorded_run(halo, work):
    _, model = predict(halo, work / "same.mpiscope", "latency=1x")
    was, now = report(halo), report(work / "same.mpiscope")
    assert calls(now) == calls(was)
    assert sites(now) == sites(was)
    assert [row["peer"] for row in now["peers"]] == [row["peer"] for row in was["peers"]]
    assert abs(run_time(now) - run_time(was)) < 1000
    recorded = sum(row["recorded_ns"] for row in model["waits"])
    error = sum(abs(row["recorded_ns"] - row["replayed_ns"]) for row in model["waits"])
    assert abs(waits(now) - waits(was)) <= 1.5 * error + 0.1 * recorded + 0.02 * run_time(was), (waits(was), waits(now), model["waits"])
    assert not now["diagnostics"] or now["diagnostics"] == was["diagnostics"]


def test_the_gain_is_that_of_the_prediction(halo, work):
    target = work / "balanced.mpiscope"
    answer, model = predict(halo, target, "balance=perfect")
    was, now = report(halo), report(target)
    assert abs(run_time(was) - model["time"]["recorded_ns"]) < 1000
    assert abs(run_time(now) - answer["predicted_ns"]) < 1000
    assert calls(now) == calls(was)
    assert waits(now) < waits(was)
    difference = {row["name"]: row["difference"] for row in json.loads(run([MPISCOPE, "diff", halo, target, "--json"]).out)["changes"]}
    saved = 2 * (run_time(was) - answer["predicted_ns"])
    # Summed over both ranks, which on a busy machine neither begin nor end at the same time.
    assert abs(difference["rank_time_ns"] + saved) < 0.2 * saved, (difference, saved)
    assert any(name.startswith("site.") and value < 0 for name, value in difference.items()), difference


def test_what_is_left_out_does_not_occur(mpi, program, work):
    path = mpi.record(2, program, "moving_barrier", "before", "20", cwd=work).ok().path
    answer, model = predict(path, work / "without.mpiscope", "MPI_Barrier=none")
    was, now = calls(report(path)), calls(report(work / "without.mpiscope"))
    assert "MPI_Barrier" in was and now == {name: sums for name, sums in was.items() if name != "MPI_Barrier"}


def test_blocking_messages_become_an_exchange(mpi, program, work):
    path = mpi.record(2, program, "ordered_exchange", "before", "20", cwd=work).ok().path
    target = work / "exchange.mpiscope"
    predict(path, target, "MPI_Send=nonblocking, MPI_Recv=nonblocking")
    was, found = report(path), report(target)
    before, now = calls(was), calls(found)
    assert now["MPI_Isend"] == before["MPI_Send"] and now["MPI_Irecv"] == before["MPI_Recv"]
    assert "MPI_Send" not in now and "MPI_Recv" not in now
    # An exchange ends where a rank computes, or loses its core.
    assert 0 < now["MPI_Waitall"][0] <= 2 * before["MPI_Send"][0]
    # Each request that is begun is completed.
    overview = found["overview"]
    assert overview["requests_started"] == overview["requests_completed"] == before["MPI_Send"][0] + before["MPI_Recv"][0]
    # The messages are matched as they were.
    matched = [row["explanation"]["pattern"] if row["explanation"] else None for row in (was, found)]
    assert (matched[0] is None) == (matched[1] is None)


def is_consistent(path, target, answer):
    """A predicted run that every command opens and that lasts as long as predicted; its calls before and after."""
    was, now = report(path), report(target)
    assert abs(run_time(now) - answer["predicted_ns"]) < 1000
    assert now["overview"]["predicted"]["changes"] == answer["change"]
    overview = now["overview"]
    assert overview["requests_started"] == overview["requests_completed"]
    assert "Predicted, not recorded" in run([MPISCOPE, "report", target]).ok().out
    difference = run([MPISCOPE, "diff", path, target])
    assert difference.code in (0, 1) and "Predicted, not recorded" in difference.out, difference
    picture = target.with_suffix(".png")
    run([MPISCOPE, "view", target, "--png", picture]).ok()
    assert picture.stat().st_size > 1000
    return calls(was), calls(now)


@pytest.fixture
def exchange(mpi, work):
    """Several messages to each rank, waits one by one, and a barrier."""
    program = mpi.compile(ROOT / "tests/predicted/exchange.c", work / "exchange")
    return mpi.record(3, program, 40, cwd=work).ok().path


def test_messages_are_aggregated(exchange, work):
    target = work / "aggregated.mpiscope"
    answer, _ = predict(exchange, target, "MPI_Isend=aggregated")
    before, now = is_consistent(exchange, target, answer)
    # Three messages to each of two ranks, in each of 40 exchanges of three ranks; more where a rank lost its core in between.
    assert before["MPI_Isend"][0] == 40 * 3 * 6
    assert 40 * 3 * 2 <= now["MPI_Isend"][0] < before["MPI_Isend"][0]
    assert now["MPI_Irecv"][0] == now["MPI_Isend"][0] and now["MPI_Wait"][0] == 2 * now["MPI_Isend"][0]
    # Not a byte more or less.
    assert now["MPI_Isend"][1] == before["MPI_Isend"][1] and now["MPI_Irecv"][1] == before["MPI_Irecv"][1]
    peers = [[(row["rank"], row["peer"], row["bytes_sent"]) for row in report(path)["peers"]] for path in (exchange, target)]
    assert peers[0] == peers[1]


def test_sends_are_reordered_and_waits_merged(exchange, work):
    target = work / "reordered.mpiscope"
    answer, _ = predict(exchange, target, "MPI_Isend=reordered")
    before, now = is_consistent(exchange, target, answer)
    assert now == before
    target = work / "merged.mpiscope"
    answer, _ = predict(exchange, target, "MPI_Wait=merged")
    before, now = is_consistent(exchange, target, answer)
    merged, left = now["MPI_Waitall"][0], now.get("MPI_Wait", (0, 0))[0]
    # 12 waits of each exchange and rank become one.
    assert merged == 40 * 3 and left == 0 and before["MPI_Wait"][0] == 40 * 3 * 12
    assert {name: sums for name, sums in now.items() if name != "MPI_Waitall"} == {
        name: sums for name, sums in before.items() if name != "MPI_Wait"
    }


def test_receives_change_places_and_come_earlier(mpi, work):
    times = 30
    path = mpi.record(2, mpi.compile("receives.c", work / "receives"), times, cwd=work).ok().path
    target = work / "arrival.mpiscope"
    answer, _ = predict(path, target, "MPI_Recv=arrival, MPI_Wait=arrival")
    # Two waits, and the two receives after them, of each time.
    assert f"({4 * times} receives change places)" in answer["how"], answer
    before, now = is_consistent(path, target, answer)
    assert now == before
    target = work / "early.mpiscope"
    answer, _ = predict(path, target, "MPI_Recv=early")
    # More where the rank lost its core before another receive.
    count = int(re.search(r"\(([0-9]+) receives before computing\)", answer["how"])[1])
    assert times <= count <= 2 * times, answer
    before, now = is_consistent(path, target, answer)
    assert now == before


def test_another_machine_and_another_algorithm_change_only_times(exchange, work):
    target = work / "ring.mpiscope"
    answer, _ = predict(exchange, target, "MPI_Barrier=linear, latency=3x")
    before, now = is_consistent(exchange, target, answer)
    assert now == before


@pytest.mark.skipif(bool(why_not()), reason=str(why_not()))
@pytest.mark.heavy
def test_ranks_on_other_hosts_are_there(openmpi, work):
    cluster = Cluster(work, {"alpha": 0, "beta": 0})
    try:
        program = openmpi.compile(ROOT / "tests/predicted/exchange.c", work / "exchange")
        path = work / "recorded.mpiscope"
        cluster.record(openmpi, 2, program, 40, path=path).ok()
    finally:
        cluster.close()
    where = lambda path: {row["rank"]: row["host"] for row in report(path)["ranks"]}  # noqa: E731
    was = where(path)
    other = "by-node" if was[0] == was[1] else "by-slot"
    target = work / "placed.mpiscope"
    answer, _ = predict(path, target, f"placement={other}")
    before, now = is_consistent(path, target, answer)
    assert now == before
    placed = where(target)
    assert sorted(placed.values()) == sorted(was.values()) and placed != was
    assert (placed[0] == placed[1]) == (other == "by-slot")
    # In stages within and between hosts: the same calls.
    target = work / "stages.mpiscope"
    answer, _ = predict(path, target, "MPI_Barrier=hierarchical")
    before, now = is_consistent(path, target, answer)
    assert now == before


def test_all_commands_say_that_it_is_predicted(openmpi, work):
    words = [openmpi.example("halo2d"), "--iters", 30, "--work", 100, "--slow-rank", 1]
    path = openmpi.record(2, *words, cwd=work).ok().path
    target = work / "balanced.mpiscope"
    predict(path, target, "balance=perfect")
    text = run([MPISCOPE, "report", target]).ok().out
    assert "Predicted, not recorded" in text.splitlines()[1] and "balance=perfect" in text, text
    assert max(map(len, text.splitlines())) <= 80
    assert report(target)["overview"]["predicted"]["changes"] == "balance=perfect"
    difference = run([MPISCOPE, "diff", path, target])
    assert difference.code in (0, 1) and "Predicted, not recorded" in difference.out
    as_json = run([MPISCOPE, "diff", path, target, "--json"])
    found = json.loads(as_json.out)
    jsonschema.validate(found, schema("diff"))
    assert [row["run"] for row in found["predicted"]] == [str(target)]
    picture = work / "run.png"
    run([MPISCOPE, "view", target, "--png", picture]).ok()
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    page = work / "run.html"
    run([MPISCOPE, "view", target, "--export", page]).ok()
    assert f"{target.name} (predicted)" in page.read_text(errors="replace")
    again = run([MPISCOPE, "predict", target])
    assert (again.code, again.out) == (2, "") and "a predicted run" in again.err and str(path) in again.err


def test_what_cannot_be_written_is_explained(openmpi, work):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 5, cwd=work).ok().path
    target = work / "new.mpiscope"

    def refused(*options):
        done = run([MPISCOPE, "predict", path, *options])
        assert (done.code, done.out) == (2, ""), done
        return done.err

    assert "--what-if" in refused("-o", target)
    several = refused("--what-if", "latency=2x", "--what-if", "bandwidth=2x", "-o", target)
    assert "--what-if 'latency=2x, bandwidth=2x'" in several
    assert "a communicator with a topology" in refused("--what-if", "MPI_Isend=neighbourhood", "-o", target)
    assert not target.exists(), "nothing is left of a run that cannot be written"
    assert "give another --output" in refused("--what-if", "latency=2x", "-o", path, "--force")
    assert not target.exists()
    predict(path, target, "latency=2x")
    assert "already exists" in refused("--what-if", "latency=2x", "-o", target)
    first = {file.name: file.read_bytes() for file in (target / "ranks").iterdir()}
    predict(path, target, "latency=2x", "--force")
    same = {file.name: file.read_bytes() == first[file.name] for file in (target / "ranks").iterdir()}
    assert len(same) == 2 and all(same.values()), "the same question gives the same run"


def test_lost_events_are_refused(openmpi, work):
    words = [openmpi.example("halo2d"), "--iters", 60_000, "--nx", 8, "--ny", 8, "--every", 1000]
    path = openmpi.record(2, *words, cwd=work, options=["--buffer", "1M"]).ok().path
    done = run([MPISCOPE, "predict", path, "--what-if", "latency=1x", "-o", work / "new.mpiscope"])
    assert done.code == 2 and "events are lost" in done.err and not (work / "new.mpiscope").exists()


@pytest.mark.skipif(bool(why_not()), reason=str(why_not()))
@pytest.mark.heavy
def test_hosts_whose_clocks_differ_have_one_clock(openmpi, work):
    cluster = Cluster(work, {"alpha": 0, "beta": 1000})
    try:
        program = openmpi.compile(ROOT / "tests/predicted/predicted.c", work / "predicted")
        path = work / "recorded.mpiscope"
        cluster.record(openmpi, 1, program, "large_exchange", "before", 20, path=path).ok()
    finally:
        cluster.close()
    target = work / "slower.mpiscope"
    answer, _ = predict(path, target, "bandwidth=0.1x")
    was, now = report(path), report(target)
    assert now["overview"]["hosts"] == was["overview"]["hosts"] == {"alpha": 1, "beta": 1}
    assert calls(now) == calls(was)
    assert abs(run_time(now) - answer["predicted_ns"]) < 1000
    # The recorded clocks are a thousand seconds apart.
    assert {row["host"]: row["error_ns"] for row in now["clocks"]} == {"alpha": 0, "beta": 0}
    clocks = [json.loads(line) for line in (target / "clocks/beta.jsonl").read_text().splitlines()]
    for line in clocks:
        jsonschema.validate(line, schema("clocks"))


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
@pytest.mark.heavy
@pytest.mark.parametrize("case, tree, rest", [("broadcast", 3, 1 + 6 / 16 + 14 / 8), ("broadcasts", 36, 12 + 6)])
def test_broadcasts_take_the_steps_that_can_be_counted(work, case, tree, rest):
    """docs/predict/broadcasts.md: on eight ranks, each on a host of its own, along a tree, in pieces and in blocks, in steps of one message."""
    target = work / "predicted.mpiscope"
    # A network of its own: what is fitted to a run of eight ranks depends on how busy their cores are.
    profile = network(work / "even.machine", ns_per_byte=1e5)
    pictures.predict(pictures.record(work, case, 8), target, case, f", machine={profile}")
    sites = list(csv.DictReader(run([MPISCOPE, "report", target, "--by", "site", "--csv"]).ok().out.splitlines()))
    of = {(row["call"], row["function"]): row for row in sites if row["function"].startswith("broadcasts_by")}
    step = float(of["MPI_Send", "broadcasts_by_tree"]["mean_ns"])
    scope = json.loads(run([MPISCOPE, "report", target, "--json"]).ok().out)["explanation"]["scope"]
    assert (scope["end_ns"] - scope["start_ns"]) / step == pytest.approx(tree + rest, rel=0.03)
    # The last rank of a pipeline waits longer for the first data than one in a tree.
    first = float(of["MPI_Recv", "broadcasts_by_pipeline"]["max_ns"])
    assert first / step == pytest.approx(7 if case == "broadcasts" else 7 / 16, rel=0.03)
    assert float(of["MPI_Recv", "broadcasts_by_tree"]["max_ns"]) / step == pytest.approx(3, rel=0.03)
