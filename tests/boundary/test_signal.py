"""`--signal`: one signal pauses the recording of an exec's processes, the next makes it go on."""

import json
import os
import signal
import subprocess
import time

from harness import LIMIT_S, MPISCOPE, Recording, environment, run, until


def start(mpi, work, *words, options=()):
    """A single process under `exec`, without a launcher."""
    program = mpi.compile("usr2.c", work / "usr2")
    command = [MPISCOPE, "exec", "-o", work / "r.mpiscope", *options, "--", program, *words]
    process = subprocess.Popen(
        [str(word) for word in command], cwd=work, env=environment(**mpi.env), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )
    until(lambda: state(work) == "recorded" and calls(work) > 10, "a process at work")
    return process


def status(work):
    done = run([MPISCOPE, "ctl", work / "r.mpiscope", "status", "--json"])
    ranks = json.loads(done.out)["ranks"] if done.code == 0 else []
    return ranks[0] if ranks else {}


def state(work):
    return status(work).get("state")


def calls(work):
    return status(work).get("calls", 0)


def end(process, work):
    (work / "end").touch()
    out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, err
    return out.decode()


def test_it_pauses_and_goes_on_and_the_program_lives(openmpi, work):
    process = start(openmpi, work, options=["--signal", "USR2"])
    # To exec alone, and to the whole group as some launchers do: without the option this would end the program.
    for send in (lambda: process.send_signal(signal.SIGUSR2), lambda: os.killpg(process.pid, signal.SIGUSR2)):
        before = state(work)
        time.sleep(0.5)  # two within 0.3 s are one
        send()
        until(lambda: state(work) not in (before, None), "the other state")
    assert state(work) == "recorded"
    assert end(process, work) == "seen 0\n"
    assert Recording(work / "r.mpiscope", None).json()["losses"]["calls_filtered"] > 0


def test_twice_in_a_row_is_once(openmpi, work):
    process = start(openmpi, work, options=["--signal=USR2"])
    os.killpg(process.pid, signal.SIGUSR2)
    process.send_signal(signal.SIGUSR2)
    until(lambda: state(work) == "paused", "a pause")
    assert end(process, work) == "seen 0\n"


def test_without_the_option_it_is_the_program_s(openmpi, work):
    process = start(openmpi, work, "handle")
    for n in range(3):
        process.send_signal(signal.SIGUSR2)
        # A signal that is pending already is not counted again.
        until(lambda: str(process.pid) and state(work) == "recorded", "it")
    assert 1 <= int(end(process, work).split()[1]) <= 3
    assert Recording(work / "r.mpiscope", None).json()["losses"]["calls_filtered"] == 0


def test_a_wrong_signal_is_refused(openmpi, work):
    done = run([MPISCOPE, "exec", "--signal", "KILL", "--", "true"], cwd=work)
    assert done.code == 2 and "KILL" in done.err and "USR2" in done.err, str(done)
