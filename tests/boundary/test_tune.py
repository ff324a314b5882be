"""`mpiscope tune`: candidates from a run, experiments with real launchers, and what must not disturb them."""

import json
import os
import re
import signal
import subprocess
import time

import jsonschema
import pytest

from harness import BUILD, HERE, MPISCOPE, ROOT, run

SCHEMA = json.loads((ROOT / "schemas/tune.schema.json").read_text())
SOURCE = HERE.parent / "tuned/tuned.c"
# Nothing of the tests' own settings: each would be a candidate.
SETTINGS = ("OMPI_MCA_", "UCX_", "MPIR_CVAR_", "MPICH_", "HYDRA_", "MALLOC_", "PRTE_MCA_", "MPISCOPE_", "LD_PRELOAD")


def program(mpi):
    target = BUILD / "boundary" / "tuned" / mpi.name / "tuned"
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.stat().st_mtime < SOURCE.stat().st_mtime:
        run([mpi.compiler, "-O2", "-g", SOURCE, "-o", target]).ok()
    return target


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    roots = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**kept, "LC_ALL": "C.UTF-8", **roots, **{name: str(value) for name, value in more.items()}}


def tune(*words, cwd, limit_s=200, **more):
    words = [str(word) for word in (MPISCOPE, "tune", *words)]
    done = subprocess.run(
        words, cwd=cwd, env=environment(**more), capture_output=True, text=True, timeout=limit_s, check=False
    )
    assert "panicked" not in done.stderr, done.stderr
    return done


def answer(done):
    assert done.returncode in (0, 1, 130), done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def titles(found):
    return [candidate["title"] for candidate in found["candidates"]]


def processes(text):
    """Processes with this in their command line. Tests of the other MPI run at the same time: name the whole path."""
    return subprocess.run(["pgrep", "-f", text], capture_output=True, text=True, check=False).stdout.split()


# The name under which each MPI has the eager limit, too small for the program's messages.
EAGER = {"openmpi": ("OMPI_MCA_btl_vader_eager_limit", "128"), "mpich": ("UCX_RNDV_THRESH", "0")}


