"""Launchers other than the MPIs' own. There is no Slurm, Flux or PBS here: `standins/` starts
processes as these do, with their variables, directories and exit status."""

import json
import os
import shlex

import pytest
from harness import HERE, LAUNCHER_ENV, MPISCOPE, Recording, run

HALO = ["--nx", "40", "--ny", "30", "--iters", "10", "--every", "5"]
NAMES = ["srun", "flux", "pbsdsh"]
COMMANDS = {"srun": "srun --mpi=pmix", "flux": "flux run", "pbsdsh": "pbsdsh"}
COUNT = {"srun": "-n", "flux": "-n", "pbsdsh": "-c"}


@pytest.fixture
def site(work):
    """A directory with the three launchers in PATH, a home and a place to work in."""
    for name in NAMES:
        link = work / "bin" / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(HERE / "standins" / "launcher.py")
    (work / "home").mkdir()
    (work / "project").mkdir()
    return work


def env(site, mpi=None, **more):
    answer = {"PATH": f"{site / 'bin'}:{os.environ['PATH']}", "HOME": str(site / "home"), "STANDIN_LOG": str(site / "log")}
    if mpi:
        answer["STANDIN_MPIRUN"] = shlex.join(mpi.launcher)
    return {**answer, **LAUNCHER_ENV, **more}


def typed(site):
    """Command lines that the launchers have got."""
    return [json.loads(line) for line in (site / "log").read_text().splitlines()]


def exits(recording):
    files = (recording.path / "ranks").glob("*.exit.json")
    return sorted((json.loads(file.read_text()) for file in files), key=lambda exit: exit["launched_rank"])


# ---- an MPI job under them, its PMI from a real mpirun ---------------------------------


@pytest.mark.parametrize("name", ["srun", "flux"])
def test_run_outside(mpi, site, name):
    path = site / "r.mpiscope"
    words = ["run", "--launcher", COMMANDS[name], "-n", 2, "-o", path, "--probes=-MPI_Waitall", "--"]
    done = run([MPISCOPE, *words, mpi.example("halo2d"), *HALO], cwd=site / "project", env=env(site, mpi)).ok()
    [line] = typed(site)
    own = [*COMMANDS[name].split(), "-n", "2"]
    assert line[: len(own)] == own and line[len(own) + 1] == "exec", line
    counts = Recording(path, done).counts()
    assert counts["MPI_Isend"] == 2 * 4 * 10 and "MPI_Waitall" not in counts
    assert [exit["launched_rank"] for exit in exits(Recording(path, done))] == [0, 1]


@pytest.mark.parametrize("name", ["srun", "flux"])
def test_exec_inside(mpi, site, name):
    path = site / "r.mpiscope"
    words = [*COMMANDS[name].split(), "-n", 2, MPISCOPE, "exec", "-o", path, mpi.example("halo2d"), *HALO]
    done = run(words, cwd=site / "project", env=env(site, mpi)).ok()
    recording = Recording(path, done)
    assert recording.counts()["MPI_Isend"] == 2 * 4 * 10
    assert done.err.count("recording in") == 1, str(done)


def test_nothing_depends_on_the_environment_that_a_launcher_hands_on(mpi, site):
    """`srun --export=NONE` starts ranks without the user's variables: all is on exec's command line."""
    path = site / "r.mpiscope"
    words = ["run", "--launcher", "srun --export=NONE", "-n", 2, "-o", path, mpi.example("halo2d"), *HALO]
    more = {"MPISCOPE_PROBES": "mpi_coll", "MPISCOPE_PROFILE": "light"}
    done = run([MPISCOPE, *words], cwd=site / "project", env=env(site, mpi, **more)).ok()
    recording = Recording(path, done)
    assert recording.counts() == {"MPI_Allreduce": 2 * 4, "MPI_Barrier": 2}
    assert recording.json()["losses"]["ranks_without_trace"] == 2


# ---- programs beside each other -----------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_processes_without_mpi_make_one_run(site, name):
    """Nobody reaches MPI_Init: who is first, one run, one message, and each is known by its rank."""
    path = site / "r.mpiscope"
    words = [*COMMANDS[name].split(), COUNT[name], 3, MPISCOPE, "exec", "-o", path, "--", "sh", "-c", "pwd; exit 3"]
    done = run(words, cwd=site / "project", env=env(site))
    assert done.code == (0 if name == "pbsdsh" else 3), str(done)
    where = site / ("home" if name == "pbsdsh" else "project")
    assert done.lines == [str(where)] * 3
    assert done.err.count("recording in") == 1, str(done)
    ended = exits(Recording(path, done))
    assert [(exit["launched_rank"], exit["exit_code"]) for exit in ended] == [(0, 3), (1, 3), (2, 3)]
    key = json.loads((path / "run.json").read_text())["job_key"]
    assert key == {"srun": "slurm=4711.0", "flux": "FLUX_JOB_ID=f4711", "pbsdsh": "PBS_JOBID=4711.standin"}[name]


