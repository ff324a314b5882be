"""Slurm itself: slurmctld, slurmd and munged on two hosts of namespaces. `test_launchers.py` has what stand-ins can show
where it is not installed."""

import json
import subprocess

import pytest
from harness import LAUNCHER_ENV, LIMIT_S, MPISCOPE, ROOT, Recording, environment, until
from hosts import NETWORK, NETWORK_ENV, Cluster
from slurm import Slurm, why_not

NOT_HERE = why_not()
pytestmark = [pytest.mark.skipif(bool(NOT_HERE), reason=str(NOT_HERE)), pytest.mark.heavy]
SHIFTS_S = {"alpha": 0, "beta": 1000}
# What options would say to Open MPI's mpirun.
OPEN_MPI = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": f"{NETWORK}.0/24", "OMPI_MCA_pml": "ob1"}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Two nodes. One cluster for all: nothing of a job stays."""
    work = tmp_path_factory.mktemp("slurm")
    cluster = Cluster(work, SHIFTS_S)
    made = None
    try:
        made = Slurm(cluster, work)
        yield made
    finally:
        if made:
            made.close()
        cluster.close()


class UnderSlurm:
    """An MPI, and how srun starts its programs."""

    def __init__(self, slurm, mpi, plugin, key, place):
        self.slurm, self.mpi, self.key = slurm, mpi, key
        self.srun = ["srun", f"--mpi={plugin}"]
        self.place = place
        of_mpi = {name: value for name, value in mpi.env.items() if name != "PATH"}
        path = ":".join([mpi.env.get("PATH", "").split(":")[0], slurm.env["PATH"]]).lstrip(":")
        self.env = {**NETWORK_ENV, **OPEN_MPI, **of_mpi, "PATH": path}

    def run(self, *command, **how):
        return self.slurm.run(*command, env=self.env, **how)

    def start(self, *command):
        """The same, in the background."""
        words = self.slurm.cluster.first.words(*command)
        env = environment(**{**LAUNCHER_ENV, **self.slurm.env, **self.env})
        return subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(params=["openmpi", "wheel_mpich"])
def under(request, slurm):
    """Debian's Slurm has PMIx, which Open MPI takes, and PMI-2, which MPICH takes. (Debian's MPICH over UCX hangs in one
    MPI_Init of four between such hosts, with mpiscope and without.)"""
    mpi = request.getfixturevalue(request.param)
    # The directory that all hosts see.
    place = slurm.work / request.node.name.replace("/", "_")
    place.mkdir()
    kind = ("pmix", "PMIX_NAMESPACE=slurm.pmix.") if request.param == "openmpi" else ("pmi2", "slurm=")
    return UnderSlurm(slurm, mpi, *kind, place)


def check(recording, of=4):
    """One run of all ranks on both hosts, nothing missing, clocks compared."""
    report = recording.json()
    assert sum(report["overview"]["hosts"].values()) == of and set(report["overview"]["hosts"]) == set(SHIFTS_S), report["overview"]
    assert not report["diagnostics"], report["diagnostics"]
    assert [rank["rank"] for rank in report["ranks"]] == list(range(of))
    assert sorted(row["basis"] for row in report["clocks"]) == ["reference", "rounds"], report["clocks"]
    matching = report["explanation"]["matching"]
    assert matching["messages"] > 0 and matching["causality_beyond_error"] == 0, matching
    exits = [json.loads(path.read_text()) for path in (recording.path / "ranks").glob("*.exit.json")]
    assert sorted(exit["launched_rank"] for exit in exits) == list(range(of))
    return json.loads((recording.path / "run.json").read_text())


def test_srun_of_exec(under):
    program = under.mpi.compile("ring.c", under.place / "ring", "-g")
    path = under.place / "r.mpiscope"
    done = under.run(*under.srun, "-N2", "-n", 4, MPISCOPE, "exec", "-o", path, "--", program, 10).ok()
    assert done.out == "ring OK\n" and done.err.count("recording in") == 1, str(done)
    assert check(Recording(path, done))["job_key"].startswith(under.key)
    for host in under.slurm.cluster.hosts.values():
        assert "mpiscope" not in host.run("ls", "/dev/shm").out


