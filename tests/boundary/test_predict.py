"""`mpiscope predict`: real runs of both MPIs, replayed."""

import json
import re

import jsonschema
import pytest

from harness import MPISCOPE, ROOT, run

SCHEMA = json.loads((ROOT / "schemas/predict.schema.json").read_text())


@pytest.fixture(scope="module")
def halos(tmp_path_factory):
    """A grid of which one rank computes longer, recorded once under each MPI; the tests only read it."""
    paths = {}

    def recorded(mpi):
        if mpi.name not in paths:
            words = [mpi.example("halo2d"), "--iters", 60, "--work", 100, "--slow-rank", 1]
            paths[mpi.name] = mpi.record(2, *words, cwd=tmp_path_factory.mktemp(mpi.name)).ok().path
        return paths[mpi.name]

    return recorded


@pytest.fixture
def halo(mpi, halos):
    return halos(mpi)


def predict(path, *options):
    found = json.loads(run([MPISCOPE, "predict", path, "--json", *options]).ok().out)
    jsonschema.validate(found, SCHEMA)
    return found


def test_a_run_is_replayed_and_changes_are_ranked(halo):
    found = predict(halo)
    own = found["reproduction"]
    assert own["time"]["recorded_ns"] > 0 and own["time"]["replayed_ns"] > 0
    by_function = {row["what"]: row for row in own["functions"]}
    assert {"MPI_Waitall", "MPI_Isend", "MPI_Allreduce"} <= set(by_function)
    gains = [answer["gain"] for answer in found["answers"]]
    # Of gains that differ by less than 1 % of the run, the one that takes less effort is first.
    assert all(first >= second - 0.01 for first, second in zip(gains, gains[1:])), gains
    balance = next(answer for answer in found["answers"] if answer["change"] == "balance=perfect")
    # How much depends on the machine; that less work for the slow rank does not cost time does not.
    assert balance["gain"] > 0 and balance["low"] <= balance["gain"] <= balance["high"]
    error = abs(own["time"]["replayed_ns"] / own["time"]["recorded_ns"] - 1)
    assert all(answer["high"] - answer["low"] >= 1.99 * error for answer in found["answers"])


def test_questions_are_answered_in_their_order(halo):
    questions = ["rank:1=2x faster", "latency=0.5x, bandwidth=2x", "MPI_Allreduce=ring"]
    found = predict(halo, *(word for question in questions for word in ("--what-if", question)))
    assert [answer["change"] for answer in found["answers"]] == questions
    assert found["answers"][0]["gain"] > 0


def test_findings_get_the_gains_of_their_changes(halo):
    """What `report` states for a finding is what `predict` answers to the same question."""
    done = run([MPISCOPE, "report", halo, "--json"]).ok()
    report = json.loads(done.out)
    jsonschema.validate(report, json.loads((ROOT / "schemas/report.schema.json").read_text()))
    found = report["explanation"]
    by_id = {finding["id"]: finding for finding in found["findings"] if finding["gain"]}
    assert "load_imbalance" in by_id and by_id["load_imbalance"]["gain"]["change"] == "balance=perfect", by_id.keys()
    for finding in by_id.values():
        gain = finding["gain"]
        [answer] = predict(halo, "--what-if", gain["change"])["answers"]
        assert {key: answer[key] for key in gain} == gain
    assert any(note.startswith("Gains are shares of the run's time") for note in found["caveats"]), found["caveats"]
    asked = json.loads(run([MPISCOPE, "report", halo, "--gains", "--json"]).ok().out)["explanation"]
    assert asked["findings"] == found["findings"]
    without = json.loads(run([MPISCOPE, "report", halo, "--gains=never", "--json"]).ok().out)["explanation"]["findings"]
    assert {finding["id"] for finding in without} == {finding["id"] for finding in found["findings"]}
    assert all(finding["gain"] is None for finding in without)
    page = run([MPISCOPE, "report", halo, "--findings"]).ok().out
    assert "    gain: " in page and "by balance=perfect" in page.replace("\n          ", " "), page
    assert max(map(len, page.splitlines())) <= 80, page