@pytest.mark.parametrize("name", NAMES)
def test_an_error_is_explained_once(site, name):
    words = [*COMMANDS[name].split(), COUNT[name], 3, MPISCOPE, "exec", "-o", site / "no/such/r", "ls"]
    done = run(words, cwd=site / "project", env=env(site))
    assert done.err.count("error: the directory") == 3, str(done)
    assert done.err.count("try: mkdir -p") == 1, str(done)


def test_run_starts_programs_where_it_was_typed(mpi, site):
    """pbsdsh starts in the home directory; each process is an MPI job of its own there."""
    program = mpi.compile("many.c", site / "project" / "many")
    assert program.exists()
    words = ["run", "--launcher", "pbsdsh", "-n", 2, "-o", "r.mpiscope", "./many", "10"]
    done = run([MPISCOPE, *words], cwd=site / "project", env=env(site))
    # Two processes write to one pipe: their lines may be run together.
    assert done.code == 0 and done.out.count("many OK") == 2, str(done)
    assert typed(site)[0][:3] == ["pbsdsh", "-c", "2"]
    recording = Recording(site / "project" / "r.mpiscope", done)
    # So each is a world of its own.
    assert recording.counts()["MPI_Sendrecv"] == 10
    assert [world["ranks"] for world in recording.json()["overview"]["worlds"]] == [1, 1]


# ---- what cannot be right ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["srun", "flux"])
def test_run_inside_is_refused(mpi, site, name):
    words = [*COMMANDS[name].split(), "-n", 2, MPISCOPE, "run", "-n", 2, mpi.example("halo2d")]
    done = run(words, cwd=site / "project", env=env(site))
    assert done.code == 2 and done.out == "", str(done)
    assert done.err.count("already runs under a launcher") == 2 and "mpiscope exec" in done.err


def test_launchers_in_the_wrong_place(site):
    def output(*words):
        done = run([MPISCOPE, *words], cwd=site / "project", env=env(site))
        assert done.code == 2 and done.out == "", str(done)
        assert not (site / "log").exists()
        return done.err

    assert "try: mpiscope run -n 3 ./a.out x" in output("run", "flux", "run", "-n", "3", "./a.out", "x")
    assert "try: srun -n 3 mpiscope exec ./a.out" in output("run", "srun", "-c", "2", "-n3", "./a.out")
    text = output("run", "-n", "2", "--launcher", "flux", "/bin/sh")
    assert "'flux' starts no job without a subcommand" in text and "--launcher 'flux run'" in text
    assert "the number of ranks is missing" in output("run", "--launcher", "srun", "/bin/sh")


def test_a_batch_job_decides_the_number(site):
    """In a job of Slurm srun knows it."""
    path = site / "r.mpiscope"
    more = {"SLURM_JOB_ID": "4711", "SLURM_NTASKS": "1"}
    words = ["run", "--launcher", "srun", "-o", path, "sh", "-c", "exit 0"]
    run([MPISCOPE, *words], cwd=site / "project", env=env(site, **more)).ok()
    assert typed(site)[0][:1] == ["srun"] and "-n" not in typed(site)[0]


def test_doctor_says_where_it_is(site):
    words = ["srun", "-n", 1, MPISCOPE, "doctor", "--json"]
    facts = json.loads(run(words, cwd=site / "project", env=env(site)).ok().out)["surroundings"]
    assert facts["batch_jobs"][0]["variable"] == "SLURM_JOB_ID=4711"
    assert (facts["launched"]["launcher"], facts["launched"]["rank"], facts["launched"]["size"]) == ("srun", 0, 1)
    found = {starter["command"]: starter["path"] for starter in facts["starters"]}
    assert found["flux run"] == str(site / "bin" / "flux") and {"srun", "pbsdsh"} <= set(found)
    page = run([MPISCOPE, "doctor"], cwd=site / "project", env=env(site)).out
    assert "not in a batch job, not under a launcher" in page and "flux run at" in page
