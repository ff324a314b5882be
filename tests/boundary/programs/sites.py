"""Every way in which Python calls MPI. A line with `# FUNCTION N` at its end makes N calls of MPI_Barrier in that
function; `ELSEWHERE` lists what is not in `sites.py`. `python sites.py ZIP` imports a module from there."""

import functools
import sys
import threading
import types

from mpi4py import MPI

SELF = MPI.COMM_SELF


class Solver:
    def step(self):
        SELF.Barrier()  # Solver.step 2

    @staticmethod
    def fixed():
        SELF.Barrier()  # Solver.fixed 1

    def __del__(self):
        SELF.Barrier()  # Solver.__del__ 1


def generated():
    for _ in range(3):
        SELF.Barrier()  # generated 3
        yield


def outer():
    def inner():
        SELF.Barrier()  # outer.<locals>.inner 1

    inner()
    SELF.Barrier(); SELF.Barrier()  # outer 2


def deep(n):
    if n == 0:
        SELF.Barrier()  # deep 1
    else:
        deep(n - 1)


def in_thread():
    for _ in range(500):
        SELF.Barrier()  # in_thread 1500


def reduction(a, b, dt):
    SELF.Barrier()  # reduction 1


async def coroutine():
    SELF.Barrier()  # coroutine 1


solver = Solver()
solver.step()
solver.step()
Solver.fixed()
del solver
list(generated())
outer()
deep(200)
short = lambda: SELF.Barrier()  # <lambda> 2
short()
short()
functools.partial(SELF.Barrier)()  # <module> 1
[SELF.Barrier() for _ in range(2)]  # comprehension 2
try:
    coroutine().send(None)
except StopIteration:
    pass
threads = [threading.Thread(target=in_thread) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# A callback: MPI calls Python, which calls MPI.
operation = MPI.Op.Create(reduction)
MPI.COMM_WORLD.Allreduce(bytearray(4), bytearray(4), op=operation) if MPI.COMM_WORLD.Get_size() == 2 else None
operation.Free()
# Code that is made, and its memory used again: another file, another line each time.
for i in range(20):
    exec(compile("\n" * i + "SELF.Barrier()", f"<made {i}>", "exec"))
module = types.ModuleType("naïve")
exec(compile("def grüße(w):\n    w.Barrier()\n", "größe_日本.py", "exec"), module.__dict__)
getattr(module, "grüße")(SELF)
if len(sys.argv) > 1:
    sys.path.insert(0, sys.argv[1])
    import zipped

    zipped.call(SELF)

ELSEWHERE = """
<module> <made 0> 1 1
<module> <made 7> 8 1
<module> <made 19> 20 1
grüße größe_日本.py 2 1
call zipped.py 3 1
"""
