"""`mpiscope bench noise`: a process that spins on one core is found on this core."""

import os
import subprocess

import pytest
from harness import MPISCOPE, Recording, environment, run
from test_bench import profile

NOISE = ("--budget", 2, "noise")


def of_rank(found, rank):
    return {p["id"]: p for p in found["parameters"] if p["rank"] == rank}


def test_two_ranks_of_every_mpi(mpi, work):
    mpi.bare(2, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *NOISE, cwd=work).ok()
    found = profile(work)
    for rank in (0, 1):
        named = of_rank(found, rank)
        for suffix in ("", "_all"):
            share = named[f"noise_share{suffix}"]
            assert 0 <= share["low"] <= share["high"] <= 1 and 0 <= share["value"] <= 1, share
            assert named[f"noise_rate{suffix}"]["value"] >= 0
            assert named[f"noise_longest{suffix}"]["value"] >= named[f"noise_median{suffix}"]["value"] >= 0
    clocks = of_rank(found, 0)
    for name in ("clock", "wtime"):
        assert 0.1 < clocks[f"{name}_cost"]["value"] < 1e6
        assert clocks[f"{name}_resolution"]["value"] > 0
    assert clocks["wtick"]["value"] > 0
    # One host: whatever the MPI says, it is a yes or a no.
    assert clocks["wtime_is_global"]["value"] in (0, 1)


def pinned(openmpi, work, cpus, name):
    """Rank r on the r-th of these processors."""
    words = [MPISCOPE, "bench", "--rank", "-o", work / name, *NOISE]
    command = [*openmpi.launcher, "-n", 1, "taskset", "-c", cpus[0], *words, ":", "-n", 1, "taskset", "-c", cpus[1], *words]
    run(command, cwd=work, env=openmpi.env).ok()
    found = profile(work, name)
    assert [place["cpus"] for place in found["ranks"]] == [str(cpu) for cpu in cpus]
    return found, [of_rank(found, rank)["noise_share_all"]["value"] for rank in (0, 1)]


def test_a_process_that_spins_on_a_core_is_found_there(openmpi, work):
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        pytest.skip("needs two processors")
    _, quiet = pinned(openmpi, work, cpus, "quiet.machine")
    if max(quiet) > 0.1:
        pytest.skip(f"the machine is loaded: the system takes {quiet}")
    spin = ["taskset", "-c", str(cpus[1]), "sh", "-c", "while :; do :; done"]
    process = subprocess.Popen(spin, env=environment())
    try:
        found, shares = pinned(openmpi, work, cpus, "spin.machine")
    finally:
        process.kill()
        process.wait()
    # The spinning process gets half of its core.
    assert shares[1] > 0.25 and shares[0] < shares[1] / 2, shares
    # So the rank on it is slower than the other one, and the report names it.
    slowdown = of_rank(found, 1)["slowdown"]
    assert slowdown["value"] > 1.1 and slowdown["low"] > 1 and slowdown["unit"] == "x" and of_rank(found, 0)["slowdown"]["high"] < 1, slowdown
    text = f"noise: rank 1 computes {slowdown['value']:.1f} times slower than the others"
    assert text in found["problems"], found["problems"]
    page = run([MPISCOPE, "bench", "report", work / "spin.machine"]).ok().out
    assert text in " ".join(page.split()), page


def test_one_rank(mpi, work):
    mpi.bare(1, MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *NOISE, cwd=work).ok()
    named = set(of_rank(profile(work), 0))
    assert {"noise_share", "noise_share_all", "wtime_cost"} <= named and "slowdown" not in named


def test_it_is_recorded(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", *NOISE]
    path = work / "recorded.mpiscope"
    command = [MPISCOPE, "run", "-n", 2, "-o", path, "--launcher", openmpi.launcher[0], "--", *words]
    recording = Recording(path, run(command, cwd=work, env=openmpi.env)).ok()
    assert recording.counts()["MPI_Comm_get_attr"] == 1
