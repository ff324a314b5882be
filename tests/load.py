"""Processes that compute beside something that is tried on a busy machine."""

import subprocess
import sys
from contextlib import contextmanager


@contextmanager
def load(processes):
    """So many of them, until the end of the block."""
    burners = [
        # In a session of their own ^C does not reach them before they are ended here.
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(processes)
    ]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
