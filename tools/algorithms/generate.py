#!/usr/bin/env python3
"""Makes the tables of decision rules in crates/tune/data/algorithms/ from what libraries contain.

    tools/algorithms/generate.py [--openmpi VERSION=MPICC ...] [--mpich VERSION=LIBRARY ...]

Open MPI: its decision functions are called (ask_openmpi.c). All libraries that are given must agree, since the table has one range of
versions. MPICH: its selection trees are texts in the library; those of several versions are merged where they are the same.
Without options, the MPIs of the distribution are read. See docs/decisions/0047-algorithms-of-collectives.md.
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
DATA = HERE.parents[1] / "crates/tune/data/algorithms"
OPENMPI = ["4.1.4=mpicc.openmpi"]
MPICH = ["4.0.2=/usr/lib/x86_64-linux-gnu/libmpich.so.12"]
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
            texts[layer, series] = "\n".join(lines(tree))
    head = "# Selection trees of MPICH: made by tools/algorithms/generate.py from the libraries; do not edit.\n"
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
    parser.add_argument("--openmpi", nargs="*", default=OPENMPI, metavar="VERSION=MPICC")
    parser.add_argument("--mpich", nargs="*", default=MPICH, metavar="VERSION=LIBRARY")
    args = parser.parse_args()
    openmpi([one.split("=", 1) for one in args.openmpi])
    mpich([one.split("=", 1) for one in args.mpich])


if __name__ == "__main__":
    main()
