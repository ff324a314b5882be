"""`mpiscope.toml`: its options take effect in the recorded run, and mistakes are reported."""

import json
import os

import pytest
from harness import MPISCOPE, ROOT, run

HALO = ["--nx", "40", "--ny", "30", "--iters", "10", "--every", "5"]
FILE = """
probes = ["-MPI_Waitall"]     # line 2
[profile.coll]
inherits = "light"
probes = "mpi_coll"
[profile.first]
buffer = "2M"
on-full = "stop"
stack = 4
"""


@pytest.fixture
def project(work):
    """A checkout with a configuration file, and a directory in it where programs are started."""
    (work / ".git").mkdir()
    (work / "mpiscope.toml").write_text(FILE)
    (work / "mpiscope.toml").chmod(0o644)
    (work / "deep" / "er").mkdir(parents=True)
    return work


def stored(recording):
    manifest = json.loads((recording.path / "run.json").read_text())
    return manifest["options"], manifest["config"]


def test_the_file_is_found_upwards(mpi, project):
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=project / "deep" / "er").ok()
    counts = recording.counts()
    assert counts["MPI_Isend"] == 2 * 4 * 10 and "MPI_Waitall" not in counts
    file = str(project / "mpiscope.toml")
    assert f"; options: {file}" in recording.done.err
    options, config = stored(recording)
    assert options["probes"] == "-MPI_Waitall"
    assert config == {"file": file, "profile": None}


@pytest.mark.parametrize("how", ["--profile", "MPISCOPE_PROFILE"])
def test_a_profile_takes_effect_under_run(mpi, project, how):
    options = ["--profile", "coll"] if how == "--profile" else []
    env = {} if options else {"MPISCOPE_PROFILE": "coll"}
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=project, options=options, env=env).ok()
    # From the profile, and from the built-in one that it is based on.
    assert recording.counts() == {"MPI_Allreduce": 2 * 4, "MPI_Barrier": 2}
    assert recording.json()["losses"]["ranks_without_trace"] == 2
    assert stored(recording)[1] == {"file": str(project / "mpiscope.toml"), "profile": "coll"}


def test_a_profile_takes_effect_under_exec(mpi, project):
    recording = mpi.record_under_launcher(
        2, mpi.example("halo2d"), *HALO, cwd=project, options=["--profile", "coll"]
    ).ok()
    assert recording.counts() == {"MPI_Allreduce": 2 * 4, "MPI_Barrier": 2}
    assert recording.json()["losses"]["ranks_without_trace"] == 2
    assert recording.done.err.count("(options: profile coll, ") == 1, str(recording.done)
    assert stored(recording)[1]["profile"] == "coll"


def test_built_in_profiles_need_no_file(mpi, work):
    light = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work, options=["--profile", "light"]).ok()
    assert light.counts()["MPI_Isend"] == 2 * 4 * 10
    assert light.json()["losses"]["ranks_without_trace"] == 2
    options, config = stored(light)
    assert options["trace"] == "off" and config == {"file": None, "profile": "light"}
    full = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=work, options=["--force", "--profile", "full"]).ok()
    options, _ = stored(full)
    assert (options["buffer_bytes"], options["stack"]) == (64 << 20, 4)


def test_what_is_nearer_wins(mpi, project):
    """Command line, environment, profile, file: each of the four decides one option."""
    env = {"MPISCOPE_ON_FULL": "grow", "MPISCOPE_STACK": "2"}
    options = ["--profile", "first", "--stack", "3"]
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=project, options=options, env=env).ok()
    options, _ = stored(recording)
    found = (options["stack"], options["on_full"], options["buffer_bytes"], options["probes"])
    assert found == (3, "grow", 2 << 20, "-MPI_Waitall")
    assert "MPI_Waitall" not in recording.counts()


def test_ranks_do_not_read_the_file_again(mpi, project):
    """`run` decides; `exec`, perhaps on another node, gets all options from it."""
    recording = mpi.record(2, mpi.example("halo2d"), *HALO, cwd=project, options=["--no-config"]).ok()
    assert recording.counts()["MPI_Waitall"] == 2 * 10
    assert stored(recording)[1] == {"file": None, "profile": None}


