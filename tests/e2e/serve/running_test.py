"""What whoever runs the server relies on: its log, its end, new tokens and certificates, damaged streams."""

import base64
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from serve_test import S, Served, samples  # noqa: E402
from server import ROOT, run_paco  # noqa: E402

ANN, TRAP, WALL = "operate-0123456789abcdef", "send-0123456789abcdef", "read-0123456789abcdef"


def wait_until(true):
    """For what another process does soon; a test that never sees it is ended from outside."""
    while not true():
        pass


class Running(Served):
    def test_a_request_in_flight_is_answered_before_the_end(self):
        body = json.dumps(samples(0, 20)).encode()
        peer = socket.create_connection(("127.0.0.1", self.server.port))
        peer.sendall(b"POST " + S.encode() + b"/samples HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                     b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n")
        self.assertTrue(peer.recv(100).startswith(b"HTTP/1.1 100"))
        peer.sendall(body[:100])
        live = self.server.connection()
        live.request("GET", S + "/events?kinds=sample")
        events = live.getresponse()
        self.server.process.send_signal(signal.SIGTERM)

        def is_closed():
            try:
                socket.create_connection(("127.0.0.1", self.server.port)).close()
                return False
            except ConnectionRefusedError:
                return True

        wait_until(is_closed)
        peer.sendall(body[100:])
        got = b""
        while chunk := peer.recv(65536):
            got += chunk
        self.assertTrue(got.startswith(b"HTTP/1.1 200"), got[:100])
        self.assertEqual(len(json.loads(got.partition(b"\r\n\r\n")[2])["decisions"]), 20)
        events.read()  # an event stream ends as it should, with no half of a chunk
        live.close()
        peer.close()
        self.assertEqual(self.server.process.wait(), 0)
        self.assertEqual(json.loads(run_paco("replay", self.folder + "/birds.journal", "--json"))["samples"], 20)

    def test_a_damaged_journal_takes_no_other_stream_out_of_service(self):
        self.server.stop()
        (pathlib.Path(self.folder) / "bad.journal").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
        self.server.start()
        self.assertEqual(self.server.wait_ready("bad")["state"], "failed")
        self.server.wait_ready("birds")
        ready = self.server.get("/readyz")
        self.assertEqual((ready.status, ready.json), (200, {"status": "ready", "streams": {"bad": "failed"}}))
        wait_until(lambda: any(" error stream_failed stream=bad " in line for line in self.server.log()))

    def test_streams_are_renamed_archived_deleted_and_picked_up(self):
        self.send(0, 30)
        live = self.server.connection()
        live.request("GET", S + "/events?kinds=sample")
        events = live.getresponse()
        for bad in ("", "a/b", "../x", "birds"):
            self.assertIn(self.server.call("POST", S + "/rename?to=" + bad).status, (400, 409), bad)
        self.assertEqual(self.server.call("POST", S + "/rename?to=moths").status, 200)
        self.assertTrue(events.read().endswith(b"\n"))  # who followed it is sent away
        live.close()
        self.server.wait_ready("moths")
        self.assertEqual(self.server.get(S).status, 404)
        sent = self.server.call("POST", "/v1/streams/moths/samples", samples(29, 31)).json["decisions"]
        self.assertEqual([(d["sequence"], d["repeated"]) for d in sent], [(29, True), (30, False)])
        archived = self.server.call("DELETE", "/v1/streams/moths?journal=archive").json["archived"]
        path = pathlib.Path(self.folder) / "archive" / archived
        self.assertEqual(json.loads(run_paco("replay", path, "--json"))["samples"], 31)
        self.assertEqual(self.server.get("/v1/streams").json["streams"], [])
        self.assertEqual([p.name for p in pathlib.Path(self.folder).iterdir()], ["archive"])
        (pathlib.Path(self.folder) / "back.journal").write_bytes(b"not yet a journal")
        wait_until(lambda: self.server.get("/v1/streams/back").json.get("state") == "failed")
        shutil.copy(path, pathlib.Path(self.folder) / "back.journal")
        wait_until(lambda: self.server.get("/v1/streams/back").json["state"] == "ready")
        self.assertEqual(self.server.get("/v1/streams/back").json["samples"], 31)
        self.assertEqual(self.server.call("DELETE", "/v1/streams/back").status, 409)
        self.assertEqual(self.server.call("DELETE", "/v1/streams/back?journal=delete").status, 204)
        self.assertEqual([p.name for p in pathlib.Path(self.folder).iterdir()], ["archive"])

    def test_names_are_of_a_length_that_lists_can_show(self):
        answer = self.operate(kind="rename", category=0, name="x" * 5_000_000)
        self.assertEqual(answer.status, 409, answer.body)
        self.assertIn("at most 256", answer.json["error"]["message"])
        self.assertEqual(self.operate(kind="rename", category=0, name="x" * 256).status, 200)
        answer = self.operate(kind="rename", category=0, name="wren", actor="a" * 300)
        self.assertEqual(answer.status, 400, answer.body)


    def test_figures_are_in_the_form_and_the_units_of_prometheus(self):
        self.send(0, 30)
        self.server.get("/nowhere")
        text = self.server.get("/metrics").body.decode()
        kinds, values, helped = {}, {}, set()
        for line in text.splitlines():
            if line.startswith("# HELP "):
                helped.add(line.split()[2])
            elif line.startswith("# TYPE "):
                kinds[line.split()[2]] = line.split()[3]
            else:
                series, value = line.rsplit(" ", 1)
                self.assertRegex(series, r'^[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})?$')
                self.assertNotIn(series, values)
                values[series] = float(value)
                name = series.split("{")[0]
                name = name if name in kinds else re.sub("_(bucket|sum|count)$", "", name)
                self.assertIn(name, kinds, "a series before its TYPE")
        self.assertEqual(set(kinds), helped)
        for name, kind in kinds.items():
            self.assertEqual(name.endswith("_total"), kind == "counter", name)
            self.assertIsNone(re.search("milli|micro|percent|_kb|_mb", name), name)
        for name in ("process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
                     'paco_journal_bytes{stream="birds"}', "paco_disk_free_bytes"):
            self.assertGreater(values[name], 0, name)
        self.assertLess(abs(values["process_start_time_seconds"] - time.time()), 120)
        self.assertEqual(values['paco_samples{stream="birds"}'], 30)
        posted = 'method="POST",route="/v1/streams/{name}/samples"'
        self.assertEqual(values['paco_http_requests_total{' + posted + ',code="2xx"}'], 1)
        steps = [value for series, value in values.items()
                 if series.startswith("paco_http_request_duration_seconds_bucket{" + posted)]
        self.assertEqual((steps, steps[-1]), (sorted(steps), 1))
        self.assertEqual(values['paco_decision_duration_seconds_count{stream="birds"}'], 1)
        if shutil.which("promtool"):
            subprocess.run(["promtool", "check", "metrics"], input=text.encode(), check=True, capture_output=True)

    def test_slow_readers_of_the_journal_cannot_fill_the_disk(self):
        picture = base64.b64encode((ROOT / "fuzz" / "corpus" / "png" / "rgb.png").read_bytes() + b"x" * 200_000).decode()
        for i in range(0, 60, 10):
            self.send(i, i + 10, picture=picture)
        slow = []

        def ask():
            peer = socket.socket()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.connect(("127.0.0.1", self.server.port))
            peer.sendall(b"GET " + S.encode() + b"/journal HTTP/1.1\r\nHost: localhost\r\n\r\n")
            slow.append(peer)
            return peer.recv(12).split(b" ")[1]

        self.assertEqual([ask(), ask(), ask()], [b"200"] * 3)  # the same state: one copy
        self.send(60, 61)
        self.assertEqual([ask(), ask()], [b"200"] * 2)
        self.send(61, 62)
        self.assertEqual(ask(), b"503")
        self.assertEqual([path.name for path in pathlib.Path(self.folder).iterdir() if "copy" in path.name], [])
        for peer in slow:
            peer.close()
        wait_until(lambda: self.server.get(S + "/journal").status == 200)


