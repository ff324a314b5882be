#!/usr/bin/env python3
"""Stands in for srun, flux and pbsdsh, by the name it is called under: starts N processes with the
environment, directory and exit status of the real one (as their manuals have it), on this machine.

STANDIN_LOG      file to which its own command line is added, as JSON
STANDIN_MPIRUN   an mpirun that makes the processes ranks of one MPI job, as a launcher's PMI does;
                 without it they only run beside each other
"""

import json
import os
import signal
import subprocess
import sys

JOB = "4711"
# What the launchers' options take a word.
VALUED = {
    "srun": {"-p", "-A", "-t", "-c", "-J", "--mpi", "--export"},
    "flux": {"-c", "-g", "-t", "-q", "-o"},
    "pbsdsh": {"-h"},
}


def take_apart(name, words):
    """Number of processes, options, program."""
    if name == "flux":
        if not words or words.pop(0) != "run":
            sys.exit("flux: error: no such command")
    count, options = 1, {}
    while words and words[0].startswith("-"):
        word, _, value = words.pop(0).partition("=")
        if word == "--":
            break
        if word in ("-n", "--ntasks") and name != "pbsdsh" or word == "-c" and name == "pbsdsh":
            count = int(value or words.pop(0))
        elif word in VALUED[name]:
            options[word] = value or words.pop(0)
        elif name == "pbsdsh" and word == "-n":
            sys.exit("pbsdsh: -n starts one process on the node given")
        else:
            options[word] = value
    return count, options, words


def variables(name, rank, count):
    rank, count, local = str(rank), str(count), str(rank)
    if name == "srun":
        return {
            "SLURM_JOB_ID": JOB, "SLURM_STEP_ID": "0", "SLURM_STEPID": "0", "SLURM_PROCID": rank, "SLURM_LOCALID": local,
            "SLURM_NTASKS": count, "SLURM_STEP_NUM_TASKS": count, "SLURM_STEP_TASKS_PER_NODE": count,
            "SLURM_NNODES": "1", "SLURM_NODEID": "0",
        }  # fmt: skip
    if name == "flux":
        return {
            "FLUX_URI": "local:///standin", "FLUX_JOB_ID": "f" + JOB, "FLUX_TASK_RANK": rank, "FLUX_TASK_LOCAL_ID": local,
            "FLUX_JOB_SIZE": count, "FLUX_JOB_NNODES": "1",
        }  # fmt: skip
    # The script that called it was task 1 on virtual node 0.
    return {
        "PBS_JOBID": JOB + ".standin", "PBS_TASKNUM": str(2 + int(rank)), "PBS_NODENUM": "0", "PBS_VNODENUM": rank,
        "PBS_ENVIRONMENT": "PBS_BATCH", "PBS_O_WORKDIR": os.getcwd(),
    }  # fmt: skip


def environment(name, options, rank, count):
    kept = dict(os.environ)
    bare = name == "pbsdsh" or options.get("--export") == "NONE"
    if bare:  # what the launcher's daemon has, and its PMI; nothing of the user's
        own = ("PATH", "HOME", "LD_LIBRARY_PATH", "OMPI_", "PMI", "PRTE_", "HYD")
        kept = {key: value for key, value in kept.items() if key.startswith(own)}
    # Hydra's own, which no other launcher with PMI has.
    for key in ("MPI_LOCALRANKID", "MPI_LOCALNRANKS", "STANDIN_LOG", "STANDIN_MPIRUN"):
        kept.pop(key, None)
    return {**kept, **variables(name, rank, count)}


def as_rank(name, arguments):
    """Below mpirun: become the program, with its rank from PMI."""
    count, options, program = int(arguments[0]), json.loads(arguments[1]), arguments[2:]
    rank = int(os.environ.get("PMIX_RANK") or os.environ["PMI_RANK"])
    os.execvpe(program[0], program, environment(name, options, rank, count))


def main():
    name, words = os.path.basename(sys.argv[0]), sys.argv[1:]
    if words[:1] == ["--as-rank"]:
        as_rank(words[1], words[2:])
    if log := os.environ.get("STANDIN_LOG"):
        with open(log, "a") as out:
            print(json.dumps([name, *words]), file=out)
    count, options, program = take_apart(name, words)
    if not program:
        sys.exit(f"{name}: no program")
    directory = os.environ["HOME"] if name == "pbsdsh" else None
    if mpirun := os.environ.get("STANDIN_MPIRUN"):
        inner = [sys.executable, __file__, "--as-rank", name, str(count), json.dumps(options), *program]
        sys.exit(subprocess.run([*mpirun.split(), "-n", str(count), *inner], cwd=directory).returncode)
    ranks = [
        subprocess.Popen(program, cwd=directory, env=environment(name, options, rank, count)) for rank in range(count)
    ]
    codes = [rank.wait() for rank in ranks]
    codes = [128 - code if code < 0 else code for code in codes]
    # srun and flux: the highest; pbsdsh: its own.
    sys.exit(0 if name == "pbsdsh" else max(codes))


signal.signal(signal.SIGPIPE, signal.SIG_DFL)
main()