@pytest.mark.parametrize(
    "text, sayings",
    [
        ("\nbufer = '2M'", ["mpiscope.toml:2: unknown option 'bufer'; did you mean 'buffer'?"]),
        ("stack = 'deep'", ["mpiscope.toml:1: 'stack' must be a whole number, not a string"]),
        ("[profile.a]\ninherits = 'a'", ["mpiscope.toml:2: profiles inherit from each other in a cycle: a → a"]),
        ("buffer = '1K'", ["mpiscope.toml:1: 'buffer': a buffer of 1K is too small"]),
        ("buffer =", ["mpiscope.toml:1: "]),
    ],
    ids=["key", "type", "circle", "value", "syntax"],
)
@pytest.mark.parametrize("under", ["run", "exec"])
def test_mistakes_stop_before_anything_runs(mpi, work, text, sayings, under):
    (work / "mpiscope.toml").write_text(text)
    (work / "mpiscope.toml").chmod(0o644)
    program = mpi.example("halo2d")
    record = mpi.record if under == "run" else mpi.record_under_launcher
    recording = record(2, program, *HALO, cwd=work)
    assert recording.done.code != 0 and recording.done.out == "", str(recording.done)
    assert not recording.path.exists()
    for saying in sayings:
        assert saying in recording.done.err, str(recording.done)
    # Every rank says its line, the first alone what to do.
    assert recording.done.err.count("try: mpiscope config --no-config") == 1, str(recording.done)


def test_an_unknown_profile(mpi, project):
    done = mpi.record(2, mpi.example("halo2d"), cwd=project, options=["--profile", "frist"]).done
    assert done.code == 2 and done.out == "", str(done)
    assert "--profile: unknown profile 'frist'; did you mean 'first'?" in done.err, str(done)


# ---- mpiscope config ---------------------------------------------------------------


def conforms(value, schema, at="$"):
    """As much of JSON Schema as the checked-in schemas need to be worth something."""
    if "anyOf" in schema:
        schema = next(s for s in schema["anyOf"] if (s.get("type") == "null") == (value is None))
    if isinstance(value, dict):
        known = schema["properties"]
        assert set(schema["required"]) <= set(value) <= set(known), f"{at}: {sorted(value)}"
        for key, inner in value.items():
            conforms(inner, known[key], f"{at}.{key}")
    elif isinstance(value, list):
        for item in value:
            conforms(item, schema["items"], f"{at}[]")
    elif "enum" in schema:
        assert value in schema["enum"], f"{at}: {value}"


def test_config_says_where_each_value_comes_from(project):
    command = [MPISCOPE, "config", "--profile", "coll", "--stack", "3", "--json"]
    done = run(command, cwd=project, env={"MPISCOPE_START": "paused"}).ok()
    answer = json.loads(done.out)
    conforms(answer, json.loads((ROOT / "schemas" / "config.schema.json").read_text()))
    lines = {line["name"]: line for line in answer["options"]}
    file = str(project / "mpiscope.toml")
    assert lines["stack"] == {"name": "stack", "value": 3, "from": "command-line"}
    assert lines["start"] == {"name": "start", "value": "paused", "from": "environment", "variable": "MPISCOPE_START"}
    assert lines["probes"] == {
        "name": "probes", "value": "mpi_coll", "from": "profile", "profile": "coll", "file": file, "line": 5
    }  # fmt: skip
    assert lines["trace"] == {"name": "trace", "value": "off", "from": "profile", "profile": "light"}
    assert lines["buffer"] == {"name": "buffer", "value": 16 << 20, "from": "default"}
    assert [profile["name"] for profile in answer["profiles"]] == ["coll", "first", "full", "light"]
    page = run([MPISCOPE, "config"], cwd=project).ok().out
    assert f"-MPI_Waitall" in page and f"{file}:2" in page


def test_a_file_of_somebody_else_is_not_used_unasked(work):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    file = work / "mpiscope.toml"
    file.write_text("launcher = 'evil'")
    os.chown(file, 65534, -1)
    done = run([MPISCOPE, "config"], cwd=work)
    assert done.code == 2 and "belongs to another user" in done.err and "--no-config" in done.err, str(done)
    assert "evil" in run([MPISCOPE, "config", "--config", file], cwd=work).ok().out
