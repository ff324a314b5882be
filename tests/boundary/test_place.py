"""`mpiscope place`: orders of a real run's ranks, and its files with real launchers."""

import json

import jsonschema
import pytest

from harness import MPISCOPE, ROOT, run
from hosts import Cluster, why_not

SCHEMA = json.loads((ROOT / "schemas/place.schema.json").read_text())


@pytest.fixture
def halo(openmpi, work):
    """A 4 × 4 grid on one host."""
    return openmpi.record(16, openmpi.example("halo2d"), "--iters", 5, cwd=work, options=["--trace", "off"]).ok().path


def orders(path, *options):
    found = json.loads(run([MPISCOPE, "place", path, "--json", *options]).ok().out)
    jsonschema.validate(found, SCHEMA)
    return {order["order"]: order for order in found["orders"]}


def test_blocks_of_a_grid_cross_least(halo):
    found = orders(halo, "--nodes", "4x4")
    cost = {id: order["between_nodes_bytes"] for id, order in found.items()}
    assert "recorded" not in cost
    assert cost["best"] == min(cost.values()) <= cost["blocks"] < cost["by_slot"]
    for order in found.values():
        assert sorted(order["nodes"].count(node) for node in range(4)) == [4, 4, 4, 4]
    page = run([MPISCOPE, "place", halo, "--nodes", "4x4"]).ok().out
    assert max(map(len, page.splitlines())) <= 80 and "mpiexec -f machines" in page, page
    partners = run([MPISCOPE, "place", halo, "--nodes", "4x4", "--rank", 5, "--order", "blocks"]).ok().out
    assert partners.startswith("rank 5, order blocks: on node"), partners


def test_what_does_not_fit_is_explained(halo):
    for options, reason in (
        (["--nodes", "2x4"], "2x4 has room for 8"),
        ([], "all ranks of the run were on one node"),
        (["--nodes", "4"], "expected numbers above 0 with x between them"),
        (["--nodes", "4x4", "--grid", "3x3"], "a grid of 3x3 does not have the run's 16 ranks"),
        (["--nodes", "4x4", "--order", "sideways"], "no order `sideways`; there are by_slot, by_node"),
        (["--nodes", "4x4", "--rank", "99"], "the run has no rank 99"),
    ):
        done = run([MPISCOPE, "place", halo, *options])
        assert (done.code, done.out) == (2, "") and reason in done.err, done


def test_the_topology_counts_hops(halo, work):
    file = work / "torus.toml"
    file.write_text('[torus]\nshape = "4"\n[nodes]\nranks_per_node = 4\n')
    found = orders(halo, "--nodes", "4x4", "--topology", file)
    assert all(order["hop_bytes"] >= order["between_nodes_bytes"] for order in found.values())


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_open_mpi_starts_ranks_in_the_order_of_the_files(openmpi, work):
    cluster = Cluster(work, {"alpha": 0, "beta": 0})
    try:
        program = openmpi.example("halo2d")
        path = cluster.record(openmpi, 2, program, "--iters", 5, path=work / "r.mpiscope", cwd=work).ok().path
        recorded = orders(path)["recorded"]["nodes"]
        folder = work / "files"
        cluster.first.run(MPISCOPE, "place", path, "--order", "folded", "--write", folder).ok()
        wanted = (folder / "hosts").read_text().split()
        assert len(wanted) == 4 and recorded == [0, 0, 1, 1]
        launcher = [*cluster.launcher(openmpi, 2), "--mca", "rmaps", "seq", "--hostfile", folder / "hosts"]
        at = launcher.index("--host")
        words = [*launcher[:at], *launcher[at + 2:]]
        done = cluster.first.run(*words, "sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(hostname)").ok()
        hosts = dict(line.split() for line in done.out.splitlines())
        assert [hosts[str(rank)] for rank in range(4)] == wanted
    finally:
        cluster.close()
