"""`--on` and `--off`: recording by place, without touching the source."""

import re

import pytest
from harness import HERE, MPISCOPE, run

TIMES = 10
SOLVE = ["--on", "function:solve", "--off", "function:rest"]
# In all ranks: init, rank, finalize, and of each turn the barriers of the loop and of rest().
OUTSIDE = 2 * (3 + 2 * TIMES)
INSIDE = {"MPI_Allreduce": 2 * TIMES, "MPI_Barrier": 2 * TIMES}


def line(text, source="places.c"):
    lines = (HERE / "programs" / source).read_text().splitlines()
    return next(i for i, found in enumerate(lines, 1) if text in found)


def check(mpi, work, program, options, counts=INSIDE, filtered=OUTSIDE, arguments=(), env=None):
    bare = mpi.bare(2, program, *arguments, cwd=work).ok()
    recording = mpi.record(2, program, *arguments, cwd=work, options=options, env=env).ok()
    assert recording.done.lines == bare.lines
    assert "--on, --off" not in recording.done.err, str(recording.done)
    assert "never reached" not in recording.done.err, str(recording.done)
    assert recording.counts() == counts, str(recording.done)
    if filtered is not None:
        assert recording.json()["losses"]["calls_filtered"] == filtered
    return recording


@pytest.mark.parametrize("kind", [("-fPIE", "-pie"), ("-fno-pie", "-no-pie")], ids=["pie", "no-pie"])
@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3"])
def test_c_functions(mpi, work, level, kind):
    program = mpi.compile("places.c", work / "places", level, *kind)
    check(mpi, work, program, SOLVE)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_c_lines(mpi, work, level):
    program = mpi.compile("places.c", work / "places", level)
    after = f"places.c:{line('return sum;')}"
    check(mpi, work, program, ["--on", f"places.c:{line('line 8')}", "--off", after])
    whole = ["--on", f"programs/places.c:{line('line 44')}", "--off", f"places.c:{line('line 15')}", "--force"]
    check(mpi, work, program, whole)


def test_endbr_and_control_flow_protection(openmpi, work):
    program = openmpi.compile("places.c", work / "places", "-O2", "-fcf-protection=full")
    check(openmpi, work, program, SOLVE)


def test_every_function_of_a_program(mpi, work):
    """Patched wherever a jump fits; the program computes and prints the same, also through a jump table."""
    for level in ["-O0", "-O2"]:
        program = mpi.compile("places.c", work / "places", level)
        recording = mpi.record(2, program, "x", cwd=work, options=["--on", "function:*", "--force"]).ok()
        assert recording.done.lines == mpi.bare(2, program, "x", cwd=work).lines
        assert recording.counts()["MPI_Init"] == 2
        assert recording.json()["losses"]["calls_filtered"] == 0


@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3"])
def test_fortran(mpi, work, level):
    program = work / "places"
    fortran = mpi.compiler.replace("mpicc", "mpifort")
    run([fortran, level, "-g", "-J", work, HERE / "programs/places.f90", "-o", program]).ok()
    # MPICH's Fortran routines call its C routines, which count as calls while recording is paused.
    filtered = OUTSIDE if mpi.name == "openmpi" else None
    for name in ["grid::exchange", "exchange", "GRID::Exchange"]:
        options = ["--on", f"function:{name}", "--off", "function:rest", "--force"]
        check(mpi, work, program, options, filtered=filtered)
    reduce, rest = line("call mpi_allreduce", "places.f90"), line("! rest", "places.f90")
    check(mpi, work, program, ["--on", f"places.f90:{reduce}", "--off", f"places.f90:{rest}", "--force"], filtered=filtered)


def test_cxx(openmpi, work):
    source = work / "a.cpp"
    source.write_text(
        "#include <mpi.h>\n#include <cstdio>\n#include <stdexcept>\n"
        "namespace halo { template <class T> struct Grid { T v;\n"
        "  __attribute__((noinline)) T swap(T x) { MPI_Barrier(MPI_COMM_WORLD); if (x == v) throw std::runtime_error(\"x\"); return x + v; }\n"
        "}; }\n"
        "int main(int c, char **v) { MPI_Init(&c, &v); halo::Grid<int> g{3}; int n = 0;\n"
        "  for (int i = 0; i < 5; i++) { MPI_Barrier(MPI_COMM_WORLD);\n"
        "    try { n += g.swap(i); } catch (std::exception &) { n += 100; }\n"
        "  }\n"
        "  std::printf(\"%d\\n\", n); MPI_Finalize(); }\n"
    )
    program = work / "a"
    run(["mpicxx.openmpi", "-O2", "-g", source, "-o", program]).ok()
    bare = openmpi.bare(2, program, cwd=work).ok()
    # The first swap() begins it; an exception passes through a patched function.
    for name in ["halo::Grid::swap", "Grid::swap", "swap"]:
        recording = openmpi.record(2, program, cwd=work, options=["--on", f"function:{name}", "--force"]).ok()
        assert recording.done.out == bare.out
        counts = recording.counts()
        assert counts["MPI_Barrier"] == 18 and "MPI_Init" not in counts
        assert recording.json()["losses"]["calls_filtered"] == 4


