"""tools/run-tests: what becomes of the groups of `make test`."""

import importlib.machinery
import importlib.util
import os
import re
import signal
import subprocess
import sys

import pytest

from harness import LIMIT_S, ROOT

TOOL = ROOT / "tools/run-tests"
# `N passed, N failed` and perhaps `, N skipped`, alone on a line but for one word.
CLOSING = re.compile(r"^(?:\w+: )?\d+ passed, \d+ failed(?:, \d+ skipped)?$")


def loaded():
    loader = importlib.machinery.SourceFileLoader("run_tests", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
    sys.modules["run_tests"] = module
    loader.exec_module(module)
    return module


@pytest.fixture
def tool(work, monkeypatch):
    module = loaded()
    monkeypatch.setattr(module, "LOGS", work)
    monkeypatch.setattr(module.signal, "signal", lambda *_: None)
    return module


@pytest.mark.parametrize(
    "line, counts",
    [
        ("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.02s", (12, 0, 1)),
        ("test result: FAILED. 11 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", (11, 1, 0)),
        ("====== 2 failed, 1008 passed, 18 skipped, 1 xfailed, 1 warning in 1380.93s (0:23:00) ======", (1008, 2, 19)),
        ("=== 1 error in 0.31s ===", (0, 1, 0)),
        ("\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m91 passed\x1b[39m\x1b[22m\x1b[90m (91)\x1b[39m", (91, 0, 0)),
        ("      Tests  1 failed | 90 passed (91)", (90, 1, 0)),
        ("ℹ pass 79", (79, 0, 0)),
        ("# fail 2", (0, 2, 0)),
        ("ℹ cancelled 1", (0, 1, 0)),
        ("2 workers [1028 items]", (0, 0, 0)),
        (" Test Files  22 passed (22)", (0, 0, 0)),
    ],
)
def test_counts(tool, line, counts):
    assert tuple(tool.counts_of([line + "\n"]).values()) == counts


def groups(tool, **scripts):
    return [tool.Group(name, ["sh", "-c", script], needs_build=name != "build") for name, script in scripts.items()]


def typed(tool, monkeypatch, capsys, *words, **scripts):
    """Exit status, and the lines that close the run."""
    monkeypatch.setattr(tool, "GROUPS", groups(tool, **scripts))
    monkeypatch.setattr(sys, "argv", ["run-tests", *words])
    code = tool.main()
    lines = capsys.readouterr().out.rstrip().splitlines()
    assert CLOSING.match(lines[-1]), lines
    return code, lines


def test_a_group_that_fails_keeps_no_other_from_running(tool, monkeypatch, capsys):
    failing = "echo '== 1 failed, 2 passed, 3 skipped in 1s =='; exit 1"
    code, lines = typed(tool, monkeypatch, capsys, build="true", one=failing, two="echo 'ℹ pass 4'")
    assert code == 1 and lines[-1] == "total: 7 passed, 1 failed, 3 skipped"
    assert [line.split()[:4] for line in lines[-5:-2]] == [["build", "1", "0", "0"], ["one", "2", "1", "3"], ["two", "4", "0", "0"]]


@pytest.mark.parametrize(
    "scripts, code, closing",
    [
        (dict(build="true", one="echo '# pass 3'"), 0, "total: 4 passed, 0 failed"),
        # A check that fails after all of its tests have passed, or before any.
        (dict(build="true", one="echo '# pass 3'; exit 2"), 1, "total: 4 passed, 1 failed"),
        (dict(build="true", one="echo '# fail 3'"), 1, "total: 1 passed, 3 failed"),
        # What an older build has left is not tested.
        (dict(build="false", one="echo '# pass 3'"), 1, "total: 0 passed, 2 failed"),
    ],
)
def test_exit_status(tool, monkeypatch, capsys, scripts, code, closing):
    found, lines = typed(tool, monkeypatch, capsys, **scripts)
    assert (found, lines[-1]) == (code, closing)


def test_many_runs_under_load(tool, monkeypatch, capsys, work):
    """A table of all runs; the processes beside them are gone at the end."""
    script = f"echo x >>{work}/runs; pgrep -f -c '^{sys.executable} -c while True' >>{work}/beside"
    code, lines = typed(tool, monkeypatch, capsys, "--runs", "3", "--load", "1", one=f"{script}; [ $(wc -l <{work}/runs) -ne 2 ]")
    assert code == 1 and "2 of 3 runs without a failure, 1 processes computing beside them" in lines
    assert all(int(count) >= 1 for count in (work / "beside").read_text().split())


def test_a_group_beside_others(tool, monkeypatch, capsys, work):
    """It runs while the next one does, its lines are not among theirs, and it has its place in the summary."""
    met = f"touch {work}/$0; while [ ! -e {work}/one -o ! -e {work}/two ]; do sleep 0.01; done; echo $0"
    [one, two] = [tool.Group(name, ["sh", "-c", met, name], needs_build=False, is_beside=name == "one") for name in ("one", "two")]
    monkeypatch.setattr(tool, "GROUPS", [one, two])
    monkeypatch.setattr(sys, "argv", ["run-tests"])
    assert tool.main() == 0
    lines = capsys.readouterr().out.split("\n")
    assert [line.split()[:2] for line in lines if line.startswith("  ")][1:] == [["one", "1"], ["two", "1"]]
    assert {line.split()[0] for line in lines[:2]} == {"one", "two"}


def test_interrupt(work):
    """^C ends the group that runs, and the summary says which ran."""
    driver = work / "driver.py"
    driver.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests/boundary')!r})\n"
        "import pathlib, test_run_tests\n"
        "tool = test_run_tests.loaded()\n"
        f"tool.LOGS = pathlib.Path({str(work)!r})\n"
        "scripts = dict(one='echo started; exec sleep 1000', two='echo never')\n"
        "tool.GROUPS = test_run_tests.groups(tool, **scripts)\n"
        "sys.argv = ['run-tests']\n"
        "sys.exit(tool.main())\n"
    )
    process = subprocess.Popen([sys.executable, driver], stdout=subprocess.PIPE, text=True, start_new_session=True)
    while process.stdout.readline() != "started\n":
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130 and "never" not in out
    assert "interrupted" in out and "not run" in out and CLOSING.match(out.rstrip().splitlines()[-1])
