"""Hosts made of namespaces: each has its own name, network, processes, /dev/shm and clock.

A host is a process that sleeps in namespaces of its own; `nsenter` is what ssh would be. Hosts are joined
by a bridge that lies in a namespace, too, so nothing of the machine's network is touched. When the last
process of a namespace has gone the kernel takes it away, with its network and its shared memory.
"""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from harness import BIN, MPISCOPE, ROOT, Recording, run, until

NETWORK = "10.111.7"
# Of a second rail.
SECOND = "10.111.8"
# libfabric, below the MPICH of wheels. (UCX takes hosts of one boot id for one machine, and Debian's MPICH 4.0 over
# UCX's TCP hangs in one MPI_Finalize of ten, with mpiscope and without: not used here.)
NETWORK_ENV = {"FI_PROVIDER": "tcp"}
TOOLS = ("unshare", "nsenter", "ip", "mount", "hostname")


def why_not():
    """Why no hosts can be made here; none when they can."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"hosts of namespaces need {' '.join(missing)}: apt install util-linux iproute2 hostname"
    if os.geteuid() != 0:
        return "hosts of namespaces are made by root"
    words = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--time", "--monotonic", "7", "--fork", "true"]
    tried = subprocess.run(words, capture_output=True, text=True)
    if tried.returncode != 0:
        return f"namespaces are not permitted here: {tried.stderr.strip()}"
    return None


@dataclass
class Host:
    """One host."""

    name: str
    address: str
    # The process that holds the namespaces.
    pid: int

    def words(self, *command):
        """A command line that runs there."""
        return ["nsenter", "-t", str(self.pid), "--all", "--", *map(str, command)]

    def run(self, *command, **how):
        return run(self.words(*command), **how)

    def kill_everything(self):
        """What a crash leaves: files, no processes. Not for the first host, whose processes are everybody's."""
        self.run("sh", "-c", "kill -KILL -1")


