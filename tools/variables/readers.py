"""Readers of the lists that libraries and their tools print: rows of (name, kind, default, choices, names, text)."""

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINDS = {
    "bool": "bool",
    "int": "int",
    "double": "float",
    "float": "float",
    "string": "text",
    "version_string": "text",
    "size_t": "size",
    "unsigned_int": "uint",
    "unsigned": "uint",
    "unsigned_long": "uint",
    "unsigned_long_long": "uint",
    "uint32_t": "uint",
    "uint64_t": "uint",
    "int32_t": "int",
    "int64_t": "int",
    "long": "int",
    "long_long": "int",
}


def output(*command, env=None):
    done = subprocess.run([str(word) for word in command], env=env, capture_output=True, check=False)
    return done.stdout.decode(errors="replace")


def ompi_info(tool, env):
    """All parameters, and all components as (framework, component)."""
    found, components = {}, set()
    for line in output(tool, "--parsable", "--all", env=env).splitlines():
        if match := re.match(r"mca:(\w+):(\w+):version:", line):
            components.add((match[1], match[2]))
            continue
        match = re.match(r"mca:\w+:\w+:param:(\w+):([a-z_]+):(.*)", line)
        if not match:
            continue
        one = found.setdefault(match[1], {"names": [], "choices": []})
        key, rest = match[2], match[3].strip('"')
        if key == "enumerator":
            _, number, name = rest.split(":", 2)
            one["choices"].append(f"{number}={name}")
        elif key == "synonym":
            one["names"].append(rest.removeprefix("name:"))
        elif key == "synonym_of":
            one["of"] = rest.removeprefix("name:")
        else:
            one.setdefault(key, rest)
    for name, one in found.items():
        if one.get("of") in found:
            found[one["of"]]["names"].append(name)
    rows = []
    for name, one in found.items():
        # Another name, unless only that is listed.
        if one.get("of") in found or "type" not in one or name.endswith("_version"):
            continue
        kind = KINDS[one["type"]]
        choices = [] if kind == "bool" else one["choices"]
        default = one.get("value", "") if one.get("source", "default") == "default" else ""
        text = one.get("help", "")
        if one.get("deprecated") == "yes":
            kind += "!"
        rows.append((name, kind, default, choices, one["names"], text))
    return rows, components


def pretty_info(tool, env):
    """What `pmix_info --all` and `prte_info --all` print for people: entries whose first line has the name, wrapped."""
    entries = []
    for line in output(tool, "--all", env=env).splitlines():
        if re.match(r'\s+MCA [\w ]+: ("|---)', line):
            entries.append(line.strip())
        elif entries:
            entries[-1] += " " + line.strip()
    rows = {}
    for entry in entries:
        match = re.search(r'"(\w+)" \(current value: "(.*?)", data source: [^,]*, type: (\w+)(.*)', entry)
        if not match or "synonym of:" in match[4].split(")")[0]:
            continue
        traits, _, text = match[4].partition(")")
        names = re.search(r"synonyms: ([\w, ]+)", traits)
        names = [name.strip() for name in names[1].split(",")] if names else []
        rows[match[1]] = (match[1], KINDS.get(match[3], "text"), match[2], [], names, text)
    return list(rows.values())


def mpi_t(library, env):
    """Control variables, read in a process of its own."""
    rows = []
    for line in output(sys.executable, HERE / "cvars.py", library, env=env).splitlines():
        name, kind, default, text = json.loads(line)
        choices = [] if kind == "text" else re.findall(r"(?m)^\s*([a-z0-9_]+)\s*- ", text)
        if kind != "text" and not choices and len(glued := glued_choices(text)) > 1:
            choices = glued
        if len(choices) > 1:
            kind = "choice"
            default = choices[default] if isinstance(default, int) and 0 <= default < len(choices) else default
        else:
            choices = []
        rows.append((name, kind, default, choices, [], text))
    return rows


def glued_choices(text):
    """MPICH 4.0 has lost the ends of lines: "… algorithmsmp - Force smp algorithmnb - …". An s
    belongs to the name if the rest is the end of a word."""
    words = re.findall(r"(?:algorithm|FILE\))(s?)([a-z0-9_]+?)\s*- (?=[A-Z])", text)
    return [s + rest if re.match("mp$|catter|ched_", rest) else rest for s, rest in words]


def strings(path, pattern):
    """Words in a file that match, each ended by a zero byte."""
    data = Path(path).read_bytes()
    return {word.decode() for word in re.findall(rb"(?<=\0)(" + pattern.encode() + rb")(?=\0)", data)}


UCX = [
    (r"<y\|n>", "bool", None),
    (r"unsigned integer|unsigned long$", "uint", None),
    (r"integer", "int", None),
    (r"floating point", "float", None),
    (r"memory units", "size", None),
    (r"unsigned long:", "count", None),
    (r"time value", "time", None),
    (r"<([\w|]+)>$|^\[([\w|]+)\]$", "choice", True),
]


def ucx_info(tool, env):
    rows, text, syntax = [], [], ""
    for line in output(tool, "-c", "-f", "-a", env=env).splitlines():
        if match := re.match(r"(UCX_\w+)=(.*)", line):
            kind, choices = "text", []
            for pattern, name, has_choices in UCX:
                if found := re.search(pattern, syntax):
                    kind = name
                    choices = (found[1] or found[2]).split("|") if has_choices else []
                    break
            if syntax.startswith("comma-separated"):
                kind, choices = "text", []
            whole, _, bases = " ".join(text).partition(" inherits: ")
            # A variable of several transports has a name without theirs.
            rows.append((match[1], kind, match[2], choices, [base.strip() for base in bases.split(",") if base], whole))
            text, syntax = [], ""
        elif match := re.match(r"# syntax:\s+(.*)", line):
            syntax = match[1]
        elif line in ("#", ""):
            if line == "" and not syntax:
                text = []
        elif line.startswith("# ") and not line.startswith("# UCX library") and "configuration" not in line:
            text.append(line[2:])
    return rows


def fi_info(tool, env):
    rows, name = [], None
    for line in output(tool, "-e", env=env).splitlines():
        if match := re.match(r"# (FI_\w+): (\w+)", line):
            name = (match[1], {"Boolean": "bool", "Integer": "int", "String": "text", "size_t": "size"}[match[2]])
            rows.append((*name, "", [], [], ""))
        elif line.startswith("# ") and rows:
            row = rows[-1]
            text = (row[5] + " " + line[2:]).strip()
            default = re.search(r"\(default:? ([\w.-]+)\)", text)
            rows[-1] = (row[0], row[1], default[1] if default else "", [], [], text)
    return rows
