"""`mpiscope bench` on two hosts that are joined by a network whose latency and bandwidth are known."""

import pytest
from harness import MPISCOPE
from hosts import Cluster, why_not
from test_bench import profile

NOT_HERE = why_not()
pytestmark = [pytest.mark.skipif(bool(NOT_HERE), reason=str(NOT_HERE)), pytest.mark.heavy]
LATENCY_S, BYTES_PER_S = 1e-3, 100e6 / 8
# Of a frame with 1,448 bytes of a message, all that goes over the wire: headers of Ethernet, IP and TCP with timestamps.
WIRE = (1448 + 14 + 20 + 32) / 1448


@pytest.fixture
def cluster(work):
    made = Cluster(work, {"alpha": 0, "beta": 1000}, link=(LATENCY_S, BYTES_PER_S))
    yield made
    made.close()


@pytest.fixture(params=["openmpi", "wheel_mpich"])
def mpi(request):
    """Open MPI of the system and MPICH of its wheel, see `hosts.NETWORK_ENV`."""
    return request.getfixturevalue(request.param)


def test_latency_and_bandwidth_are_those_of_the_network(cluster, mpi, work):
    words = ["bench", "--rank", "-o", work / "network.machine", "--budget", 20, "--max-bytes", "1M", "pingpong/ping-pong"]
    cluster.launch(mpi, 1, MPISCOPE, *words, cwd=work).ok()
    found = profile(work, "network.machine")
    assert found["pairs"] == [{"class": "other-node", "ranks": [0, 1]}]
    [curve] = found["curves"]
    latency_ns, ns_by_byte = LATENCY_S * 1e9, 1e9 / BYTES_PER_S * WIRE
    # The fastest samples are those of the network, however busy the machine is.
    least = {p["x"]: p["min_ns"] for p in curve["points"]}
    assert latency_ns <= min(least.values()) <= 1.1 * latency_ns, least
    by_byte = (least[1 << 20] - least[1 << 18]) / ((1 << 20) - (1 << 18))
    assert by_byte == pytest.approx(ns_by_byte, rel=0.1), least
    by_id = {}
    for parameter in found["parameters"]:
        by_id[parameter["id"]] = parameter["value"]
    print(by_id)
    if all(host["others_cores"] < 0.2 for host in found["hosts"]):
        assert by_id["latency"] == pytest.approx(latency_ns, rel=0.1)
        assert by_id["G"] == pytest.approx(ns_by_byte, rel=0.1)
