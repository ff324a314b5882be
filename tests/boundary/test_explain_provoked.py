"""Failures are provoked under both MPIs, and `mpiscope explain` names the right entry for each.

A case is a name of programs/provoke.c, or a command line; its value is the id that the first message must have, or one id for
each MPI. `None`: this MPI does not report it.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness import MPISCOPE, MPIS, environment

# More than any case needs on a busy machine.
LIMIT_S = 60
# Open MPI 4.1 with PMIx 4 loses some messages between rank and mpirun (entry openmpi.help-lost), and Hydra, which kills
# ranks, sometimes all that they printed.
TRIES = 8

# name: (Open MPI, MPICH)
MISTAKES = {
    "rank": ("mpi.rank", "mpi.rank"),
    "rank-negative": ("mpi.rank", "mpi.rank"),
    "rank-recv": ("mpi.rank", "mpi.rank"),
    "group-rank": ("mpi.rank", "mpi.rank"),
    "win-bounds": ("mpi.rank", "mpi.rank"),
    "tag": ("mpi.tag", "mpi.tag"),
    "tag-large": (None, "mpi.tag"),
    "count": ("mpi.count", "mpi.count"),
    "type-arg": ("mpi.count", "mpi.count"),
    "buffer": ("mpi.buffer", "mpi.buffer"),
    "alias": (None, "mpi.aliased"),
    "in-place": (None, "mpi.aliased"),
    "bsend": (None, "mpi.bsend-buffer"),
    "bsend-attach": (None, "mpi.bsend-attached"),
    "comm-null": ("mpi.communicator", "mpi.communicator"),
    "comm-garbage": ("openmpi.crash", "mpi.communicator"),
    "comm-free-world": ("mpi.communicator", "mpi.permanent"),
    "type-null": ("mpi.datatype", None),
    "type-uncommitted": ("mpi.datatype", None),
    "type-free": ("mpi.datatype", "mpi.permanent"),
    "op-null": ("mpi.operation", "mpi.operation"),
    "op-type": ("mpi.operation", "mpi.operation"),
    "op-free": ("mpi.operation", "mpi.permanent"),
    "root": ("mpi.root", "mpi.root"),
    "group-null": ("mpi.group", "mpi.group"),
    "request-free": ("mpi.request", "mpi.request"),
    "request-garbage": ("openmpi.crash", "mpi.request"),
    "info-null": ("mpi.info", "mpi.info"),
    "info-key": ("mpi.info-key", "mpi.info-key"),
    "keyval": ("mpi.other", "mpi.keyval"),
    "keyval-free": ("mpi.other", "mpi.keyval"),
    "topology": ("mpi.topology", "mpi.topology"),
    "dims": ("mpi.dims", "mpi.dims"),
    "cart-dims": ("mpi.argument", "mpi.dims"),
    "errhandler": ("mpi.argument", "mpi.errhandler"),
    "win-null": ("mpi.window", "mpi.window"),
    "win-size": ("mpi.window-size", "mpi.window-size"),
    "win-disp": ("mpi.rma-range", "mpi.rma-range"),
    "win-unlock": ("mpi.rma-sync", "mpi.rma-sync"),
    "truncated": ("mpi.truncated", "mpi.truncated"),
    "truncated-wait": ("mpi.truncated", "mpi.truncated"),
    "truncated-waitall": ("mpi.truncated", "mpi.in-status"),
    "truncated-bcast": ("mpi.truncated", "mpi.truncated"),
    "unpack": ("mpi.truncated", "mpich.assertion"),
    "no-such-file": ("mpi.no-such-file", "mpi.no-such-file"),
    "file-amode": ("mpi.file-access", None),
    "before-init": ("mpi.before-init", "mpi.before-init"),
    "before-init-wait": ("mpi.before-init", "mpi.before-init"),
    "after-finalize": ("mpi.before-init", "mpi.before-init"),
    "twice-init": ("mpi.init-twice", "mpi.init-twice"),
    "spawn": ("openmpi.executable", "mpi.spawn"),
    "port": ("mpi.internal", "mpi.port"),
    "lookup": ("mpi.port", "mpi.port"),
    "shm-full": ("openmpi.shared-memory-full", None),
    "abort": ("mpi.abort", "mpi.abort"),
    "abort-self": ("mpi.abort", "mpi.abort"),
    "exit": ("openmpi.nonzero-exit", None),
    "exit-0": ("openmpi.improper-exit", None),
    "segv": ("openmpi.crash", "ucx.crash"),
    "bus": ("openmpi.crash", "ucx.crash"),
    "fpe": ("openmpi.crash", "ucx.crash"),
    "stack": ("openmpi.signal", "ucx.crash"),
    "kill": ("openmpi.signal", "hydra.termination"),
    "term": ("openmpi.signal", "hydra.termination"),
    "libc-abort": ("openmpi.crash", "hydra.termination"),
    "xcpu": ("glibc.cpu-time", "glibc.cpu-time"),
    "filesize": ("glibc.file-size", "glibc.file-size"),
    "double-free": ("glibc.double-free", "glibc.double-free"),
    "heap": ("glibc.heap", "glibc.heap"),
    "smash": ("glibc.stack-smashing", "glibc.stack-smashing"),
    "assert": ("glibc.assert", "glibc.assert"),
    "out-of-memory": ("glibc.memory", "glibc.memory"),
    "files": ("glibc.files", "glibc.files"),
    "no-space": ("glibc.disk-full", "glibc.disk-full"),
    "dlopen": ("loader.dlopen", "loader.dlopen"),
}

# Options and programs of mpirun; P is programs/provoke.c, L a program with a missing library, S one with a missing function.
LAUNCHES = {
    "openmpi": {
        "-n 2 ./nonexistent": "openmpi.executable",
        "-n 2 /etc/passwd": "openmpi.executable",
        "-n 2 /tmp": "openmpi.exec-failed",
        "--host nosuchhost.invalid -n 2 P": "program.ssh",
        "--hostfile /nonexistent/hosts -n 2 P": "openmpi.hostfile",
        "--nosuchoption -n 2 P": "openmpi.option",
        "-n two P": "openmpi.option",
        "--mca btl nosuch -n 2 P": "openmpi.component",
        "--mca pml nosuch -n 2 P": "openmpi.component",
        "--mca btl self --mca pml ob1 -n 2 P": "openmpi.unreachable",
        "--wdir /nonexistent/dir -n 2 P": "openmpi.wdir",
        "--map-by nosuch -n 2 P": "openmpi.mapping",
        "--bind-to nosuch -n 2 P": "openmpi.mapping",
        "--mca orte_tmpdir_base /proc/1 -n 2 P": "openmpi.session-directory",
        "--timeout 1 -n 2 sleep 60": "openmpi.timeout",
        "--mca plm_rsh_agent nosuch --host a.invalid -n 1 P": "openmpi.ssh-agent",
        "-x NOSUCHVARIABLE -n 2 P": "openmpi.environment",
        "--mca btl_vader_eager_limit abc -n 2 P": "openmpi.eager-limit",
        "--mca btl_vader_single_copy_mechanism nosuch -n 2 P": "openmpi.parameter-value",
        "-am nosuchfile -n 2 P": "openmpi.parameter-file",
        "--mca btl tcp,self --mca btl_tcp_if_include nosuch0 --mca pml ob1 -n 2 P": "openmpi.tcp-interface",
        "--mca oob_tcp_if_include nosuch0 -n 2 P": "openmpi.tcp-interface",
        "UCX_TLS=nosuch --mca pml ucx -n 2 P": "ucx.no-transport",
        "-n 2 L": "loader.library",
        "-n 2 S": "loader.symbol",
        "-n 2 sh -c nosuchcommand": "glibc.command",
        "-n 2 sh -c 'ulimit -n 8; exec P'": "pmix.event-base",
    },
    "mpich": {
        "-n 2 ./nonexistent": "hydra.executable",
        "-n 2 /etc/passwd": "hydra.executable",
        "-n 2 /tmp": "hydra.executable",
        "-hosts nosuchhost.invalid -n 2 P": "program.ssh",
        "-f /nonexistent/hosts -n 2 P": "hydra.hostfile",
        "-nosuchoption -n 2 P": "hydra.option",
        "-wdir /nonexistent/dir -n 2 P": "hydra.wdir",
        "-bind-to nosuch -n 2 P": "hydra.binding",
        "-launcher nosuch -n 2 P": "hydra.launcher",
        "-rmk nosuch -n 2 P": "hydra.launcher",
        "-iface nosuch0 -n 2 P": "hydra.interface",
        "MPIEXEC_TIMEOUT=1 -n 2 sleep 60": "hydra.timeout",
        "MPIR_CVAR_BCAST_MIN_PROCS=abc -n 2 P": "mpich.cvar",
        "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=nosuch -n 2 P": "mpich.cvar",
        "UCX_TLS=nosuch -n 2 P": "ucx.no-transport",
        "UCX_TLS=self,sm,nosuch -n 2 P": "ucx.unknown-transport",
        "UCX_NOSUCH=1 -n 2 P": "ucx.unused-variable",
        "UCX_RNDV_THRESH=abc -n 2 P": "ucx.variable-value",
        "-n 2 env PMI_FD=77 P": "mpich.pmi",
        "-n 2 env -u PMI_FD PMI_PORT=localhost:1 PMI_ID=0 P": "mpich.pmi-connect",
        "-n 2 L": "loader.library",
        "-n 2 S": "loader.symbol",
        "-n 2 sh -c nosuchcommand": "glibc.command",
        "-n 2 sh -c 'ulimit -n 6; exec P'": "loader.library-other",
    },
}


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """provoke.c under each MPI, and programs whose library is gone or another one."""
    folder = tmp_path_factory.mktemp("provoke")
    for name, mpi in MPIS.items():
        mpi.compile("provoke.c", folder / f"provoke.{name}", "-w", "-fstack-protector-all", "-ldl")
    (folder / "main.c").write_text("int gone(void); int main(void) { return gone(); }\n")
    (folder / "gone.c").write_text("int gone(void) { return 0; }\n")
    (folder / "other.c").write_text("int other(void) { return 0; }\n")
    (folder / "other").mkdir()
    library = "libprovoke_gone.so"
    for command in (
        ["cc", "-shared", "-fPIC", "gone.c", "-o", library],
        ["cc", "main.c", "-L.", "-lprovoke_gone", "-o", "missing"],
        ["cc", "main.c", "-L.", "-lprovoke_gone", "-Wl,-rpath," + str(folder / "other"), "-o", "other/symbol"],
        ["cc", "-shared", "-fPIC", "other.c", "-o", "other/" + library],
        ["rm", library],
    ):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def is_named(log, wanted):
    done = subprocess.run([MPISCOPE, "explain", "--json"], input=log, capture_output=True, timeout=LIMIT_S)
    assert done.returncode in (0, 1), done.stderr.decode()
    ids = [message["id"] for message in json.loads(done.stdout)["messages"]]
    return ids[:1] == [wanted], ids


def output(command, folder, more, wanted=None):
    """Standard output and error, as a user redirects them. Some jobs hang after the message: they are ended then."""
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["sh", "-c", 'ulimit -c 0; exec "$@"', "sh", *map(str, command)],
            cwd=folder,
            env=environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    end = time.monotonic() + LIMIT_S
    try:
        while time.monotonic() < end:
            try:
                process.wait(timeout=3)
                break
            except subprocess.TimeoutExpired:
                if wanted and is_named(log.read_bytes(), wanted)[0]:
                    break
    finally:
        # Also ranks that a launcher left.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return log.read_bytes()


def assert_named(wanted, command, folder, more=None):
    for _ in range(TRIES):
        log = output(command, folder, more or {}, wanted)
        named, ids = is_named(log, wanted)
        if named or ids and "openmpi.help-lost" not in ids:
            break
    assert named, f"{ids}, not {wanted}\n{log.decode(errors='replace')}"


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(mpi, name, programs):
    wanted = MISTAKES[name][list(MPIS).index(mpi.name)]
    if wanted is None:
        pytest.skip(f"{mpi.name} does not report it")
    assert_named(wanted, [*mpi.launcher, "-n", "2", programs / f"provoke.{mpi.name}", name], programs)


@pytest.mark.parametrize(("name", "words"), [(name, words) for name, cases in LAUNCHES.items() for words in cases])
def test_a_failed_start_is_named(name, words, programs):
    mpi, more, parts = MPIS[name], {}, []
    for word in re.findall(r"'[^']*'|\S+", words):
        program = str(programs / f"provoke.{name}")
        word = re.sub(r"\bP\b", program, word.strip("'")) if word.endswith(("P", "P'")) else word
        word = {"L": str(programs / "missing"), "S": str(programs / "other/symbol")}.get(word, word)
        if not parts and re.fullmatch(r"[A-Z_]+=\S+", word):
            key, _, value = word.partition("=")
            more[key] = value
        else:
            parts.append(word)
    assert_named(LAUNCHES[name][words], [*mpi.launcher, *parts], programs, more)


# Allocates more than its memory cgroup has.
HOG = """
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int at = 0; rank == 1 && at < 4096; at++) memset(malloc(1 << 20), 1, 1 << 20);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""
MEMORY_CGROUPS = Path("/sys/fs/cgroup/memory")


