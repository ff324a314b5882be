"""`mpiscope report` beside a machine profile. Times are not compared: only what is compared with what."""

import json
import shutil

import jsonschema
import pytest
from harness import MPISCOPE, ROOT, run

LIMITS = ("--budget", 2, "--max-bytes", "64K")


def bench(mpi, folder, *experiments, ranks=2, limits=LIMITS, name="host.machine", env=None):
    words = [MPISCOPE, "bench", "-n", ranks, "--launcher", mpi.launcher[0], "-o", folder / name, *limits, *experiments]
    return run(words, cwd=folder, env={**mpi.env, **(env or {})}).ok()


def record(mpi, folder, *words, ranks=2, env=None):
    return mpi.record(ranks, mpi.compile("exchanges.c", folder / "exchanges"), *words, cwd=folder, env=env).ok()


def report(recording, *options, code=0):
    """The profile and the comparison of `--json`."""
    done = recording.report("--json", *options)
    assert done.code == code, str(done)
    found = json.loads(done.out)
    jsonschema.validate(found, json.loads((ROOT / "schemas/report.schema.json").read_text()))
    return found["machine_profile"], found["explanation"]["attainable"]


def section(recording, *options, code=0):
    done = recording.report(*options)
    assert done.code == code and "VERDICT" in done.out, str(done)
    assert all(len(line) <= 80 for line in done.out.splitlines()), str(done)
    return done.out[done.out.index("\nATTAINABLE") :] if "\nATTAINABLE" in done.out else ""


def check_rows(found):
    for row in found["rows"]:
        assert 0 < row["count"] <= row["of"] and 0 < row["median_ns"] <= row["time_ns"], row
        assert row["from_bytes"] <= row["bytes"] <= row["to_bytes"] and row["excess_ns"] <= row["time_ns"], row
        # No share where the time budget was too short for six samples.
        assert row["attainable"]["ns"] > 0 and (row["reached"] is None or 0 < row["reached"]), row


def test_a_run_beside_its_machine(mpi, work):
    recording = record(mpi, work)
    bench(mpi, work, "pingpong", "collectives/allreduce")
    profile, found = report(recording)
    assert profile["path"] == str(work / "host.machine") and profile["is_used"] and profile["notes"] == []
    assert profile["ranks"] == 2
    check_rows(found)
    by_what = {row["what"]: row for row in found["rows"]}
    assert set(by_what) == {"messages", "MPI_Allreduce"}, found
    assert by_what["messages"]["bytes"] == 4096 and by_what["messages"]["pair_class"].startswith("same-")
    # Round trips, and the messages of the ring.
    assert by_what["messages"]["of"] == 2 * 200 + 2 * 2 * 200
    reduced = by_what["MPI_Allreduce"]
    assert (reduced["ranks"], reduced["bytes"], reduced["count"], reduced["of"]) == (2, 8, 200, 200)
    assert found["left_out"] == []
    # Two ranks are no grid, also if a communicator calls them one.
    assert found["halo"] is None
    page = section(recording)
    assert "by the profile host.machine" in page and "messages, " in page and "MPI_Allreduce, 2 ranks" in page, page
    # Named, and from elsewhere.
    (work / "kept").mkdir()
    shutil.move(work / "host.machine", work / "kept/other.machine")
    assert section(recording) == ""
    assert report(recording)[0] is None
    named = ("--machine", work / "kept/other.machine")
    assert report(recording, *named)[1]["rows"] == found["rows"]
    assert "by the profile other.machine" in section(recording, *named)


def test_the_exchange_of_a_ring(openmpi, work):
    recording = record(openmpi, work, "2048", ranks=4)
    bench(openmpi, work, "pingpong", ranks=4)
    profile, found = report(recording)
    assert profile["is_used"] and [note[:32] for note in profile["notes"]] == ["it has no collective operations "]
    halo = found["halo"]
    own = halo["shapes"][0]
    assert (own["dims"], own["is_own"], round(own["messages"]), round(own["bytes"])) == ([4], True, 2, 4096), halo
    assert halo["axis_bytes"] == [2048] and 0 < halo["median_ns"] <= halo["max_ns"]
    assert [shape["dims"] for shape in halo["shapes"][1:]] == [[2, 2]], halo
    assert all(shape["attainable"]["ns"] > 0 for shape in halo["shapes"]), halo
    # Four ranks on fewer cores: the profile says so itself.
    left = {of["what"]: of for of in found["left_out"]}
    assert left["MPI_Allreduce"]["command"] == "mpiscope bench -n 4 -o NEW.machine pingpong collectives", left
    page = section(recording)
    assert "exchange" in page and "this run" in page and "not compared" in page, page


