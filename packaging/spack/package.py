# What was tried: that this file is Python, and its build steps by hand (they are those of the Debian
# package). What was not: Spack itself. There is no release to download yet, so it builds a checkout:
#
#   spack repo create mpiscope-repo && mkdir -p mpiscope-repo/packages/mpiscope
#   cp packaging/spack/package.py mpiscope-repo/packages/mpiscope/
#   spack repo add ./mpiscope-repo && spack dev-build mpiscope@main     # in the checkout
"""Spack recipe of mpiscope."""

import os

from spack.package import *


class Mpiscope(Package):
    """Records what the MPI of an unmodified parallel program does, under every MPI."""

    license("MIT OR Apache-2.0")

    version("main", branch="main")

    # One build serves every MPI, so there is no depends_on("mpi").
    depends_on("c", type="build")
    depends_on("rust@1.90:", type="build")
    depends_on("binutils", type="build")

    requires("target=x86_64:", "target=aarch64:", policy="any_of", msg="the collector has assembly of these two")
    requires("platform=linux", msg="the collector is written for Linux")

    def setup_build_environment(self, env):
        env.set("CARGO_HOME", os.path.join(self.stage.path, "cargo"))
        env.set("CARGO_TARGET_DIR", os.path.join(self.stage.path, "target"))

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        packages = ["--package", "mpiscope-cli", "--package", "mpiscope-collector", "--package", "mpiscope-tsan", "--package", "mpiscope-yielding", "--package", "mpiscope-openmp"]
        cargo("build", "--release", "--locked", *packages)
        built = os.path.join(self.stage.path, "target", "release")
        Executable("tools/install-into")(prefix, built)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def finds_its_library(self):
        Executable(self.prefix.bin.mpiscope)("exec", "--force", "-o", "install-test.mpiscope", "true")