@pytest.fixture()
def memory_cgroup():
    """A group with a limit of its own, in either version; its file of processes, and what counts its kills."""
    # Version 2 has one hierarchy; in it, groups of version 1 do not exist.
    of_2 = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    root = MEMORY_CGROUPS.parent if of_2 else MEMORY_CGROUPS
    group = root / f"mpiscope-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no memory cgroup can be made: {error}")
    try:
        limit = "memory.max" if of_2 else "memory.limit_in_bytes"
        try:
            (group / limit).write_text(str(300 << 20))
        except OSError as error:
            pytest.skip(f"the memory of a cgroup cannot be limited: {error}")
        yield group / "cgroup.procs", group / ("memory.events" if of_2 else "memory.oom_control")
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()


def test_the_oom_killer_of_a_cgroup_is_named(mpi, programs, memory_cgroup):
    """The job's output has only a killed rank; with the kernel's lines, the reason."""
    processes, kills = memory_cgroup
    (programs / "hog.c").write_text(HOG)
    program = programs / f"hog.{mpi.name}"
    subprocess.run([mpi.compiler, programs / "hog.c", "-w", "-o", program], check=True)
    log = output(["sh", "-c", f'echo $$ > {processes}; exec "$@"', "sh", *mpi.launcher, "-n", "2", program], programs, {})
    assert int(re.search(r"oom_kill (\d+)", kills.read_text())[1]) >= 1, log.decode()
    wanted = {"openmpi": "openmpi.signal", "mpich": "hydra.termination"}[mpi.name]
    assert is_named(log, wanted)[0], log.decode()
    kernel = subprocess.run(["dmesg"], capture_output=True, check=False).stdout
    lines = [line for line in kernel.splitlines() if program.name.encode() in line and b"Killed process" in line]
    if not lines:
        pytest.skip("the kernel's log cannot be read")
    assert is_named(log + lines[-1] + b"\n", "kernel.cgroup-oom")[0], lines[-1]


