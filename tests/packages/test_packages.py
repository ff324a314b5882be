"""Packages as their users have them: installed somewhere, found by nothing but their own place."""

import os
import shutil
import subprocess

import pytest
from conftest import ROOT

OLDEST_GLIBC = (2, 28)
LAUNCHERS = {"openmpi": "mpirun.openmpi --oversubscribe --allow-run-as-root", "mpich": "mpirun.mpich"}


def output(*command, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith("MPISCOPE_") and k != "LD_PRELOAD"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def installed(prefix):
    return [prefix / "bin/mpiscope", *(prefix / "lib/mpiscope" / name for name in ("libmpiscope.so", "libmpiscope_tsan.so", "libmpiscope_yield.so", "libmpiscope_openmp.so"))]


def test_the_wheel_says_which_glibc_it_needs_and_needs_no_newer(wheel, wheel_prefix):
    tag = wheel.name.split("-")[-1]
    assert wheel.name.split("-")[2:4] == ["py3", "none"]
    assert tag.startswith(f"manylinux_{OLDEST_GLIBC[0]}_{OLDEST_GLIBC[1]}_")
    for file in installed(wheel_prefix):
        needed = output(ROOT / "tools/glibc-needed", file).strip()
        assert tuple(map(int, needed.split("."))) <= OLDEST_GLIBC, f"{file.name} needs glibc {needed}"


def test_nothing_but_the_c_library_is_needed(prefix):
    allowed = {"libc", "libm", "libdl", "libpthread", "librt", "libgcc_s", "ld-linux-x86-64", "ld-linux-aarch64"}
    for file in installed(prefix):
        words = [line.split() for line in output("objdump", "-p", file).splitlines()]
        needed = {word[1].split(".")[0] for word in words if word[:1] == ["NEEDED"]}
        assert needed <= allowed, file


def test_python_knows_the_library(wheel_prefix):
    code = "import mpiscope; print(mpiscope.__version__, mpiscope.library())"
    version, library = output(wheel_prefix / "bin/python", "-c", code).split()
    assert output(wheel_prefix / "bin/mpiscope", "--version").split()[1] == version
    assert os.path.samefile(library, wheel_prefix / "lib/mpiscope/libmpiscope.so")


def test_the_library_is_found_through_a_link(prefix, tmp_path):
    link = tmp_path / "mpiscope"
    link.symlink_to(prefix / "bin/mpiscope")
    # 1: this machine may lack an MPI; that the collector is found is what counts.
    done = subprocess.run([link, "doctor"], capture_output=True, text=True)
    assert f"OK   collector     {prefix / 'lib/mpiscope/libmpiscope.so'}" in done.stdout


def test_manual_pages_and_completions(prefix):
    share = prefix / "share"
    assert len(list((share / "man/man1").glob("mpiscope*.1*"))) > 4
    assert "_mpiscope" in (share / "bash-completion/completions/mpiscope").read_text()
    assert list((share / "zsh").rglob("_mpiscope"))
    assert (share / "fish/vendor_completions.d/mpiscope.fish").is_file()


@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_a_program_is_recorded(prefix, mpi, tmp_path):
    program = ROOT / "build/examples" / mpi / "halo2d"
    if not program.is_file() or not shutil.which(LAUNCHERS[mpi].split()[0]):
        pytest.skip(f"no {program.name} for {mpi}; type: make examples MPI={mpi}")
    mpiscope = prefix / "bin/mpiscope"
    run = ["run", "-n", "2", "--launcher", LAUNCHERS[mpi], "-o", "r.mpiscope", program, "--iters", "20"]
    output(mpiscope, *run, cwd=tmp_path, timeout=100)
    report = output(mpiscope, "report", "r.mpiscope", "--by", "call", "--csv", cwd=tmp_path)
    assert "MPI_Allreduce" in report
