"""`mpiscope ctl` on a job that runs."""

import json
import subprocess

import jsonschema
import pytest
from harness import LIMIT_S, MPISCOPE, ROOT, Recording, environment, run, until

INCLUDE = f"-I{ROOT / 'include'}"


def ctl(path, what, *options):
    return run([MPISCOPE, "ctl", path, what, *options])


def status(path):
    done = ctl(path, "status", "--json")
    return json.loads(done.out)["ranks"] if done.code == 0 else []


def states(path, ranks=2):
    found = [rank["state"] for rank in status(path)]
    return set(found) if len(found) == ranks else set()


@pytest.fixture
def job(mpi, work):
    """A job of two ranks that ends on request, and its recording."""
    program = mpi.compile("patient.c", work / "patient", INCLUDE)
    path, end = work / "job.mpiscope", work / "end"
    words = [MPISCOPE, "run", "-n", "2", "-o", path, "--", program, "100000", end]
    process = subprocess.Popen(
        [str(word) for word in words], cwd=work, env=environment(**mpi.env), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )
    until(lambda: states(path) == {"recorded"} and all(r["region"] == "working" for r in status(path)), "two ranks at work")
    yield Recording(path, None), process, end
    end.touch()
    process.communicate(timeout=LIMIT_S)


def calls(path):
    return sum(rank["calls"] for rank in status(path))


def test_stop_and_start(job):
    recording, process, end = job
    done = ctl(recording.path, "stop").ok()
    assert "recording of 2 of 2 processes paused" in done.err and done.out == ""
    until(lambda: states(recording.path) == {"paused"}, "both paused")
    before = until(lambda: (a := calls(recording.path)) == calls(recording.path) and a, "no new calls")
    ctl(recording.path, "start").ok()
    until(lambda: calls(recording.path) > before, "new calls")
    assert states(recording.path) == {"recorded"}
    end.touch()
    out, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0 and out == b"patient OK\n"
    assert recording.json()["losses"]["calls_filtered"] > 0
    assert "recording was paused" in recording.page()


def test_snapshot_and_report_while_it_runs(job, work):
    recording, process, end = job
    done = ctl(recording.path, "snapshot", "--to", work / "now").ok()
    assert f"next: mpiscope report {work}/now" in done.err
    copied = Recording(work / "now", None).json(code=0)
    assert len(copied["ranks"]) == 2 and copied["overview"]["calls"] > 0
    # The default name is the next that is free.
    ctl(recording.path, "snapshot").ok()
    assert (work / "job.mpiscope.1" / "run.json").exists()
    refused = ctl(recording.path, "snapshot", "--to", work / "now")
    assert refused.code == 2 and "exists" in refused.err
    running = recording.json()
    assert {rank["fate"]["kind"] for rank in running["ranks"]} == {"running"}
    end.touch()
    process.communicate(timeout=LIMIT_S)
    assert recording.json()["overview"]["calls"] > copied["overview"]["calls"]


def test_when_nothing_runs(openmpi, work):
    recording = openmpi.record(1, openmpi.example("regions"), 3, cwd=work).ok()
    for what in ("start", "stop"):
        done = ctl(recording.path, what)
        assert done.code == 1 and "no process of" in done.err
    assert [rank["state"] for rank in status(recording.path)] == ["ended"]
    assert "finalized" in ctl(recording.path, "status").ok().out


def test_what_is_no_run(work):
    for what in ("status", "snapshot"):
        done = ctl(work / "nothing", what)
        assert done.code == 2 and "error:" in done.err and "panicked" not in done.err, str(done)
    assert ctl(work, "status", "--to", "x").code == 2


def answer(path, what, *options):
    """JSON of a command, which must be as its schema says."""
    done = ctl(path, what, "--json", *options)
    assert done.code in (0, 1) and done.out.endswith("\n"), str(done)
    found = json.loads(done.out)
    jsonschema.validate(found, json.loads((ROOT / "schemas/ctl.schema.json").read_text()))
    return found


def test_every_answer_fits_its_schema(job, work):
    """While the job runs, paused and not, and when it has ended."""
    recording, process, end = job
    found = answer(recording.path, "status")
    assert found["running"] == 2 and [r["rank"] for r in found["ranks"]] == [0, 1]
    assert {r["region"] for r in found["ranks"]} == {"working"}
    assert answer(recording.path, "stop")["changed"] == 2
    assert {r["state"] for r in answer(recording.path, "status")["ranks"]} == {"paused"}
    assert answer(recording.path, "start")["changed"] == 2
    found = answer(recording.path, "snapshot", "--to", work / "copy.mpiscope")
    assert found["snapshot"] == str(work / "copy.mpiscope") and found["ranks"] == []
    end.touch()
    process.communicate(timeout=LIMIT_S)
    found = answer(recording.path, "status")
    assert found["running"] == 0 and {r["state"] for r in found["ranks"]} == {"ended"}
    assert answer(recording.path, "stop") == {
        "format": 1, "running": 0, "changed": 0, "snapshot": None, "elsewhere": [], "hosts": [], "ranks": [],
    }


def test_an_answer_that_does_not_fit_is_noticed(job):
    """The check above can fail."""
    schema = json.loads((ROOT / "schemas/ctl.schema.json").read_text())
    found = answer(job[0].path, "status")
    found["ranks"][0]["state"] = "asleep"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema)
