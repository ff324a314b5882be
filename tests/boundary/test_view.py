"""`mpiscope view`: what its server says, to whom, and how it ends. The page itself: tests/viewer."""

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import urllib.error
import urllib.request
import zlib
from contextlib import contextmanager

import pytest
from harness import MPIS, MPISCOPE, environment, run, until

pytestmark = pytest.mark.xdist_group("view")
TYPES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f32": "f", "f64": "d"}


@pytest.fixture(scope="module")
def recorded(openmpi, tmp_path_factory):
    work = tmp_path_factory.mktemp("view")
    return openmpi.record(4, openmpi.example("halo2d"), "--iters", 30, cwd=work).ok().path


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Of another MPI, with other ranks, and messages sent another way."""
    work = tmp_path_factory.mktemp("other")
    mpich = MPIS["mpich"]
    return mpich.record(2, mpich.example("halo2d"), "--iters", 20, "--variant", "blocking", cwd=work).ok().path


@contextmanager
def serving(path, *options, within=(), **more):
    """A server and its address; it must end by ^C, without a word that sounds like trouble."""
    server = subprocess.Popen([*within, MPISCOPE, "view", path, "--no-browser", *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=environment(**more))
    try:
        url = server.stdout.readline().strip().removesuffix("#page=compare")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", url), (url, server.stderr.read())
        yield url
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0, server.stderr.read()
    finally:
        server.kill()
        server.communicate()


def ask(url, question, headers={}, **params):
    """Status, headers, body."""
    query = "&".join(f"{name.rstrip('_')}={value}" for name, value in params.items())
    request = urllib.request.Request(f"{url}api/{question}" + (f"?{query}" if query else ""), headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def answer_of(url, question, **params):
    status, _, body = ask(url, question, **params)
    assert status == 200, body
    return json.loads(body)


def columns_of(body):
    """Head and columns of a frame."""
    assert body[:4] == b"MSF1"
    (length,) = struct.unpack_from("<I", body, 4)
    head = json.loads(body[8:8 + length])
    at, columns = (8 + length + 7) // 8 * 8, {}
    for column in head["columns"]:
        layout = f"<{column['length']}{TYPES[column['type']]}"
        columns[column["name"]] = struct.unpack_from(layout, body, at)
        at += (struct.calcsize(layout) + 7) // 8 * 8
    assert at == len(body)
    return head, columns


def frame(url, question, **params):
    status, headers, body = ask(url, question, **params)
    assert status == 200, body
    assert headers["Content-Type"] == "application/vnd.mpiscope.frame"
    return columns_of(body)


def ready(url):
    until(lambda: answer_of(url, "progress")["is_explained"], "the store and the explanation")


def test_answers_agree_with_the_report(recorded):
    report = json.loads(run([MPISCOPE, "report", recorded, "--json"]).ok().out)
    counted = {row["call"]: row["calls"] for row in report["calls"]}
    with serving(recorded) as url:
        early = answer_of(url, "run")
        assert early["ranks"]["count"] == 4 and early["state"] in ("building", "ready")
        ready(url)
        about = answer_of(url, "run")
        assert {f["name"]: f["calls"] for f in about["functions"]} == counted
        table = answer_of(url, "groups", by="function")
        assert {row["key"][0]["text"]: row["count"] for row in table["rows"]} == counted
        assert sum(row["share"] for row in table["rows"]) <= 1
        head, calls = frame(url, "calls", limit=200000)
        assert head["total"] == len(calls["row"]) and sum(calls["count"]) == sum(counted.values())
        assert max(start + took for start, took in zip(calls["start_ns"], calls["duration_ns"])) == about["until_ns"]
        head, cells = frame(url, "cells", columns=200, rows=2)
        assert (head["rows"], head["rows_per_block"], sum(cells["calls"])) == (2, 2, sum(counted.values()))
        assert len(cells["offset"]) == head["rows"] * head["columns_count"] + 1
        assert set(cells["function"]) - {65535} == {f["id"] for f in about["functions"]}
        made = json.loads(run([MPISCOPE, "store", recorded, "--json"]).ok().out)
        sent = next(table["rows"] for table in made["tables"] if table["name"] == "messages")
        head, messages = frame(url, "messages", limit=2000)
        assert head["total"] == sent and all(a <= b for a, b in zip(messages["sent_ns"], messages["received_ns"]))
        head, matrix = frame(url, "matrix")
        assert sum(matrix["count"]) == sent
        answer_of(url, "report")["explanation"]["findings"]


def place_of(found):
    return {name: found[name] for name in ("rank", "row")}


def test_walking(recorded):
    with serving(recorded) as url:
        ready(url)
        assert answer_of(url, "call", **place_of(answer_of(url, "find", text="isend")))["function"] == "MPI_Isend"
        _, messages = frame(url, "messages", limit=1)
        send = {"rank": messages["sender"][0], "row": int(messages["send_row"][0])}
        arrived = place_of(answer_of(url, "step", **send, by="message"))
        assert arrived["rank"] == messages["receiver"][0]
        back = [(m["rank"], m["row"]) for m in answer_of(url, "call", **arrived)["messages"] if m["direction"] == "received"]
        assert (send["rank"], send["row"]) in back
        _, operations = frame(url, "collectives", limit=5)
        begin, end = operations["member_offset"][:2]
        assert end - begin == 4
        rank, row = operations["rank"][begin], operations["row"][begin]
        place = {"rank": rank, "row": int(row)}
        for _ in range(4):
            place = answer_of(url, "step", rank=place["rank"], row=place["row"], by="collective")
        assert place["rank"] == rank


def test_who_may_ask(recorded):
    with serving(recorded) as url:
        host, token = url.split("/")[2:4]
        assert ask(url, "run", headers={"Host": "evil.example"})[0] == 403
        assert ask(url, "run", headers={"Origin": "http://evil.example"})[0] == 403
        assert ask(url, "run", headers={"Origin": f"http://{host}"})[0] == 200
        assert ask(f"http://{host}/{'0' * 32}/", "run")[0] == 404
        assert ask(f"http://{host}/", "run")[0] == 404
        for path in ("..%2f..%2f..%2fetc%2fpasswd", "../../../../etc/passwd", "%00", "app.js%2f..%2f..%2fCargo.toml"):
            with socket.create_connection(host.split(":")) as raw:
                raw.sendall(f"GET /{token}/{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                answer = raw.makefile("rb").read()
            assert answer.split(b" ", 2)[1] in (b"404", b"400") and b"root:" not in answer, path
        status, headers, _ = ask(url, "run")
        assert status == 200 and "default-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        # Nothing outside of this machine can reach it.
        assert host.startswith("127.0.0.1:")


def test_wrong_questions(recorded):
    with serving(recorded) as url:
        ready(url)
        for status, question, params in [
            (404, "colours", {}),
            (400, "cells", {"columns": 100000}),
            (400, "cells", {"colums": 100}),
            (400, "groups", {"by": "colour"}),
            (400, "groups", {"by": "function,rank,host"}),
            (400, "calls", {"ranks": "3-1"}),
            (400, "calls", {"from": "soon"}),
            (400, "calls", {"from": "nan"}),
            (400, "calls", {"limit": ""}),
            (400, "cells", {"quick": "yes"}),
            (400, "matches", {"text": "send", "at": "soon"}),
            (400, "find", {"text": "send", "start": 5}),
            (400, "scatter", {"x": "bytes"}),
            (400, "cells", {"order": "sort:size"}),
            (404, "call", {"rank": 99, "row": 0}),
            (404, "call", {"rank": 0, "row": 123456789}),
            (404, "calls", {"iteration": 100000}),
        ]:
            got, _, body = ask(url, question, **params)
            error = json.loads(body)["error"]
            assert got == status and error["what"] and error["next"], (question, params, got, body)


@pytest.fixture
def own(recorded, work):
    """A copy of the run, to be spoilt."""
    return shutil.copytree(recorded, work / "own.mpiscope", ignore=shutil.ignore_patterns("view.address"))


def test_links_survive_the_server(own):
    address = own / "view.address"
    with serving(own) as url:
        kept = url
        assert stat.S_IMODE(address.stat().st_mode) == 0o600
        # At the same time there can be another one, elsewhere.
        with serving(own) as second:
            assert second != kept and second.split("/")[3] == kept.split("/")[3]
    for _ in range(2):
        with serving(own) as url:
            assert url == kept
    # To end them, the file is removed.
    address.unlink()
    with serving(own) as url:
        assert url.split("/")[3] != kept.split("/")[3]
    # What starts programs has a token of its own.
    before = address.read_text()
    with serving(own, "--launch") as url:
        assert json.loads(before)["token"] not in url and address.read_text() == before


def test_an_address_that_others_may_read_is_refused(own, work):
    address = own / "view.address"
    with serving(own):
        pass
    for mode in (0o644, 0o640, 0o606):
        address.chmod(mode)
        ended = run([MPISCOPE, "view", own, "--no-browser"])
        assert ended.code == 2 and ended.out == "" and f"{mode:03o}" in ended.err and "chmod 600" in ended.err, ended
    address.chmod(0o600)
    elsewhere = address.rename(work / "elsewhere")
    address.symlink_to(elsewhere)
    ended = run([MPISCOPE, "view", own, "--no-browser"])
    assert ended.code == 2 and "symbolic link" in ended.err, ended
    address.unlink()
    # Also one that leads nowhere: nothing is made at its end.
    address.symlink_to(work / "nothing")
    ended = run([MPISCOPE, "view", own, "--no-browser"])
    assert ended.code == 2 and "symbolic link" in ended.err and not (work / "nothing").exists(), ended


def test_a_run_that_cannot_be_written_has_a_new_address_each_time(own):
    with serving(own) as url:
        ready(url)
    (own / "view.address").unlink()
    # The mode of a folder holds for root as well without this right.
    within = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []
    own.chmod(0o555)
    try:
        urls = []
        for _ in range(2):
            with serving(own, within=within) as url:
                urls.append(url.split("/")[3])
                assert answer_of(url, "run")["ranks"]["count"] == 4
        assert urls[0] != urls[1] and not (own / "view.address").exists()
    finally:
        own.chmod(0o755)


def test_answers_are_kept_by_the_browser(recorded):
    with serving(recorded) as url:
        ready(url)
        _, headers, first = ask(url, "groups", by="function")
        tag = headers["ETag"]
        assert ask(url, "groups", headers={"If-None-Match": tag}, by="function")[0] == 304
        assert ask(url, "groups", headers={"If-None-Match": tag}, by="site")[0] == 200


def test_runs_that_cannot_be_shown(recorded, work):
    assert run([MPISCOPE, "view", work / "nothing.mpiscope", "--no-browser"]).code == 2
    file = work / "file"
    file.write_text("no store")
    # The run is there, its store cannot be: the page says so, and the totals are there all the same.
    with serving(recorded, "--store", file) as url:
        until(lambda: answer_of(url, "progress")["state"] == "failed", "the failure")
        failure = answer_of(url, "progress")["failure"]
        assert failure["what"] and failure["next"]
        assert answer_of(url, "run")["functions"]
        status, _, body = ask(url, "cells")
        assert status == 409 and json.loads(body)["error"]["what"]


def test_a_port_that_is_taken(recorded):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run([MPISCOPE, "view", recorded, "--no-browser", "--port", str(port)])
        assert ended.code == 2 and "--port" in ended.err


def test_two_runs_behind_one_token(recorded, other):
    with serving(recorded, other) as url:
        until(lambda: all(answer_of(url, f"{run}/progress")["is_explained"] for run in (0, 1)), "both")
        names = [run["name"] for run in answer_of(url, "runs")["runs"]]
        assert names == [recorded.name, other.name]
        assert answer_of(url, "run") == answer_of(url, "0/run") and answer_of(url, "run")["ranks"]["count"] == 4
        second = answer_of(url, "1/run")
        assert second["ranks"]["count"] == 2 and second["mpi"].startswith("MPICH")
        before, after = ({row["key"][0]["text"]: row for row in answer_of(url, f"{run}/groups", by="function")["rows"]}
                         for run in (0, 1))
        told_rows = answer_of(url, "0/differences/1", by="function")["rows"]
        assert {row["text"] for row in told_rows} == set(before) | set(after)
        for row in told_rows:
            for side, groups in (("before", before), ("after", after)):
                of = groups.get(row["text"])
                assert (row[side] is None) == (of is None), row
                assert of is None or [row[side][n] for n in ("count", "total_ns", "bytes")] == [
                    of[n] for n in ("count", "total_ns", "bytes")]
        sizes = [abs(row["difference_ns"]) for row in told_rows]
        assert sizes == sorted(sizes, reverse=True)
        # The same places of the same source are the same, though they lie elsewhere in another program.
        sites = {row["text"]: row for row in answer_of(url, "0/differences/1", by="site")["rows"]}
        both = [text for text, row in sites.items() if row["before"] and row["after"]]
        assert any(re.fullmatch(r"MPI_Allreduce at residual halo2d\.c:\d+", text) for text in both), sites.keys()
        assert any("swap_irecv_isend" in text and row["after"] is None for text, row in sites.items())
        assert any("blocking" in text and row["before"] is None for text, row in sites.items())
        # Turned round, differences change their sign.
        turned = {row["text"]: row["difference_ns"] for row in answer_of(url, "1/differences/0", by="function")["rows"]}
        assert turned == {row["text"]: -row["difference_ns"] for row in told_rows}
        for by in ("peer_class", "size_bin", "class", "rank", "region", "comm", "iteration"):
            assert ask(url, "0/differences/1", by=by)[0] in (200, 404), by
        windows = answer_of(url, "0/differences/1", by="function", from_=0, until=1, other_from=0, other_until=1)
        assert not windows["rows"]
        for path, status in (("2/run", 404), ("0/differences/2", 404), ("x/run", 404), ("-1/run", 404), ("0/run/1", 404),
                             ("0/differences/..%2f..", 404), ("0/differences/1", 400)):
            got, _, body = ask(url, path)
            assert got == status, (path, got, body)
        _, headers, _ = ask(url, "0/differences/1", by="class")
        assert ask(url, "0/differences/1", headers={"If-None-Match": headers["ETag"]}, by="class")[0] == 304


def test_the_other_run_must_be_there(recorded, work):
    ended = run([MPISCOPE, "view", recorded, work / "nothing.mpiscope", "--no-browser"])
    assert ended.code == 2 and "nothing.mpiscope" in ended.err


def pack_of(html):
    """What an exported page has in itself, by name."""
    text = re.search(rb'id="mpiscope-pack">([A-Za-z0-9+/=]*)</script>', html).group(1)
    data = zlib.decompress(base64.b64decode(text), wbits=-15)
    (length,) = struct.unpack_from("<I", data)
    found, at = {}, 4 + length
    for name, size in json.loads(data[4:at]):
        found[name] = data[at:at + size]
        at += size
    assert at == len(data)
    return found


@pytest.mark.parametrize("which", ["recorded", "other"])
def test_an_exported_page(which, request, work):
    path = request.getfixturevalue(which)
    page = work / "page.html"
    command = [MPISCOPE, "view", path, "--export", page]
    told_of = run(command).ok().err
    assert "individual calls from" in told_of
    html = page.read_bytes()
    assert len(html) < 3_000_000
    # It may run its own script and nothing else, and load nothing.
    policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', html).group(1).decode()
    script = re.search(rb'<script type="module">(.*)</script>\n</body>', html, re.S).group(1)
    assert base64.b64encode(hashlib.sha256(script).digest()).decode() in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert html.count(b"<script") == 3 and not re.search(rb'<(script|link|img)[^>]*(src|href)="(?!data:)', html)
    pack = pack_of(html)
    report = json.loads(run([MPISCOPE, "report", path, "--json"]).ok().out)
    kept = json.loads(pack["report"])
    of = lambda found: [(f["id"], f["cost_ns"], f["text"], f["proof"]) for f in found["explanation"]["findings"]]
    assert of(kept) == of(report)
    about, shown = json.loads(pack["about"]), json.loads(pack["run"])
    assert about["schema"] == "mpiscope.pack/1" and shown["name"] == path.name
    counted = {row["call"]: row["calls"] for row in report["calls"]}
    table = json.loads(pack["groups/function"])
    assert {row["key"][0]["text"]: row["count"] for row in table["rows"]} == counted
    # A small run is there as a whole: every call, and each level of the timeline has all of them.
    assert about["calls"] <= sum(counted.values()) and about["from_ns"] < about["until_ns"]
    levels = {name.split("/")[1] for name in pack if name.startswith("cells/")}
    for level in levels:
        chunks = [columns_of(pack[name]) for name in pack if name.startswith(f"cells/{level}/")]
        assert sum(sum(columns["calls"]) for _, columns in chunks) == sum(counted.values()), level
    head, calls = columns_of(pack["calls"])
    assert len(calls["row"]) == head["total"] == about["calls"]
    # What proves the first finding that has a place lies in the window.
    proofs = [finding["proof"][0] for finding in report["explanation"]["findings"] if finding["proof"]]
    for proof in proofs[:1]:
        assert about["from_ns"] <= proof["start_ns"] and proof["end_ns"] <= about["until_ns"]
    # It is never overwritten without a word.
    refused = run(command)
    assert refused.code == 2 and "--force" in refused.err and page.read_bytes() == html
    assert run([*command, "--force"]).ok() and page.read_bytes() == html
    assert [file.name for file in work.iterdir() if file.suffix == ".tmp"] == []


def test_a_page_with_the_network(recorded, work):
    network = work / "network.toml"
    network.write_text("[torus]\nshape = [64]\nwrap = false\n\n[nodes]\nranks_per_node = 1\n")
    command = [MPISCOPE, "view", recorded, "--export", "-", "--topology"]
    pack = pack_of(run([*command, network], text=False).ok().out)
    assert json.loads(pack["run"])["network"] == {"has_switches": False}
    assert "order/node" in pack
    absent = run([*command, work / "nothing.toml"])
    assert absent.code == 2 and "nothing.toml" in absent.err


def test_a_page_to_stdout_of_a_window(recorded):
    command = [MPISCOPE, "view", recorded, "--export", "-"]
    whole = run(command, text=False).ok().out
    assert whole.startswith(b"<!doctype html>") and whole.rstrip().endswith(b"</html>")
    until_ns = json.loads(pack_of(whole)["run"])["until_ns"]
    made = run([*command, "--window", f"{until_ns // 2}ns..{until_ns // 2 + 1_000_000}ns"], text=False).ok().out
    pack = pack_of(made)
    about = json.loads(pack["about"])
    assert (about["from_ns"], about["until_ns"]) == (until_ns // 2, until_ns // 2 + 1_000_000)
    assert about["view"] == f"page=views&t={about['from_ns']}~{about['until_ns']}"
    for wrong in ("1s", "2s..1s", "soon..later"):
        assert run([*command, "--window", wrong]).code == 2
    beyond = run([*command, "--window", "1000s..1001s"])
    assert beyond.code == 2 and "it ends at" in beyond.err
    for more in (["--port", "1"], [recorded], ["--no-browser"]):
        assert run([MPISCOPE, "view", recorded, *more, "--export", "-"]).code == 2
    assert run([MPISCOPE, "view", recorded, "--window", "1s..2s", "--no-browser"]).code == 2


def test_pages_that_cannot_be_written(recorded, work):
    for place in (work, work / "nowhere" / "page.html"):
        ended = run([MPISCOPE, "view", recorded, "--export", place])
        assert ended.code == 2 and str(work) in ended.err
    assert run([MPISCOPE, "view", work / "nothing.mpiscope", "--export", work / "page.html"]).code == 2
    assert not (work / "page.html").exists()


def test_a_page_of_a_damaged_run(openmpi, work):
    made = openmpi.record(3, openmpi.example("halo2d"), "--iters", 50, cwd=work).ok()
    file = sorted((made.path / "ranks").glob("*.rank"))[1]
    with open(file, "r+b") as ranks:
        ranks.truncate(1_000_000)
    page = work / "page.html"
    ended = run([MPISCOPE, "view", made.path, "--export", page])
    assert ended.code == 1 and file.name in ended.err
    report = json.loads(pack_of(page.read_bytes())["report"])
    assert any(file.name in (d["file"] or "") + d["text"] for d in report["diagnostics"])


def test_the_page_asks_for_an_export(recorded):
    with serving(recorded) as url:
        ready(url)
        status, headers, body = ask(url, "export", from_=0, until=10_000_000_000, view="page=views")
        assert status == 200 and headers["Content-Disposition"] == f'attachment; filename="{recorded.name}.html"'
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert json.loads(pack_of(body)["about"])["view"] == "page=views"
        assert ask(url, "export", view="x" * 5000)[0] == 400


def test_a_picture_without_a_browser(recorded, work):
    picture = work / "run.png"
    done = run([MPISCOPE, "view", recorded, "--png", picture, "--size", "800x300"]).ok()
    assert done.out == "" and "800x300" in done.err
    first = picture.read_bytes()
    assert first[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", first[16:24]) == (800, 300)
    # Not over what is there.
    again = run([MPISCOPE, "view", recorded, "--png", picture])
    assert again.code == 2 and "--force" in again.err and picture.read_bytes() == first
    run([MPISCOPE, "view", recorded, "--png", picture, "--force", "--size", "800x300"]).ok()
    assert picture.read_bytes() == first, "the same run gives the same bytes"
    # To standard output, and nothing else there.
    piped = run([MPISCOPE, "view", recorded, "--png", "-", "--size", "800x300"], text=False)
    assert piped.code == 0 and piped.out == first
    dark = run([MPISCOPE, "view", recorded, "--png", "-", "--size", "800x300", "--dark", "--window", "0ns..1s",
                "--ranks", "0,2-3"], text=False)
    assert dark.code == 0 and dark.out[:8] == first[:8] and dark.out != first
    for options, printed in [
        (("--size", "10x10"), "at least 400x200"),
        (("--size", "big"), "1600x900"),
        (("--window", "3ms..1ms"), "ends before"),
        (("--window", "1..2"), "write a number and"),
        (("--window", "500s..600s"), "outside the run"),
        (("--ranks", "77"), "none of the ranks 77"),
    ]:
        done = run([MPISCOPE, "view", recorded, "--png", "-", *options])
        assert done.code == 2 and printed in done.err and done.out == "", done
    assert run([MPISCOPE, "view", recorded, "--png", work / "no" / "x.png"]).code == 2
    assert run([MPISCOPE, "view", recorded, "--size", "800x300"]).code == 2, "only with --png"
    assert sorted(path.name for path in work.iterdir()) == ["run.png"]
