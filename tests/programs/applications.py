"""Applications of others, as Debian packs them: what to run, and what of it has to be the same.

Used by tests/boundary/test_programs_applications.py (the quick ones) and by ./run.py (all).
"""

import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
INPUTS = HERE / "inputs"
sys.path.insert(0, str(HERE.parent / "boundary"))

from harness import differences, run  # noqa: E402

@dataclass(frozen=True)
class Application:
    """A program with an input. `command` may use {inputs}, {ranks} and {half}, half the ranks."""

    name: str
    package: str
    command: str
    # Lines of stdout and of `files` that tell the time, an address or a process id.
    varies: str = r"(?!)"
    # Result files that have to be the same.
    files: tuple = ()
    # Made in the working directory beforehand.
    inputs: tuple = ()
    prepare: tuple = ()
    # In place of it: the only lines to compare, where nearly everything varies.
    keeps: str = ""
    env: dict = field(default_factory=dict, hash=False)

    # Decimals in which numbers are compared, where the order of sums depends on time; all if None.
    decimals: int = None

    @property
    def program(self):
        return self.command.split()[0]

    @property
    def needs(self):
        """Programs that are not installed."""
        words = [self.program, *(step.split()[0] for step in self.prepare)]
        return sorted({word for word in words if not shutil.which(word)})

    def words(self, ranks):
        text = self.command.format(inputs=INPUTS, ranks=ranks, half=ranks // 2)
        return [shutil.which(self.program), *text.split()[1:]]

    def enter(self, place, ranks):
        """A working directory with what the program reads."""
        place.mkdir(parents=True)
        for name in self.inputs:
            text = (INPUTS / name).read_text()
            (place / name).write_text(text.replace("@ranks@", str(ranks)))
        for step in self.prepare:
            run(["sh", "-c", step], cwd=place, env=self.environment).ok()
        return place

    @property
    def environment(self):
        return {"OMP_NUM_THREADS": "1", **self.env}

    def lines(self, text):
        drop, keep = re.compile(self.varies), re.compile(self.keeps)
        if self.decimals is not None:
            text = re.sub(r"-?\d+\.\d+", lambda n: f"{round(float(n[0]), self.decimals) + 0.0}", text)
            text = re.sub(" +", " ", text)
        return sorted(line.rstrip() for line in text.splitlines() if keep.search(line) and not drop.search(line))

    def results(self, place, done):
        """What has to be the same, by name."""
        found = {"stdout": self.lines(done.out)}
        assert found["stdout"] or self.files, f"nothing to compare\n{done}"
        for pattern in self.files:
            paths = sorted(place.glob(pattern))
            assert paths, f"no {pattern}\n{done}"
            for path in paths:
                data = path.read_bytes()
                try:
                    found[path.name] = self.lines(data.decode())
                except UnicodeDecodeError:
                    found[path.name] = data
        return found


LAMMPS_TIMES = (
    r"create_atoms CPU|^Loop time|^Performance:|CPU use|^(Pair|Neigh|Comm|Output|Modify|Other|Kspace|Bond)\b.*\|"
    r"|^Total wall|^MPI task timing|Section +\|"
)


def lammps(name, command, **more):
    return Application(f"lammps-{name}", "lammps", f"lmp {command}", LAMMPS_TIMES, **more)


APPLICATIONS = [
    lammps("lj", "-in {inputs}/../../../examples/lj256.lmp -var steps 300 -log none"),
    lammps("pppm", "-in {inputs}/pppm.lmp -log none"),
    lammps("eam", "-in {inputs}/eam.lmp -log none", files=("eam.mpiio.dump", "eam.mpiio.restart")),
    lammps("eam-opt", "-suffix opt -in {inputs}/eam.lmp -log none", files=("eam.mpiio.dump",)),
    lammps("gran", "-in {inputs}/gran.lmp -log none"),
    lammps("temper", "-partition 2x{half} -in {inputs}/temper.lmp", files=("log.lammps.*",)),
    Application(
        "gromacs-water",
        "gromacs",
        # Says everything on stderr.
        "gmx_mpi -quiet mdrun -s w.tpr -reprod -dlb no -ntomp 1 -pin off",
        inputs=("water.mdp", "water.top"),
        prepare=(
            "gmx -quiet solvate -cs spc216.gro -box 2.5 2.5 2.5 -o w.gro -p water.top",
            "gmx -quiet grompp -f water.mdp -c w.gro -p water.top -o w.tpr -maxwarn 1",
        ),
        files=("confout.gro",),
    ),
    Application(
        "hpcc",
        "hpcc",
        "hpcc",
        keeps=r"(Errors|Success|CommWorldProcs|PTRANS_residual|HPL_N|PTRANS_n)=|completed and",
        inputs=("hpccinf.txt",),
        files=("hpccoutf.txt",),
    ),
    Application(
        "nwchem-water",
        "nwchem",
        "nwchem {inputs}/water.nw",
        keeps=r"Total (SCF|DFT) energy|nuclear rep|^ +[0-9] [OH] +",
        decimals=4,
    ),
    Application(
        "espresso-h2",
        "quantum-espresso",
        "pw.x -in h2.pw",
        inputs=("h2.pw", "hydrogen.ld1"),
        varies=r"WALL|starts on|terminated on|total cpu time|^\s*$",
        prepare=("ld1.x -in hydrogen.ld1",),
    ),
    Application("meep-waveguide", "meep-openmpi", "meep {inputs}/waveguide.ctl", varies=r"Elapsed|time for|^\s*$|Meep progress|on time step"),
    Application("mpqc-water", "mpqc", "mpqc {inputs}/water.mpqc", keeps=r"energy|iter +[0-9]+|Gradient|convergence"),
]
BY_NAME = {application.name: application for application in APPLICATIONS}


def unlike(expected, got):
    """Readable: the first lines that differ between two results."""
    wrong = []
    for name in expected.keys() | got.keys():
        a, b = expected.get(name), got.get(name)
        if a == b:
            continue
        if isinstance(a, list) and isinstance(b, list):
            lines = [f"- {x}" for x in a if x not in set(b)][:6] + [f"+ {x}" for x in b if x not in set(a)][:6]
            wrong.append("\n".join([f"{name} differs:", *lines]))
        else:
            wrong.append(f"{name} differs")
    return wrong


@dataclass
class Seen:
    """What a comparison saw."""

    wrong: list
    recording: object
    counts: dict


def compare(application, mpi, ranks, work):
    """Runs it bare, recorded, and recorded with the counter; every difference is one of `wrong`."""
    words = application.words(ranks)
    env = application.environment
    place = application.enter(work / "bare", ranks)
    bare = mpi.bare(ranks, *words, cwd=place, env=env)
    expected = application.results(place, bare)
    place = application.enter(work / "recorded", ranks)
    recording = mpi.record(ranks, *words, cwd=place, env=env)
    wrong = unlike(expected, application.results(place, recording.done))
    if recording.done.code != bare.code:
        wrong.append(f"exit status {recording.done.code}, without mpiscope {bare.code}")
    place = application.enter(work / "counted", ranks)
    both, counted = mpi.record_counted(ranks, *words, cwd=place, env=env)
    wrong += [f"counted: {text}" for text in unlike(expected, application.results(place, both.done))]
    wrong += differences(counted, both.counts())
    return Seen(wrong, recording, recording.counts())
