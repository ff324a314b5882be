"""Settings of the MPI that were in force in a run: recorded by each rank, in the report, and compared."""

import json

import jsonschema
import pytest
from harness import MPISCOPE, ROOT, run


def diff(before, after):
    done = run([MPISCOPE, "diff", "--json", before.path, after.path])
    assert done.code in (0, 1), str(done)
    found = json.loads(done.out)
    jsonschema.validate(found, json.loads((ROOT / "schemas/diff.schema.json").read_text()))
    return {row["name"]: (row["before"], row["after"]) for row in found["settings"]}


@pytest.fixture
def setting(mpi):
    """A variable of each MPI, and two values."""
    return {
        "openmpi": ("OMPI_MCA_btl_vader_eager_limit", "2048", "8192"),
        "mpich": ("MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", "1024", "4096"),
    }[mpi.name]


def test_settings_are_recorded_and_compared(mpi, work, setting):
    name, low, high = setting
    ring = mpi.compile("ring.c", work / "ring")

    def record(folder, env):
        (work / folder).mkdir()
        return mpi.record(2, ring, cwd=work / folder, env=env).ok()

    plain = record("plain", {"FIRST": "not a setting"})
    small = record("small", {name: low, "OMP_NUM_THREADS": "1"})
    large = record("large", {name: high})
    rows = {row["key"]: row for row in small.json()["settings"]}
    assert (rows[name]["value"], rows[name]["ranks"]) == (low, [[0, 1]])
    assert rows["OMP_NUM_THREADS"]["value"] == "1"
    # Neither other variables nor those that launchers set for each job.
    assert not {name, "FIRST"} & {row["key"] for row in plain.json()["settings"]}
    assert len(plain.json()["settings"]) <= len(rows) - 2, plain.json()["settings"]
    page = small.report().out
    assert f"settings  {name}={low}" in page.replace("\n          ", " "), page
    assert "\nSETTINGS" in small.report("--full").out
    assert diff(small, large)[name] == ([low], [high])
    assert name in diff(plain, small) and diff(plain, small)["OMP_NUM_THREADS"] == ([], ["1"])
    assert diff(small, small) == {}
    text = run([MPISCOPE, "diff", small.path, large.path])
    assert "\nSETTINGS\n" in text.out and name in text.out, str(text)


def test_a_long_value_ends_in_the_middle(openmpi, work):
    name = "OMPI_MCA_btl_base_warn"
    ring = openmpi.compile("ring.c", work / "ring")
    recording = openmpi.record(2, ring, cwd=work, env={name: "ä" * 400}).ok()
    [row] = [row for row in recording.json()["settings"] if row["key"] == name]
    assert row["value"] == "ä" * 256 + "…"
