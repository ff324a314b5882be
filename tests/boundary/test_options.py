"""Options of `run` and `exec`, and requests that cannot be met."""

import json
import os
import shutil
import subprocess

import pytest
from harness import HERE, MPISCOPE, Recording, run

# More events than 1 MiB holds, even at three bytes each.
MANY = 1_000_000


def refused(done, *sayings):
    """Exit code 2, one clear error, a next step, no traces."""
    assert done.code == 2, str(done)
    assert done.out == "", str(done)
    assert "error:" in done.err and "panicked" not in done.err, str(done)
    for saying in sayings:
        assert saying in done.err, str(done)


# ---- the buffer ------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Program `many` for one MPI, on one rank: nobody waits for anybody."""
    from conftest import MPIS

    mpi = MPIS["openmpi"]
    return mpi, mpi.compile("many.c", tmp_path_factory.mktemp("many") / "many")


@pytest.mark.parametrize("on_full", ["wrap", "grow", "stop"])
def test_a_small_buffer(many, work, on_full):
    mpi, program = many
    options = ["--buffer", "1M", "--on-full", on_full]
    recording = mpi.record(1, program, MANY, cwd=work, options=options).ok()
    assert recording.done.out == "many OK\n"
    row = recording.rows()["MPI_Sendrecv"]
    assert (row.count, row.sent, row.received) == (MANY, 4 * MANY, 4 * MANY)
    losses = recording.json()["losses"]
    page = recording.page()
    if on_full == "wrap":
        assert losses["events_overwritten"] > 0 and losses["events_dropped"] == 0
        assert "overwritten by newer ones" in page
    elif on_full == "stop":
        assert losses["events_dropped"] > 0 and losses["events_overwritten"] == 0
        assert "dropped; the tables here are complete" in page
    else:
        assert losses["events_overwritten"] == losses["events_dropped"] == 0
    size = sum(file.stat().st_size for file in (recording.path / "ranks").glob("*.rank"))
    assert on_full == "grow" or size < 16 << 20


def test_options_by_environment(many, work):
    mpi, program = many
    env = {"MPISCOPE_BUFFER": "1M", "MPISCOPE_ON_FULL": "stop", "MPISCOPE_PROBES": "mpi_pt2pt"}
    recording = mpi.record(1, program, 10, cwd=work, env=env).ok()
    options = json.loads((recording.path / "run.json").read_text())["options"]
    assert (options["buffer_bytes"], options["on_full"]) == (1 << 20, "stop")
    assert set(recording.counts()) == {"MPI_Sendrecv"}


# ---- what is recorded ------------------------------------------------------------

HALO = ["--nx", "40", "--ny", "30", "--iters", "10", "--every", "5"]


def test_probes_leave_the_rest_out_and_say_so(mpi, work):
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work, options=["--probes", "mpi_coll"]).ok()
    assert recording.counts() == {"MPI_Allreduce": 2 * 4, "MPI_Barrier": 2}
    assert recording.json()["losses"]["calls_filtered"] > 0
    assert "paused or filtered: not in any table" in recording.page()


def test_probes_can_be_taken_away(mpi, work):
    options = ["--probes=-mpi_coll,-MPI_Waitall"]
    counts = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work, options=options).ok().counts()
    assert counts["MPI_Isend"] == 2 * 4 * 10
    assert not {"MPI_Allreduce", "MPI_Barrier", "MPI_Waitall"} & set(counts)


def test_only_some_ranks(mpi, work):
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work, options=["--ranks", "1"]).ok()
    assert recording.counts()["MPI_Isend"] == 4 * 10
    assert recording.json()["losses"]["ranks_not_wanted"] == 1
    assert "not recorded (--ranks)" in recording.page()


def test_trace_off_keeps_the_summary(mpi, work):
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work, options=["--trace", "off"]).ok()
    rows = recording.rows()
    assert rows["MPI_Isend"].count == 2 * 4 * 10
    assert rows["MPI_Isend"].sent == 2 * 10 * 40 * 8
    assert recording.json()["losses"]["ranks_without_trace"] == 2


@pytest.mark.parametrize("depth", [1, 8, 64])
def test_stacks_do_not_change_counts(mpi, work, depth):
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work, options=["--stack", depth]).ok()
    assert recording.counts()["MPI_Isend"] == 2 * 4 * 10


@pytest.mark.parametrize(
    "options, barriers", [(["--start", "paused"], 20), ([], 10 + 20)], ids=["paused", "running"]
)
def test_the_program_switches_by_mpi_pcontrol(mpi, work, options, barriers):
    program = mpi.compile("pcontrol.c", work / "pcontrol")
    recording = mpi.record(2, program, cwd=work, options=options).ok()
    assert recording.counts()["MPI_Barrier"] == 2 * barriers
    assert recording.json()["losses"]["calls_filtered"] >= 2 * (70 - barriers)
    assert "while recording was paused" in recording.page()


