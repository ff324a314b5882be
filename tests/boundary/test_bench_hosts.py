"""`mpiscope bench` on two hosts: a network of known latency and bandwidth is measured, and clocks that are far apart are compared."""

import json
import shutil

import pytest
from harness import MPISCOPE, run
from hosts import Cluster, why_not
from test_bench import profile

NOT_HERE = why_not()
pytestmark = [pytest.mark.skipif(bool(NOT_HERE), reason=str(NOT_HERE)), pytest.mark.heavy]
LATENCY_S, BYTES_PER_S = 1e-3, 100e6 / 8
# Of a frame with 1,448 bytes of a message, all that goes over the wire: headers of Ethernet, IP and TCP with timestamps.
WIRE = (1448 + 14 + 20 + 32) / 1448


@pytest.fixture
def cluster(work):
    made = Cluster(work, {"alpha": 0, "beta": 1000})
    yield made
    made.close()


@pytest.fixture
def slow_cluster(work):
    made = Cluster(work, {"alpha": 0, "beta": 1000}, link=(LATENCY_S, BYTES_PER_S))
    yield made
    made.close()


@pytest.fixture
def ring(work):
    made = Cluster(work, dict.fromkeys(["alpha", "beta", "gamma", "delta"], 0), link=(LATENCY_S, BYTES_PER_S))
    yield made
    made.close()


@pytest.fixture(params=["openmpi", "wheel_mpich"])
def mpi(request):
    """Open MPI of the system and MPICH of its wheel, see `hosts.NETWORK_ENV`."""
    return request.getfixturevalue(request.param)


def test_latency_and_bandwidth_are_those_of_the_network(slow_cluster, mpi, work):
    words = ["bench", "--rank", "-o", work / "network.machine", "--budget", 20, "--max-bytes", "1M", "pingpong/ping-pong"]
    slow_cluster.launch(mpi, 1, MPISCOPE, *words, cwd=work).ok()
    found = profile(work, "network.machine")
    assert found["pairs"] == [{"class": "other-node", "ranks": [0, 1]}]  # no topology: no hops
    [curve] = found["curves"]
    latency_ns, ns_by_byte = LATENCY_S * 1e9, 1e9 / BYTES_PER_S * WIRE
    # The fastest samples are those of the network, however busy the machine is.
    least = {p["x"]: p["min_ns"] for p in curve["points"]}
    assert latency_ns <= min(least.values()) <= 1.1 * latency_ns, least
    by_byte = (least[1 << 20] - least[1 << 18]) / ((1 << 20) - (1 << 18))
    assert by_byte == pytest.approx(ns_by_byte, rel=0.1), least
    # Of pieces for several protocols, the last one.
    by_id = {p["id"]: p["value"] for p in found["parameters"]}
    if all(host["others_cores"] < 0.2 for host in found["hosts"]):
        assert by_id["latency"] == pytest.approx(latency_ns, rel=0.1)
        assert by_id["G"] == pytest.approx(ns_by_byte, rel=0.1)


RING = """
[torus]
shape = [4]
[nodes]
hosts = ["alpha", "beta", "gamma", "delta"]
"""


def described(work, name, text):
    path = work / name
    path.write_text(text)
    return path


def test_one_pair_for_each_number_of_hops(ring, mpi, work):
    """Two hosts of a ring are one or two hops apart, and each hop takes 1 ms: the profile has a pair for each, and the page names them."""
    topology = described(work, "ring.toml", RING)
    words = ["bench", "--rank", "-o", work / "ring.machine", "--budget", 16, "--max-bytes", "1K", "--topology", topology, "pingpong/ping-pong"]
    done = ring.launch(mpi, 1, MPISCOPE, *words, cwd=work).ok()
    assert "ranks 0 and 1 (different hosts, 1 hop), ranks 0 and 2 (different hosts, 2 hops)" in done.err, done.err
    found = profile(work, "ring.machine")
    assert found["pairs"] == [{"class": "other-node", "hops": 1, "ranks": [0, 1]}, {"class": "other-node", "hops": 2, "ranks": [0, 2]}]
    assert found["settings"]["topology"] == "torus 4"
    # The fastest samples are those of the network, however busy the machine is.
    least = {c["pair"]: min(p["min_ns"] for p in c["points"]) for c in found["curves"]}
    hop_ns = LATENCY_S * 1e9
    assert hop_ns <= least[0] <= 1.2 * hop_ns and 2 * hop_ns <= least[1] <= 2.2 * hop_ns, least
    page = run([MPISCOPE, "bench", "report", work / "ring.machine", "--width", 120]).ok().out
    assert "RANKS 0 AND 1: different hosts, 1 hop\n" in page and "RANKS 0 AND 2: different hosts, 2 hops\n" in page, page
    # Pairs are compared with those on as many hops.
    compared = run([MPISCOPE, "bench", "compare", "--json", "--all", work / "ring.machine", work / "ring.machine"]).ok()
    [latency, twice] = [p for p in json.loads(compared.out)["parameters"] if p["id"] == "latency"]
    assert (latency["hops"], twice["hops"], latency["ratio"], twice["ratio"]) == (1, 2, 1, 1)


