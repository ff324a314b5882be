"""Every call is counted once, whatever the language, and the program does not notice."""

import re

import pytest
from harness import differences, tally


def same_counts(expected, recording):
    wrong = differences(expected, recording.counts())
    assert not wrong, "\n".join(wrong) + f"\n{recording.done}"


@pytest.mark.parametrize(
    "program, words",
    [
        ("callmix", ["--reps", "3", "--tally"]),
        ("callmix_mpi", ["3"]),
        ("callmix_f08", ["3"]),
    ],
    ids=["c", "use_mpi", "mpi_f08"],
)
def test_callmix_knows_its_calls(mpi, work, program, words):
    """Nearly every function, against the tally that the program keeps itself."""
    ranks = mpi.many
    example = mpi.example(program)
    bare = mpi.bare(ranks, example, *words, work / "bare", cwd=work).ok()
    recording = mpi.record(ranks, example, *words, work / "tally", cwd=work).ok()
    assert recording.done.out == bare.out
    # One run's own tally: polling functions are called as often as it takes.
    same_counts(tally(work.glob("tally.*")), recording)


HALO = ["--nx", "40", "--ny", "30", "--iters", "12", "--every", "4"]
VARIANTS = "blocking irecv_send irecv_isend persistent neighbor rma_fence rma_pscw rma_lock".split()
PROGRAMS = {
    **{f"halo2d-{v}": ["halo2d", "--variant", v, *HALO] for v in VARIANTS},
    "halo2d-periodic": ["halo2d", "--periodic", *HALO],
    "halo_mpi": ["halo_mpi"],
    "halo_f08": ["halo_f08"],
    "solver3": ["solver3", "6"],
    "bucketsort": ["bucketsort", "--keys", "20000", "--iters", "3"],
    "iowrite": ["iowrite", "--blocks", "8", "--block-ints", "64"],
    "threads": ["threads", "--iters", "40"],
    "sessions": ["sessions"],
    "nested": ["nested", "--reps", "4"],
    "copyreloc": ["copyreloc"],
    "crash-none": ["crash", "--how", "none"],
}


@pytest.mark.parametrize("words", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_counts_equal_those_of_the_independent_counter(mpi, work, words):
    ranks = mpi.many
    command = [mpi.example(words[0]), *words[1:]]
    bare = mpi.bare(ranks, *command, cwd=work).ok()
    _, counted = mpi.count(ranks, *command, cwd=work)
    recording = mpi.record(ranks, *command, cwd=work).ok()
    assert recording.done.lines == bare.lines
    same_counts(counted, recording)


@pytest.mark.parametrize("words", [PROGRAMS["halo2d-irecv_isend"], PROGRAMS["solver3"]], ids=["c", "fortran"])
def test_exec_under_the_launcher_counts_the_same(mpi, work, words):
    command = [mpi.example(words[0]), *words[1:]]
    _, counted = mpi.count(2, *command, cwd=work)
    recording = mpi.record_under_launcher(2, *command, cwd=work).ok()
    same_counts(counted, recording)
    assert set(recording.fates()) == {0, 1}


def test_known_numbers(mpi, work):
    """Not by comparison with another tool: from the program's text."""
    recording = mpi.record(2, mpi.example("halo2d"), "--variant", "blocking", *HALO, cwd=work).ok()
    counts = recording.counts()
    assert counts["MPI_Sendrecv"] == 2 * 4 * 12
    assert counts["MPI_Allreduce"] == 2 * (12 // 4 + 2)  # residuals, checksum, failures
    assert counts["MPI_Init"] == counts["MPI_Finalize"] == 2
    assert recording.counts(ranks=1)["MPI_Sendrecv"] == 4 * 12


def test_four_threads_have_their_own_calls(mpi, work):
    recording = mpi.record(2, mpi.example("threads"), "--iters", "40", cwd=work).ok()
    counts = recording.counts()
    assert counts["MPI_Isend"] == counts["MPI_Recv"] == counts["MPI_Wait"] == 2 * 4 * 40
    assert "up to 5 threads" in recording.page()


def test_objects_that_are_made_anew_in_each_turn(mpi, work):
    """Arguments never repeat, and there are more of them than the table of a thread holds: every call still counts."""
    turns = 20_000
    program = mpi.compile("new_objects.c", work / "new_objects")
    recording = mpi.record(1, program, turns, cwd=work).ok()
    assert recording.done.out == "new_objects OK\n"
    in_turns = ("Comm_dup", "Type_contiguous", "Type_commit", "Allreduce", "Type_free", "Comm_free")
    once = ("Init", "Bcast", "Barrier", "Finalize")
    expected = {f"MPI_{name}": turns for name in in_turns} | {f"MPI_{name}": 1 for name in once}
    same_counts(expected, recording)
    losses = recording.json()["losses"]
    assert losses["calls_coarse"] > 0 and losses["calls_without_thread"] == 0, losses


@pytest.mark.parametrize("stack", [(), ("--stack", "4")], ids=["sites", "stacks"])
def test_threads_that_end_leave_their_place_to_others(mpi, work, stack):
    """More threads than a file has places for, but few at once; some call MPI even while they end."""
    turns = 1000
    program = mpi.compile("short_threads.c", work / "short_threads", "-pthread")
    recording = mpi.record(1, program, turns, cwd=work, options=stack).ok()
    assert recording.done.out == "short_threads OK\n"
    each = turns * (2 * 3 + 1)
    expected = {f"MPI_{name}": each for name in ("Irecv", "Send", "Wait")}
    same_counts(expected | {"MPI_Init_thread": 1, "MPI_Finalize": 1}, recording)
    assert recording.json()["losses"]["calls_without_thread"] == 0
    found = re.search(r"up to (\d+) threads", recording.page())
    assert int(found[1]) <= 64 + 4, found[0]
