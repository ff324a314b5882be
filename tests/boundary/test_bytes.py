"""Bytes, against sizes known from the programs."""

import pytest
from harness import Row


def moved(row):
    return row.sent, row.received


@pytest.mark.parametrize("under", ["run", "exec"])
def test_every_kind_of_call_moves_what_it_says(mpi, work, under):
    """programs/bytes.c writes what each call sends and receives on each rank."""
    ranks = mpi.many
    program = mpi.compile("bytes.c", work / "bytes")
    mpi.bare(ranks, program, work / "bare", cwd=work).ok()
    record = mpi.record if under == "run" else mpi.record_under_launcher
    recording = record(ranks, program, work / "expected", cwd=work).ok()
    assert recording.done.out.splitlines()[-1] == "bytes OK"
    wrong = []
    for rank in range(ranks):
        rows = recording.rows(ranks=rank)
        for line in (work / f"expected.{rank}").read_text().splitlines():
            name, calls, sent, received = line.split()
            row = rows.get(name, Row(0, 0, 0, 0, 0))
            expected = int(calls), int(sent), int(received)
            got = row.count, row.sent, row.received
            if got != expected:
                wrong.append(f"rank {rank} {name}: calls, sent, received: expected {expected}, got {got}")
    assert not wrong, "\n".join(wrong)


def test_reduce_scatter_in_uneven_parts(openmpi, work):
    """Rank r keeps r + 1 numbers of 1 + 2 + … + P."""
    program = openmpi.compile("bytes.c", work / "bytes")
    recording = openmpi.record(4, program, work / "expected", cwd=work).ok()
    received = [recording.rows(ranks=rank)["MPI_Reduce_scatter"].received for rank in range(4)]
    assert received == [4, 8, 12, 16]


@pytest.mark.parametrize("variant", ["blocking", "irecv_send", "irecv_isend", "rma_fence"])
def test_halos_have_the_size_of_an_edge(mpi, work, variant):
    """Two ranks, one above the other: each sends a row of 50 doubles in every iteration; the
    three other sides have no neighbour."""
    words = ["--variant", variant, "--nx", "50", "--ny", "20", "--iters", "10"]
    rows = mpi.record(2, mpi.example("halo2d"), *words, cwd=work).ok().rows()
    total = 2 * 10 * 50 * 8
    expected = {
        "blocking": {"MPI_Sendrecv": (total, total)},
        "irecv_send": {"MPI_Send": (total, 0), "MPI_Irecv": (0, total)},
        "irecv_isend": {"MPI_Isend": (total, 0), "MPI_Irecv": (0, total)},
        "rma_fence": {"MPI_Put": (total, 0)},
    }[variant]
    assert {name: moved(rows[name]) for name in expected} == expected


def test_columns_are_counted_by_their_data_not_their_extent(openmpi, work):
    """Four ranks, 2 × 2: a row of 25 and a column of 10 doubles go to each neighbour."""
    words = ["--variant", "irecv_isend", "--nx", "50", "--ny", "20", "--iters", "10"]
    rows = openmpi.record(4, openmpi.example("halo2d"), *words, cwd=work).ok().rows()
    total = 4 * 10 * (25 + 10) * 8
    assert moved(rows["MPI_Isend"]) == (total, 0)
    assert moved(rows["MPI_Irecv"]) == (0, total)


def test_bucketsort_moves_every_key(mpi, work):
    keys, iters, ranks = 30000, 4, 2
    words = ["--keys", keys, "--iters", iters]
    rows = mpi.record(ranks, mpi.example("bucketsort"), *words, cwd=work).ok().rows()
    sorts = iters + 1
    assert moved(rows["MPI_Alltoallv"]) == (sorts * keys * 4,) * 2
    assert moved(rows["MPI_Alltoall"]) == (sorts * ranks * ranks * 4,) * 2
    # Bucket sizes in every sort; at the end two eight-byte sums and one int.
    assert moved(rows["MPI_Allreduce"]) == (ranks * (sorts * 1024 * 4 + 8 + 8 + 4),) * 2
    assert moved(rows["MPI_Reduce"]) == (ranks * 8, 8)


def test_file_access_moves_every_block(mpi, work):
    words = ["--blocks", "8", "--block-ints", "64"]
    rows = mpi.record(2, mpi.example("iowrite"), *words, cwd=work).ok().rows()
    section = 2 * 8 * 64 * 4
    written = {name: moved(row) for name, row in rows.items() if "write" in name}
    assert written == {
        f"MPI_File_{how}": (section, 0) for how in ("write_at", "write_at_all", "write_all", "iwrite_at")
    }
    read = {name: moved(row) for name, row in rows.items() if "read" in name}
    assert read == {
        "MPI_File_read_at": (0, section),
        "MPI_File_read_at_all": (0, 2 * section),
        "MPI_File_read_all": (0, section),
    }