# ---- where it goes -----------------------------------------------------------------


def test_a_run_is_never_overwritten_unless_told_to(mpi, work):
    program = mpi.example("halo2d")
    first = mpi.record(2, program, "--iters", "3", cwd=work).ok()
    kept = first.counts()
    refused(mpi.record(2, program, "--iters", "9", cwd=work).done, "exists", "--force")
    assert first.counts() == kept
    again = mpi.record(2, program, "--iters", "9", cwd=work, options=["--force"]).ok()
    assert again.counts()["MPI_Isend"] == 2 * 4 * 9


def test_force_does_not_remove_what_is_no_run(mpi, work):
    other = work / "recorded.mpiscope"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work")
    done = mpi.record(2, mpi.example("halo2d"), cwd=work, options=["--force"]).done
    refused(done)
    assert (other / "thesis.tex").read_text() == "years of work"


@pytest.mark.parametrize("where", ["missing/run", "file/run", "/proc/run"])
def test_output_that_cannot_be_made(mpi, work, where):
    (work / "file").write_text("")
    done = run([MPISCOPE, "run", "-n", "2", "-o", where, mpi.example("halo2d")], cwd=work)
    refused(done)
    assert "halo2d residual" not in done.out


def test_the_default_name(mpi, work):
    run([MPISCOPE, "run", "-n", "1", mpi.example("halo2d"), "--iters", "1"], cwd=work, env=mpi.env).ok()
    assert [path.name for path in work.iterdir()] == ["halo2d.mpiscope"]


