"""Puts the command and the library into the wheel.

With ``MPISCOPE_GLIBC=2.28`` they are linked by zig for that glibc or newer, otherwise by the C compiler of
this machine for its own. The tag of the wheel says what they really need.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def dependencies(self):
        return ["cargo-zigbuild>=0.20", "ziglang>=0.13"] if glibc_wanted() else []

    def initialize(self, version, build_data):
        if not sys.platform.startswith("linux"):
            raise SystemExit(f"mpiscope runs on Linux only, this is {sys.platform}")
        root = Path(self.root)
        built = self.build(root)
        stage = root / "build" / "wheel"
        shutil.rmtree(stage, ignore_errors=True)
        self.run([root / "tools/install-into", stage, built], root)
        for file in sorted(path for path in stage.rglob("*") if path.is_file()):
            place = file.relative_to(stage)
            kind = "shared_scripts" if place.parts[0] == "bin" else "shared_data"
            build_data[kind][str(file)] = place.name if kind == "shared_scripts" else str(place)
        objects = [stage / "bin/mpiscope", *sorted(stage.glob("lib/mpiscope/*.so"))]
        needed = self.run([root / "tools/glibc-needed", *objects], root).strip()
        if glibc_wanted() and number(needed) > number(glibc_wanted()):
            raise SystemExit(f"glibc {glibc_wanted()} was asked for, but what was built needs {needed}")
        # One wheel for every Python: nothing in it is linked with one.
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_{'_'.join(needed.split('.')[:2])}_{platform.machine()}"

    def build(self, root):
        """Builds with cargo; returns the directory of the results."""
        command, target = ["cargo", "build"], []
        if glibc_wanted():
            triple = f"{platform.machine()}-unknown-linux-gnu"
            command, target = ["cargo", "zigbuild"], ["--target", f"{triple}.{glibc_wanted()}"]
        packages = ["--package", "mpiscope-cli", "--package", "mpiscope-collector", "--package", "mpiscope-tsan", "--package", "mpiscope-yielding", "--package", "mpiscope-openmp"]
        self.run([*command, "--release", "--locked", *packages, *target], root, sys.stderr)
        metadata = self.run(["cargo", "metadata", "--format-version=1", "--no-deps", "--offline"], root)
        place = Path(json.loads(metadata)["target_directory"])
        return place / (triple if target else "") / "release"

    def run(self, command, root, stdout=subprocess.PIPE):
        try:
            done = subprocess.run([str(word) for word in command], cwd=root, stdout=stdout, text=True, check=True)
        except FileNotFoundError as error:
            raise SystemExit(
                f"{error.filename} is missing; building mpiscope needs Rust (https://rustup.rs) and a C compiler"
            ) from None
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"{' '.join(map(str, error.cmd))} failed; see above") from None
        return done.stdout


def glibc_wanted():
    return os.environ.get("MPISCOPE_GLIBC", "")


def number(version):
    return tuple(map(int, version.split(".")))
