"""Empty, null and extreme arguments, in loops: what is read back is what the program says it has called, call for call."""

import json
import re

import pytest
from harness import MPISCOPE, run

# Columns of the program's own list, see programs/extremes.c.
COLUMNS = ("function", "calls", "peer", "tag", "peer2", "tag2", "bytes_sent", "bytes_received", "requests")
# MPICH's ranks spin; and a program that is right for one seed is compiled once for all.
SEEDS = range(1, 5)
# MPICH warns of lists of statuses that are not there.
FLAGS = ("-Wno-stringop-overflow",)


def called(path):
    """What a rank says that it has called."""
    return [dict(zip(COLUMNS, line.split(), strict=True)) for line in path.read_text().splitlines()]


def recorded(recording):
    """Rows of all ranks as the store has them, in order of return, and how many requests each has completed or named."""
    duckdb = pytest.importorskip("duckdb")
    run([MPISCOPE, "store", recording.path, "--json"]).ok()
    calls = f"'{recording.path}/store/calls/*.parquet'"
    found = duckdb.sql(f"""
        select rank, function::varchar, calls, peer, tag, peer2, tag2, bytes_sent, bytes_received, is_poll
        from {calls} where function not in ('MPI_Init', 'MPI_Finalize') order by rank, row""").fetchall()
    ranks = {}
    for rank, *row in found:
        rows = ranks.setdefault(rank, [])
        if rows and is_poll(row) and is_poll(rows[-1]) and rows[-1][0] == row[0]:
            # One row for each of their arguments.
            rows[-1][1] += row[1]
        else:
            rows.append(row)
    return ranks


def is_poll(row):
    return row[-1]


def same(output, read):
    """Whether a row is what the program says. Of polls in vain only their number is compared: those with too many different
    arguments are counted without them."""
    function, calls, *numbers, polls = read
    if (function, calls) != (output["function"], int(output["calls"])):
        return False
    if polls:
        return True
    words = (output[name] for name in ("peer", "tag", "peer2", "tag2", "bytes_sent", "bytes_received"))
    for word, number in zip(words, numbers, strict=True):
        if word in ("?", "-98") or (word == "-" and (number is None or number < 0)):
            continue
        if word == "-" or number is None or int(word) != number:
            return False
    return True


def compare(output, read):
    for at, (one, other) in enumerate(zip(output, read)):
        assert same(one, other), f"call {at}: the program says {one}, recorded is {other}"
    assert len(output) == len(read)


@pytest.mark.parametrize("stack", [1, 4])
def test_lists_of_no_requests(mpi, work, stack):
    """From the second one of a place on, all that followed could not be read."""
    turns = 300
    program = mpi.compile("zero_requests.c", work / "zero_requests", *FLAGS)
    recording = mpi.record(2, program, turns, cwd=work, options=["--stack", stack]).ok()
    report = recording.json()
    assert report["losses"]["damaged_parts"] == 0 and not report["diagnostics"]
    calls = report["explanation"]["scope"]["calls"]
    assert calls >= 2 * 3 * turns, calls
    counts = recording.counts()
    assert {counts[name] for name in ("MPI_Waitall", "MPI_Testall", "MPI_Barrier")} == {2 * turns}
    assert report["explanation"]["matching"]["collectives"] >= turns


def test_lists_longer_than_a_record(mpi, work):
    """Requests behind the 384th of a list were completed by a later call, or by none."""
    duckdb = pytest.importorskip("duckdb")
    count = 600
    program = mpi.compile("long_lists.c", work / "long_lists", *FLAGS)
    recording = mpi.record(2, program, count, cwd=work, options=["--buffer", "64M"]).ok()
    report = recording.json()
    assert report["losses"]["requests_cut"] == 0 and report["losses"]["damaged_parts"] == 0, report["losses"]
    found = report["explanation"]["matching"]
    exchanges = 7
    assert found["messages"] == 2 * exchanges * count, found
    assert found["sends_never_received"] == found["receives_never_sent"] == 0, found
    run([MPISCOPE, "store", recording.path, "--json"]).ok()
    # In order of posting: what completes the receives of each exchange. (Under MPICH several sends have one handle.)
    requests = f"'{recording.path}/store/requests/*.parquet'"
    completed = duckdb.sql(f"""
        select rank, (number - 1) // {count} as exchange, done_function::varchar as done, count(distinct done_row), count(*)
        from (select *, row_number() over (partition by rank order by row) as number
              from {requests} where kind = 'receive')
        group by all order by all""").fetchall()
    ways = ["Waitall", "Waitall", "Testall", "Waitsome", "Waitany", "Waitall", "Waitall"]
    for rank in (0, 1):
        for exchange, way in enumerate(ways):
            by = {done: (calls, n) for of, at, done, calls, n in completed if (of, at) == (rank, exchange)}
            expected = {f"MPI_{way}", "MPI_Wait"} if way == "Waitany" else {f"MPI_{way}"}
            assert set(by) <= expected and sum(n for _, n in by.values()) == count, (rank, exchange, by)
            if way in ("Waitall", "Testall"):
                assert by[f"MPI_{way}"] == (1, count), (rank, exchange, by)


def test_a_loop_that_waits_for_a_time(mpi, work):
    """It filled the ring within a second, and most of the run was lost."""
    steps = 10
    program = mpi.compile("clock_loop.c", work / "clock_loop", *FLAGS)
    recording = mpi.record(2, program, steps, 100, cwd=work).ok()
    ranks = recorded(recording)
    asked = dict(re.findall(r"rank (\d+) asked (\d+)", recording.done.out))
    report = recording.json()
    assert report["losses"]["events_overwritten"] == 0, report["losses"]
    for rank, rows in ranks.items():
        read = [row for row in rows if row[0] == "MPI_Wtime"]
        assert sum(row[1] for row in read) == int(asked[str(rank)]) and sum(row[0] == "MPI_Allreduce" for row in rows) == steps
        # More only where the machine was busy.
        assert len(read) < 50 * steps, len(read)
    assert not any(finding["id"] == "needless_calls" for finding in report["explanation"]["findings"])


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_read_is_what_was_called(mpi, work, seed):
    program = mpi.compile("extremes.c", work / "extremes", *FLAGS)
    log = work / "log"
    options = ["--buffer", "256M"]
    recording = mpi.record(2, program, log, seed, 12, cwd=work, options=options).ok()
    ranks = recorded(recording)
    assert set(ranks) == {0, 1}
    for rank, read in ranks.items():
        compare(called(work / f"log.{rank}"), read)
    report = json.loads(recording.report("--json").out)
    assert report["losses"]["damaged_parts"] == 0 and report["explanation"]["scope"]["calls_lost"] == 0
    # (Whom receives from any source took their messages from, without a status, is only guessed.)
    assert report["explanation"]["matching"]["collectives_incomplete"] == 0
