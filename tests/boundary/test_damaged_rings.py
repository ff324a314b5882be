"""Rings of which a part cannot be read: every command reports that first, and concludes nothing wrong from the rest."""

import json
import random
import shutil
import struct

import jsonschema
import pytest
from conftest import MPIS
from harness import MPISCOPE, ROOT, Done, Recording, run
from test_view import answer_of, ready, serving

RANKS, ROUNDS = 3, 60_000
CHUNK, CHUNK_HEAD = 64 << 10, 64
# Behind definitions, the page of the first thread and its shapes.
RING = (4 << 20) + 4096 + 16384 * 192
pytestmark = pytest.mark.xdist_group("damaged_rings")

ROUND = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, sum, in, out = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < %d; i++) {
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) %% size, 1, &in, 1, MPI_INT, (rank + size - 1) %% size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i %% 10 == 0)
            MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
""" % ROUNDS


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    mpi, work = MPIS["openmpi"], tmp_path_factory.mktemp("rounds")
    (work / "rounds.c").write_text(ROUND)
    run([mpi.compiler, "-O1", "-g", "rounds.c", "-o", "rounds"], cwd=work).ok()
    return mpi.record(RANKS, work / "rounds", cwd=work).ok()


def chunks(data):
    """Where the chunks of a ring are, and how many bytes each has."""
    found, at = [], RING
    while at + CHUNK_HEAD <= len(data):
        sequence, _, _, used = struct.unpack_from("<QQQI", data, at)
        if sequence == 0:
            break
        found.append((at, used))
        at += CHUNK
    return found


@pytest.fixture(params=[0.2, 0.5, 0.97])
def damaged(good, work, request):
    """The run with bits flipped at one place of a ring, and the rank whose it is."""
    path = work / "damaged.mpiscope"
    shutil.copytree(good.path, path)
    recording = Recording(path, Done([], 0, "", ""))
    file = sorted((path / "ranks").glob("*.rank"))[1]
    data = bytearray(file.read_bytes())
    ring = chunks(data)
    assert len(ring) >= 3, "the ring is too short for this test"
    place = int(sum(used - CHUNK_HEAD for _, used in ring) * request.param)
    for at, used in ring:
        if place < used - CHUNK_HEAD:
            break
        place -= used - CHUNK_HEAD
    chance = random.Random(3)
    for offset in range(40):
        data[at + min(CHUNK_HEAD + place + offset, used - 1)] ^= 1 << chance.randrange(8)
    file.write_bytes(data)
    # The world's rank stands in the header.
    return recording, struct.unpack_from("<i", data, 28)[0]


def test_it_is_reported_and_left_out(good, damaged):
    recording, rank = damaged
    whole = good.json()["explanation"]
    report = recording.json(code=1)
    jsonschema.validate(report, json.loads((ROOT / "schemas/report.schema.json").read_text()))
    found = report["explanation"]
    [gap] = found["scope"]["unreadable"]
    assert gap["rank"] == rank and 0 < gap["events"] < whole["scope"]["calls"] / RANKS
    assert report["losses"]["events_unreadable"] == gap["events"] and report["losses"]["damaged_parts"] == 1
    # One side of the damage is left, and all that is explained lies there.
    assert (gap["from_share"] == 0) != (gap["until_share"] == 1)
    begin, end = found["scope"]["start_ns"], found["scope"]["end_ns"]
    assert end <= gap["from_ns"] if gap["until_share"] == 1 else begin >= gap["until_ns"]
    assert found["scope"]["rank_time_ns"] < whole["scope"]["rank_time_ns"]
    # What is missing is no mistake of the program, and nobody waits for it.
    matching = found["matching"]
    for kind in ("sends_never_received", "receives_never_sent", "causality_violations"):
        assert matching[kind] == 0, (kind, matching)
    lost = gap["events"]
    assert whole["matching"]["messages"] - 2 * lost <= matching["messages"] < whole["matching"]["messages"]
    assert sum(wait["wait_ns"] for wait in found["waits"]) <= found["scope"]["rank_time_ns"]
    # Tables of counts are those of the whole run.
    assert recording.counts() == good.counts()


def test_people_read_it_first(good, damaged):
    recording, rank = damaged
    page = recording.page(code=1)
    output = f"the events of rank {rank} cannot be read: its file is damaged"
    verdict = page.index("VERDICT")
    assert verdict < page.index(output) < page.index("computing"), page
    # And where two runs are compared.
    done = run([MPISCOPE, "diff", good.path, recording.path])
    assert done.code in (0, 1) and output in " ".join(done.out.split()), str(done)
    compared = json.loads(run([MPISCOPE, "diff", good.path, recording.path, "--json"]).out)
    jsonschema.validate(compared, json.loads((ROOT / "schemas/diff.schema.json").read_text()))
    assert [row["unreadable"][0]["rank"] for row in compared["losses"]] == [rank]
    # The page of the viewer has it in what it loads first.
    with serving(recording.path) as url:
        ready(url)
        assert output in answer_of(url, "run")["unreadable"]
    done = run([MPISCOPE, "view", recording.path, "--export", recording.path / "page.html"])
    assert done.code == 1, str(done)


def test_a_whole_run_has_no_note(good):
    report = good.json()
    assert report["losses"]["events_unreadable"] == 0 and not report["explanation"]["scope"]["unreadable"]
    assert "cannot be read" not in good.page()
    assert json.loads(run([MPISCOPE, "diff", good.path, good.path, "--json"]).ok().out)["losses"] == []
