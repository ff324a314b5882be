"""A launcher that does not end although its ranks have is ended; one that still does something is not.

Every job waits longer than the thirty seconds after which a launcher is ended. They all run at the same time, and use no core."""

import os
import signal
import stat
import subprocess
import time

import pytest

from harness import LIMIT_S, MPISCOPE, Done, environment

# The jobs are begun once.
pytestmark = pytest.mark.xdist_group("hanging")

# Its rank 1 gives up.
PROGRAM = """
#include <stdlib.h>
#include <string.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    int is_there;
    MPI_Initialized(&is_there);
    return strcmp(getenv("OMPI_COMM_WORLD_RANK"), "1") == 0 ? 7 : 0;
}
"""
# Whatever it is called, and whatever it says of itself.
SCRIPT = """#!/usr/bin/env python3
import os, subprocess, sys, threading, time
if '--version' not in sys.argv:
    subprocess.run([sys.argv[-1]], env=dict(os.environ, OMPI_COMM_WORLD_RANK='0'))
    threading.Timer(38, lambda: os.kill(os.getpid(), 9)).start()
    threading.Event().wait()
print('mpirun (Open MPI) 4.1.4')
"""


class Job:
    """`mpiscope` in a folder of its own, with a launcher that hangs in this way."""

    def __init__(self, folder, verb, launcher, program, how):
        folder.mkdir()
        words = [MPISCOPE, verb, "-n", "2", "--launcher", launcher, program]
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [str(word) for word in words],
            cwd=folder,
            env=environment(HANGING=how),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def end(self, unread_s=0):
        """The end of the job, whose output nobody reads for so long."""
        time.sleep(max(0, self.begun + unread_s - time.monotonic()))
        out, err = self.process.communicate(timeout=LIMIT_S)
        return Done(self.process.args, self.process.returncode, out.decode(), err.decode(errors="replace"))

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()


@pytest.fixture(scope="module")
def jobs(openmpi, tmp_path_factory):
    """All of them, by name."""
    work = tmp_path_factory.mktemp("hanging")
    (work / "program.c").write_text(PROGRAM)
    program = openmpi.compile(work / "program.c", work / "program")
    for folder in ("bin", "script"):
        (work / folder).mkdir()
    # Under the name of the real one.
    launcher = openmpi.compile("hanging.c", work / "bin" / "mpirun", "-pthread")
    script = work / "script" / "mpirun"
    script.write_text(SCRIPT)
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    begun = {}
    try:
        for verb in ("run", "check"):
            begun[verb] = Job(work / verb, verb, launcher, program, "hangs")
        for how in ("second", "child", "events", "writes"):
            begun[how] = Job(work / how, "run", launcher, program, how)
        begun["script"] = Job(work / "scripted", "run", script, program, "hangs")
        yield begun
    finally:
        for job in begun.values():
            job.kill()


@pytest.mark.parametrize("verb", ["run", "check"])
def test_one_that_hangs_is_ended(jobs, verb):
    done = jobs[verb].end()
    assert done.code == 7, str(done)
    assert "ending the launcher" in done.err and "2 ranks recorded" in done.err, str(done)


@pytest.mark.parametrize("how", ["second", "child", "events"])
def test_one_that_goes_on_is_not(jobs, how):
    done = jobs[how].end()
    assert (done.code, done.out) == (7, "second program\n"), str(done)
    assert "ending the launcher" not in done.err


def test_one_whose_output_nobody_reads_is_not(jobs):
    done = jobs["writes"].end(unread_s=40)
    assert done.code == 7 and len(done.out) == 64 * 4096 + len("second program\n"), done.err
    assert "ending the launcher" not in done.err


def test_a_script_is_not(jobs):
    done = jobs["script"].end()
    assert done.code == 128 + 9 and "ending the launcher" not in done.err, str(done)