def test_predictions_use_what_was_measured_at_each_number_of_hops(ring, openmpi, work):
    """A program whose ranks exchange messages with a neighbour is predicted with partners that are two hops away: each exchange takes a hop longer."""
    topology = described(work, "ring.toml", RING)
    # Few sizes, so that each has many samples.
    series = [f"pingpong/{name}" for name in ("ping-pong", "send-overhead", "expected")]
    words = ["bench", "--rank", "-o", work / "ring.machine", "--budget", 16, "--max-bytes", 8, "--topology", topology, *series]
    ring.launch(openmpi, 1, MPISCOPE, *words, cwd=work).ok()
    steps = 200
    near = ring.record(openmpi, 1, openmpi.compile("pairs.c", work / "pairs"), 1, 8, steps, path=work / "near.mpiscope", cwd=work).ok()
    report = json.loads(near.report("--json", "--machine", work / "ring.machine", "--topology", topology).ok().out)
    messages = [row for row in report["explanation"]["attainable"]["rows"] if row["what"] == "messages"]
    assert messages and {(row["pair_class"], row["hops"]) for row in messages} == {("other-node", 1)}, messages
    order = described(work, "order", "alpha\ngamma\nbeta\ndelta\n")

    def more_s(*options):
        asked = [word for name in ("recorded", order) for word in ("--what-if", f"placement={name}")]
        found = json.loads(run([MPISCOPE, "predict", near.path, "--topology", topology, "--json", *asked, *options]).ok().out)
        before, after = (answer["predicted_ns"] for answer in found["answers"])
        return (after - before) / 1e9

    # Without a profile, all hosts are as far apart as they were in the run.
    assert abs(more_s()) < 0.1 * steps * LATENCY_S
    times = {c["pair"]: p["median_ns"] / 1e9 for c in profile(work, "ring.machine")["curves"] for p in c["points"] if (c["series"], p["x"]) == ("ping-pong", 8)}
    hop_s = times[1] - times[0]
    if hop_s < LATENCY_S / 2:
        pytest.skip(f"the machine is busy: half of all messages took {times} s")
    # Where a busy machine held up a rank, the message of its partner was there before it asked for it, also after one more hop.
    assert 0.5 < more_s("--machine", work / "ring.machine") / (steps * hop_s) < 1.15, times


def test_a_topology_that_does_not_fit_is_refused(ring, openmpi, work):
    words = ["bench", "--rank", "-o", work / "ring.machine", "--budget", 2, "--max-bytes", "1K", "pingpong"]

    def refused(name, text, mentions):
        topology = described(work, name, text) if text else work / name
        done = ring.launch(openmpi, 1, MPISCOPE, *words, "--topology", topology, cwd=work)
        assert done.code == 2 and f"error: {mentions(topology)}" in done.err and done.err.count("error: ") == 1, done
        assert not (work / "ring.machine").exists()

    refused("none.toml", "", lambda path: f"cannot read {path}: ")
    refused("bad.toml", "[torus]\nshape = []\n", lambda path: f"{path}:2: shape must be")
    refused("few.toml", "[torus]\nshape = [3]\n[nodes]\nranks_per_node = 1\n", lambda path: f"{path}: the network (torus 3) has 3 nodes, but the job is on 4 hosts")
    refused("other.toml", RING.replace("delta", "epsilon"), lambda path: f"{path}: the network (torus 4) does not have delta")