def test_run_with_srun_as_launcher(under):
    program = under.mpi.compile("ring.c", under.place / "ring", "-g")
    path = under.place / "r.mpiscope"
    launcher = " ".join([*under.srun, "-N2"])
    done = under.run(MPISCOPE, "run", "--launcher", launcher, "-n", 4, "-o", path, "--", program, 10).ok()
    assert done.out == "ring OK\n" and "4 ranks recorded" in done.err, str(done)
    check(Recording(path, done))


def test_inside_an_allocation(under):
    """Steps one after the other are runs of their own; mpirun takes its hosts and its number of ranks from Slurm."""
    program = under.mpi.compile("ring.c", under.place / "ring", "-g")
    srun = " ".join(under.srun)
    script = under.place / "job.sh"
    script.write_text(f"""#!/bin/sh
cd {under.place} || exit 9
{srun} {MPISCOPE} exec -o first.mpiscope -- {program} 10 || exit 1
{srun} {MPISCOPE} exec -o second.mpiscope -- {program} 10 || exit 2
{MPISCOPE} run --launcher '{srun}' -o third.mpiscope -- {program} 10 || exit 3
{MPISCOPE} run -o fourth.mpiscope -- {program} 10 || exit 4
""")
    done = under.run("sbatch", "--wait", "-N2", "-n", 4, "-o", under.place / "out", "-e", under.place / "err", script, limit_s=100)
    out, err = ((under.place / name).read_text() for name in ("out", "err"))
    assert done.code == 0, f"{done}\n{out}\n{err}"
    assert out == "ring OK\n" * 4 and err.count("recording in") == 2 and err.count("4 ranks recorded") == 2, err
    # Where Slurm did not say it, mpiscope has.
    assert " -n 4" in next(line for line in err.splitlines() if "fourth" in line), err
    ids = {check(Recording(under.place / f"{name}.mpiscope", done))["run_id"] for name in ("first", "second", "third", "fourth")}
    assert len(ids) == 4


def test_processes_without_mpi(under):
    path = under.place / "r.mpiscope"
    words = ["srun", "-N2", "-n", 4, MPISCOPE, "exec", "-o", path, "--", "sh", "-c", "exit $((SLURM_PROCID + 3))"]
    done = under.run(*words)
    assert done.code == 6 and done.err.count("recording in") == 1, str(done)
    exits = [json.loads(file.read_text()) for file in (path / "ranks").glob("*.exit.json")]
    assert sorted((exit["launched_rank"], exit["exit_code"]) for exit in exits) == [(n, n + 3) for n in range(4)]
    assert json.loads((path / "run.json").read_text())["job_key"].startswith("slurm=")


def test_an_error_is_said_once(under):
    done = under.run("srun", "-N2", "-n", 4, MPISCOPE, "exec", "-o", under.place / "no/such/r", "ls")
    assert done.code != 0 and done.err.count("try: mkdir -p") == 1, str(done)


def test_a_node_whose_processes_are_killed_is_gathered(under):
    """`run` starts a step there that hands over what is left. (Outside an allocation Slurm would have to give a new one, which
    takes longer than mpiscope waits.)"""
    program = under.mpi.compile("patient.c", under.place / "patient", f"-I{ROOT / 'include'}")
    path, end = under.place / "r.mpiscope", under.place / "end"
    launcher = " ".join([*under.srun, "-N2", "--kill-on-bad-exit=1"])
    words = [MPISCOPE, "run", "--launcher", launcher, "-n", 4, "-o", path, "--", program, 100000, end]
    process = under.start("salloc", "-N2", "-n", 4, *words)
    recording = Recording(path, None)
    beta = under.slurm.cluster.hosts["beta"]

    def regions(host):
        done = host.run(MPISCOPE, "ctl", path, "status", "--here", "--json")
        return [rank["region"] for rank in json.loads(done.out)["ranks"] if rank["host"] == host.name] if done.code == 0 else []

    until(lambda: all({*regions(host)} == {"working"} for host in under.slurm.cluster.hosts.values()), "all at work")
    beta.run("sh", "-c", "pkill -KILL -x mpiscope; pkill -KILL -x patient")
    out, err = process.communicate(timeout=LIMIT_S)
    assert "gathering remaining files from beta" in err.decode(), err.decode()
    hosts = sorted(file.name.split(".")[0] for file in (path / "ranks").glob("*.rank"))
    assert len(hosts) == 4 and "beta" in hosts, f"{hosts}\n{err.decode()}"
    assert "mpiscope" not in beta.run("ls", "/dev/shm").out
    recording.settled()