def private(mounts):
    """A command that runs the rest with other mounts, which nothing outside sees."""
    words = ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh"]
    done = subprocess.run([*words, "true"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no mounts of its own: {done.stderr}")
    return words


def test_a_full_shared_memory_is_named(mpi, programs):
    wanted = {"openmpi": "openmpi.shared-memory-full", "mpich": "ucx.shared-memory"}[mpi.name]
    words = private("mount -t tmpfs -o size=1m none /dev/shm")
    assert_named(wanted, [*words, *mpi.launcher, "-n", "2", programs / f"provoke.{mpi.name}", "healthy"], programs)


# Fails if it is alone.
PEER = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, word = 7;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
"""
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}


def test_the_launcher_of_another_mpi_is_named(mpi, programs):
    """Each rank is alone then; Open MPI does not print the size of a communicator."""
    (programs / "peer.c").write_text(PEER)
    program = programs / f"peer.{mpi.name}"
    subprocess.run([mpi.compiler, programs / "peer.c", "-o", program], check=True)
    wanted = {"openmpi": "mpi.rank", "mpich": "mpi.alone"}[mpi.name]
    assert_named(wanted, [*MPIS[OTHER[mpi.name]].launcher, "-n", "2", program], programs)


def test_the_library_of_another_mpi_is_named(mpi, programs):
    """LD_LIBRARY_PATH leads to a library with the right name and the functions of the other MPI."""
    of_program, of_other = mpi_library(programs / f"provoke.{mpi.name}"), mpi_library(programs / f"provoke.{OTHER[mpi.name]}")
    folder = programs / f"library-of-{OTHER[mpi.name]}"
    folder.mkdir(exist_ok=True)
    (folder / of_program.name).unlink(missing_ok=True)
    (folder / of_program.name).symlink_to(of_other)
    words = ["env", f"LD_LIBRARY_PATH={folder}", programs / f"provoke.{mpi.name}", "healthy"]
    wanted = {"openmpi": "loader.symbol", "mpich": "mpi.mixed-libraries"}[mpi.name]
    assert_named(wanted, [*mpi.launcher, "-n", "2", *words], programs)


def mpi_library(program):
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return Path(re.search(r"libmpi(?:ch)?\.so\.\d+ => (\S+)", text)[1])


# Failures without MPI: a program in Fortran or C, or a command.
FORTRAN = {
    "fortran.bad-value": "integer :: i\nopen(10, file='t.txt')\nwrite(10, *) 'abc'\nrewind(10)\nread(10, *) i\nend\n",
    "fortran.pointer": "real, allocatable :: a(:)\ndeallocate(a)\nend\n",
    "fortran.stop": "error stop 'grid does not match'\nend\n",
    "fortran.record": "integer :: j(100)\nopen(10, file='t.bin', form='unformatted')\nwrite(10) 1\nrewind(10)\nread(10) j\nend\n",
    "fortran.arithmetic": "use ieee_arithmetic\nreal :: x\ncall ieee_set_halting_mode(ieee_divide_by_zero, .true.)\n"
    "read(*, *) x\nprint *, 1.0 / x\nend\n",
    "fortran.bounds": "integer :: a(10), i\nread(*, *) i\nprint *, a(i + 11)\nend\n",
    "fortran.end-of-file": "integer :: i, j\nread(*, *) i, j\nend\n",
    "fortran.file-open": "open(10, file='/nonexistent/file', status='old')\nend\n",
}
COMMANDS = {
    "loader.preload": "LD_PRELOAD=/nonexistent/lib.so /bin/true",
    "program.python": "python3 -c 'import json; json.loads(\"x\")'",
    "program.python-module": "python3 -c 'import nosuchmodule'",
    "glibc.permission": "su nobody -s /bin/sh -c 'cat /etc/shadow'",
    "glibc.segfault": "bash -c 'bash -c \"kill -SEGV \\$\\$\"; true'",
    "glibc.bus": "bash -c 'bash -c \"kill -BUS \\$\\$\"; true'",
    "glibc.killed": "bash -c 'bash -c \"kill -KILL \\$\\$\"; true'",
    "loader.exec-format": "head -c 4096 /dev/zero > zeros; chmod +x zeros; bash -c ./zeros",
}


@pytest.mark.parametrize("wanted", FORTRAN)
def test_a_failure_of_fortran_is_named(wanted, tmp_path):
    (tmp_path / "a.f90").write_text(FORTRAN[wanted])
    subprocess.run(["gfortran", "-w", "-g", "-fcheck=all", "a.f90", "-o", "a"], cwd=tmp_path, check=True)
    assert_named(wanted, ["sh", "-c", "echo 0 | ./a"], tmp_path)


@pytest.mark.parametrize("wanted", COMMANDS)
def test_a_failure_of_a_command_is_named(wanted, tmp_path):
    if wanted == "glibc.permission" and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    assert_named(wanted, ["sh", "-c", COMMANDS[wanted]], tmp_path)


def test_a_wrong_variable_of_openmp_is_named(tmp_path):
    (tmp_path / "a.c").write_text("int main(void) { int n = 0;\n#pragma omp parallel reduction(+ : n)\nn++;\nreturn !n; }\n")
    subprocess.run(["cc", "-fopenmp", "a.c", "-o", "a"], cwd=tmp_path, check=True)
    assert_named("program.openmp", ["./a"], tmp_path, {"OMP_NUM_THREADS": "abc"})


def test_too_many_slots_and_root_are_named(programs):
    """Without the options and variables by which the tests run Open MPI."""
    program = programs / "provoke.openmpi"
    plain = {"OMPI_MCA_rmaps_base_oversubscribe": "0", "OMPI_ALLOW_RUN_AS_ROOT": "0"}
    assert_named("openmpi.slots", ["mpirun.openmpi", "--allow-run-as-root", "-n", "999", program], programs, plain)
    if os.geteuid() == 0:
        assert_named("openmpi.root", ["env", "-u", "OMPI_ALLOW_RUN_AS_ROOT", "mpirun.openmpi", "-n", "1", program], programs)


def test_healthy_programs_have_no_messages(mpi, programs):
    log = output([*mpi.launcher, "-n", "2", programs / f"provoke.{mpi.name}", "healthy"], programs, {})
    found = json.loads(subprocess.run([MPISCOPE, "explain", "--json"], input=log, capture_output=True, check=True).stdout)
    assert (found["messages"], found["unknown"], found["is_unexplained"]) == ([], [], False), log.decode()


def test_at_least_sixty_messages_are_provoked():
    ids = {id for pair in MISTAKES.values() for id in pair} | {id for cases in LAUNCHES.values() for id in cases.values()}
    assert len((ids | {*FORTRAN, *COMMANDS}) - {None}) >= 60
