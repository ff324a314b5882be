"""Slurm on hosts made of namespaces: munged, slurmctld and slurmd as ordinary processes, nothing of the machine's."""

import os
import shutil
import subprocess
from pathlib import Path

import hosts
from harness import LAUNCHER_ENV, until

SBIN = "/usr/sbin:/sbin"
DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = ("srun", "sbatch", "sinfo")


def path():
    return f"{os.environ['PATH']}:{SBIN}"


def why_not():
    """Why no Slurm can be started here; none when it can."""
    missing = [tool for tool in (*DAEMONS, *CLIENTS) if shutil.which(tool, path=path()) is None]
    if missing:
        return f"Slurm is not installed ({' '.join(missing)}): apt install slurmctld slurmd slurm-client munge"
    return hosts.why_not()


class Slurm:
    """A cluster of two nodes, for which the configuration of Slurm states four processors each."""

    def __init__(self, cluster, work):
        self.cluster = cluster
        self.daemons = []
        self.work = Path(work) / "slurm"
        self.work.mkdir()
        key = self.work / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.conf = self.work / "slurm.conf"
        nodes = "\n".join(
            f"NodeName={host.name} NodeAddr={host.address} CPUs=4 State=UNKNOWN" for host in cluster.hosts.values())
        names = ",".join(cluster.hosts)
        self.conf.write_text(CONF.format(first=cluster.first.name, address=cluster.first.address, nodes=nodes, names=names))
        self.env = {"PATH": path(), "SLURM_CONF": str(self.conf)}
        for host in cluster.hosts.values():
            # /tmp is each host's own.
            host.run("mkdir", "-p", "/tmp/slurm/state", "/tmp/slurm/spool", "/tmp/slurm/munge").ok()
            of = [f"--{what}=/tmp/slurm/munge/{what}" for what in ("socket", "pid-file", "log-file", "seed-file")]
            self._daemon(host, "munged", "--foreground", "--force", f"--key-file={key}", *of)
            until(lambda: host.run("test", "-S", "/tmp/slurm/munge/socket").code == 0, "munged", 20)
        self._daemon(cluster.first, "slurmctld", "-D", "-f", self.conf)
        for host in cluster.hosts.values():
            self._daemon(host, "slurmd", "-D", "-N", host.name, "-f", self.conf)
        until(lambda: self.run("sinfo", "-h", "-t", "idle", "-o", "%D").out.strip() == str(len(cluster.hosts)), "idle nodes", 40)

    def _daemon(self, host, name, *options):
        log = (self.work / f"{name}.{host.name}.log").open("w")
        words = host.words(name, *options)
        env = {**os.environ, **self.env}
        self.daemons.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env))

    def run(self, *command, env=None, **how):
        """On the first host, as somebody who is logged in there."""
        return self.cluster.first.run(*command, env={**LAUNCHER_ENV, **self.env, **(env or {})}, **how)

    def close(self):
        for daemon in reversed(self.daemons):
            # What nsenter has started ends with it, or with its host.
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


CONF = """ClusterName=hosts
SlurmctldHost={first}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=/tmp/slurm/munge/socket
CredType=cred/munge
StateSaveLocation=/tmp/slurm/state
SlurmdSpoolDir=/tmp/slurm/spool
SlurmctldPidFile=/tmp/slurm/slurmctld.pid
SlurmdPidFile=/tmp/slurm/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
{nodes}
PartitionName=all Nodes={names} Default=YES MaxTime=10 State=UP
"""
