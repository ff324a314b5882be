"""Planted programs: what they claim of themselves, and what the report makes of recorded runs of the quick ones.

How long anybody waits in a run of this machine is for `make planted` to judge, on a quiet one: all programs, with precision
and recall over the whole suite. Here live runs have to have the calls, and the structure, that the program has.
"""

import json
import sys
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from harness import BUILD, HERE, MPIS, Recording, run

PLANTED = HERE.parent / "planted"
sys.path.insert(0, str(PLANTED))

import recorded  # noqa: E402
from labels import IDS, UNPLANTED, LabelError, cases_of, every_case  # noqa: E402
from score import Repaired, first_finding, impossible, judge_fact, score  # noqa: E402
from suite import Outcome, explanation_of, judge_run, line, summary, verdict  # noqa: E402
from suite import recorded as live  # noqa: E402
from truth import Truth  # noqa: E402

CASES = every_case(PLANTED)
RECORDED = [
    pytest.param(case, mpi, archive, id=f"{case.id}-{mpi}")
    for case, mpi, archive in recorded.every_archive(CASES, MPIS)
]
# One of each program; twins make the same calls.
LIVE = [
    pytest.param(case, mpi, id=f"{case.id}-{mpi}", marks=pytest.mark.xdist_group("spinning"))
    for case in CASES
    if case.quick and not case.nothing
    for mpi in MPIS
    if case.mpi in (None, mpi)
]


@pytest.fixture(scope="session")
def programs():
    for mpi in MPIS:
        assert (BUILD / "planted" / mpi).is_dir(), "planted programs are not built: make built-programs"


def options():
    bars = dict(min_precision=0.98, min_recall=0.98, min_figures=0.95, min_roots=0.95, min_savings=0.9, min_silence=1.0)
    return SimpleNamespace(**bars, max_disturbed=0.1, truth=False)


def judged_as(case, score=None, repaired=None):
    return Outcome(case, "openmpi", score=score, repaired=repaired)


@pytest.mark.parametrize("case, family, archive", RECORDED)
def test_recorded_case(case, family, archive, work):
    """Every expectation found, nothing else."""
    path, stamps = recorded.opened(archive, work)
    outcome = judge_run(Outcome(case, family), path, Truth(stamps))
    assert not (outcome.failed or outcome.disturbed), line(outcome)
    assert not (outcome.score.missed or outcome.score.unexpected), line(outcome)


def test_quick_cases_are_recorded():
    kept = {case.id for case, _, _ in recorded.every_archive(CASES, MPIS)}
    assert kept == {case.id for case in CASES if case.quick}, "tests/planted/run.py --record"
    known = {archive for _, _, archive in recorded.every_archive(CASES, MPIS)}
    assert {*recorded.FOLDER.iterdir()} == known, "recorded, and of no quick case"


@pytest.mark.parametrize("case, family", LIVE)
def test_live_case(case, family, programs, work):
    """The calls that the program has stamped, and its structure. Who waits how long is the machine's affair as well."""
    path, truth = live(case, family, work)
    explanation = explanation_of(path)
    assert not impossible(explanation, truth.size)
    counts = Recording(path, None).counts()
    stamped = Counter(event.function for steps in truth.steps.values() for event, _ in steps)
    # Some rows of calls are not stamped.
    assert not {name: (n, counts.get(name, 0)) for name, n in stamped.items() if counts.get(name, 0) < n}
    structure = [judge_fact(name, fact, explanation) for name, fact in case.facts if name != "iterations"]
    assert not [fact for fact in structure if fact.why]


def test_most_programs_have_a_twin():
    for program in {case.program for case in CASES}:
        cases = [case for case in CASES if case.program == program]
        assert any(case.forbidden for case in cases) or program == "stencil25", program


def test_every_rule_has_a_planted_program():
    planted = {e.finding for case in CASES for e in case.expected}
    assert {*UNPLANTED} == IDS - planted, "UNPLANTED in tests/planted/labels.py has the reason for each rule without a program"


# The truth, from stamps written by hand. Times are in microseconds.


