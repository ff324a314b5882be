"""What runs need: compiled programs, launchers, a fixed copy of the tool, a place for rank files."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from .stats import RunFailed, warn

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
WORK = ROOT / "build" / "bench"
# Where cargo builds.
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
YIELD_SOURCE = ROOT.parent / "shared" / "tools" / "mpich_yield.c"
LIBRARY = "libmpiscope.so"
RUNTIME = "libmpiscope_tsan.so"
# gcc takes MPI_STATUSES_IGNORE, a small integer, for an array that is too short.
CFLAGS = ["-O2", "-g", "-std=gnu11", "-Wall", "-Wno-stringop-overflow", "-Wno-stringop-overread"]


def run(command, **options):
    """Output of a command; RunFailed with the end of what it printed otherwise."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
    command = [str(word) for word in command]
    timeout = options.pop("timeout", 300)
    # A group of its own: a launcher that hangs goes with all its ranks.
    with subprocess.Popen(command, text=True, start_new_session=True, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException as failure:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(failure, subprocess.TimeoutExpired):
                raise RunFailed(f"{' '.join(command)}: not done after {timeout} s") from None
            raise
    if process.returncode != 0:
        output = ((err or "") + (out or "")).strip().splitlines()
        raise RunFailed(f"{' '.join(command)}: exit {process.returncode}: {' / '.join(output[-3:])}")
    return out


class Mpi:
    """One of the MPIs of Debian (mpicc.mpich …), or the only one there is (mpicc)."""

    def __init__(self, name, mpicc, mpirun):
        self.name, self.mpicc, self.mpirun = name, mpicc, mpirun
        self.programs = WORK / name
        self.examples = ROOT / "build" / "examples" / name

    @staticmethod
    def find(name):
        """The MPI of that name, or None."""
        mpicc, mpirun = shutil.which(f"mpicc.{name}"), shutil.which(f"mpirun.{name}")
        if mpicc and mpirun:
            return Mpi(name, mpicc, mpirun)
        mpicc, mpirun = shutil.which("mpicc"), shutil.which("mpirun")
        if not (mpicc and mpirun):
            return None
        says = run([mpirun, "--version"]).lower()
        is_openmpi = "open mpi" in says or "openrte" in says
        return Mpi(name, mpicc, mpirun) if is_openmpi == (name == "openmpi") else None

    def version(self):
        lines = [line.strip() for line in run([self.mpirun, "--version"]).splitlines() if line.strip()]
        if self.name == "openmpi":
            return f"Open MPI {lines[0].rstrip(')').split()[-1]}"
        number = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("Version:")), "?")
        return f"MPICH {number}"

    def build(self):
        """percall and job, and what several ranks on a core need."""
        self.programs.mkdir(parents=True, exist_ok=True)
        for name in ("percall", "job", "threads", "buffers"):
            source, program = BENCH / f"{name}.c", self.programs / name
            if newer(source, program):
                run([self.mpicc, *CFLAGS, f"-I{ROOT / 'include'}", source, "-o", program, "-lpthread"])
        for name, flags in (("accesses", ["-fsanitize=thread"]), ("accesses-plain", [])):
            source, program = BENCH / "accesses.c", self.programs / name
            if newer(source, program):
                run([self.mpicc, *CFLAGS, *flags, source, "-o", program])
        if self.crowding and newer(YIELD_SOURCE, self.crowding):
            run(["cc", "-shared", "-fPIC", "-O2", YIELD_SOURCE, "-o", self.crowding])

    def build_examples(self):
        run(["make", "-C", ROOT / "examples", f"MPI={self.name}"], timeout=600)

    @property
    def crowding(self):
        """Library without which more ranks than cores crawl, for an MPI that needs one."""
        return self.programs / "libmpich_yield.so" if self.name == "mpich" and YIELD_SOURCE.exists() else None

    def can_crowd(self):
        return self.name != "mpich" or self.crowding is not None

    def command(self, ranks, *words):
        """The launcher's command line. `words` begin with what stands before the program."""
        extra = ["--oversubscribe", "--allow-run-as-root"] if self.name == "openmpi" else []
        return [self.mpirun, "-n", ranks, *extra, *words]