@pytest.fixture
def tiny_tmpfs(work):
    """Yields a function that mounts a file system of so many KiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    mounted = []

    def mount(kib):
        place = work / "tiny"
        place.mkdir()
        done = run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", place])
        if done.code != 0:
            pytest.skip("mounting is not allowed here")
        mounted.append(place)
        return place

    yield mount
    for place in mounted:
        subprocess.run(["umount", "-l", place], check=False)


@pytest.mark.parametrize("kib", [16, 400, 3000])
@pytest.mark.parametrize("spool", [False, True], ids=["output", "spool-too"])
def test_no_room_for_the_output(mpi, work, tiny_tmpfs, kib, spool):
    """The program runs to its end with its own result; mpiscope says what it lacks."""
    place = tiny_tmpfs(kib)
    command = [mpi.example("halo2d"), *HALO]
    bare = mpi.bare(2, *command, cwd=work).ok()
    path = place / "run.mpiscope"
    options = ["--spool", place / "spool"] if spool else []
    if spool:
        (place / "spool").mkdir()
    words = [MPISCOPE, "run", "-n", "2", "-o", path, *options, "--", *command]
    done = run(words, cwd=work, env=mpi.env)
    if done.code == 2:  # not even run.json fits: nothing was run
        refused(done)
        return
    assert (done.code, done.out) == (bare.code, bare.out), str(done)
    recording = Recording(path, done)
    whole = recording.report()
    reported = " ".join((done.err + whole.out + whole.err).split())
    if whole.code != 0 or recording.counts().get("MPI_Isend") != 2 * 4 * 10:
        assert "warning" in reported or "no room" in reported or "not recorded" in reported, f"{done}\n{whole}"
    # What stayed in shared memory was named. Nobody wants it here.
    for spool in recording.spools():
        if spool.exists():
            assert str(spool) in done.err, str(done)
            shutil.rmtree(spool)


@pytest.mark.parametrize("kib", [16, 64, 200])
def test_what_found_no_room_is_counted(mpi, work, tiny_tmpfs, kib):
    """Every call of a rank that has a file is in a table or in a number of losses."""
    place = tiny_tmpfs(kib)
    (place / "spool").mkdir()
    path = place / "run.mpiscope"
    options = ["-n", "2", "-o", path, "--spool", place / "spool", "--"]
    run([MPISCOPE, "run", *options, mpi.example("halo2d"), *HALO], cwd=work, env=mpi.env).ok()
    done = run([MPISCOPE, "report", path, "--json"])
    summary = json.loads(done.out)
    (work / "whole").mkdir()
    whole = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work / "whole").ok()
    made = {rank: sum(whole.counts(ranks=rank).values()) for rank in (0, 1)}
    missing = {rank for first, last in summary["overview"]["missing"] for rank in range(first, last + 1)}
    there = sum(calls for rank, calls in made.items() if rank not in missing)
    seen = sum(call["calls"] for call in summary["calls"]) + summary["losses"]["calls_without_thread"]
    # Room that ends inside a call can make it count as lost twice; a file without room for its rank's number
    # is counted, though its rank is missing.
    most = sum(made.values()) if missing else there
    assert there <= seen <= most + 1 or summary["losses"]["ranks_switched_off"], f"{made} {done}"
    assert done.code == 1 or seen >= sum(made.values())


# ---- what cannot be run -----------------------------------------------------------------


@pytest.mark.parametrize("ranks", ["0", "-3", "two", "1e3", ""])
def test_numbers_of_ranks_that_are_none(mpi, work, ranks):
    done = run([MPISCOPE, "run", "-n", ranks, mpi.example("halo2d")], cwd=work)
    refused(done, "the number of ranks is invalid", "-n 4")
    assert not any(work.iterdir())


@pytest.mark.parametrize(
    "option, sayings",
    [
        (["--probes", "mpi_col"], ["mpi_col", "mpi_coll"]),
        (["--probes", "MPI_Sendd"], ["MPI_Sendd", "MPI_Send"]),
        (["--probes", ""], []),
        (["--ranks", "3-1"], ["3-1"]),
        (["--buffer", "16X"], ["16X", "16M"]),
        (["--buffer", "1K"], ["1M"]),
        (["--on-full", "burst"], ["wrap", "grow", "stop"]),
        (["--stack", "65"], ["64"]),
        (["--trace", "maybe"], ["on", "off"]),
        (["--start", "later"], ["running", "paused"]),
        (["--no-such-option"], ["--no-such-option"]),
    ],
    ids=lambda value: "-".join(value).strip("-") if isinstance(value, list) and value and value[0].startswith("--") else "",
)
def test_options_that_make_no_sense(mpi, work, option, sayings):
    done = run([MPISCOPE, "run", "-n", "2", *option, mpi.example("halo2d")], cwd=work)
    assert done.code == 2 and done.out == "", str(done)
    for saying in sayings:
        assert saying in done.err, str(done)
    assert not any(work.iterdir())


def test_a_program_without_mpi(mpi, work):
    program = work / "plain"
    run(["cc", HERE / "programs" / "plain.c", "-o", program]).ok()
    refused(run([MPISCOPE, "run", "-n", "2", program], cwd=work), "MPI")
    refused(run([MPISCOPE, "run", "-n", "2", "/bin/ls"], cwd=work), "MPI")
    refused(run([MPISCOPE, "run", "-n", "2", "./absent"], cwd=work), "absent")


def test_a_program_without_mpi_under_a_launcher_is_run_and_said(mpi, work):
    recording = mpi.record_under_launcher(2, "/bin/echo", "hello", cwd=work)
    assert recording.done.code == 0, str(recording.done)
    assert recording.done.lines == ["hello", "hello"]
    done = recording.report()
    assert done.code == 2 and "MPI" in done.err, str(done)


def test_a_static_program(mpi, work):
    program = work / "static"
    run(["cc", "-static", HERE / "programs" / "plain.c", "-o", program]).ok()
    refused(run([MPISCOPE, "run", "-n", "2", program], cwd=work), "static")


def test_launcher_and_tool_in_the_wrong_order(mpi, work):
    done = run([MPISCOPE, "run", *mpi.launcher, "-n", "2", mpi.example("halo2d")], cwd=work)
    refused(done, "mpiscope exec")
    inside = mpi.bare(2, MPISCOPE, "run", "-n", "2", mpi.example("halo2d"), cwd=work)
    assert inside.code == 2 and "mpiscope exec" in inside.err, str(inside)


# ---- programs that take LD_PRELOAD into their own hands ------------------------------------


@pytest.mark.parametrize("how", ["unset", "replace"])
@pytest.mark.parametrize("under", ["run", "exec"])
def test_a_program_that_drops_the_preload(mpi, work, how, under):
    program = mpi.compile("reexec.c", work / "reexec")
    bare = mpi.bare(2, program, how, cwd=work)
    record = mpi.record if under == "run" else mpi.record_under_launcher
    recording = record(2, program, how, cwd=work)
    assert (recording.done.code, recording.done.out) == (bare.code, "reexec OK\n"), str(recording.done)
    done = recording.report()
    assert done.code == 2, str(done)
    reported = recording.done.err + done.err
    assert "LD_PRELOAD" in reported or "mpiscope doctor" in reported, f"{recording.done}\n{done}"


def test_a_program_that_comes_with_a_preload_of_its_own(mpi, work):
    env = {"LD_PRELOAD": "libm.so.6"}
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work, env=env).ok()
    assert recording.counts()["MPI_Isend"] == 2 * 4 * 10