def stamps(place, *ranks):
    """One rank file for each list of (function, enter, leave, *parts)."""
    place.mkdir(exist_ok=True)
    for rank, events in enumerate(ranks):
        rows = [[f, f"x.c:{n}", 1000 * a, 1000 * b, [*map(list, p)]] for n, (f, a, b, *p) in enumerate(events)]
        head = {"rank": rank, "size": len(ranks), "start_ns": 0, "ready_ns": 0, "end_ns": 10**6, "delayed_ns": 0}
        (place / f"rank.{rank}.json").write_text(json.dumps({**head, "delays": 0, "events": rows}))
    return Truth(place)


def test_truth_of_time_that_is_no_wait(work):
    truth = stamps(work, [send(50, 60, 1)], [recv(10, 75, 0)])
    assert truth.otherwise_ns == (10 + 65 - 40) * 1000


def us(truth, id):
    return {(w.rank, w.cause): w.wait_ns / 1000 for w in truth.waits if w.id == id}


def send(a, b, to, tag=1):
    return "MPI_Send", a, b, ("send", tag, to), ("delivery", tag, to)


def recv(a, b, source, tag=1):
    return "MPI_Recv", a, b, ("post", tag, source), ("arrival", tag, source)


def test_truth_of_messages(work):
    late = stamps(work / "a", [send(50, 60, 1)], [recv(10, 61, 0)])
    assert us(late, "late_sender") == {(1, 0): 40} and not us(late, "late_receiver")
    late = stamps(work / "b", [send(10, 61, 1)], [recv(50, 60, 0)])
    assert us(late, "late_receiver") == {(0, 1): 40} and not us(late, "late_sender")
    # A wait that ended before the sender came was not for that sender.
    early = stamps(work / "c", [send(50, 60, 1)], [recv(10, 30, 0)])
    assert us(early, "late_sender") == {(1, 0): 20}


def test_truth_of_a_send_that_is_kept(work):
    send = "MPI_Send", 10, 61, ("send", 1, 1)
    kept = stamps(work / "a", [send], [recv(50, 60, 0)])
    assert us(kept, "late_receiver") == {(0, 1): 40}
    gone = stamps(work / "b", [("MPI_Send", 10, 12, ("send", 1, 1))], [recv(50, 60, 0)])
    assert not us(gone, "late_receiver")


def test_truth_of_an_answer_in_between(work):
    """What a rank sends between two receives may need the first: then the second was not there to be taken before."""
    workers = [[send(50, 51, 0), recv(52, 54, 0, 2)], [send(45, 46, 0), recv(47, 90, 0, 2)]]
    master = [recv(10, 52, 1), send(53, 54, 1, 2), recv(55, 56, 2), send(57, 58, 2, 2)]
    truth = stamps(work, master, *workers)
    assert us(truth, "late_sender") and not us(truth, "wrong_order_different_source")


def test_truth_of_wrong_order(work):
    same = stamps(work / "a", [send(10, 11, 1, 1), send(50, 51, 1, 2)], [recv(20, 52, 0, 2), recv(63, 64, 0, 1)])
    assert us(same, "wrong_order_same_source") == {(1, 0): 30}
    other = stamps(work / "b", [recv(20, 52, 2), recv(63, 64, 1)], [send(10, 11, 0)], [send(50, 51, 0)])
    assert us(other, "wrong_order_different_source") == {(0, 2): 30}
    # Whoever asks for the second one at once needs both.
    both = stamps(work / "d", [recv(20, 52, 2), recv(53, 54, 1)], [send(10, 11, 0)], [send(50, 51, 0)])
    assert us(both, "late_sender") == {(0, 2): 30} and not us(both, "wrong_order_different_source")
    right = stamps(work / "c", [recv(5, 12, 1), recv(13, 52, 2)], [send(10, 11, 0)], [send(50, 51, 0)])
    assert us(right, "late_sender") == {(0, 1): 5, (0, 2): 37}
    assert not us(right, "wrong_order_different_source")


