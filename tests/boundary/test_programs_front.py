"""Another tool between the program and mpiscope: the counter, preloaded in front of the collector."""

import pytest
from harness import differences

PROGRAMS = {
    # Among others functions newer than MPI-3.1, and some that are macros elsewhere.
    "new": ["callmix", "--reps", "3"],
    "c": ["halo2d", "--nx", "40", "--ny", "30", "--iters", "12", "--every", "4"],
    "mpif_h": ["solver3", "6"],
    "use_mpi": ["callmix_mpi", "3"],
    "mpi_f08": ["callmix_f08", "3"],
}


@pytest.mark.parametrize("words", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_both_count_the_same_calls_of_one_run(mpi, work, words):
    """Its Fortran wrappers were once taken for the MPI's, and called each other without end. With both
    in one run, the calls whose number depends on time are compared as well."""
    tally = ["--tally"] if words[0] == "callmix" else []
    command = [mpi.example(words[0]), *words[1:], *tally, *([work / "tally"] if "callmix" in words[0] else [])]
    recording, counted = mpi.record_counted(2, *command, cwd=work)
    # Called from a callback, which returns into the counter: taken for calls of the MPI's own.
    inside = {"MPI_Status_set_cancelled", "MPI_Status_set_elements"} if words[0] == "callmix" else set()
    got = recording.ok().counts()
    wrong = differences(*({k: v for k, v in c.items() if k not in inside} for c in (counted, got)))
    assert not wrong, "\n".join(wrong) + f"\n{recording.done}"
