"""Call sites of mpi4py programs: file, line and function of Python."""

import re
import zipfile

import pytest
from harness import HERE, MPISCOPE, Recording, run
from test_wheels import python, wheel  # noqa: F401 (a fixture)

PROGRAM = HERE / "programs" / "sites.py"


def places(recording, call):
    """(function, file's name, line): calls."""
    found = {}
    for site in recording.json()["sites"]:
        if site["call"] == call:
            frame = site["frames"][0]
            key = (frame["function"], (frame["file"] or "").split("/")[-1], frame["line"])
            found[key] = found.get(key, 0) + site["calls"]
    return found


def expected(text, ranks, release):
    """From the comments of the program."""
    wanted = {}
    for number, line in enumerate(text.splitlines(), 1):
        if mark := re.search(r"# (\S+) (\d+)$", line):
            wanted[(mark[1], PROGRAM.name, number)] = int(mark[2]) * ranks
    for line in text.split('"""')[-2].split("\n"):
        if line:
            function, file, number, calls = line.replace("<made ", "<made~").split()
            wanted[(function, file.replace("~", " "), int(number))] = int(calls) * ranks
    # Before 3.11 code knew its name only; since 3.12 a comprehension is no function.
    for (function, file, line), calls in list(wanted.items()):
        del wanted[(function, file, line)]
        if release < (3, 11):
            function = function.split(".")[-1]
        if function == "comprehension":
            function = "<module>" if release >= (3, 12) else "<listcomp>"
        wanted[(function, file, line)] = calls
    return wanted


def release(wheel):  # noqa: F811
    words = python(wheel), "-c", "import sys; print(*sys.version_info[:2])"
    return tuple(map(int, wheel.bare(1, *words).ok().out.split()))


@pytest.mark.heavy
def test_every_way_to_call(wheel, work):  # noqa: F811
    with zipfile.ZipFile(work / "modules.zip", "w") as archive:
        archive.writestr("zipped.py", "def call(w):\n    'inside an archive'\n    w.Barrier()\n")
    words = [python(wheel), PROGRAM, work / "modules.zip"]
    bare = wheel.bare(2, *words, cwd=work).ok()
    recording = wheel.record(2, *words, cwd=work, options=["--python-sites=on"]).ok()
    assert (recording.done.out, "python-sites" in recording.done.err) == (bare.out, False), recording.done
    found = places(recording, "MPI_Barrier")
    wanted = expected(PROGRAM.read_text(), 2, release(wheel))
    wrong = {place: (calls, found.get(place)) for place, calls in wanted.items() if found.get(place) != calls}
    assert not wrong, f"{wrong}\n{found}"
    assert sum(found.values()) == recording.counts()["MPI_Barrier"]
    # One more of each of the twenty made pieces, and nothing that is not Python.
    assert sum(1 for function, file, _ in found if file.startswith("<made")) == 20
    assert not [place for place in found if "mpi4py" in place[0]], found


@pytest.mark.heavy
def test_a_line_typed_on_the_command_line_and_the_stack(wheel, work):  # noqa: F811
    script = "from mpi4py import MPI\ndef f():\n  MPI.COMM_WORLD.Barrier()\ndef g():\n  f()\ng()"
    recording = wheel.record(2, python(wheel), "-c", script, cwd=work, options=["--stack=3"]).ok()
    frames = [site["frames"] for site in recording.json()["sites"] if site["call"] == "MPI_Barrier"]
    assert [[(f["function"], f["file"], f["line"]) for f in site] for site in frames] == [
        [("f", "<string>", 3), ("g", "<string>", 5), ("<module>", "<string>", 6)]
    ]


@pytest.mark.heavy
def test_switched_off(wheel, work):  # noqa: F811
    script = "from mpi4py import MPI; MPI.COMM_WORLD.Barrier()"
    recording = wheel.record(1, python(wheel), "-c", script, cwd=work, options=["--python-sites=off"]).ok()
    assert all("mpi4py" in function for function, _, _ in places(recording, "MPI_Barrier"))


@pytest.mark.heavy
def test_where_a_rank_hangs(wheel, work):  # noqa: F811
    """The line of Python of a call that never returns, and the process killed there."""
    script = work / "hang.py"
    script.write_text(
        "import os, signal, threading\nfrom mpi4py import MPI\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
        "def wait():\n    MPI.COMM_SELF.Recv(bytearray(4), source=0, tag=3)\nwait()\n"
    )
    recording = wheel.record(1, python(wheel), script, cwd=work)
    rank = recording.settled().json()["ranks"][0]
    assert "wait hang.py:5" in rank["in_flight"][0]["site"], rank["in_flight"]


@pytest.mark.heavy
@pytest.mark.parametrize("round", range(3))
def test_the_interpreter_ends_while_a_daemon_thread_calls(wheel, work, round):  # noqa: F811
    # Without MPI_Finalize, which must not come while others call; so without a launcher, which would miss it.
    script = (
        "import threading, time, mpi4py; mpi4py.rc.finalize = False; from mpi4py import MPI\n"
        "def poll(n):\n"
        "  while True: MPI.COMM_SELF.Iprobe(); calls[n] += 1\n"
        "calls = [0] * 3\n"
        "[threading.Thread(target=poll, args=(n,), daemon=True).start() for n in range(3)]\n"
        "while min(calls) < 10: time.sleep(0.01)\n"
        f"time.sleep(0.{round + 1}); print('end')"
    )
    words = [MPISCOPE, "exec", "-o", work / "alone.mpiscope", "--python-sites=on", "--", python(wheel), "-c", script]
    recording = Recording(work / "alone.mpiscope", run(words, cwd=work, env=wheel.env)).ok()
    assert recording.done.out == "end\n"
    assert ("poll", "<string>", 3) in places(recording, "MPI_Iprobe")
