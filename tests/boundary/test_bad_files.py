"""Runs with damaged, truncated, foreign and missing files: the rest is reported, and so is
which file is bad. Exit codes: 0 whole, 1 damaged, 2 nothing to report."""

import csv
import io
import json
import random
import shutil

import pytest
from conftest import MPIS
from harness import MPISCOPE, Done, Recording, run

RANKS = 3
CALLS = 200


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A run of three ranks, to be copied and damaged."""
    mpi = MPIS["openmpi"]
    words = ["--how", "none", "--after", CALLS]
    work = tmp_path_factory.mktemp("good")
    recording = mpi.record(RANKS, mpi.example("crash"), *words, cwd=work).ok()
    assert recording.counts()["MPI_Sendrecv"] == RANKS * CALLS
    return recording


@pytest.fixture
def copy(good, work):
    path = work / "copy.mpiscope"
    shutil.copytree(good.path, path)
    return Recording(path, Done([], 0, "", ""))


def file_of(recording, rank):
    """The file of a rank, found by what the report says of it alone."""
    files = sorted((recording.path / "ranks").glob("*.rank"))
    assert len(files) == RANKS
    by_rank = {}
    for file in files:
        other = file.with_suffix(".away")
        file.rename(other)
        present = {row["rank"] for row in json.loads(recording.report("--json").out)["ranks"]}
        by_rank[(set(range(RANKS)) - present).pop()] = file
        other.rename(file)
    return by_rank[rank]


def others_are_there(recording):
    for rank in (0, 2):
        rows = recording.report("--by", "call", "--csv", "--ranks", str(rank))
        assert rows.code in (0, 1), str(rows)
        table = {row["call"]: row["count"] for row in csv.DictReader(io.StringIO(rows.out))}
        assert table["MPI_Sendrecv"] == str(CALLS)


@pytest.mark.parametrize("keep", [0, 1, 7, 100, 4000, 0.3, 0.9])
def test_a_truncated_file(good, copy, keep):
    whole = good.counts()
    file = file_of(copy, 1)
    length = file.stat().st_size
    with open(file, "r+b") as handle:
        handle.truncate(keep if isinstance(keep, int) else int(length * keep))
    page = copy.report()
    if page.code == 0:  # only unused room was cut off
        assert copy.counts() == whole
        return
    assert page.code == 1, str(page)
    output = " ".join(page.out.split()) + page.err
    assert file.name in output or "rank(s) 1: nothing was recorded" in output, output
    others_are_there(copy)


@pytest.mark.parametrize("content", ["text", "zeros", "random", "elf", "old"])
def test_a_foreign_file(copy, content):
    file = file_of(copy, 1)
    whole = file.read_bytes()
    file.write_bytes(
        {
            "text": b"these are not the calls you are looking for\n" * 100,
            "zeros": bytes(len(whole)),
            "random": random.Random(7).randbytes(100_000),
            "elf": MPISCOPE.read_bytes()[:200_000],
            "old": whole[:8] + b"\xff\xff\xff\x7f" + whole[12:],
        }[content]
    )
    page = copy.report()
    assert page.code == 1, str(page)
    assert file.name in " ".join(page.out.split()) + page.err, str(page)
    others_are_there(copy)


def test_a_file_of_another_run(copy, work):
    mpi = MPIS["openmpi"]
    (work / "other").mkdir()
    other = mpi.record(1, mpi.example("halo2d"), "--iters", "1", cwd=work / "other").ok()
    stranger = next((other.path / "ranks").glob("*.rank"))
    shutil.copy(stranger, copy.path / "ranks" / "stranger.1.rank")
    page = copy.report()
    assert page.code == 1 and "stranger.1.rank" in " ".join(page.out.split()) + page.err, str(page)
    others_are_there(copy)


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bits_never_end_in_a_crash(copy, seed):
    """Wherever the bits are; most in the headers, where they hurt."""
    chance = random.Random(seed)
    file = file_of(copy, 1)
    data = bytearray(file.read_bytes())
    used = len(data.rstrip(b"\0"))
    for _ in range(1 + seed * 3):
        reach = chance.choice([256, 4096, used])
        data[chance.randrange(min(reach, len(data)))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)
    for options in ([], ["--full"], ["--json"], *(["--by", by] for by in ("call", "peer", "site", "rank"))):
        done = copy.report(*options)
        assert done.code in (0, 1), str(done)
        assert done.out, str(done)


def test_a_missing_file(copy):
    file_of(copy, 1).unlink()
    page = copy.report()
    assert page.code == 1 and "rank(s) 1: nothing was recorded" in " ".join(page.out.split()), str(page)
    others_are_there(copy)


@pytest.mark.parametrize(
    "content",
    [None, "", "{", "\0\0\0", "[]", '{"format": 99}'],
)
def test_a_bad_run_json(copy, content):
    if content is None:
        (copy.path / "run.json").unlink()
    else:
        (copy.path / "run.json").write_text(content)
    done = copy.report()
    assert done.code in (1, 2), str(done)
    assert "run.json" in " ".join(done.out.split()) + done.err, str(done)
    if done.code == 1:
        others_are_there(copy)


@pytest.mark.parametrize("content", ["", "{", '{"pid": -1}', "[]"])
def test_a_bad_record_of_an_exit(copy, content):
    next((copy.path / "ranks").glob("*.exit.json")).write_text(content)
    done = copy.report()
    assert done.code in (0, 1) and "exit.json" in " ".join(done.out.split()), str(done)


def test_what_is_no_run(work):
    (work / "empty").mkdir()
    (work / "file").write_text("x")
    for name in ("empty", "file", "absent", "/dev/null", "/"):
        done = run([MPISCOPE, "report", name], cwd=work)
        assert done.code == 2 and done.out == "" and "error:" in done.err, str(done)


def test_a_reader_that_goes_away_is_no_error(good):
    """`mpiscope report RUN | head -1`."""
    done = run(["bash", "-c", f"'{MPISCOPE}' report '{good.path}' --full | head -1; echo ${{PIPESTATUS[0]}}"])
    assert done.out.splitlines()[1] == "0" and done.err == "", str(done)
