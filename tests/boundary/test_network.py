"""Where ranks are: on a network that the user describes, and inside the host they ran on."""

import json
import socket
from pathlib import Path

import jsonschema
from harness import MPISCOPE, ROOT, run

ROUNDS = 10


def ring(mpi, work):
    """Every rank sends to its right neighbour, on as many ranks as this MPI likes."""
    program = mpi.compile("ring.c", work / "ring")
    return mpi.record(mpi.many, program, ROUNDS, cwd=work).ok()


def test_hops_of_a_ring(mpi, work):
    recording = ring(mpi, work)
    n = mpi.many
    file = work / "line.toml"
    # One rank a node. In a ring all are neighbours; in a line the last has to send through all nodes.
    file.write_text(f"[torus]\nshape = [{n}]\nwrap = false\n\n[nodes]\nranks_per_node = 1\n")
    done = recording.report("--topology", file, "--json")
    topology = json.loads(done.out)["topology"]
    assert topology["network"] == f"mesh {n}" and topology["by_rank"], str(done)
    sent = {row["hops"]: row["messages"] for row in topology["by_hops"]}
    assert sent == ({1: 2 * ROUNDS} if n == 2 else {1: (n - 1) * ROUNDS, n - 1: ROUNDS}), str(done)
    last = topology["ranks"][n - 1]
    assert (last["hops_max"], last["hops_mean_by_messages"]) == (n - 1, n - 1), str(done)
    file.write_text(file.read_text().replace("false", "true"))
    page = recording.page("--topology", file, "--full")
    assert f"torus {n} {n} of {n} nodes used; ranks placed by rank number, not by host" in page
    peers = recording.report("--topology", file, "--by", "peer", "--csv").out.splitlines()
    hops = peers[0].split(",").index("hops")
    assert {row.split(",")[hops] for row in peers[1:]} == {"1"}, peers


def test_hosts_of_a_topology(openmpi, work):
    recording = ring(openmpi, work)
    file = work / "switch.toml"
    file.write_text(f'[[switch]]\nname = "s"\nhosts = ["elsewhere", "{socket.gethostname()}"]\n')
    topology = json.loads(recording.report("--topology", file, "--json").out)["topology"]
    assert (topology["nodes"], topology["nodes_used"], topology["by_rank"]) == (2, 1, False)
    assert topology["total"]["same_node"]["messages"] == openmpi.many * ROUNDS
    file.write_text('[[switch]]\nname = "s"\nhosts = ["elsewhere"]\n')
    done = recording.report("--topology", file)
    assert done.code == 2 and f"it contains none of the run's hosts ({socket.gethostname()})" in done.err, str(done)
    file.write_text('[[switch]]\nname = "s"\nhost = ["elsewhere"]\n')
    for command in ("report", "view"):
        done = run([MPISCOPE, command, recording.path, "--topology", file])
        assert done.code == 2 and f"{file}:3: " in done.err, str(done)
    done = run([MPISCOPE, "view", recording.path, "--topology", work / "none.toml"])
    assert done.code == 2 and "cannot read" in done.err, str(done)


def test_the_inside_of_a_host(mpi, work):
    recording = ring(mpi, work)
    online = Path("/sys/devices/system/cpu/online").read_text().strip()
    host = json.loads((recording.path / "nodes" / f"{socket.gethostname()}.json").read_text())
    assert (host["host"], host["cpus"]) == (socket.gethostname(), online)
    jsonschema.validate(host, json.loads((ROOT / "schemas/node.schema.json").read_text()))
    kernel = [index for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*") if (index / "level").read_text().strip() == "2"]
    assert {(index / "shared_cpu_list").read_text().strip() for index in kernel} <= set(host["l2"]), host
    report = recording.json()
    [row] = report["hosts"]
    assert row["ranks"] == mpi.many and row["packages"] == len(host["packages"]), row
    for rank in report["ranks"]:
        assert rank["bound"] == (rank["cpus"] != online), rank
    near = {"same-l2", "same-l3", "same-numa", "same-package", "same-node", "same-node-not-bound"}
    assert {peer["class"] for peer in report["peers"]} <= near


def test_some_ranks(mpi, work):
    recording = ring(mpi, work)
    page = recording.page("--ranks", "1")
    assert f"ranks 1 of {mpi.many} on" in page and "left out" in page and "(--ranks)" in page
    counts = recording.counts(ranks=1)
    assert counts["MPI_Sendrecv"] == ROUNDS
    done = recording.report("--ranks", f"0-{mpi.many}")
    assert done.code == 2 and f"invalid rank(s) {mpi.many}: the run has 0-{mpi.many - 1}" in done.err, str(done)