def test_a_setting_that_harms_is_found_and_its_gain_proved(mpi, work):
    name, value = EAGER[mpi.name]
    found = answer(tune("-n", 2, "--budget", "150s", "--json", program(mpi), "small_messages", 300, cwd=work, **{name: value}))
    harmful = [candidate for candidate in found["candidates"] if name in candidate["title"]]
    assert f"without {name}" in titles(found) and len(harmful) >= 2
    assert found["runs"] == len(found["trials"]) >= 5
    state = work / "tuned.tune"
    assert {"recorded.mpiscope", "state.json", "tune.json"} <= {path.name for path in state.iterdir()}
    assert json.loads((state / "tune.json").read_text()) == found
    if found["best"]:
        gain = found["compared"]["gain"]
        # By the median of the pairs, or by the sum of all times.
        total = gain["total"]
        by_sum = total is not None and total["gain"] >= total["low"] > 0.009
        assert gain["pairs"] >= 6 and (by_sum or gain["low"] > found["least_gain"]), gain
        # On a busy machine, binding the ranks may gain more.
        if found["noise"] < 0.1:
            assert any(name in setting for setting in found["best"]["settings"]), found
        # What is printed can be used.
        env = (state / "tuned.env").read_text()
        assert env == found["best"]["env"]
        done = subprocess.run(["bash", "-ec", f". {state}/tuned.env; exec {found['best']['line']}"],
                              env=environment(), capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        config = work / "mpiscope.toml"
        config.write_text((state / "tuned.toml").read_text())
        listed = run([MPISCOPE, "config", "--config", config, "--profile", "tuned"]).ok().out
        assert "launcher" in listed
        run([MPISCOPE, "diff", state / "recorded.mpiscope", state / "best.mpiscope"]).ok()


def test_dry_runs_list_candidates_and_make_no_experiment(mpi, work):
    name, value = EAGER[mpi.name]
    done = tune("-n", 2, "--dry-run", program(mpi), "small_messages", 20, cwd=work, **{name: value})
    assert done.returncode == 0 and "WOULD BE TRIED" in done.stdout, done
    assert f"without {name}" in done.stdout and "NO CANDIDATES" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80, done.stdout
    again = tune("-n", 2, "--dry-run", program(mpi), "small_messages", 20, cwd=work)
    assert again.returncode == 2 and "--resume" in again.stderr and "--force" in again.stderr
    found = answer(tune("-n", 2, "--dry-run", "--force", "--json", program(mpi), "small_messages", 20, cwd=work))
    assert found["dry_run"] and found["runs"] == 0 and found["best"] is None
    assert not any(title.startswith("without") for title in titles(found)), titles(found)


@pytest.mark.parametrize("how, reason", [("fail", "exit code"), ("hang", "had not ended"), ("output", "output differs")])
def test_settings_with_which_the_program_misbehaves_are_refused(openmpi, work, how, reason):
    # The mood depends on a variable that only a candidate sets.
    mood = "OMPI_MCA_mpi_yield_when_idle"
    options = ["--runs", 40, "--timeout", "6s", "--budget", "90s"] + (["--same-output"] if how == "output" else [])
    done = tune("-n", 4, *options, "--json", "--launcher", "mpirun.openmpi --oversubscribe", program(openmpi), "moody", 2,
                cwd=work, TUNED_MOOD=mood, TUNED_HOW=how)
    found = answer(done)
    refused = [candidate for candidate in found["candidates"] if candidate["fate"] == "refused"]
    assert [mood in candidate["title"] for candidate in refused] == [True], found
    assert reason in refused[0]["reason"], refused
    assert "refused: " in done.stderr
    # The others were measured.
    assert any(candidate["screened"] for candidate in found["candidates"] if candidate["fate"] != "refused")
    assert processes(str(work)) == []


def test_budgets_hold_and_a_search_resumes(openmpi, work):
    begin = time.monotonic()
    done = tune("-n", 2, "--budget", "8s", "--json", program(openmpi), "sleeping", 200, cwd=work)
    assert time.monotonic() - begin < 16, "the budget, and the end of what runs"
    first = answer(done)
    assert done.returncode == 1 and not first["complete"] and first["best"] is None
    done = tune("--resume", "tuned.tune", "--runs", 20, "--json", cwd=work)
    second = answer(done)
    assert first["runs"] < second["runs"] <= first["runs"] + 20, done.stderr
    # Reading a number may change its last digit.
    def in_ns(trials):
        return [{**trial, "seconds": round(trial["seconds"], 9)} for trial in trials]

    assert in_ns(second["trials"][: first["runs"]]) == in_ns(first["trials"])
    assert second["used_seconds"] > first["used_seconds"]


def test_an_interruption_keeps_what_was_measured(mpi, work):
    command = [str(word) for word in (MPISCOPE, "tune", "-n", 2, "--json", program(mpi), "sleeping", 300)]
    process = subprocess.Popen(
        command, cwd=work, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    state = work / "tuned.tune/state.json"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (state.is_file() and '"seconds"' in state.read_text()):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    assert found["runs"] >= 1 and not found["complete"]
    assert processes(f"{program(mpi)} sleeping 300") == []
    again = answer(tune("--resume", "tuned.tune", "--runs", 1, "--json", cwd=work))
    assert again["runs"] == found["runs"] + 1


def test_the_time_of_a_region_counts(mpi, work):
    tuned = program(mpi)
    found = answer(tune("-n", 2, "--region", "steps", "--runs", 8, "--json", tuned, "sleeping", 20, cwd=work))
    assert found["region"] == "steps" and 0.05 < found["baseline_seconds"] < 5, found
    done = tune("-n", 2, "--force", "--region", "solve", tuned, "sleeping", 2, cwd=work)
    assert done.returncode == 2 and "has no region solve; it has steps" in done.stderr, done


def test_runs_end_after_some_iterations(mpi, work):
    tuned = program(mpi)
    # 400 steps of 10 ms.
    found = answer(tune("-n", 2, "--stop-after", "20 iterations", "--runs", 8, "--json", tuned, "late_receiver", 400, cwd=work))
    assert found["iterations"] == 20 and found["region"] is None
    # All of them take 4 s.
    assert 0.15 < found["baseline_seconds"] < 3.5, found
    assert [trial for trial in found["trials"] if "why" in trial] == []
    assert processes(f"{tuned} late_receiver 400") == []
    done = tune("-n", 2, "--force", "--stop-after", "5000 iterations", tuned, "late_receiver", 400, cwd=work)
    assert done.returncode == 2 and "--stop-after 5000 iterations: the beginnings of only" in done.stderr, done


def test_access_to_files_leads_to_candidates(mpi, work):
    own = mpi.compile("file_writes.c", work / "file_writes")
    found = answer(tune("-n", 2, "--dry-run", "--json", own, cwd=work))
    if mpi.name == "openmpi":
        expected = ["OMPI_MCA_io_ompio_num_aggregators=1", "OMPI_MCA_io_ompio_num_aggregators=2", "OMPI_MCA_io=^ompio (ROMIO)"]
        assert [title for title in titles(found) if "MCA_io" in title] == expected
    else:
        hints = work / "file_writes.tune" / "hints"
        files = [title.removeprefix("ROMIO_HINTS=") for title in titles(found) if title.startswith("ROMIO_HINTS=")]
        assert sorted(files) == sorted(str(path) for path in hints.iterdir()) and len(files) == 4
        # They are what the MPI reads.
        shown = {"ROMIO_PRINT_HINTS": "1", "ROMIO_HINTS": str(hints / "no-sieving")}
        done = mpi.bare(2, own, cwd=work, env=shown).ok()
        assert "romio_ds_write" in done.out and re.search(r"romio_ds_write\s+value = disable", done.out), done.out


def test_mistakes_are_explained(openmpi, work):
    tuned = program(openmpi)
    (work / "other").mkdir()
    damaged = work / "damaged.tune"
    damaged.mkdir()
    (damaged / "state.json").write_text("{}")
    for words, reason in (
        (["-n", 2, "/bin/false-not"], "false-not"),
        (["-n", 2, "--budget", "soon", tuned], "is not a time"),
        (["-n", 2, "--runs", 0, tuned], "--runs"),
        ([tuned], "ranks"),
        (["-n", 2], "PROGRAM"),
        (["-n", 2, "-o", work / "other", tuned, "sleeping"], "is no search of mpiscope tune"),
        (["--resume", work / "nothing.tune"], "has no search to resume"),
        (["--resume", damaged], "is damaged"),
        (["-n", 2, "mpirun", "-n", "2", tuned], "mpirun"),
    ):
        done = tune(*words, cwd=work)
        assert (done.returncode, done.stdout) == (2, "") and reason in done.stderr, done


def test_a_program_that_fails_by_itself_is_not_tuned(mpi, work):
    done = tune("-n", 2, program(mpi), "moody", 1, cwd=work, TUNED_MOOD="PATH", TUNED_HOW="fail")
    assert done.returncode == 2 and done.stdout == "" and "its recorded run ended with" in done.stderr, done
    done = tune("-n", 2, "--budget", "5s", "--force", program(mpi), "moody", 1, cwd=work, TUNED_MOOD="PATH", TUNED_HOW="hang")
    assert done.returncode == 2 and "--budget" in done.stderr, done
    assert processes(f"{program(mpi)} moody 1") == []
