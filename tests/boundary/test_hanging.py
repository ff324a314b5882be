"""A launcher that does not end although its ranks have is ended; one that still does something is not.

Every test waits longer than the thirty seconds after which a launcher is ended."""

import os
import stat
import subprocess
import time

import pytest

from harness import LIMIT_S, MPISCOPE, environment, run


@pytest.fixture
def launcher(openmpi, work):
    """The launcher that hangs, under the name of the real one."""
    (work / "bin").mkdir()
    return openmpi.compile("hanging.c", work / "bin" / "mpirun", "-pthread")


@pytest.fixture
def program(openmpi, work):
    """Its rank 1 gives up."""
    (work / "program.c").write_text(
        """
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
    )
    return openmpi.compile(work / "program.c", work / "program")


def words(verb, launcher, program):
    return [MPISCOPE, verb, "-n", "2", "--force", "--launcher", launcher, program]


@pytest.mark.parametrize("verb", ["run", "check"])
def test_one_that_hangs_is_ended(launcher, program, work, verb):
    done = run(words(verb, launcher, program), cwd=work, env={"HANGING": "hangs"})
    assert done.code == 7, str(done)
    assert "ending the launcher" in done.err and "2 ranks recorded" in done.err, str(done)


@pytest.mark.parametrize("how", ["second", "child", "events"])
def test_one_that_goes_on_is_not(launcher, program, work, how):
    done = run(words("run", launcher, program), cwd=work, env={"HANGING": how})
    assert (done.code, done.out) == (7, "second program\n"), str(done)
    assert "ending the launcher" not in done.err


def test_one_whose_output_nobody_reads_is_not(launcher, program, work):
    env = environment(HANGING="writes")
    command = [str(word) for word in words("run", launcher, program)]
    with subprocess.Popen(command, cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(40)
        out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 7 and len(out) == 64 * 4096 + len("second program\n"), err
    assert b"ending the launcher" not in err


def test_a_script_is_not(launcher, program, work):
    """Whatever it is called, and whatever it says of itself."""
    script = work / "mpirun"
    script.write_text(
        "#!/usr/bin/env python3\n"
        "import os, subprocess, sys, threading, time\n"
        "if '--version' not in sys.argv:\n"
        f"    subprocess.run([{os.fspath(program)!r}], env=dict(os.environ, OMPI_COMM_WORLD_RANK='0'))\n"
        "    threading.Timer(38, lambda: os.kill(os.getpid(), 9)).start()\n"
        "    threading.Event().wait()\n"
        "print('mpirun (Open MPI) 4.1.4')\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    done = run(words("run", script, program), cwd=work, env={"HANGING": "hangs"})
    assert done.code == 128 + 9 and "ending the launcher" not in done.err, str(done)
