"""Messages and collective operations of real programs find their other halves."""

import json

import jsonschema
import pytest
from harness import MPISCOPE, ROOT, run

# Everything that these do is complete when they end: nothing may be left over.
WHOLE = {
    "callmix": (3, []),
    "callmix_f08": (3, []),
    "callmix_mpi": (3, []),
    "nested": (2, []),
    "halo_f08": (4, []),
    "halo_mpi": (4, []),
    "solver3": (4, []),
    "bucketsort": (4, []),
    "regions": (2, []),
    "iowrite": (2, []),
    "threads": (2, []),
    "halo2d": (4, ["--iters", 300]),
}
LEFT_OVER = [
    "lone_overwritten",
    "lone_peer_unknown",
    "sends_never_received",
    "receives_never_sent",
    "collectives_incomplete",
    "causality_violations",
]


def matching(recording, code=0):
    return recording.json(code)["explanation"]["matching"]


@pytest.mark.parametrize("name", WHOLE)
def test_nothing_is_left_over(mpi, work, name):
    ranks, arguments = WHOLE[name]
    ranks = min(ranks, 2 if mpi.many == 2 and name == "threads" else ranks)
    recording = mpi.record(ranks, mpi.example(name), *arguments, cwd=work).ok()
    report = recording.json()
    jsonschema.validate(report, json.loads((ROOT / "schemas/report.schema.json").read_text()))
    found = report["explanation"]["matching"]
    assert {key: found[key] for key in LEFT_OVER} == dict.fromkeys(LEFT_OVER, 0), found
    assert found["messages_inferred"] == 0
    assert found["collectives"] > 0
    if name in ("halo2d", "solver3", "regions"):
        # The summary counts sends in another way.
        assert found["messages"] == sum(peer["messages_sent"] for peer in report["peers"])
        assert found["messages"] > 0


VARIANTS = ["blocking", "irecv_send", "persistent", "neighbor", "rma_fence", "rma_pscw", "rma_lock"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_way_to_exchange(openmpi, work, variant):
    command = [openmpi.example("halo2d"), "--variant", variant, "--iters", 50]
    found = matching(openmpi.record(4, *command, cwd=work).ok())
    assert {key: found[key] for key in LEFT_OVER} == dict.fromkeys(LEFT_OVER, 0), found


def test_what_the_ring_has_lost_is_counted(mpi, work):
    lone = 0
    # The rings of both ranks may have lost the same: then no message has one half only.
    for attempt in range(3):
        (work / str(attempt)).mkdir()
        options = ["--buffer", "1MiB"]
        recording = mpi.record(2, mpi.example("halo2d"), "--iters", 60000, cwd=work / str(attempt), options=options).ok()
        report = recording.json()
        assert report["losses"]["events_overwritten"] > 0
        found = report["explanation"]["matching"]
        # Counting begins where the summary says it must: not one message is matched with another's half.
        assert found["causality_violations"] == 0, found
        assert found["messages"] > 1000
        assert found["sends_never_received"] == found["receives_never_sent"] == 0, found
        assert any("overwritten" in caveat for caveat in report["explanation"]["caveats"])
        lone += found["lone_overwritten"]
        if lone > 0:
            break
    assert lone > 0


def test_a_killed_run_is_explained(mpi, work):
    recording = mpi.record(2, mpi.example("crash"), "--how", "kill", "--after", 40, cwd=work)
    recording.settled()
    found = matching(recording)
    assert found["messages"] >= 2 * 38 and found["causality_violations"] == 0, found


def test_assertions_and_rules(openmpi, work):
    path = openmpi.record(2, openmpi.example("halo2d"), "--iters", 50, cwd=work).ok().path
    report = lambda *options: run([MPISCOPE, "report", path, *options])  # noqa: E731
    assert report("--assert", "mpi_share>=0").code == 0
    failed = report("--assert", "mpi_share > 200%", "--assert", "rank_time_ns>0")
    assert failed.code == 3 and "assertion failed: mpi_share is" in failed.err
    unknown = report("--assert", "beauty>1")
    assert unknown.code == 2 and "unknown metric 'beauty'" in unknown.err and "mpi_share" in unknown.err
    assert report("--assert", "nonsense").code == 2
    rule = report("--findings", "nosuch")
    assert rule.code == 2 and "unknown rule 'nosuch'" in rule.err
    assert json.loads(report("--json", "--quick").out)["explanation"] is None
    page = report("--quick")
    assert "VERDICT" not in page.out and "WHERE THE TIME GOES" in page.out


def test_two_runs_compared(openmpi, work):
    paths = []
    for name, bytes_ in [("a", 10), ("b", 40)]:
        path = work / f"{name}.mpiscope"
        run([MPISCOPE, "run", "-n", 2, "-o", path, "--", openmpi.example("halo2d"), "--iters", bytes_], cwd=work).ok()
        paths.append(path)
    done = run([MPISCOPE, "diff", *paths, "--json"])
    assert done.code == 0, str(done)  # one run on a side: nothing is known to have changed
    changes = {change["name"]: change for change in json.loads(done.out)["changes"]}
    sends = changes["call.MPI_Isend.calls"]
    assert sends["after"] == 4 * sends["before"] and sends["judgement"] == "unknown"
    text = run([MPISCOPE, "diff", *paths, "--all"])
    assert "only repeated runs show" in text.out
    assert all(len(line) <= 80 for line in text.out.splitlines())
    repeated = run([MPISCOPE, "diff", *paths[:1], *paths[:1], "--", *paths[1:], *paths[1:]])
    assert repeated.code == 1, str(repeated)
    assert run([MPISCOPE, "diff", paths[0]]).code == 2
    assert run([MPISCOPE, "diff", paths[0], work / "nothing"]).code == 2
