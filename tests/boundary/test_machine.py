"""What the machine did to the ranks: structure only, as no test knows what else runs here."""

import json
import os

import jsonschema
import pytest
from harness import MPIS, MPISCOPE, ROOT, run

SCHEMA = json.loads((ROOT / "schemas/report.schema.json").read_text())
CORES = len(os.sched_getaffinity(0))
# So many that they share cores on any machine that tests run on; ranks of MPICH spin, so theirs give way.
MANY = 4 * CORES


def machine(recording):
    found = recording.json()
    jsonschema.validate(found, SCHEMA)
    return found["explanation"]["machine"], found["explanation"]["findings"]


def verdict(recording):
    lines = recording.report().out.splitlines()
    return lines[next(at for at, line in enumerate(lines) if line.startswith("VERDICT")) + 1]


@pytest.mark.heavy
@pytest.mark.skipif(MANY > 64, reason="so many ranks as would share the cores here are too many")
@pytest.mark.parametrize("name", MPIS)
def test_more_ranks_than_cores_come_first(name, work):
    mpi = MPIS[name]
    options = ["--yield"] if name == "mpich" else []
    program = [mpi.example("halo2d"), "--iters", 100, "--work", 300]
    recording = mpi.record(MANY, *program, cwd=work, options=options).ok()
    found, findings = machine(recording)
    assert found["headline"].startswith(f"{MANY} ranks on {CORES} core"), found["headline"]
    assert verdict(recording).split()[:4] == ["machine", str(MANY), "ranks", "on"]
    # Whether anything saves more depends on the machine.
    [first] = [finding for finding in findings if finding["id"] == "oversubscribed"]
    assert first["caused_by"] is None
    # Fewer cores than the host has: somebody restricts them.
    wanted = f"Start at most {CORES} rank" if CORES == os.cpu_count() else "Spread the ranks"
    assert first["advice"].startswith(wanted), first["advice"]
    assert not any("--bind-to core" in finding["advice"] for finding in findings)
    # What follows from it stands under it and nowhere else on the page.
    folded = {finding["id"] for finding in findings if finding["caused_by"] == "oversubscribed"}
    page = recording.page("--full")
    assert not folded or "causes:" in page
    [host] = found["hosts"]
    assert (host["ranks"], host["cores_allowed"]) == (MANY, CORES)
    assert host["gives_way"] == (name == "mpich")
    assert len(found["ranks"]) == MANY
    for rank in found["ranks"]:
        split = rank["computing"]
        assert split["running_ns"] + split["waiting_ns"] + split["asleep_ns"] == split["computing_ns"]
        assert split["waiting_least_ns"] <= split["waiting_ns"] <= split["waiting_most_ns"]
        assert rank["run_queue_ns"] > 0 and rank["involuntary_switches"] > 0


def test_a_rank_alone_is_not_oversubscribed(mpi, work):
    recording = mpi.record(1, mpi.example("halo2d"), "--iters", 200, "--work", 300, cwd=work).ok()
    found, findings = machine(recording)
    # A finding of a busy machine is allowed; one that ranks take each other's cores is not.
    assert "oversubscribed" not in {finding["id"] for finding in findings}
    assert found is None or found["hosts"][0]["tightest_ranks"] <= found["hosts"][0]["tightest_cores"]


def test_runs_without_samples_are_explained(mpi, work):
    recording = mpi.record(2, mpi.example("halo2d"), "--iters", 50, cwd=work).ok()
    for file in (recording.path / "cores").iterdir():
        file.unlink()
    found, findings = machine(recording)
    assert found is None and not {"oversubscribed", "busy_host", "cpu_limit"} & {finding["id"] for finding in findings}


@pytest.mark.skipif(CORES < 2, reason="one core cannot be restricted")
def test_ranks_that_may_use_one_core(openmpi, work):
    one = str(min(os.sched_getaffinity(0)))
    recording = openmpi.record_under_launcher(
        2, "taskset", "-c", one, openmpi.example("halo2d"), "--iters", 60, "--work", 3000, cwd=work
    ).ok()
    found, findings = machine(recording)
    assert found["headline"].startswith("2 ranks on 1 core"), found["headline"]
    assert findings[0]["id"] == "oversubscribed" and findings[0]["evidence"]["cores"] == 1


def test_yielding_library_is_found_and_harmless(mpi, work):
    program = mpi.compile("ring.c", work / "ring")
    recording = mpi.record(2, program, 10, cwd=work, options=["--yield"]).ok()
    assert recording.done.out == "ring OK\n"
    # A program of no MPI gets it as well.
    done = run([*mpi.launcher, "-n", 1, MPISCOPE, "exec", "--yield", "-o", work / "no", "true"], env=mpi.env)
    assert done.code == 0, str(done)