def test_truth_of_progress(work):
    wait = ("MPI_Wait", 30, 92, ("delivery", 1, 1))
    receiver = [("MPI_Irecv", 5, 6, ("post", 1, 0)), ("MPI_Wait", 90, 93, ("arrival", 1, 0))]
    truth = stamps(work, [("MPI_Isend", 20, 21, ("send", 1, 1)), wait], receiver)
    assert us(truth, "wait_for_progress") == {(0, 1): 60} and not us(truth, "late_receiver")


@pytest.mark.parametrize(
    "role, id, waits",
    [
        ("all", "wait_at_nxn", {(0, 2): 80, (1, 2): 50}),
        ("barrier", "wait_at_barrier", {(0, 2): 80, (1, 2): 50}),
        ("fence", "wait_at_fence", {(0, 2): 80, (1, 2): 50}),
        ("lower", "early_scan", {(1, 0): 0}),
    ],
)
def test_truth_of_collectives(role, id, waits, work):
    truth = stamps(work, *([("f", enter, 95, ("entry", 0, -1), (role, 0, -1))] for enter in (10, 40, 90)))
    assert us(truth, id) == {who: t for who, t in waits.items() if t}


def test_truth_of_rooted_collectives(work):
    entry, root, leaves = ("entry", 0, -1), ("root", 0, 1), ("leaves", 0, -1)
    bcast = stamps(work / "a", [("f", 10, 60, entry, root)], [("f", 50, 55, entry)])
    assert us(bcast, "late_broadcast") == {(0, 1): 40}
    reduce = stamps(work / "b", [("f", 10, 60, entry, leaves)], [("f", 50, 55, entry)])
    assert us(reduce, "early_reduce") == {(0, 1): 40}


def test_truth_of_one_sided(work):
    start, put = ("start", 10, 42, ("access", 0, 1)), ("put", 43, 45, ("access", 0, 1))
    complete = ("complete", 80, 82, ("access", 0, 1), ("finish", 0, 1))
    target = [("post", 40, 41, ("expose", 0, 0)), ("wait", 50, 83, ("close", 0, 0))]
    truth = stamps(work / "a", [start, put, complete], target)
    assert us(truth, "late_post") == {(0, 1): 30}
    assert us(truth, "early_wait") == {(1, 0): 30} and us(truth, "late_complete") == {(1, 0): 30}
    lock = [("lock", 10, 12, ("acquire", 0, 0)), ("unlock", 50, 51, ("release", 0, 0))]
    other = [("lock", 20, 52, ("acquire", 0, 0)), ("unlock", 53, 54, ("release", 0, 0))]
    assert us(stamps(work / "b", lock, other), "lock_contention") == {(1, 0): 30}


# Scores, of explanations written by hand.

LATE = """/* case: name=late ranks=2
 * args: --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * fact: iterations count=11 warm_up=1
 * case: name=twin ranks=2
 * args: --twin
 * expect: none
 */
"""


@pytest.fixture
def late(work):
    (work / "x.c").write_text(LATE)
    case, twin = cases_of(work / "x.c")
    return SimpleNamespace(
        case=case,
        twin=twin,
        truth=stamps(work / "late", [send(500, 510, 1)], [recv(100, 511, 0)]),
        still=stamps(work / "still", [send(500, 510, 1)], [recv(500, 511, 0)]),
        right={
            "findings": [
                {"id": "late_sender", "cost_ns": 401_000, "share": 0.2, "ranks": [1], "cause_ranks": [0], "sites": []}
            ],
            "waits": [{"id": "late_sender", "rank": 1, "cause_rank": 0, "function": "MPI_Recv", "wait_ns": 401_000}],
            "iterations": {"count": 10, "warm_up": 1},
        },
    )


def finding(explanation, **more):
    return {**explanation, "findings": [{**explanation["findings"][0], **more}]}


