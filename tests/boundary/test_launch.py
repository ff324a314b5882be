"""`mpiscope view --launch`: programs started over HTTP, by whom, and that nothing is left behind."""

import json
import os
import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness import MPISCOPE, environment, until

pytestmark = pytest.mark.xdist_group("view")


class Served:
    """`mpiscope view --launch` as it runs in a terminal."""

    def __init__(self, process, url, code):
        self.process, self.url, self.code = process, url, code
        self.origin = "/".join(url.split("/")[:3])

    def get(self, path, headers={}):
        return self.ask(path, None, headers)

    def post(self, path, body, headers=None, origin=True, kind="application/json"):
        headers = {**({"Origin": self.origin} if origin else {}), **(headers or {})}
        if kind:
            headers["Content-Type"] = kind
        return self.ask(path, body if isinstance(body, bytes) else json.dumps(body).encode(), headers)

    def ask(self, path, body, headers):
        request = urllib.request.Request(f"{self.url}{path}", data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, read(answer)
        except urllib.error.HTTPError as error:
            return error.code, read(error)

    def check(self, program, ranks="", **options):
        options = [[name.replace("_", "-"), str(value)] for name, value in options.items()]
        return self.post("api/launch/check", {"program": str(program), "ranks": str(ranks), "options": options})

    def launch(self, program, ranks="", **options):
        """Checks and starts; what was checked."""
        status, checked = self.check(program, ranks, **options)
        assert status == 200, checked
        status, reported = self.post("api/launch/start", {"code": self.code, "ticket": checked["ticket"]})
        assert status == 202, reported
        return checked["command"]

    def progress(self, after=0):
        status, reported = self.get(f"api/launch/progress?after={after}")
        assert status == 200
        return reported

    def ended(self):
        return until(lambda: (now := self.progress())["stage"] == "ended" and now, "the end of the program")


def read(answer):
    body = answer.read()
    return json.loads(body) if "json" in (answer.headers["Content-Type"] or "") else body


@contextmanager
def serving(cwd, *words, env={}):
    server = subprocess.Popen([MPISCOPE, "view", "--no-browser", "--launch", *words], cwd=cwd, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=environment(**env))
    try:
        url = server.stdout.readline().strip()
        code = re.search(r"code to start programs from the page: (\S+)", server.stderr.readline())[1]
        assert code not in url
        yield Served(server, url, code)
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
        assert server.wait(40) == 0
    finally:
        server.kill()
        server.communicate()


def processes(marker):
    """Processes with a word in their environment: whatever came from that server."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def test_a_program_is_launched_and_its_views_are_there(mpi, work):
    ranks = min(4, mpi.many)
    with serving(work, env=mpi.env) as page:
        status, form = page.get("api/launch/form")
        assert status == 200 and form["directory"] == str(work)
        assert {"buffer", "on-full", "stack", "launcher"} <= {option["name"] for option in form["options"]}
        assert page.progress()["stage"] == "idle"
        command = page.launch(f"{mpi.example('halo2d')} --iters 30", ranks, buffer="32M", stack=2)
        assert command["program"][1:] == ["--iters", "30"]
        assert command["text"].startswith(f"mpiscope run -n {ranks} --buffer=32M --stack=2 --output=halo2d.mpiscope -- ")
        now = page.ended()
        assert (now["code"], now["view"], now["ranks_up"]) == (0, "run/1/", ranks), now
        assert f"{ranks} ranks recorded" in now["output"], now["output"]
        status, run = page.get("run/1/api/run")
        assert status == 200 and run["ranks"]["count"] == ranks and run["name"] == "halo2d.mpiscope"
        until(lambda: page.get("run/1/api/progress")[1]["is_explained"], "the explanation")
        assert page.get("run/1/api/groups?by=function")[1]["rows"]
        assert b"mp-app" in page.get("run/1/")[1]
        assert page.get("run/2/api/run")[0] == 404 and page.get("run/0/api/run")[0] == 404
        manifest = json.loads((work / "halo2d.mpiscope" / "run.json").read_text())
        assert manifest["options"]["buffer_bytes"] == 32 << 20 and manifest["options"]["stack"] == 2
        # The next one stands beside it.
        page.launch(f"{mpi.example('halo2d')} --iters 10", 2)
        assert page.ended()["view"] == "run/2/"
        assert page.get("run/1/api/run")[1]["ranks"]["count"] == ranks
        assert page.get("run/2/api/run")[1]["name"] == "halo2d-2.mpiscope"


def test_stopping(mpi, work):
    patient = mpi.compile("patient.c", work / "patient", "-I", str(Path(__file__).parents[2] / "include"))
    marker = f"LAUNCHED_BY={work}"
    with serving(work, env={**mpi.env, "LAUNCHED_BY": str(work)}) as page:
        page.launch(f"{patient} 100000", 2)
        now = until(lambda: (now := page.progress())["ranks_up"] == 2 and now, "both ranks")
        assert now["stage"] == "running" and now["elapsed_ms"] > 0
        status, reported = page.check(patient, 2)
        status, reported = page.post("api/launch/start", {"code": page.code, "ticket": reported["ticket"]})
        assert status == 409 and "still runs" in reported["error"]["what"]
        assert page.post("api/launch/stop", {"code": "aaaa-aaaa"})[0] == 403
        assert page.progress()["stage"] == "running"
        assert page.post("api/launch/stop", {"code": page.code})[0] == 202
        now = page.ended()
        assert "stopped" in now["verdict"], now
        until(lambda: processes(marker) == [page.process.pid], "the end of all ranks")
        # What was recorded until then can be seen.
        assert now["view"] == "run/1/" and page.get("run/1/api/run")[1]["ranks"]["count"] == 2


def test_interrupting_view_ends_the_program(mpi, work):
    patient = mpi.compile("patient.c", work / "patient", "-I", str(Path(__file__).parents[2] / "include"))
    marker = f"LAUNCHED_BY={work}"
    with serving(work, env={**mpi.env, "LAUNCHED_BY": str(work)}) as page:
        page.launch(f"{patient} 100000", 2)
        until(lambda: page.progress()["ranks_up"] == 2, "both ranks")
        page.process.send_signal(signal.SIGINT)
        assert page.process.wait(40) == 0
        until(lambda: not processes(marker), "the end of all ranks")


def test_killing_view_ends_the_program(openmpi, work):
    patient = openmpi.compile("patient.c", work / "patient", "-I", str(Path(__file__).parents[2] / "include"))
    marker = f"LAUNCHED_BY={work}"
    server = subprocess.Popen([MPISCOPE, "view", "--no-browser", "--launch"], cwd=work, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=environment(LAUNCHED_BY=str(work)))
    url = server.stdout.readline().strip()
    page = Served(server, url, re.search(r": (\S+)$", server.stderr.readline())[1])
    page.launch(f"{patient} 100000", 2)
    until(lambda: page.progress()["ranks_up"] == 2, "both ranks")
    server.kill()
    server.communicate()
    until(lambda: not processes(marker), "the end of all ranks")


def test_what_goes_wrong_is_said_in_the_words_of_run(openmpi, work):
    crash = openmpi.example("crash")
    with serving(work) as page:
        for program, ranks, options, message in [
            ("", 2, {}, "The program is missing"),
            ("./a 'b", 2, {}, "missing closing"),
            ("./a", "many", {}, "many"),
            ("./a", 0, {}, "0"),
            ("./a", 2, {"buffer": "1K"}, "too small"),
            ("./a", 2, {"colour": "red"}, "--colour"),
        ]:
            status, reported = page.check(program, ranks, **options)
            assert status == 400 and message in reported["error"]["what"] and reported["error"]["next"], (program, reported)
        page.launch("./nothing-of-this-name", 2)
        now = page.ended()
        assert now["code"] == 2 and now["view"] is None and "nothing-of-this-name" in now["output"], now
        assert "exit code 2" in now["verdict"]
        page.launch(openmpi.example("nompi"), 1)
        now = page.ended()
        assert now["view"] is None and "recorded" in now["output"], now
        page.launch(f"{crash} abort", 2)
        now = page.ended()
        assert now["code"] not in (0, None) and "exit code" in now["verdict"], now
        # What it did until then is there.
        assert now["view"] == "run/3/" and page.get("run/3/api/run")[0] == 200


def test_nothing_without_being_asked_for(openmpi, work, tmp_path):
    """Without --launch there is no such address."""
    run = openmpi.record(2, openmpi.example("halo2d"), "--iters", 5, cwd=work).ok().path
    server = subprocess.Popen([MPISCOPE, "view", "--no-browser", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=environment())
    try:
        page = Served(server, server.stdout.readline().strip(), "")
        assert page.get("api/offers") == (200, {"launch": None})
        for path in ("launch", "launch.html", "run/1/", "run/1/api/run", "api/launch/form", "api/launch/progress"):
            assert page.get(path)[0] == 404, path
        for path in ("api/launch/check", "api/launch/start", "api/launch/stop"):
            assert page.post(path, {})[0] in (404, 405), path
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0 and "code" not in server.stderr.read()
    finally:
        server.kill()
        server.communicate()


def test_hostile_requests(openmpi, work):
    touched = work / "touched"
    wish = {"program": f"touch {touched}", "ranks": "1", "options": [["launcher", "env"]]}
    with serving(work) as page:
        assert page.get("api/offers") == (200, {"launch": "launch"})
        assert page.get("launch.html")[0] == 404 and b"mp-launch" in page.get("launch")[1]
        # Only our own page, and only in JSON.
        for headers, origin in [
            ({"Origin": "http://evil.example"}, False),
            ({"Origin": "null"}, False),
            ({}, False),
            ({"Host": "evil.example"}, True),
            ({"Sec-Fetch-Site": "cross-site"}, True),
            ({"Sec-Fetch-Site": "same-site"}, True),
        ]:
            for path in ("check", "start", "stop"):
                status, reported = page.post(f"api/launch/{path}", wish, headers, origin)
                assert status == 403, (headers, path, reported)
        assert page.post("api/launch/check", wish, kind="text/plain")[0] == 415
        assert page.post("api/launch/check", wish, kind="application/x-www-form-urlencoded")[0] == 415
        assert page.post("api/launch/check", b"{")[0] == 400
        assert page.post("api/launch/check", {**wish, "shell": True})[0] == 400
        assert page.post("api/launch/check", b" " * 70_000)[0] == 413
        # Another token, or none.
        host = page.origin.removeprefix("http://")
        for token in ("0" * 32, ""):
            other = Served(page.process, f"{page.origin}/{token}/", page.code)
            assert other.post("api/launch/check", wish)[0] == 404
        # GET starts nothing.
        status, checked = page.post("api/launch/check", wish)
        assert status == 200
        for path in ("check", "start", "stop"):
            assert page.get(f"api/launch/{path}?code={page.code}&ticket={checked['ticket']}")[0] == 405
        # A command that was not shown, and words instead of a ticket.
        start = {"code": page.code, "ticket": "0" * 32}
        assert page.post("api/launch/start", start)[0] == 409
        assert page.post("api/launch/start", {**start, "program": "touch x"})[0] == 400
        assert page.post("api/launch/start", {"ticket": checked["ticket"]})[0] == 400
        # A few wrong codes, and nothing helps any more: not even the right one.
        states = [page.post("api/launch/start", {"code": code, "ticket": checked["ticket"]})[0]
                  for code in ("", "0", "aaaa-aaaa", page.code[:-1], page.code + "0", page.code)]
        assert states == [403, 403, 403, 403, 423, 423]
        assert not touched.exists() and page.progress()["stage"] == "idle"
        with socket.create_connection(host.split(":")) as raw:
            raw.sendall(b"POST /" + page.url.split("/")[3].encode() + b"/api/launch/start HTTP/1.1\r\n\r\n")
            assert b"200" not in raw.makefile("rb").readline()
        os.kill(page.process.pid, signal.SIGINT)
        assert page.process.wait(20) == 0
        assert "too many wrong codes" in page.process.stderr.read()
