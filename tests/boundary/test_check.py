"""mpiscope check: what it finds in wrong programs, and that it finds nothing in right ones."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time

import pytest

from harness import MPISCOPE, environment, run

WRONG_TAG = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, -5, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

STUCK = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

GIVES_UP = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        GIVE_UP;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

PUTS = """
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, *cells, value, seen = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window);
    memset(cells, 0, 4 * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    value = rank;
    if (rank > 0) {
        MPI_Win_lock_all(0, window);
        LOOK;
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock_all(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return seen < 0;
}
"""

RIGHT = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, sum = 0, got = -1;
    MPI_Request requests[2];
    MPI_Datatype pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    int two[2] = {rank, size};
    MPI_Bcast(two, 1, pair, 0, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\\n", sum);
    MPI_Finalize();
    return 0;
}
"""


def check(mpi, work, source, *options, ranks=2):
    (work / "program.c").write_text(source)
    mpi.compile(work / "program.c", work / "program")
    return run([MPISCOPE, "check", "-n", str(ranks), "--force", *options, "./program"], cwd=work, env=mpi.env)


def findings(work):
    return json.loads((work / "program.mpiscope/check/findings.json").read_text())["findings"]


def test_a_wrong_argument_is_told_with_its_line(mpi, work):
    done = check(mpi, work, WRONG_TAG)
    assert done.code == 10, done.err
    assert "argument.tag" in done.err and "program.c:10" in done.err
    found = findings(work)
    tag = next(f for f in found if f["id"] == "argument.tag")
    assert tag["confidence"] == "certain" and tag["parties"][0]["argument_name"] == "tag"
    assert (tag["parties"][0]["rank"], tag["parties"][0]["line"]) == (0, 10)


def test_sources_are_named_as_seen_from_here(openmpi, work):
    """The compiler was given whole paths. People see what they would type, programs the whole."""
    done = check(openmpi, work, WRONG_TAG)
    assert "at program.c:10 in main" in done.err and f"{work}/program.c" not in done.err, done.err
    call = next(f for f in findings(work) if f["id"] == "argument.tag")["parties"][0]
    assert call["file"] == call["stack"][0]["file"] == f"{work}/program.c"
    report = [MPISCOPE, "report", "--full"]
    page = run([*report, "program.mpiscope"], cwd=work).out
    assert "at program.c:10 in main" in page and "main program.c:10 (program)" in page and f"{work}/program.c" not in page, page
    (work / "elsewhere").mkdir()
    page = run([*report, "../program.mpiscope"], cwd=work / "elsewhere").out
    # A path that is longer than a line has an ellipsis in it.
    found = re.search(r"main (/\S+)/program\.c:10 \(program\)", " ".join(page.split()))
    assert found and str(work).startswith(found[1].split("…")[0]), page


def test_a_deadlock_ends_the_program(mpi, work):
    done = check(mpi, work, STUCK)
    assert done.code == 10, done.err
    stuck = next(f for f in findings(work) if f["id"] == "deadlock.cycle")
    assert {party["rank"] for party in stuck["parties"]} == {0, 1}


LOOK = "MPI_Get(&seen, 1, MPI_INT, 0, 2, 1, MPI_INT, window); MPI_Win_flush(0, window)"


@pytest.mark.parametrize(("look", "confidence", "code"), [("", "certain", 10), (LOOK, "possible", 0)])
def test_puts_under_shared_locks_are_certainly_in_conflict_if_nobody_looks(mpi, work, look, confidence, code):
    done = check(mpi, work, PUTS.replace("LOOK", look), ranks=3)
    assert done.code == code, done.err
    [conflict] = findings(work)
    assert (conflict["id"], conflict["confidence"]) == ("rma.conflict", confidence)
    assert [(p["rank"], p["line"]) for p in sorted(conflict["parties"], key=lambda p: p["rank"])] == [(1, 17), (2, 17)]


@pytest.mark.parametrize("call", ["MPI_Add_error_string(3, \"x\")", "MPI_Comm_set_attr(MPI_COMM_WORLD, 12345, NULL)"])
def test_a_call_in_which_the_mpi_gives_up_is_reported(mpi, work, call):
    done = check(mpi, work, GIVES_UP.replace("GIVE_UP", call))
    assert done.code not in (0, 10), done.err
    [died] = findings(work)
    assert (died["id"], died["confidence"]) == ("life.died", "possible")
    [party] = died["parties"]
    assert (party["rank"], party["function"], party["line"]) == (1, call.split("(")[0], 10)
    assert "no problems found" not in done.err and ": 1 possible finding\n" in done.err
    # Both launchers lose the message at times.
    printed = "*** MPI_ERR_" in done.err or "Fatal error in" in done.err
    assert ("(the MPI library printed “" in died["text"]) == printed, (died["text"], done.err)


def test_a_program_that_aborts_is_not_called_right(mpi, work):
    done = check(mpi, work, GIVES_UP.replace("GIVE_UP", "MPI_Abort(MPI_COMM_WORLD, 12)"))
    assert done.code == 12 and findings(work) == [], done.err
    assert "no problems found, but the program ended with exit code 12" in done.err
    report = run([MPISCOPE, "report", "program.mpiscope"], cwd=work, env=mpi.env)
    assert "no problems found; see HOW IT ENDED" in report.out


def test_a_right_program_is_right(mpi, work):
    done = check(mpi, work, RIGHT)
    assert (done.code, done.out) == (0, "sum 1\n"), done.err
    assert findings(work) == []


@pytest.mark.parametrize("line, code", [("argument.tag MPI_Send program.c:*\n", 0), ("argument.tag MPI_Recv\n", 10)])
def test_known_findings_are_passed_over(openmpi, work, line, code):
    (work / "known").write_text(line)
    done = check(openmpi, work, WRONG_TAG, "--suppress", "known", "--only", "arguments")
    assert done.code == code, done.err


def test_a_wrong_list_is_told_before_anything_runs(openmpi, work):
    done = check(openmpi, work, RIGHT, "--only", "argumnts")
    assert done.code == 2 and "classes are arguments" in done.err and "sum" not in done.out


def test_the_report_has_what_was_found(mpi, work):
    check(mpi, work, WRONG_TAG)
    report = run([MPISCOPE, "report", "program.mpiscope"], cwd=work, env=mpi.env)
    assert report.code == 0 and "CHECKED" in report.out, report.err
    assert max(map(len, report.out.splitlines())) <= 80
    whole = json.loads(run([MPISCOPE, "report", "--json", "program.mpiscope"], cwd=work, env=mpi.env).out)
    tag = next(f for f in whole["checks"]["findings"] if f["id"] == "argument.tag")
    moment = tag["parties"][0]["at_ns"]
    assert whole["checks"]["processes"] == 2 and 0 < moment <= whole["explanation"]["scope"]["end_ns"]


def test_json_on_stdout_is_what_the_run_keeps(openmpi, work):
    done = check(openmpi, work, WRONG_TAG, "--json")
    assert done.out == (work / "program.mpiscope/check/findings.json").read_text()


def test_what_was_found_is_there_when_the_checker_is_killed(openmpi, work):
    (work / "program.c").write_text(WRONG_TAG.replace("MPI_Finalize();", "for (int i = 0; i < 300; i++) { MPI_Barrier(MPI_COMM_WORLD); usleep(20000); } MPI_Finalize();").replace("#include <mpi.h>", "#include <mpi.h>\n#include <unistd.h>"))
    openmpi.compile(work / "program.c", work / "program")
    command = [MPISCOPE, "check", "-n", "2", "--force", "./program"]
    kept = work / "program.mpiscope/check/findings.json"
    with subprocess.Popen(command, cwd=work, env=environment(**openmpi.env), stderr=subprocess.DEVNULL, start_new_session=True) as checker:
        try:
            end = time.monotonic() + 60
            is_told = lambda: kept.exists() and any(f["id"] == "argument.tag" for f in findings(work))
            while not is_told() and time.monotonic() < end:
                time.sleep(0.05)
            checker.kill()
            assert is_told()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(checker.pid, signal.SIGKILL)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 99}', '{"format": 1}'])
def test_a_file_of_findings_that_is_none(openmpi, work, text):
    check(openmpi, work, RIGHT)
    (work / "program.mpiscope/check/findings.json").write_text(text)
    report = run([MPISCOPE, "report", "program.mpiscope"], cwd=work, env=openmpi.env)
    assert report.code == 1 and "check/findings.json" in report.out and "CHECKED" not in report.out