def test_right_explanation(late):
    result = score(late.case, late.right, late.truth)
    assert (result.found, result.missed, result.unexpected) == (2, 0, {}), result
    assert [f[-1] for f in result.figures] == [True]
    # A twin without the finding passes; one with it fails, however small it is.
    assert not score(late.twin, {**late.right, "findings": []}, late.still).unexpected
    assert score(late.twin, finding(late.right, share=0.001), late.still).unexpected == {"late_sender": 0.001}
    # What is allowed or true is not counted; what is neither is.
    assert not score(late.case, finding(late.right, id="load_imbalance"), late.truth).unexpected
    assert score(late.case, finding(late.right, id="late_broadcast"), late.truth).unexpected == {"late_broadcast": 0.2}


@pytest.mark.parametrize(
    "wrong, why",
    [
        (dict(ranks=[0]), "ranks [0] instead of [1]"),
        (dict(ranks=[0, 1]), "ranks [0, 1] instead of [1]"),
        (dict(cause_ranks=[1]), "cause [1] instead of [0]"),
        (dict(cost_ns=480_000), "0.480 ms instead of 0.400 ms"),
        (dict(cost_ns=320_000), "0.320 ms instead of 0.400 ms"),
        (dict(sites=["other.c:42 main"]), "at other.c:42 main instead of x.c:0"),
        (dict(id="late_receiver"), "not found"),
    ],
)
def test_wrong_explanation(late, wrong, why):
    result = score(late.case, finding(late.right, **wrong), late.truth)
    assert result.missed == 1 and why in result.expected[0].why, result


def test_ids_without_a_program(late):
    """They are neither right nor wrong; the runner lists them."""
    more = [*late.right["findings"], {**late.right["findings"][0], "id": "new"}]
    result = score(late.case, {**late.right, "findings": more}, late.truth)
    assert not result.unexpected
    outcome = judged_as(late.case, result)
    assert summary([outcome])["unknown"] == {"new": 1}


def test_most_of_the_ranks(work):
    """Three ranks wait; naming those with most of it is right, naming one of them or one without a wait is not."""
    rows = [[("f", enter, 95, ("entry", 0, -1), ("all", 0, -1))] for enter in (10, 20, 80, 90)]
    truth = stamps(work / "stamps", *rows)
    (work / "x.c").write_text(
        " * case: name=a ranks=4\n * expect: finding=wait_at_nxn ranks=0,1,2 seconds=planted tolerance=5%\n"
    )
    (case,) = cases_of(work / "x.c")

    def missed(ranks):
        found = dict(id="wait_at_nxn", cost_ns=160_000, share=0.1, ranks=ranks, cause_ranks=[3])
        return score(case, {"findings": [found], "waits": []}, truth).missed

    assert [missed(r) for r in ([0, 1, 2], [0, 1], [0], [0, 1, 3])] == [0, 0, 1, 1]


def test_parts_of_a_wait(work):
    """A late sender in the wrong order may be counted as that alone, or as both."""
    truth = stamps(work, [send(10, 11, 1, 1), send(510, 511, 1, 2)], [recv(20, 512, 0, 2), recv(613, 614, 0, 1)])
    (work / "x.c").write_text(" * case: name=a ranks=2\n * expect: none\n")
    (case,) = cases_of(work / "x.c")
    wrong = dict(id="wrong_order_same_source", rank=1, wait_ns=490_000)
    late = {**wrong, "id": "late_sender"}

    def figures(*waits):
        return [f[-1] for f in score(case, {"findings": [], "waits": waits}, truth).figures]

    assert figures(wrong) == [True, True] and figures(wrong, late) == [True, True]
    assert figures(late) == [True, False] and figures() == [True, False]


@pytest.mark.parametrize(
    "wanted, seen, right",
    [((20, 34), [[20, 34]], 1), ((20, 34), [[19, 33]], 1), ((20, 34), [[0, 39]], 0), ("all", [[0, 9]], 1), ("all", None, 0)],
)
def test_iterations(late, wanted, seen, right):
    case = replace(late.case, expected=[replace(late.case.expected[0], iterations=wanted)], facts=[])
    assert score(case, finding(late.right, iterations=seen), late.truth).found == right


def test_right_place(late):
    assert score(late.case, finding(late.right, sites=["/src/x.c:2 main"]), late.truth).missed == 0