class Cluster:
    """Hosts that see each other. `shifts_s` is by how much the clock of each goes ahead. What a host sends takes as long as
    on a network of this `rate` (as `tc` writes it: "1gbit"), or on each of two: `rails`. With a `link`, the hosts are a ring
    in their order: of each hop, this is the latency, s; each sends with this bandwidth, B/s.

    Launchers run on the first. It has no process numbers of its own, as a process can enter only namespaces
    of process numbers below its own.
    """

    def __init__(self, work, shifts_s, rate=None, link=None, rails=1):
        self.work = Path(work)
        # What Open MPI uses.
        self.networks = [NETWORK, SECOND][:rails]
        self.held = []
        self.hosts = {}
        addresses = {name: f"{NETWORK}.{index + 1}" for index, name in enumerate(shifts_s)}
        table = self.work / "hosts.txt"
        lines = "".join(f"{address} {name}\n" for name, address in addresses.items())
        table.write_text(f"127.0.0.1 localhost\n{lines}")
        switch = self._hold(["--net"], " && ".join(f"ip link add br{n} type bridge && ip link set br{n} up" for n in range(rails)))
        # What the test needs may itself lie under /tmp: the checkout, what is built, environments of wheels.
        cache = Path(os.environ.get("MPISCOPE_CACHE", ROOT))
        shared = [self.work, *(place for place in (ROOT, BIN, cache) if place.is_relative_to("/tmp") and place.exists())]
        for name, address in addresses.items():
            # The directory of the test is seen from everywhere, the others under /tmp are each host's own.
            setup = " && ".join([
                f"hostname {name}",
                "mount -t tmpfs -o size=256M tmpfs /dev/shm",
                f"mount --bind {table} /etc/hosts",
                "mount -t tmpfs tmpfs /mnt",
                *(f"mkdir /mnt/{n} && mount --bind {place} /mnt/{n}" for n, place in enumerate(shared)),
                "mount -t tmpfs tmpfs /tmp",
                *(f"mkdir -p {place} && mount --bind /mnt/{n} {place}" for n, place in enumerate(shared)),
            ])
            shift = str(shifts_s[name])
            own = [] if not self.hosts else ["--pid", "--mount-proc", "--kill-child"]
            namespaces = ["--net", "--uts", "--ipc", "--mount", *own, "--time", "--monotonic", shift, "--boottime", shift]
            pid = self._hold([*namespaces, "--fork"], f"{setup} && ip link set lo up")
            for n in range(rails if not link else 0):
                wire = f"ip link add v{n}-{name} type veth peer name eth{n} netns {pid} && ip link set v{n}-{name} master br{n} up"
                run(["nsenter", "-t", switch, "--net", "sh", "-c", wire]).ok()
            self.hosts[name] = Host(name, address, pid)
        if link:
            self._join(*link)
        for host in self.hosts.values():
            for n, network in enumerate(self.networks):
                address = host.address.replace(NETWORK, network)
                host.run("sh", "-c", f"ip addr add {address}/24 dev eth{n} && ip link set eth{n} up").ok()
                if rate:
                    host.run(*f"tc qdisc add dev eth{n} root tbf rate {rate} burst 64kb latency 50ms".split()).ok()
        self.first = next(iter(self.hosts.values()))
        self.shell = self.work / "remote-shell"
        cases = "\n".join(f"{h.name} | {h.address}) pid={h.pid} ;;" for h in self.hosts.values())
        self.shell.write_text(REMOTE_SHELL.replace("CASES", cases))
        self.shell.chmod(0o755)

    def _hold(self, namespaces, setup):
        """Starts a process that holds new namespaces; its number."""
        ready = self.work / f"ready.{len(self.held)}"
        # The first process of a namespace gets the orphans there, and has to wait for them; it outlives `kill -1`.
        stay = "while :; do sleep infinity & wait; done" if "--pid" in namespaces else "exec sleep infinity"
        script = f"{setup} && touch {ready} && {stay}"
        words = ["unshare", *namespaces, "sh", "-c", script]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.held.append(process)
        until(lambda: ready.exists() or process.poll() is not None, "namespaces", 20)
        assert process.poll() is None, process.stderr.read().decode()
        if "--fork" not in namespaces:
            return process.pid
        return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])

    def _join(self, latency_s, bytes_per_s):
        """Joins the hosts without the switch."""
        pids = [host.pid for host in self.hosts.values()]
        words = [sys.executable, Path(__file__).parent / "slow_link.py", latency_s, bytes_per_s, *pids]
        process = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.held.append(process)
        assert process.stdout.readline() == b"ready\n", process.stderr.read().decode()

    def launch(self, mpi, ranks_each, *command, env=None, order=(), **how):
        """Under the MPI's launcher, on the first host, with as many ranks on each; in an `order`, the number of each rank's host."""
        words = self.launcher(mpi, ranks_each)
        if order:
            listed = self.work / "order"
            listed.write_text("".join(f"{list(self.hosts)[host]}\n" for host in order))
            at = words.index("--host")
            words = [*words[:at], *words[at + 2:], "--mca", "rmaps", "seq", "--hostfile", listed]
        ranks = ranks_each * len(self.hosts)
        return self.first.run(*words, "-n", ranks, *command, env={**mpi.env, **NETWORK_ENV, **(env or {})}, **how)

    def record(self, mpi, ranks_each, *command, path, options=(), env=None, verb="run", **how):
        """`mpiscope run` (or `check`) on the first host."""
        launcher = shlex.join(map(str, self.launcher(mpi, ranks_each)))
        ranks = ranks_each * len(self.hosts)
        words = [MPISCOPE, verb, "-n", ranks, "-o", path, "--launcher", launcher, *options, "--", *command]
        done = self.first.run(*words, env={**mpi.env, **NETWORK_ENV, **(env or {})}, **how)
        return Recording(Path(path), done)

    def launcher(self, mpi, ranks_each):
        """The launcher's words for all hosts, without a number of ranks."""
        names = list(self.hosts)
        if mpi.name == "mpich":
            return [*mpi.launcher, "-launcher", "ssh", "-launcher-exec", self.shell, "-hosts", ",".join(names), "-ppn", ranks_each]
        slots = ",".join(f"{name}:{ranks_each}" for name in names)
        mca = {"btl": "tcp,self", "btl_tcp_if_include": ",".join(f"{network}.0/24" for network in self.networks), "pml": "ob1"}
        if Path(mpi.launcher[0]).with_name("prterun").exists():
            # Open MPI 5: the launcher is PRRTE, with parameters of its own.
            kind, own = "--prtemca", {"plm_ssh_agent": self.shell, "prte_if_include": f"{NETWORK}.0/24"}
            placing = ["--map-by", f"ppr:{ranks_each}:node"]
        else:
            kind, own = "--mca", {"plm_rsh_agent": self.shell, "oob_tcp_if_include": f"{NETWORK}.0/24"}
            placing = []
        words = [word for name, value in mca.items() for word in ("--mca", name, value)]
        words += [word for name, value in own.items() for word in (kind, name, value)]
        return [*mpi.launcher, "--host", slots, *words, *placing]

    def close(self):
        # Processes of the first host have no namespace of numbers that would take them along.
        own = os.readlink(f"/proc/{self.first.pid}/ns/uts")
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(path / "ns/uts") == own:
                    os.kill(int(path.name), signal.SIGKILL)
        for process in self.held:
            with contextlib.suppress(OSError):
                for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                    os.kill(int(child), signal.SIGKILL)
            process.kill()
            process.wait()
            process.stderr.close()


# What launchers call in place of ssh: [options] HOST WORD...
REMOTE_SHELL = """#!/bin/sh
while :; do
    case $1 in
    -*) shift ;;
    *) break ;;
    esac
done
case $1 in
CASES
*)
    echo "there is no host $1" >&2
    exit 255
    ;;
esac
shift
exec nsenter -t "$pid" --all -- sh -c "$*"
"""