def test_two_rails_carry_twice_as_much(openmpi, work):
    """Open MPI divides long messages between two networks; `bench compare` names the setting that is different."""
    cluster = Cluster(work, {"alpha": 0, "beta": 0}, rate="100mbit", rails=2)
    try:
        both = cluster.networks
        for name, cluster.networks in (("one", both[:1]), ("two", both)):
            words = ["bench", "--rank", "-o", work / f"{name}.machine", "--budget", 12, "--max-bytes", "2M", "pingpong/ping-pong"]
            cluster.launch(openmpi, 1, MPISCOPE, *words, cwd=work).ok()
    finally:
        cluster.close()
    curves = [profile(work, f"{name}.machine")["curves"][0]["points"] for name in ("one", "two")]
    one, two = ({p["x"]: p["min_ns"] for p in points}[2 << 20] for points in curves)
    # Of few samples, the fastest; on a busy machine, ranks wait for a core beside the network.
    assert one >= 0.95 * (2 << 20) * 1e9 / BYTES_PER_S and 1.4 < one / two < 2.8, (one, two)
    # Whether a difference is proved depends on how many samples a busy machine allows.
    compared = run([MPISCOPE, "bench", "compare", work / "one.machine", work / "two.machine"])
    assert compared.code in (0, 1) and "OMPI_MCA_btl_tcp_if_include: 10.111.7.0/24 | 10.111.7.0/24,10.111.8.0/24" in compared.out, compared


def test_the_clocks_of_hosts_are_compared(cluster, mpi, work):
    words = [MPISCOPE, "bench", "--rank", "-o", work / "host.machine", "--budget", 3, "--max-bytes", "1K", "bcast"]
    cluster.launch(mpi, 1, *words, cwd=work).ok()
    found = profile(work)
    named = {p["id"]: p["value"] for p in found["parameters"]}
    # Messages between the hosts take microseconds, on a busy machine also a time slice or two. The clocks are 1,000 s apart.
    assert 0 < named["clock_error"] < 1e8
    assert named["windows_dropped"] < 1, found["problems"]
    for curve in found["curves"]:
        assert all(p["min_ns"] < 1e9 for p in curve["points"]), curve


def test_orders_of_ranks_differ_as_the_network_says(slow_cluster, mpi, work):
    words = ["bench", "--rank", "-o", work / "order.machine", "--budget", 12, "--max-bytes", "256K", "--order", "3,1,2,0", "placement/2"]
    slow_cluster.launch(mpi, 2, MPISCOPE, *words, cwd=work).ok()
    found = profile(work, "order.machine")
    named = {p["id"]: p for p in found["parameters"]}
    crossing = {order: named[f"crossing_{order}_2"]["value"] for order in ("by-slot", "by-node", "folded", "reversed", "custom")}
    # In a line of four ranks, two on each host; the custom order is 3, 1, 2, 0.
    assert crossing == {"by-slot": 1, "by-node": 3, "folded": 2, "reversed": 1, "custom": 3}
    assert "placement: by-slot and launched are the same order, measured as by-slot" in found["problems"]
    large = 256 << 10
    points = {c["series"]: p for c in found["curves"] for p in c["points"] if p["x"] == large}
    assert set(points) == {f"2/{order}" for order in crossing}
    # As many messages of a direction share the network as cross it. On a busy machine some ranks begin so late that their
    # messages have it for themselves.
    message_ns = large * 1e9 / BYTES_PER_S * WIRE
    for order, messages in crossing.items():
        assert points[f"2/{order}"]["median_ns"] >= messages * message_ns - 5 * LATENCY_S * 1e9, points
    least = {series: p["min_ns"] for series, p in points.items()}
    assert least["2/by-node"] > 2 * least["2/by-slot"], least
    assert named["launched_to_by-node_2"]["unit"] == "x"


def test_messages_that_share_the_network(slow_cluster, mpi, work):
    """Two pairs that exchange over one network need twice the time of one pair: the report names the network. With partners on one
    host, the same program has no such finding, and is faster by at least what the report states."""
    words = ["bench", "--rank", "-o", work / "network.machine", "--budget", 15, "--max-bytes", "1M", "pingpong/ping-pong"]
    pairs = mpi.compile("pairs.c", work / "pairs")

    def record(distance, name):
        recording = slow_cluster.record(mpi, 2, pairs, distance, 1 << 20, 20, path=work / name, cwd=work).ok()
        report = recording.report("--json", "--machine", work / "network.machine").ok()
        return float(recording.done.out.split()[0]), json.loads(report.out)["explanation"]

    # On a busy machine, a message alone may take as long as two together, and the pairs may send by turns.
    for attempt in range(3):
        shutil.rmtree(work / "network.machine", ignore_errors=True)
        slow_cluster.launch(mpi, 1, MPISCOPE, *words, cwd=work).ok()
        apart_s, apart = record(2, f"apart{attempt}.mpiscope")
        found = [f for f in apart["findings"] if f["id"] == "saturated_network"]
        if found:
            break
    [finding] = found
    evidence = finding["evidence"]
    assert evidence["at_once"] == pytest.approx(2, abs=0.2) and 0.7 <= evidence["work_at_once"] <= 1.3, evidence
    # On a busy machine, the pairs do not always send at the same time, and one host's side of the network may have no finding.
    assert evidence["messages"] >= 16 and len(evidence["hosts"]) >= 1 and set(finding["ranks"]) <= {0, 1, 2, 3}, finding
    assert finding["savable_ns"] > 0 and finding["is_bound"], finding
    together_s, together = record(1, "together.mpiscope")
    assert [f for f in together["findings"] if f["id"] == "saturated_network"] == []
    assert apart_s - together_s >= finding["savable_ns"] / 1e9 / 4 * 0.8, (apart_s, together_s, finding)


