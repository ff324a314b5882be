"""`mpiscope predict`: real runs of both MPIs, replayed."""

import json
import re

import jsonschema
import pytest

from harness import MPISCOPE, ROOT, run

SCHEMA = json.loads((ROOT / "schemas/predict.schema.json").read_text())


# Ranks exchange messages; "cut": rank 1 kills itself.
KILLED = r"""
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, in, out = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 30; ++step) {
        usleep(rank == 0 ? 4000 : 1000);
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (step == 20 && rank == 1 && argc > 1 && !strcmp(argv[1], "cut")) raise(SIGKILL);
    }
    MPI_Finalize();
}
"""


# A window is made and freed again and again.
AGAIN = r"""
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 100; ++step) {
        MPI_Win window;
        int *memory;
        usleep(200);
        MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
    }
    MPI_Finalize();
}
"""


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
        ("MPI_Barrier=split", "only MPI_Wait and its like can be merged or split"),
        ("MPI_Waitall=merged", "no two of these waits follow each other"),
        ("MPI_Allreduce=aggregated", "no two of these operations follow each other within 2 µs"),
        ("MPI_Waitall=aggregated", "these calls send no messages"),
        ("rank:1=faster", "or `on time`"),
        ("machine=nowhere.machine", "nowhere.machine"),
        ("faster", "is not a change"),
        ("", "no change is given"),
        (",", "no change is given"),
        ("latency=2x, latency=3x", "`latency=2x` and `latency=3x` change the same"),
        ("MPI_Init=none", "MPI_Init is a part of every MPI program"),
        ("MPI_Waitall=none", "MPI_Waitall is one end of a message"),
        ("MPI_Cart_create=once", "it is made once already"),
        ("region:nowhere=2x faster", "the run has no region `nowhere`"),
    ],
)
def test_what_cannot_be_asked_is_explained(openmpi, work, what_if, reason):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 5, cwd=work).ok().path
    done = run([MPISCOPE, "predict", path, "--what-if", what_if])
    assert (done.code, done.out) == (2, "") and reason in done.err, done


def test_what_is_no_run_is_reported(work):
    done = run([MPISCOPE, "predict", work / "none.mpiscope"])
    assert done.code == 2 and "no such run" in done.err


def test_a_run_without_its_end_says_so(mpi, work):
    """One rank kills itself; what gains are then, and how sure."""
    source = work / "killed.c"
    source.write_text(KILLED)
    program = mpi.compile(source, work / "killed")
    cut = mpi.record(2, program, "cut", cwd=work).path
    found = predict(cut, "--what-if", "rank:0=2x faster")
    [caveat] = found["caveats"]
    assert caveat.startswith("The run is not whole: ") and "rank 1: killed by SIGKILL" in caveat, caveat
    assert caveat.endswith("gains are those of the recorded part") and found["reproduction"]["missing_share"] >= 0.5
    [answer] = found["answers"]
    assert answer["high"] <= 1 and answer["high"] - answer["low"] >= 2 * min(answer["gain"], 1 - answer["high"]), answer
    page = run([MPISCOPE, "predict", cut, "--what-if", "rank:0=2x faster"]).ok().out
    assert page.startswith("The run is not whole: ") and max(map(len, page.splitlines())) <= 80, page
    ended = run([MPISCOPE, "report", cut]).ok().out
    assert "rank 1: killed by SIGKILL" in ended, ended
    (work / "whole").mkdir()
    whole = mpi.record(2, program, "whole", cwd=work / "whole").ok().path
    found = predict(whole, "--what-if", "rank:0=2x faster")
    assert found["caveats"] == [] and found["reproduction"]["missing_share"] < 0.5


def test_missing_ranks_are_named(openmpi, work):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 20, cwd=work, options=["--ranks", "0"]).ok().path
    found = predict(path, "--what-if", "latency=0.5x")
    assert found["caveats"] == [
        "rank(s) 1: not recorded (--ranks); what they did, and what others waited for them, is not replayed"
    ]
    assert found["reproduction"]["missing_share"] >= 0.5
    (work / "lost").mkdir()
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 20, cwd=work / "lost").ok().path
    ranks = json.loads(run([MPISCOPE, "report", path, "--json"]).ok().out)["ranks"]
    [pid] = [row["pid"] for row in ranks if row["rank"] == 1]
    [file] = (path / "ranks").glob(f"*.{pid}.rank")
    file.unlink()
    found = predict(path, "--what-if", "latency=0.5x")
    assert found["caveats"][0].startswith("rank(s) 1: nothing was recorded"), found["caveats"]
    assert "rank(s) 1: nothing was recorded" in run([MPISCOPE, "report", path]).out