def test_operations_of_another_number_of_ranks_are_left_out(openmpi, work):
    recording = record(openmpi, work, ranks=3)
    bench(openmpi, work, "pingpong", "collectives/allreduce")
    profile, found = report(recording)
    assert profile["is_used"] and {row["what"] for row in found["rows"]} <= {"messages"}
    assert [(of["what"], of["ranks"], of["why"]) for of in found["left_out"]] == [
        ("MPI_Allreduce", 3, "the profile has operations of 2 ranks")
    ]
    assert "the profile has operations of 2 ranks" in section(recording).replace("\n             ", " ")


def unusable(recording, path, *texts):
    """The report appears, with the reason; the exit code shows it."""
    page = section(recording, "--machine", path, code=1)
    for text in (*texts, "mpiscope bench -n 2"):
        assert text in " ".join(page.split()), page
    profile, found = report(recording, "--machine", path, code=1)
    assert not profile["is_used"] and found is None and profile["path"] == str(path)


def test_profiles_that_cannot_be_used(openmpi, mpich, work):
    recording = record(openmpi, work)
    unusable(recording, work / "missing.machine", "does not exist")
    broken = work / "broken.machine"
    broken.mkdir()
    unusable(recording, broken, "is not a machine profile: it has no machine.json")
    # No option names it: it is reported, and the exit code is 0.
    assert "has no machine.json" in " ".join(section(recording).split())
    for text, problem in (("{", "is damaged"), ('{"format": 9}', "has format 9"), ("[]", "is damaged")):
        (broken / "machine.json").write_text(text)
        unusable(recording, broken, problem)
    bench(mpich, work, "pingpong", name="mpich.machine")
    unusable(recording, work / "mpich.machine", "another MPI: MPICH", "the run used Open MPI")
    # With two beside the run, the note lists them and how to name one.
    page = " ".join(section(recording).split())
    assert "several machine profiles" in page and "broken.machine" in page and "name one: --machine" in page, page

    profile = json.loads((work / "mpich.machine/machine.json").read_text())
    profile["mpi"]["version"] = json.loads(recording.report("--json").out)["overview"]["mpi"]
    changed = work / "mpich.machine/machine.json"
    for change, problem in (
        (lambda p: p["hosts"][0].update(host="elsewhere"), "it was measured on elsewhere, but the run was on"),
        (lambda p: p.update(curves=[]), "it has no messages (experiment pingpong)"),
    ):
        copy = json.loads(json.dumps(profile))
        change(copy)
        changed.write_text(json.dumps(copy))
        unusable(recording, work / "mpich.machine", problem)
    # A busy machine: used, and marked.
    copy = json.loads(json.dumps(profile))
    for parameter in copy["parameters"]:
        parameter["disturbed"] = True
    changed.write_text(json.dumps(copy))
    named = ("--machine", work / "mpich.machine")
    assert "the machine was not quiet" in section(recording, *named)
    profile, found = report(recording, *named)
    assert profile["is_disturbed"] and all(row["attainable"]["is_disturbed"] for row in found["rows"]) and found["rows"]


@pytest.mark.parametrize("options", [("--by", "call"), ("--csv",), ("--quick",)])
def test_only_the_whole_report_has_it(openmpi, work, options):
    recording = record(openmpi, work)
    (work / "x.machine").mkdir()
    done = recording.report(*options)
    assert done.code == 0 and "ATTAINABLE" not in done.out, str(done)
    done = recording.report(*options, "--machine", work / "x.machine")
    assert done.code == 2 and "cannot be used with" in done.err, str(done)


def test_other_settings_of_the_mpi_are_noted(mpich, work):
    """The run has another value of a variable than the profile. MPICH's are in every run."""
    name = "MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE"
    recording = record(mpich, work, env={name: "512"})
    bench(mpich, work, "pingpong/ping-pong", "collectives/allreduce/library")
    profile, found = report(recording)
    [note] = profile["notes"]
    assert f"{name} was 512 in the run and " in note and "in the profile: times may differ" in note, note
    assert profile["is_used"] and found["rows"]
    bench(mpich, work, "--force", "pingpong/ping-pong", "collectives/allreduce/library", env={name: "512"})
    assert report(recording)[0]["notes"] == []
