"""Groups that MPI_Win_post and MPI_Win_start name are recorded, whatever becomes of their handles."""

import pytest
from harness import HERE, MPISCOPE, run
from test_facts import any_mpi  # noqa: F401 (a fixture)

RANKS = 3


def named(recording, function):
    """By rank: the members of the groups that its calls of `function` have named, in order; None where unknown."""
    parquet = pytest.importorskip("pyarrow.parquet")
    run([MPISCOPE, "store", recording.path]).ok()
    rows = lambda name: parquet.read_table(recording.path / "store" / name).to_pylist()  # noqa: E731
    members = {row["group_id"]: row["members"] for row in rows("groups")}
    group = {(row["rank"], row["call_info"]): members.get(row["group_id"]) for row in rows("call_info")}
    found = {rank: [] for rank in range(RANKS)}
    for call in sorted(rows("calls"), key=lambda row: row["start_ns"]):
        if call["function"] == function:
            found[call["rank"]].append(group[call["rank"], call["call_info"]])
    return found


def by_steps(rank, sign):
    return [[(rank + sign * (1 + i % (RANKS - 1))) % RANKS] for i in range(6)]


def test_groups_of_epochs(any_mpi, work):  # noqa: F811
    program = any_mpi.compile("groups.c", work / "groups")
    recording = any_mpi.record(RANKS, program, cwd=work).ok()
    assert "a handle came back 0 times" not in recording.done.out, str(recording.done)
    kept = {rank: [[(rank + 1) % RANKS]] * 3 for rank in range(RANKS)}
    # In the communicator in reverse order, the next one is the one before.
    assert named(recording, "MPI_Win_start") == {
        rank: by_steps(rank, 1) + kept[rank] + [[]] + [[(rank - 1) % RANKS]] for rank in range(RANKS)
    }
    kept = {rank: [[(rank - 1) % RANKS]] * 3 for rank in range(RANKS)}
    assert named(recording, "MPI_Win_post") == {
        rank: by_steps(rank, -1) + kept[rank] + [[]] + [[(rank + 1) % RANKS]] for rank in range(RANKS)
    }
    caveats = recording.json()["explanation"]["caveats"]
    assert not any("MPI_Win_post" in caveat for caveat in caveats), caveats


def test_groups_of_epochs_from_fortran(mpi, work):
    program = work / "groups"
    run([mpi.compiler.replace("mpicc", "mpif90"), "-J", work, HERE / "programs/groups.f90", "-o", program]).ok()
    recording = mpi.record(RANKS, program, cwd=work).ok()
    assert named(recording, "MPI_Win_start") == {rank: by_steps(rank, 1) for rank in range(RANKS)}
    assert named(recording, "MPI_Win_post") == {rank: by_steps(rank, -1) + [[]] for rank in range(RANKS)}