def newer(source, product):
    return not product.exists() or product.stat().st_mtime < source.stat().st_mtime


def mpis(wanted):
    found = []
    for name in ("mpich", "openmpi") if wanted == "all" else (wanted,):
        mpi = Mpi.find(name)
        if mpi:
            found.append(mpi)
        else:
            warn(f"no {name} here (neither mpicc.{name} nor an mpicc that is one): left out")
    return found


class Tool:
    """A copy of the tool, so that a build meanwhile does not change what is measured."""

    def __init__(self, source):
        if not (source / LIBRARY).exists():
            raise SystemExit(f"bench: no {LIBRARY} in {source}\n       try: cargo build --release")
        WORK.mkdir(parents=True, exist_ok=True)
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="tool-", dir=WORK))
        self.library = self._copy(source / LIBRARY, LIBRARY)
        self.program = self._copy(source / "mpiscope", "mpiscope") if (source / "mpiscope").exists() else None
        self.runtime = self._copy(source / RUNTIME, RUNTIME) if (source / RUNTIME).exists() else None
        self.nop = self._nop()
        self.spool = pathlib.Path(tempfile.mkdtemp(prefix="mpiscope-bench-", dir=shared_memory()))
        self.scratch = self.dir / "scratch"
        self.scratch.mkdir()

    def _copy(self, source, name):
        (self.dir / name).parent.mkdir(exist_ok=True)
        shutil.copy2(source, self.dir / name)
        return self.dir / name

    def _nop(self):
        """The library with empty hooks: from target/nop, built when the collector knows how."""
        manifest = (ROOT / "crates" / "collector" / "Cargo.toml").read_text()
        if not re.search(r"^nop\s*=", manifest, re.M):
            warn("the collector has no feature `nop` yet: no such control")
            return None
        target = TARGET / "nop"
        build = ["cargo", "build", "--release", "-p", "mpiscope-collector", "--features", "nop", "--target-dir", target]
        try:
            run(build, cwd=ROOT, timeout=1200)
        except (RunFailed, OSError) as failure:
            last = (target / "release" / LIBRARY).exists()
            warn(f"the control `nop` cannot be built, {'its last build is used' if last else 'left out'}: {failure}")
            if not last:
                return None
        return self._copy(target / "release" / LIBRARY, f"nop/{LIBRARY}")

    def environment(self, library=None, **more):
        """NAME=VALUE words that record a program, for env(1) or stamp. `MPISCOPE_` is added to names."""
        words = [f"LD_PRELOAD={library or self.library}", f"MPISCOPE_OUT={self.spool}", f"MPISCOPE_SPOOL={self.spool}"]
        return words + [f"MPISCOPE_{name.upper()}={value}" for name, value in more.items()]

    def exec_words(self):
        """What stands before a program that a user records: a run directory, taken over at the end."""
        return [self.program, "exec", "-o", self.scratch / "run.mpiscope"]

    def rank_files(self):
        """Of the last run, under the library or under exec."""
        return [*self.spool.glob("*.rank"), *self.scratch.glob("run.mpiscope/ranks/*.rank")]

    def sweep(self):
        """Removes rank files and runs, so that shared memory holds those of one run at most."""
        for path in self.spool.iterdir():
            path.unlink()
        shutil.rmtree(self.scratch / "run.mpiscope", ignore_errors=True)

    def close(self):
        shutil.rmtree(self.spool, ignore_errors=True)
        shutil.rmtree(self.dir, ignore_errors=True)


def shared_memory():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def machine():
    """What a reader must know to compare; no names."""
    cpu = "unknown CPU"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    memory_kib = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])
    system = "unknown system"
    if os.path.exists("/etc/os-release"):
        release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
        system = release.get("PRETTY_NAME", system).strip('"')
    virtual = " (virtual)" if "hypervisor" in pathlib.Path("/proc/cpuinfo").read_text() else ""
    return {
        "cpu": cpu + virtual,
        "cores": os.cpu_count(),
        "memory_gib": round(memory_kib / (1 << 20)),
        "system": f"{system}, Linux {os.uname().release.split('-')[0]}",
        "load_at_start": os.getloadavg()[0],
    }
