"""`mpiscope view X.machine`: what the server answers, and what it says about input that is no profile. The page itself: tests/viewer."""

import json

import pytest
from harness import MPISCOPE, run
from test_view import answer_of, ask, serving

pytestmark = pytest.mark.xdist_group("view")

POINT = {
    "x": 8, "median_ns": 500.0, "low_ns": 490.0, "high_ns": 510.0, "min_ns": 480.0, "p05_ns": 485.0, "p95_ns": 530.0, "max_ns": 600.0,
    "rank_min_ns": None, "rank_median_ns": None, "samples": 12, "warm_up": 1, "operations": 400, "reached": True,
    "drift_share": None, "second_mode_ns": None, "second_mode_share": None,
}  # fmt: skip
PROFILE = {
    "format": 1, "mpiscope": "0.1.0", "started_s": 1795666371, "ended_s": 1795666416, "complete": True,
    "problems": ["node1 has 4 ranks on 2 processors: they wait for each other's time slices"],
    "mpi": {"version": "Open MPI v4.1.4", "path": "/usr/lib/libmpi.so.40", "ranks": 2},
    "settings": {"experiments": ["pingpong"], "budget_s": 60.0, "max_bytes": 8388608, "seed": 1, "variables": {}},
    "hosts": [], "ranks": [], "pairs": [{"class": "same-l3", "ranks": [0, 1]}], "parameters": [],
    "curves": [{"experiment": "pingpong", "series": "ping-pong", "pair": 0, "rank": None, "moved": 1.0,
                "axis": {"name": "message size", "unit": "B"}, "points": [POINT]}],
}  # fmt: skip


def profile(work, name, **changes):
    path = work / name
    path.mkdir(parents=True)
    (path / "machine.json").write_text(json.dumps({**PROFILE, **changes}))
    return path


def refused(*words):
    done = run([MPISCOPE, "view", *words, "--no-browser"])
    assert done.code == 2 and not done.out, str(done)
    return done.err


def test_the_answer_is_the_profile(work):
    path = profile(work, "a.machine")
    with serving(path) as url:
        [machine] = answer_of(url, "machines")["machines"]
        assert machine["name"] == "a.machine"
        assert {**machine["profile"], "settings": None} == {**PROFILE, "settings": None}
        assert ask(url, "run")[0] == 404
        assert ask(url, "machines", headers={"Host": "evil.example"})[0] == 403
        assert ask(url, "machines", headers={"Origin": "http://evil.example"})[0] == 403
        assert ask(url[:-2] + "x/", "machines")[0] == 404
    with serving(path) as again:
        assert again == url, "links are kept"


def test_two_profiles(work):
    with serving(profile(work, "a.machine"), profile(work, "b.machine")) as url:
        assert [machine["name"] for machine in answer_of(url, "machines")["machines"]] == ["a.machine", "b.machine"]
    # Of the same name: both are shown as they were typed.
    with serving(profile(work, "x/m.machine"), profile(work, "y/m.machine")) as url:
        assert [machine["name"] for machine in answer_of(url, "machines")["machines"]] == [str(work / "x/m.machine"), str(work / "y/m.machine")]


def test_what_is_no_profile_is_a_clear_error(work):
    empty = work / "empty.machine"
    empty.mkdir()
    assert "is not a machine profile: it has no machine.json" in refused(empty)
    assert "none.machine does not exist" in refused(work / "none.machine")
    broken = profile(work, "broken.machine")
    (broken / "machine.json").write_text("{")
    assert "machine.json is damaged" in refused(broken)
    assert "has format 99" in refused(profile(work, "newer.machine", format=99))
    good = profile(work, "good.machine")
    other = work / "a.out.mpiscope"
    other.mkdir()
    for words in ((good, other), (other, good)):
        assert "a.out.mpiscope is not a machine profile: view shows two runs or two profiles" in refused(*words)
    assert "broken.machine/machine.json is damaged" in refused(good, broken)


@pytest.mark.parametrize("words", [("--png", "x.png"), ("--window", "1ms.."), ("--store", "x"), ("--topology", "x"), ("--launch",)])
def test_options_of_runs(work, words):
    assert f"{words[0]} is for runs" in refused(profile(work, "a.machine"), *words)


def test_a_page_for_itself(work):
    path = profile(work, "a.machine")
    run([MPISCOPE, "view", path, "--export", work / "a.html"]).ok()
    page = (work / "a.html").read_text()
    assert "<mp-machine>" in page and "<title>a.machine – mpiscope</title>" in page
    again = run([MPISCOPE, "view", path, "--export", work / "a.html"])
    assert again.code == 2 and "already exists" in again.err
    run([MPISCOPE, "view", path, "--export", work / "a.html", "--force"]).ok()
    assert "--force requires --export FILE" in refused(path, "--force")