def test_memory_of_the_first_host(cluster, mpi, work):
    """Two ranks on each host: those of the first one have its memory for themselves, and are measured beside all."""
    cluster.launch(mpi, 2, MPISCOPE, "bench", "--rank", "-o", work / "memory.machine", "--budget", 2, "memory", cwd=work).ok()
    found = profile(work, "memory.machine")
    together = {c["series"]: [p["x"] for p in c["points"]] for c in found["curves"] if c["rank"] is None}
    for kernel in ("read", "copy", "triad"):
        assert together[f"{kernel}-2-cores"] == together[kernel][-1:], together
    of_two = [p for p in found["parameters"] if p["id"] == "triad_memory_2"]
    assert all(p["unit"] == "B/s" and p["rank"] is None for p in of_two)
    # Only if there is memory for a working set above the last cache.
    assert len(of_two) == any(p["id"] == "triad_memory_all" for p in found["parameters"])


def test_hosts_share_no_window(cluster, wheel_mpich, work):
    words = ["bench", "--rank", "-o", work / "rma.machine", "--budget", 2, "--max-bytes", 8, "rma/put"]
    cluster.launch(wheel_mpich, 1, MPISCOPE, *words, cwd=work).ok()
    found = profile(work, "rma.machine")
    assert {c["series"].split("/")[2] for c in found["curves"]} == {"create", "allocate", "dynamic"}
    assert any("MPI_Win_allocate_shared was left out" in problem for problem in found["problems"]), found["problems"]


NO_WINDOWS = "this MPI makes no windows of these ranks (MPI_Win_create returned the error code"
HINT = "over TCP it needs mpirun --mca osc pt2pt"


def test_an_mpi_without_windows_between_hosts_is_reported(cluster, openmpi, work):
    """Debian configures Open MPI 4.1 without its one-sided component for TCP: MPI_Win_create ended the job."""
    words = ["bench", "--rank", "-o", work / "some.machine", "--budget", 3, "--max-bytes", 1024, "start", "halo", "rma"]
    cluster.launch(openmpi, 1, MPISCOPE, *words, cwd=work).ok()
    found = profile(work, "some.machine")
    left_out = [text for text in found["problems"] if NO_WINDOWS in text and HINT in text]
    assert {text.split(":")[0] for text in left_out} == {"start", "halo", "rma"}, found["problems"]
    assert found["complete"]
    series = {(c["experiment"], c["series"].split("/")[0]) for c in found["curves"]}
    assert ("start", "comm_dup") in series and ("start", "win_create") not in series, series
    halo = {c["series"] for c in found["curves"] if c["experiment"] == "halo"}
    assert halo and not [name for name in halo if "put-" in name or "get-" in name], halo


def test_one_sided_communication_between_hosts(cluster, openmpi, work):
    words = ["bench", "--rank", "-o", work / "rma.machine", "--budget", 3, "--max-bytes", 8, "rma/put", "start"]
    cluster.launch(openmpi, 1, MPISCOPE, *words, cwd=work, env={"OMPI_MCA_osc": "pt2pt"}).ok()
    found = profile(work, "rma.machine")
    assert not [text for text in found["problems"] if NO_WINDOWS in text], found["problems"]
    series = {c["series"] for c in found["curves"]}
    assert "win_create" in series and {name.split("/")[2] for name in series if "/" in name} == {"create", "allocate", "dynamic"}, series
    assert found["settings"]["variables"]["OMPI_MCA_osc"] == "pt2pt"
