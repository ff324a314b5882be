"""A program nobody here wrote: Debian's LAMMPS."""

import shutil

import pytest
from harness import ROOT, differences


def physics(text):
    """The table of temperature and energies, without timings."""
    lines = [line.split() for line in text.splitlines()]
    start = next(i for i, words in enumerate(lines) if words[:1] == ["Step"])
    return [words for words in lines[start + 1 :] if words and words[0].isdigit() and len(words) == 6]


@pytest.mark.heavy
def test_every_call_of_lammps_is_counted(openmpi, work):
    lammps = shutil.which("lmp")
    if not lammps:
        pytest.skip("lammps is not installed")
    command = [lammps, "-in", ROOT / "examples" / "lj256.lmp", "-var", "steps", "300", "-log", "none"]
    env = {"OMP_NUM_THREADS": "1"}
    bare = openmpi.bare(4, *command, cwd=work, env=env).ok()
    _, counted = openmpi.count(4, "env", *[f"{k}={v}" for k, v in env.items()], *command, cwd=work)
    recording = openmpi.record(4, *command, cwd=work, env=env).ok()
    assert physics(recording.done.out) == physics(bare.out) != []
    polling = ("MPI_Test", "MPI_Iprobe", "MPI_Improbe")
    exact = lambda counts: {name: n for name, n in counts.items() if not name.startswith(polling)}  # noqa: E731
    got = exact(recording.counts())
    wrong = differences(exact(counted), got)
    assert not wrong, "\n".join(wrong)
    assert sum(got.values()) > 30_000
