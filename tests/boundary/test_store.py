"""The store, read with other people's tools: the same numbers as the report's."""

import json
import os
import signal
import subprocess
import time

import pytest
from harness import LIMIT_S, MPISCOPE, ROOT, environment, run

CALLS = "calls/*.parquet"
# One recording for all.
pytestmark = pytest.mark.xdist_group("store")


@pytest.fixture(scope="module")
def recorded(openmpi, tmp_path_factory):
    """A run with messages, requests, collective operations and regions, its store, and what the report counts."""
    work = tmp_path_factory.mktemp("store")
    recording = openmpi.record(4, openmpi.example("halo2d"), "--iters", 40, cwd=work).ok()
    made = json.loads(run([MPISCOPE, "store", recording.path, "--json"]).ok().out)
    report = json.loads(run([MPISCOPE, "report", recording.path, "--json"]).ok().out)
    expected = {
        row["call"]: (row["calls"], row["bytes_sent"], row["bytes_received"])
        for row in report["calls"]
        if row["call"] not in ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
    }
    return recording.path, made, expected


def same(expected, found):
    found = {name: tuple(map(int, numbers)) for name, *numbers in found}
    left = {name: numbers for name, numbers in found.items() if name in expected}
    assert left == expected
    assert set(found) - set(expected) <= {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"}


def test_polars(recorded):
    pl = pytest.importorskip("polars")
    path, _, expected = recorded
    calls = pl.scan_parquet(path / "store" / CALLS)
    sums = calls.group_by(pl.col("function").cast(pl.String)).agg(
        pl.col("calls").sum(), pl.col("bytes_sent").sum(), pl.col("bytes_received").sum())
    same(expected, sums.collect().rows())


def test_pandas(recorded):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path, _, expected = recorded
    calls = pd.read_parquet(path / "store" / "calls")
    assert str(calls["function"].dtype) == "category"
    sums = calls.groupby("function", observed=True)[["calls", "bytes_sent", "bytes_received"]].sum()
    same(expected, sums.reset_index().itertuples(index=False, name=None))


def test_duckdb(recorded):
    duckdb = pytest.importorskip("duckdb")
    path, made, expected = recorded
    store = path / "store"
    sums = duckdb.sql(f"select function, sum(calls), sum(bytes_sent), sum(bytes_received) from '{store / CALLS}' group by 1")
    same(expected, sums.fetchall())
    # Every table can be read and has the rows that store.json says.
    for table in made["tables"]:
        (rows,) = duckdb.sql(f"select count(*) from '{store}/{table['name']}/*.parquet'").fetchall()[0]
        assert rows == table["rows"], table["name"]
    # A message's two calls are where it says.
    wrong = duckdb.sql(f"""
        select count(*) from '{store}/messages/*.parquet' m
        join '{store / CALLS}' s on s.rank = m.sender and s.row = m.send_row
        join '{store / CALLS}' r on r.rank = m.receiver and r.row = m.receive_row
        where s.start_ns <> m.send_start_ns or r.start_ns <> m.receive_start_ns
           or s.peer <> m.receiver or s.bytes_sent <> m.bytes or s.site is null""").fetchall()[0]
    (messages,) = duckdb.sql(f"select count(*) from '{store}/messages/*.parquet'").fetchall()[0]
    sent = sum(numbers[1] for name, numbers in expected.items() if name in ("MPI_Isend", "MPI_Send"))
    (moved,) = duckdb.sql(f"select sum(bytes) from '{store}/messages/*.parquet'").fetchall()[0]
    assert wrong == (0,) and messages > 0 and moved == sent


def test_waits(openmpi, work):
    """Each wait is a row; together they are what the report says of their kind."""
    duckdb = pytest.importorskip("duckdb")
    words = ["--iters", 60, "--work", 20, "--slow-rank", 1]
    recording = openmpi.record(3, openmpi.example("halo2d"), *words, cwd=work).ok()
    made = json.loads(run([MPISCOPE, "store", recording.path, "--json"]).ok().out)
    report = json.loads(run([MPISCOPE, "report", recording.path, "--json"]).ok().out)
    expected = {}
    for row in report["explanation"]["waits"]:
        count, wait_ns = expected.get(row["id"], (0, 0))
        expected[row["id"]] = (count + row["count"], wait_ns + row["wait_ns"])
    sums = duckdb.sql(f"select kind, count(*), sum(end_ns - start_ns) from '{recording.path}/store/waits/*.parquet' group by 1")
    assert {kind: (count, int(ns)) for kind, count, ns in sums.fetchall()} == expected
    assert made["has_waits"] and expected
    outside = duckdb.sql(f"""
        select count(*) from '{recording.path}/store/waits/*.parquet' w
        join '{recording.path}/store/{CALLS}' c using (rank, row)
        where w.start_ns < c.start_ns or w.end_ns > c.end_ns or w.function <> c.function""").fetchall()
    assert outside == [(0,)]


def test_dask(recorded):
    dd = pytest.importorskip("dask.dataframe")
    path, _, expected = recorded
    calls = dd.read_parquet(path / "store" / "calls")
    sums = calls.groupby("function", observed=True)[["calls", "bytes_sent", "bytes_received"]].sum().compute()
    same(expected, sums.reset_index().itertuples(index=False, name=None))


def test_json_conforms(recorded):
    from test_config import conforms

    _, made, _ = recorded
    conforms(made, json.loads((ROOT / "schemas" / "store.schema.json").read_text()))
    assert not made["was_there"]


def test_a_second_time_and_elsewhere(recorded, work):
    path, made, _ = recorded
    again = run([MPISCOPE, "store", path]).ok()
    assert "up to date" in again.err
    other = run([MPISCOPE, "store", path, "--store", work / "elsewhere", "--json"]).ok()
    assert json.loads(other.out)["tables"] == made["tables"]
    # Somebody else's folder is left alone.
    (work / "mine").mkdir()
    (work / "mine" / "thesis.tex").write_text("all of it")
    refused = run([MPISCOPE, "store", path, "--store", work / "mine"])
    assert refused.code == 2 and "is not a store" in refused.err and (work / "mine" / "thesis.tex").exists()


def test_a_run_that_cannot_be_written(recorded, work):
    """Root may write everywhere, so a file stands in the way."""
    path, _, _ = recorded
    (work / "file").write_text("")
    refused = run([MPISCOPE, "store", path, "--store", work / "file" / "store"])
    assert refused.code == 2 and "--store DIR" in refused.err, str(refused)


def test_interrupted_and_at_once(openmpi, work):
    """^C leaves nothing, a kill leaves what the next one clears; two at once do not harm each other."""
    recording = openmpi.record(2, openmpi.example("halo2d"), "--iters", 30000, cwd=work).ok()
    command = [MPISCOPE, "store", recording.path, "--force"]

    def begin():
        process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 60
        while not (recording.path / "store.partial" / "calls").exists():
            if process.poll() is not None or time.monotonic() > end:
                break
            time.sleep(0.001)
        return process

    process = begin()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LIMIT_S)
    names = set(os.listdir(recording.path))
    if process.returncode == 130:
        assert "store" not in names
    assert "store.partial" not in names
    process = begin()
    process.kill()
    process.communicate()
    first, second = begin(), subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    errors = [p.communicate(timeout=LIMIT_S)[1].decode() for p in (first, second)]
    codes = [p.returncode for p in (first, second)]
    assert 0 in codes and set(codes) <= {0, 2}, errors
    assert 2 not in codes or "another mpiscope is building" in errors[codes.index(2)]
    names = set(os.listdir(recording.path))
    assert "store" in names and "store.partial" not in names
    assert run([MPISCOPE, "store", recording.path]).ok().err.count("up to date") == 1