def test_bars(late):
    def status(explanation):
        outcome = judged_as(late.case, score(late.case, explanation, late.truth))
        return verdict(summary([outcome]), options())

    assert not status(late.right)
    assert status({**late.right, "findings": []}) == ["precision is below 0.98", "recall is below 0.98"] or status(
        {**late.right, "findings": []}
    ) == ["recall is below 0.98"]
    extra = {**late.right["findings"][0], "id": "polling"}
    assert status({**late.right, "findings": [*late.right["findings"], extra]}) == ["precision is below 0.98"]
    assert status({**late.right, "waits": []}) == ["figures right is below 0.95"]


# Repairs: which finding comes first, and whether the saving that it states is the one that was measured.

REPAIRED = """ * case: name=late ranks=2
 * expect: finding=late_sender
 * repair: root=load_imbalance|late_sender cause=0 saves=measured args="--repaired --pieces 8"
 * case: name=needless ranks=2
 * expect: finding=late_receiver
 * repair: of=late_receiver saves=nothing
 * case: name=twin ranks=2
 * expect: none
"""


@pytest.fixture
def repaired(work):
    (work / "x.c").write_text(REPAIRED)
    return SimpleNamespace(**{case.name: case for case in cases_of(work / "x.c")})


def test_labels_of_repairs(repaired):
    late, needless = repaired.late.repair, repaired.needless.repair
    assert (late.ids, late.cause, late.saves) == (("load_imbalance", "late_sender"), {0}, True)
    assert late.args == ("--repaired", "--pieces", "8") and needless.args == ("--repaired",) and not needless.saves
    assert repaired.twin.repair is None


def explained(findings):
    # Of 2 ranks one is done after half of the run: 2000 ns of the run are 1500 ns of rank time.
    return {"findings": findings, "scope": {"rank_time_ns": 1500, "start_ns": 500, "end_ns": 1500, "ranks": 2}}


@pytest.mark.parametrize(
    "findings, why, stated",
    [
        ([dict(id="late_sender", cause_ranks=[0], savable_ns=75)], "", 100),
        ([dict(id="load_imbalance", cause_ranks=[0], savable_ns=None)], "", None),
        ([dict(id="late_sender", cause_ranks=[0])], "", None),
        ([dict(id="late_sender", cause_ranks=[1], savable_ns=7)], "late_sender is due to [1] instead of [0]", None),
        ([dict(id="polling"), dict(id="late_sender", cause_ranks=[0])], "polling comes first instead of", None),
        ([], "nothing comes first instead of", None),
    ],
)
def test_first_finding(repaired, findings, why, stated):
    result = first_finding(repaired.late, explained(findings))
    assert result.not_first.startswith(why) and bool(result.not_first) == bool(why) and result.stated_ns == stated


@pytest.mark.parametrize(
    "findings, promised",
    [([], 0), ([dict(id="late_receiver", savable_ns=0)], 0), ([dict(id="late_receiver", savable_ns=45)], 60), ([dict(id="late_receiver")], 0)],
)
def test_a_repair_that_saves_nothing(repaired, findings, promised):
    result = first_finding(repaired.needless, explained(findings))
    assert result.stated_ns == promised and result.not_first is None


@pytest.mark.parametrize(
    "stated, measured, spread, is_measured, is_right",
    [
        (100, 100, 0, True, True),
        (119, 100, 0, True, True),
        (239, 200, 0, True, True),
        (241, 200, 0, True, False),
        (159, 200, 0, True, False),
        (29, 0, 0, True, True),  # 3 % of the run
        (31, 0, 0, True, False),
        (None, 100, 0, True, False),
        (100, 100, 31, False, True),  # the spread is larger than the difference
        (100, None, None, False, None),
    ],
)
def test_savings(stated, measured, spread, is_measured, is_right):
    result = Repaired("x", "", stated, False, measured, spread, run_ns=1000)
    assert result.is_measured == is_measured and (is_right is None or result.is_right == is_right)