def test_what_the_findings_advise_is_tried(mpi, work):
    source = work / "again.c"
    source.write_text(AGAIN)
    path = mpi.record(2, mpi.compile(source, work / "again"), cwd=work).ok().path
    findings = json.loads(run([MPISCOPE, "report", path, "--gains", "--json"]).ok().out)["explanation"]["findings"]
    advised = {finding["gain"]["change"] for finding in findings if finding["gain"]}
    found = predict(path)
    changes = [answer["change"] for answer in found["answers"]]
    assert advised <= set(changes) and len(changes) == len(set(changes)), (advised, changes)
    # Whether the gain is sure enough for the report depends on how busy the machine is.
    assert "recreated_objects" in {finding["id"] for finding in findings}
    assert any(change.endswith("=once") for change in changes), changes


def test_options_that_exclude_each_other_are_refused(openmpi, work):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 5, cwd=work).ok().path
    done = run([MPISCOPE, "predict", path, path, "--ranks", "8", "-o", work / "p.mpiscope"])
    assert done.code == 2 and "cannot be used with" in done.err and not (work / "p.mpiscope").exists(), done
    run([MPISCOPE, "predict", path, "--what-if", "latency=1x", "-o", work / "p.mpiscope"]).ok()
    done = run([MPISCOPE, "predict", path, work / "p.mpiscope", "--ranks", "8"])
    assert (done.code, done.out) == (2, "") and "p.mpiscope: a predicted run" in done.err, done
    asked = run([MPISCOPE, "predict", path, "--what-if", "rank:1=1.5x slower"]).ok().out
    assert "rank:1=1.5x slower" in asked and "less work" not in asked, asked


def test_a_profile_without_messages_is_refused(openmpi, work):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 5, cwd=work).ok().path
    profile = work / "cores.machine"
    run([MPISCOPE, "bench", "-n", "1", "-o", profile, "--launcher", "mpirun.openmpi --oversubscribe --allow-run-as-root", "memory"], cwd=work).ok()
    for command in (["predict", path], ["place", path, "--nodes", "2x1"]):
        done = run([MPISCOPE, *command, "--machine", profile])
        assert (done.code, done.out) == (2, "") and "no times of messages" in done.err, done


def test_a_paused_run_is_not_told_to_record_events(openmpi, work):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 5, cwd=work, options=["--start", "paused"]).ok().path
    done = run([MPISCOPE, "predict", path])
    assert (done.code, done.out) == (2, "") and "recording was paused" in done.err and "--trace on" not in done.err, done


def test_a_run_without_events_has_sums_alone(openmpi, work):
    words = [openmpi.example("halo2d"), "--iters", 20, "--work", 100, "--slow-rank", 1]
    path = openmpi.record(2, *words, cwd=work, options=["--trace", "off"]).ok().path
    found = json.loads(run([MPISCOPE, "predict", path, "--json"]).ok().out)
    jsonschema.validate(found, json.loads((ROOT / "schemas/sums.schema.json").read_text()))
    balance = found["balance"]
    assert balance["most_computing_rank"] == 1 and balance["most_computing_ns"] > balance["mean_computing_ns"] > 0
    # Rank 1 has the work of twenty.
    assert 0.1 < balance["at_most"] < 0.5, found
    assert found["functions"][0]["share"] == max(of["share"] for of in found["functions"]) > 0
    page = run([MPISCOPE, "predict", path]).ok().out
    assert "nothing is predicted: record the run with events" in " ".join(page.split()) and "gain" not in page, page
    # The path of a run is one word, however long.
    assert max(map(len, page.replace(str(path), "RUN").splitlines())) <= 80, page
    done = run([MPISCOPE, "predict", path, "--what-if", "latency=0.5x"])
    assert (done.code, done.out) == (2, "") and "no events to replay" in done.err, done


def test_a_run_with_lost_events_is_replayed_as_far_as_it_is_there(openmpi, work):
    words = [openmpi.example("halo2d"), "--iters", 60_000, "--nx", 8, "--ny", 8, "--every", 1000]
    path = openmpi.record(2, *words, cwd=work, options=["--buffer", "1M"]).ok().path
    notes = predict(path, "--what-if", "latency=1x")["reproduction"]["notes"]
    assert any(note.startswith("Only ") and note.endswith("other events are lost") for note in notes), notes