class Logged(Served):
    def options(self):
        self.tokens = tempfile.NamedTemporaryFile("w", suffix=".tokens")
        self.write_tokens(f"operate ann {ANN}\nsend trap {TRAP} 1000 streams=birds,moths\nread wall {WALL} streams=moths\n")
        return ["--token-file", self.tokens.name, "--log-format", "json", "--log-level", "debug"]

    def write_tokens(self, text):
        pathlib.Path(self.tokens.name).write_text(text)

    def token(self):
        return ANN

    def lines(self, event):
        found = [json.loads(line) for line in self.server.log() if line.startswith("{")]
        return [line for line in found if line["event"] == event]

    def test_every_request_is_a_line_with_who_what_and_how_it_ended(self):
        answer = self.server.call("POST", S + "/samples", samples(0, 3), token=TRAP)
        mine = answer.headers["X-Request-Id"]
        line = next(one for one in self.lines("request") if one["id"] == mine)
        self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual((line["who"], line["from"], line["method"], line["path"], line["status"], line["level"]),
                         ("trap", "127.0.0.1", "POST", S + "/samples", 200, "debug"))
        self.assertGreater(line["seconds"], 0)
        refused = self.server.call("GET", S, token="wrong-0123456789abcdef")
        line = next(one for one in self.lines("request") if one["id"] == refused.headers["X-Request-Id"])
        self.assertEqual((line["status"], line["level"], line["error"]), (401, "warning", "this needs a token"))
        self.assertNotIn("who", line)
        self.server.get("/v1/streams/a%0a%7b%22event%22")
        self.assertEqual(len({one["id"] for one in self.lines("request")}), len(self.lines("request")))
        everything = "\n".join(self.server.log())
        for secret in (ANN, TRAP, "wrong-0123456789abcdef"):
            self.assertNotIn(secret, everything)

    def test_a_token_may_be_for_some_streams_alone(self):
        def status(token, path, method="GET", body=None):
            return self.server.call(method, path, body, token=token).status

        self.assertEqual((status(TRAP, S), status(WALL, S), status(WALL, S + "/samples")), (200, 403, 403))
        self.assertEqual(status(TRAP, S + "/samples", "POST", samples(0, 1)), 200)
        self.assertEqual(status(WALL, "/v1/streams/other"), 403)
        self.assertEqual(status(WALL, "/v1/streams/moths"), 404)
        self.assertEqual((status(WALL, "/metrics"), status(ANN, "/metrics")), (403, 200))
        for token, names in ((ANN, ["birds"]), (TRAP, ["birds"]), (WALL, [])):
            listed = self.server.get("/v1/streams", token=token).json["streams"]
            self.assertEqual([stream["name"] for stream in listed], names)
            self.assertEqual(self.server.get("/v1", token=token).json["streams"], len(names))

    def test_new_tokens_are_read_while_it_runs(self):
        fresh = "operate-fedcba9876543210"
        self.write_tokens("operate ann short\n")
        self.server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.lines("reload_failed"))
        self.assertIn("less than 16", self.lines("reload_failed")[0]["error"])
        self.assertEqual(self.server.get(S, token=ANN).status, 200)
        self.write_tokens(f"operate ann {fresh}\n")
        self.server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.lines("reloaded"))
        self.assertEqual((self.server.get(S, token=ANN).status, self.server.get(S, token=fresh).status), (401, 200))

    def tearDown(self):
        super().tearDown()
        self.tokens.close()


class Address(unittest.TestCase):
    def test_the_address_is_printed_as_json_at_the_start(self):
        from server import program
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([program(), "serve", folder, "--port", "0", "--json"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
            text = ""
            while not text.endswith("}\n"):
                text += process.stdout.readline().decode()
            process.send_signal(signal.SIGTERM)
            self.assertEqual((process.stdout.read(), process.wait()), (b"", 0))
            process.stdout.close()
            address = json.loads(text)
            self.assertTrue(re.fullmatch(r"http://127\.0\.0\.1:\d+", address["address"]), address)


if __name__ == "__main__":
    unittest.main()
