"""Commands that may hang, and whatever they leave behind."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "boundary"))

from harness import environment  # noqa: E402

# By this variable every process of a run is known, in whichever session its launcher put it.
PLACE = "CHECKED_OUT"


@dataclass(frozen=True)
class Ended:
    """A command that has ended, by itself or not."""

    code: int
    out: str
    err: str
    seconds: float
    # CLOCK_MONOTONIC when it was over.
    end_ns: int
    # It had to be killed.
    hung: bool
    # Processes that were still there when the command itself had ended.
    left: int
    # CLOCK_MONOTONIC when stderr first had what was watched for.
    seen_ns: int = None


def members(place):
    """Processes that were started with $CHECKED_OUT=place."""
    wanted = f"{PLACE}={place}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def end_all(place, grace_s=2.0):
    """Ends what is left of a run; says how many there were after a short while."""
    deadline = time.monotonic() + grace_s
    while (left := members(place)) and time.monotonic() < deadline:
        time.sleep(0.02)
    count = len(left)
    while left:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.02)
        # A zombie has no environment any more.
        left = members(place)
    return count


def waited(process, limit_s, path, watch):
    """Waits for a process; says whether it ended in time, and when its stderr had what is watched for."""
    deadline = time.monotonic() + limit_s
    seen_ns = None
    while process.poll() is None:
        if time.monotonic() >= deadline:
            return False, seen_ns
        if watch and not seen_ns and watch.search(path.read_bytes()):
            seen_ns = time.monotonic_ns()
        time.sleep(0.02)
    return True, seen_ns


def limited(command, place, limit_s, env=None, watch=None):
    """Runs a command in a directory of its own and takes everything it started with it."""
    # Into files: whoever inherits a pipe would keep this waiting.
    with open(place / "out", "wb+") as out, open(place / "err", "wb+") as err:
        began = time.monotonic()
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=place,
            env=environment(**{**(env or {}), PLACE: str(place), "TMPDIR": str(place)}),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        ended, seen_ns = waited(process, limit_s, place / "err", watch)
        if not ended:
            # The launcher ends its ranks, and cleans up after itself.
            process.terminate()
            try:
                process.wait(3)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        end_ns = time.monotonic_ns()
        seconds = time.monotonic() - began
        left = end_all(place)
        for file in (out, err):
            file.seek(0)
        texts = [file.read().decode(errors="replace") for file in (out, err)]
    return Ended(process.returncode, *texts, seconds, end_ns, not ended, left, seen_ns)