def test_a_saving_that_is_a_bound(repaired):
    """More may be stated than is saved, not less."""
    first = dict(id="late_sender", cause_ranks=[0], savable_ns=500, is_bound=True)
    result = replace(first_finding(repaired.late, explained([first])), measured_ns=100, spread_ns=0, run_ns=1000)
    assert result.is_right and not replace(result, stated_ns=60).is_right and not replace(result, is_bound=False).is_right


def test_bars_of_repairs(late, repaired):
    """Nineteen of twenty have to name the root cause first, nine of ten state what was measured; twins are silent."""
    right, silent = Repaired("late_sender", "", 100, False, 100, 0, 1000), score(late.twin, {**late.right, "findings": []}, late.still)
    off = replace(right, stated_ns=200)
    second = replace(right, not_first="polling comes first")
    loud = score(late.twin, finding(late.right, share=0.001), late.still)

    def status(*outcomes):
        wrong = verdict(summary([*outcomes, judged_as(repaired.late, score(late.case, late.right, late.truth))]), options())
        return [text for text in wrong if "precision" not in text]

    ones = [judged_as(repaired.late, repaired=right)] * 18 + [judged_as(repaired.twin, silent)]
    assert not status(*ones, *[judged_as(repaired.late, repaired=r) for r in (second, off)])
    assert status(*ones, *[judged_as(repaired.late, repaired=second)] * 2) == ["root cause first: 18 of 20, below 0.95"]
    assert status(*ones, *[judged_as(repaired.late, repaired=off)] * 3) == ["saving as measured: 18 of 21, below 0.9"]
    assert status(*ones, judged_as(repaired.twin, loud)) == ["silent on healthy twins: 1 of 2, below 1.0"]
    # What could not be measured well enough counts neither way.
    noisy = judged_as(repaired.late, repaired=replace(off, spread_ns=500))
    assert not status(*ones, *[noisy] * 5)


def test_starvation_is_the_machine_s(late):
    """It may be found in any program, and what it causes with it; in the twin of one that is starved it may not."""
    starved = {**late.right["findings"][0], "id": "oversubscribed"}
    symptom = {**starved, "id": "load_imbalance", "caused_by": "oversubscribed"}
    far = {**starved, "id": "polling", "caused_by": "load_imbalance"}
    explanation = {**late.right, "findings": [starved, symptom, far]}
    assert not score(late.twin, explanation, late.still).unexpected
    late.twin.forbidden = {"oversubscribed"}
    assert score(late.twin, explanation, late.still).unexpected == {"oversubscribed": 0.2}
    circle = [{**symptom, "caused_by": "polling"}, {**far, "share": 0.1}]
    assert {*score(late.twin, {**explanation, "findings": circle}, late.still).unexpected} == {"load_imbalance", "polling"}


@pytest.mark.parametrize(
    "wrong, why",
    [
        (dict(share=1.2), "share 1.2"),
        (dict(cost_ns=-1), "cost_ns -1"),
        (dict(ranks=[2]), "ranks [2, 0] of a run with 2"),
        (dict(confidence="sure"), "confidence"),
    ],
)
def test_impossible_findings(late, wrong, why):
    assert not impossible(late.right, 2)
    assert any(why in text for text in impossible(finding(late.right, **wrong), 2))


def test_impossible_efficiency(late):
    assert not impossible({**late.right, "efficiency": {"parallel": 0.5, "transfer": None}}, 2)
    assert impossible({**late.right, "efficiency": {"parallel": 1.5}}, 2) == ["efficiency: parallel 1.5"]


