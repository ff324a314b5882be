"""`mpiscope bench` on two hosts whose clocks are far apart: operations begin at the same moment on both."""

import pytest
from harness import MPISCOPE
from hosts import Cluster, why_not
from test_bench import profile

NOT_HERE = why_not()
pytestmark = [pytest.mark.skipif(bool(NOT_HERE), reason=str(NOT_HERE)), pytest.mark.heavy]


@pytest.fixture
def cluster(work):
    made = Cluster(work, {"alpha": 0, "beta": 1000})
    yield made
    made.close()


@pytest.mark.parametrize("name", ["openmpi", "wheel_mpich"])
def test_the_clocks_of_hosts_are_compared(cluster, request, work, name):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", "--budget", 3, "--max-bytes", "1K", "bcast"]
    cluster.launch(request.getfixturevalue(name), 1, *words, cwd=work).ok()
    found = profile(work)
    named = {p["id"]: p["value"] for p in found["parameters"]}
    # Messages between the hosts take microseconds, on a busy machine also a time slice or two. The clocks are 1,000 s apart.
    assert 0 < named["clock_error"] < 1e8
    assert named["windows_dropped"] < 1, found["problems"]
    for curve in found["curves"]:
        assert all(p["min_ns"] < 1e9 for p in curve["points"]), curve