def test_a_shared_library_and_the_environment(mpi, work):
    (work / "solver.c").write_text("#include <mpi.h>\nvoid solve(void) { MPI_Barrier(MPI_COMM_WORLD); }\n")
    (work / "main.c").write_text(
        "#include <mpi.h>\nvoid solve(void);\n"
        "int main(int c, char **v) { MPI_Init(&c, &v); solve(); solve(); MPI_Finalize(); return 0; }\n"
    )
    library = work / "a, b" / "libsolver.so"
    library.parent.mkdir()
    mpi.compile(work / "solver.c", library, "-shared", "-fPIC", "-s")
    run([mpi.compiler, work / "main.c", library, "-o", work / "main"]).ok()
    check(mpi, work, work / "main", [], {"MPI_Barrier": 4, "MPI_Finalize": 2}, 2, env={"MPISCOPE_ON": "function:solve"})


def test_start_running_and_off_alone(openmpi, work):
    program = openmpi.compile("places.c", work / "places", "-O2")
    begun = {"MPI_Init": 2, "MPI_Comm_rank": 2, "MPI_Barrier": 4, "MPI_Allreduce": 2}
    check(openmpi, work, program, ["--off", "function:rest"], begun, None)
    both = {"MPI_Init": 2, "MPI_Comm_rank": 2, "MPI_Barrier": 22, "MPI_Allreduce": 20}
    check(openmpi, work, program, [*SOLVE, "--start", "running", "--force"], both, None)


def test_before_the_first_call(openmpi, work):
    program = openmpi.compile("places.c", work / "places", "-O2")
    recording = openmpi.record(2, program, cwd=work, options=["--on", "function:main"]).ok()
    assert recording.json()["losses"]["calls_filtered"] == 0 and recording.counts()["MPI_Init"] == 2


def test_under_a_launcher(mpi, work):
    program = mpi.compile("places.c", work / "places", "-O2")
    recording = mpi.record_under_launcher(2, program, cwd=work, options=SOLVE).ok()
    assert recording.counts() == INSIDE


def refused(mpi, work, program, *options):
    done = run([MPISCOPE, "run", "-n", "2", *options, program], cwd=work)
    assert done.code == 2 and done.out == "" and "error:" in done.err and "panicked" not in done.err, str(done)
    assert not list(work.glob("*.mpiscope"))
    return " ".join(done.err.split())


def test_what_cannot_be_a_place(openmpi, work):
    program = openmpi.compile("places.c", work / "places", "-O2", "-fcf-protection=none")

    def ask(*options):
        return refused(openmpi, work, program, *options)

    assert "function 'absent' not found in places" in ask("--on", "function:absent")
    assert "write function:NAME or FILE:LINE" in ask("--on", "solve")
    assert "write function:NAME or FILE:LINE" in ask("--off", "places.c:0")
    assert "no file of that name" in ask("--on", "absent.c:8")
    comment = line("becomes a jump table")
    nearest = f"places.c:{line('line 15')}, places.c:{line('int choose(int i)') + 1}"
    assert f"no code for that line; the nearest lines with code: {nearest}" in ask("--on", f"places.c:{comment}")
    assert "cannot be a place: the code is too short" in ask("--on", "function:shortest")
    assert "is both in --on and in --off" in ask("--on", "function:solve", "--off", "function:solve")


def test_names_that_are_several(openmpi, work):
    (work / "x.c").write_text("static int step(int i) { return i * 3; }\nint x(int i) { int (*volatile f)(int) = step; return f(i); }\n")
    (work / "y.c").write_text(
        "#include <mpi.h>\nint x(int);\nstatic int step(int i) { return i * 5; }\n"
        "int main(int c, char **v) { MPI_Init(&c, &v); int (*volatile f)(int) = step; int n = f(c) + x(c); MPI_Finalize(); return n == 99; }\n"
    )
    run([openmpi.compiler, "-g", "-O1", work / "x.c", work / "y.c", "-o", work / "several"]).ok()
    output = refused(openmpi, work, work / "several", "--on", "function:step")
    # The compiler was given whole paths.
    assert "is ambiguous: step in several (x.c:1), step in several (y.c:3)" in output