@pytest.mark.parametrize(
    "text, why",
    [
        ("case: name=a\nexpect: none", "needs name= and ranks="),
        ("expect: none", "comes after a case"),
        ("case: name=a ranks=2\nexpect: finding=lateness", "no finding is called “lateness”"),
        ("case: name=a ranks=2\nexpect: finding=polling seconds=planted tolerance=5%", "nothing measures"),
        ("case: name=a ranks=2\nexpect: finding=late_sender seconds=planted", "tolerance"),
        ("case: name=a ranks=2\nexpect: finding=late_sender iterations=3", "iterations are"),
        ("case: name=a ranks=2\nexpect: finding=late_sender color=red", "“color=red” is none of"),
        ("case: name=a ranks=2\nargs: --late 1", "or “expect: none”"),
        ("case: name=a ranks=2\nexpect: none\nfact: colour red", "a fact is"),
        ("case: name=a ranks=2\nexpect: none\nrepair: root=late_sender", "saves=measured or saves=nothing"),
        ("case: name=a ranks=2\nexpect: none\nrepair: of=late_sender saves=measured", "goes with root="),
        ("case: name=a ranks=2\nexpect: none\nrepair: root=lateness saves=measured", "no finding is called"),
    ],
)
def test_wrong_labels(text, why, work):
    (work / "x.c").write_text("".join(f" * {row}\n" for row in text.splitlines()))
    with pytest.raises(LabelError, match=why):
        cases_of(work / "x.c")


# The runner as one types it, with a program instead of mpiscope that prints a given explanation.

STANDIN = '''#!{python}
import json, os, pathlib, subprocess, sys
words = sys.argv[1:]
if words[0] == "run":
    at = words.index("--")
    run = pathlib.Path(words[words.index("-o") + 1])
    run.mkdir()
    sys.exit(subprocess.run([*{launcher!r}, "-n", words[2], *words[at + 1 :]]).returncode)
sys.path.insert(0, {planted!r})
from truth import Truth
truth = Truth(pathlib.Path(words[1]).with_name("stamps"))
waits = [
    dict(id=w.id, rank=w.rank, cause_rank=w.cause, function=w.event.function, wait_ns=w.wait_ns) for w in truth.waits
]
ids = [id for id in dict.fromkeys(w["id"] for w in waits) if truth.share(id) > 0.02]
most = lambda by_rank: [rank for rank, ns in by_rank.items() if ns > max(by_rank.values()) / 10]
findings = [
    dict(id=id, cost_ns=truth.total(id), share=truth.share(id), ranks=most(truth.ranks(id)),
         cause_ranks=most(truth.causes(id)))
    for id in ids
]
print(json.dumps(dict({head})))
'''


def standin(work, head, launcher):
    path = work / "bin/mpiscope"
    path.parent.mkdir()
    path.write_text(STANDIN.format(python=sys.executable, launcher=launcher, planted=str(PLANTED), head=head))
    path.chmod(0o755)
    return str(path.parent)


def typed(work, head, *words):
    launcher = MPIS["openmpi"].launcher
    command = [sys.executable, PLANTED / "run.py", "--mpi", "openmpi", "barrier.world", "--repeats", "0", *words]
    # A busy machine disturbs some of them.
    command += ["--max-disturbed", "1"]
    return run(command, env={"MPISCOPE_BIN_DIR": standin(work, head, launcher)})


def test_runner(programs, work):
    done = typed(work, "explanation=dict(findings=findings, waits=waits, scope=dict(rank_time_ns=1000, start_ns=0, end_ns=500, ranks=2))", "--json", work / "out.json")
    assert done.code == 0, str(done)
    assert "precision 100.0%, recall 100.0%" in done.out
    out = json.loads((work / "out.json").read_text())
    names = [case["case"] for case in out["cases"]]
    assert names[0] == "barrier.world" and all(name.startswith("barrier.world") for name in names)
    judged = [case for case in out["cases"] if case.get("expected")]
    assert judged and out["summary"]["found"] == len(judged) and all(c["expected"][0]["error"] == 0 for c in judged)


def test_runner_below_the_bar(programs, work):
    done = typed(work, "explanation=dict(findings=[], waits=waits, scope=dict(rank_time_ns=1000, start_ns=0, end_ns=500, ranks=2))")
    assert done.code == 1 and "recall is below 0.98" in done.err, str(done)


def test_runner_without_explanations(programs, work):
    done = typed(work, "format=1")
    assert done.code == 2 and "has no “explanation”" in done.err, str(done)


def test_runner_without_such_a_case(work):
    done = run([sys.executable, PLANTED / "run.py", "no_such"])
    assert done.code == 2 and "no case has “no_such”" in done.err, str(done)