def test_aggregated_messages_are_counted(mpi, work):
    program = mpi.compile(ROOT / "tests/predicted/predicted.c", work / "predicted")
    path = mpi.record(2, program, "many_small", "before", 20, cwd=work).ok().path
    [answer] = predict(path, "--what-if", "site:many_small=aggregated")["answers"]
    before, after = map(int, re.search(r"\((\d+) messages become (\d+)\)", answer["how"]).groups())
    # An exchange also ends where a rank loses its core.
    assert before <= 2 * 20 * 200 and before > 5 * after, answer
    assert answer["gain"] > 0, answer


def test_what_was_tried_and_is_not_possible_is_named(mpi, work):
    """A chain: each rank receives, computes, and sends on. No two messages follow each other."""
    program = mpi.compile(ROOT / "tests/predicted/predicted.c", work / "predicted")
    chain = mpi.record(3, program, "chain", "before", 40, cwd=work).ok().path
    found = predict(chain)
    refused = {entry["change"]: entry["why"] for entry in found["refused"]}
    assert any(change.endswith("=aggregated") for change in refused), found["refused"]
    for change, why in refused.items():
        asked = run([MPISCOPE, "predict", chain, "--what-if", change])
        assert asked.code == 2 and why in asked.err, asked
    text = run([MPISCOPE, "predict", chain]).ok().out
    assert "Tried and not possible in this run: " in text


def test_the_text_fits_a_terminal(halo):
    done = run([MPISCOPE, "predict", halo, "--what-if", "balance=perfect"]).ok()
    lines = done.out.splitlines()
    assert lines[0].startswith("THE MODEL") and "WHAT IF" in lines
    assert max(map(len, lines)) <= 80, done.out
    assert any(line.startswith("balance=perfect") for line in lines)


@pytest.mark.parametrize(
    ("what_if", "reason"),
    [
        ("rank:9=2x faster", "the run has no rank 9; its ranks are 0 to 1"),
        ("site:nowhere.c:1=none", "the run has no call site with `nowhere.c:1`"),
        ("MPI_Waitall=nonblocking", "is not a blocking send or receive"),
        ("latencey=2x", "did you mean `latency`?"),
        ("MPI_Allreduce=fast", "expected none or one of"),
        ("MPI_Allreduce=hierarchical", "no such operation has members on several hosts"),
        ("MPI_Waitall=split", "which message is needed first is not recorded"),
        ("MPI_Waitall=merged", "no two of these waits follow each other"),
        ("MPI_Allreduce=aggregated", "these calls send no messages"),
        ("rank:1=faster", "or `on time`"),
        ("machine=nowhere.machine", "nowhere.machine"),
        ("faster", "is not a change"),
    ],
)
def test_what_cannot_be_asked_is_explained(openmpi, work, what_if, reason):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 5, cwd=work).ok().path
    done = run([MPISCOPE, "predict", path, "--what-if", what_if])
    assert (done.code, done.out) == (2, "") and reason in done.err, done


def test_what_is_no_run_is_reported(work):
    done = run([MPISCOPE, "predict", work / "none.mpiscope"])
    assert done.code == 2 and "no such run" in done.err


def test_a_run_without_events_is_reported(openmpi, work):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 5, cwd=work, options=["--trace", "off"]).ok().path
    done = run([MPISCOPE, "predict", path])
    assert (done.code, done.out) == (2, "") and "no events to replay" in done.err, done


def test_a_run_with_lost_events_is_replayed_as_far_as_it_is_there(openmpi, work):
    words = [openmpi.example("halo2d"), "--iters", 60_000, "--nx", 8, "--ny", 8, "--every", 1000]
    path = openmpi.record(2, *words, cwd=work, options=["--buffer", "1M"]).ok().path
    notes = predict(path, "--what-if", "latency=1x")["reproduction"]["notes"]
    assert any(note.startswith("Only ") and note.endswith("other events are lost") for note in notes), notes