def test_stripped(mpi, work):
    program = mpi.compile("places.c", work / "places", "-O2", "-s")
    assert "it has no symbol table (it is stripped)" in refused(mpi, work, program, "--on", "function:solve")
    assert "no debug information; compile with -g" in refused(mpi, work, program, "--on", "places.c:8")


def test_without_debug_information(mpi, work):
    program = mpi.compile("places.c", work / "places", "-O2", "-g0")
    assert "compile with -g" in refused(mpi, work, program, "--on", "places.c:8")
    check(mpi, work, program, SOLVE)


def test_a_program_rebuilt_in_between(openmpi, work):
    """What the collector finds in memory is not what was looked at: it says so and leaves the code alone."""
    program = openmpi.compile("places.c", work / "places", "-O2")
    recording = openmpi.record(2, program, cwd=work, options=SOLVE).ok()
    manifest = (recording.path / "run.json").read_text()
    places = manifest.split('"places": "')[1].split('"')[0]
    openmpi.compile("places.c", program, "-O1")
    recording = openmpi.record_under_launcher(2, program, cwd=work, options=["--places", places, "--force"]).ok()
    assert recording.done.out == openmpi.bare(2, program, cwd=work).out
    assert "the code has changed since it was examined" in recording.done.err
    assert recording.counts()["MPI_Barrier"] == 60
    assert "the code has changed since it was examined" in recording.page("--full")


def unreached(recording):
    """Places that were never reached, as `run` reports them; the report contains the same texts."""
    answer = re.findall(r"^mpiscope: warning: (--o.*)$", recording.done.err, re.MULTILINE)
    noted = [d for d in recording.json()["diagnostics"] if d["id"] == "place-not-reached"]
    assert [d["text"] for d in noted] == answer and not any(d["damage"] for d in noted)
    page = recording.page("--full")
    assert all(" ".join(text.split()) in page for text in answer), page
    return answer


def test_a_place_that_is_never_reached(mpi, work):
    """Nobody calls never(): recording never begins. The last line is the first rank's alone."""
    program = mpi.compile("places.c", work / "places", "-O2")
    last = f"places.c:{line('printf')}"

    def answer(*options):
        return unreached(mpi.record(2, program, cwd=work, options=[*options, "--force"]).ok())

    (never,) = answer("--on", "function:never")
    assert never.startswith("--on function:never was never reached; nothing was recorded: no recorded rank called it")
    assert answer("--on", "function:never*") == [never.replace("never was", "never* was")]
    assert answer("--on", "function:solve", "--off", last) == []
    first, second = answer("--on", "function:solve", "--on", "function:never", "--off", f"places.c:{line('nobody comes')}")
    assert first.startswith("--on function:never was never reached: no recorded rank called it")
    assert second == f"--off places.c:{line('nobody comes')} was never reached: no recorded rank executed that line"
    # Before MPI is there, and at one spot with another that is not its own.
    assert answer("--on", "function:main", "--on", "function:main*", "--off", last) == []
    (never,) = answer("--start", "running", "--on", last, "--off", "function:solve", "--ranks", "1")
    assert never == f"--on {last} was reached only by ranks that are not recorded (--ranks)"


def test_never_reached_under_a_launcher(openmpi, work):
    program = openmpi.compile("places.c", work / "places", "-O2")
    options = ["--on", "function:never", "--off", "function:rest"]
    recording = openmpi.record_under_launcher(2, program, cwd=work, options=options).ok()
    page = recording.page()
    assert "--on function:never was never reached; nothing was recorded" in page and "--off" not in page


def test_rank_files_that_do_not_note_what_was_reached(openmpi, work):
    """As an older mpiscope wrote them: the header ends before."""
    program = openmpi.compile("places.c", work / "places", "-O2")
    recording = openmpi.record(2, program, cwd=work, options=["--on", "function:never"]).ok()
    assert len(unreached(recording)) == 1
    for file in (recording.path / "ranks").glob("*.rank"):
        with file.open("r+b") as opened:
            opened.seek(12)
            opened.write((2368).to_bytes(4, "little"))
    assert not [d for d in recording.json()["diagnostics"] if d["id"] == "place-not-reached"]


def test_a_place_that_one_process_may_have_passed_unseen(openmpi, work):
    """Its code is not what was looked at: nobody can say that it was never reached."""
    program = openmpi.compile("places.c", work / "places", "-O2")
    recording = openmpi.record(2, program, cwd=work, options=["--on", "function:never"]).ok()
    places = (recording.path / "run.json").read_text().split('"places": "')[1].split('"')[0]
    openmpi.compile("places.c", program, "-O1")
    recording = openmpi.record_under_launcher(2, program, cwd=work, options=["--places", places, "--force"]).ok()
    assert "the code has changed since it was examined" in recording.done.err and unreached(recording) == []
