"""`mpiscope bench placement`: orders of the ranks. Orders that differ need two hosts: test_bench_hosts.py."""

import pytest
from harness import MPISCOPE, run
from test_bench import bench

# Ranks that are not bound are all at the same distance on any machine.
NOT_BOUND = {"OMPI_MCA_hwloc_base_binding_policy": "none"}


def test_ranks_at_the_same_distance_are_reported(mpi, work):
    done = bench(mpi, work, ranks=3, env=NOT_BOUND, experiments=("placement",))
    text = "nothing was measured: placement: all ranks are at the same distance from each other, so that no order of them can differ"
    assert done.code == 2 and text in done.err, str(done)


@pytest.mark.parametrize(
    "words, text",
    [
        (("--order", "0,1,1", "placement"), "--order 0,1,1 is not an order of the ranks of this job: it needs each number from 0 to 2 once"),
        (("--order", "0,1,2", "halo"), "--order is for the experiment placement: add placement"),
        (("--order", "0,1,2"), "--order is for the experiment placement: add placement"),
        (("--order", "a", "placement"), "invalid value 'a' for '--order <RANKS>'"),
    ],
)
def test_a_wrong_order_is_refused(openmpi, work, words, text):
    done = bench(openmpi, work, *words, ranks=3, experiments=())
    assert done.code == 2 and text in done.err, str(done)
    assert not (work / "host.machine").exists()


def test_a_wrong_order_is_refused_by_ranks(openmpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", "--order", "0,1", "placement"]
    done = run([*openmpi.launcher, "-n", 3, *words], cwd=work, env=openmpi.env)
    assert done.code != 0 and "--order 0,1 is not an order of the ranks of this job" in done.err, str(done)
