"""Requests that mean harm, on a real server: each is refused in words, and the server lives on."""

import base64
import http.client
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from serve_test import ROWS, S, Served, samples  # noqa: E402
from server import Server, run_paco  # noqa: E402

READ, SEND, OPERATE = "read-0123456789abcdef", "send-0123456789abcdef", "operate-0123456789abcdef"


class Tokens(Served):
    def options(self):
        self.tokens = tempfile.NamedTemporaryFile("w", suffix=".tokens")
        self.tokens.write(f"# users\nread wall {READ}\nsend trap {SEND}\noperate ann {OPERATE}\n"
                          "read busy busy-0123456789abcdef 1\n")
        self.tokens.flush()
        return ["--token-file", self.tokens.name]

    def token(self):
        return OPERATE

    def tearDown(self):
        super().tearDown()
        self.tokens.close()

    def status(self, method, path, body=None, token=None):
        return self.server.call(method, path, body, token=token).status

    def test_each_call_needs_its_role(self):
        rename = {"kind": "rename", "category": 0, "name": "wren"}
        for token, expected in ((None, [401, 401, 401]), ("wrong-0123456789abcdef", [401, 401, 401]),
                                (READ, [200, 403, 403]), (SEND, [200, 200, 403]),
                                (OPERATE, [200, 200, 200])):
            got = [self.status("GET", S, token=token),
                   self.status("POST", S + "/samples", samples(0, 1), token),
                   self.status("POST", S + "/operations", rename, token)]
            self.assertEqual(got, expected, token)
        self.assertEqual(self.status("GET", "/healthz"), 200)
        self.assertEqual(self.server.get(S + "?token=" + READ).status, 401)

    def test_every_described_call_but_the_open_ones_is_closed_without_a_token(self):
        description = self.server.get("/v1/openapi.json").json
        for pattern, verbs in description["paths"].items():
            for verb, operation in verbs.items():
                path = pattern.replace("{name}", "birds").replace("{", "").replace("}", "")
                status = self.server.call(verb.upper(), path).status
                if operation.get("security") == []:
                    self.assertNotEqual(status, 401, path)
                else:
                    self.assertEqual(status, 401, path)

    def test_the_history_names_the_token_and_nobody_else(self):
        rename = {"kind": "rename", "category": 0, "name": "wren", "actor": "somebody else"}
        answer = self.server.call("POST", S + "/operations", rename, token=OPERATE)
        self.assertEqual(answer.json["actor"], "ann")

    def test_who_asks_too_often_is_told_to_wait(self):
        statuses = [self.status("GET", S, token="busy-0123456789abcdef") for _ in range(5)]
        self.assertEqual(statuses[0], 200)
        self.assertIn(429, statuses)


class Requests(Served):
    def alive(self):
        self.assertEqual(self.server.get("/healthz").status, 200)

    def first_line(self, data):
        return self.server.raw(data).split(b"\r\n")[0]

    def test_smuggled_and_malformed_requests_are_refused(self):
        host = b"Host: localhost\r\n"
        post = b"POST /v1/streams/birds/samples HTTP/1.1\r\n" + host
        for bad in (post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    post + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
                    post + b"Content-Length: -1\r\n\r\n", post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                    b"GET / HTTP/1.1\r\n" + host + b"Bad Header: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
                    b"GET /%zz HTTP/1.1\r\n" + host + b"\r\n", b"GET / HTTP/1.1\r\n\r\n",
                    b"GET /%00 HTTP/1.1\r\n" + host + b"\r\n", b"GET / HTTP/3.0\r\n" + host + b"\r\n",
                    b"GET / HTTP/1.1\r\n" + host + b"A: " + b"a" * 20000 + b"\r\n\r\n"):
            line = self.first_line(bad)
            self.assertTrue(line == b"" or line.split()[1][:1] in (b"4", b"5"), (bad[:80], line))
            self.alive()

    def test_bodies_beyond_the_limit_are_refused_before_they_are_read(self):
        line = self.first_line(b"POST /v1/streams/birds/samples HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Length: 99999999999\r\n\r\n")
        self.assertIn(b"413", line)
        self.alive()

    def test_bad_bodies_are_refused_as_a_whole(self):
        row = ROWS[0]
        good = {"embedding": row}
        for bad in ({"samples": [good, {"embedding": row[:-1]}]}, {"samples": [good, {"embedding": row + [1]}]},
                    {"samples": [good, {"embedding": [0] * len(row)}]}, {"samples": [{"key": "a"}]},
                    {"samples": [dict(good, more=1)]}, {"samples": []}, {"sample": [good]}, [], {"samples": [[]]},
                    {"samples": [dict(good, key="k" * 300)]}, {"samples": [dict(good, attributes={"a": {"b": 1}})]},
                    {"samples": [dict(good, attributes={"a": "x" * 5000})]},
                    {"samples": [dict(good, picture="????")]}, {"samples": [dict(good, key="a\0b")]}):
            answer = self.server.call("POST", S + "/samples", bad)
            self.assertEqual(answer.status, 400, json.dumps(bad)[:80])
        deep = b'{"samples": ' + b"[" * 100000
        for raw in (deep, b"{", b'{"samples": [{"embedding": [NaN]}]}', b'{"samples": [{"embedding": [1e999]}]}',
                    b'{"samples": [{"embedding": [1], "key": "\xff"}]}', b"\0" * 100,
                    b'{"samples": [{"attributes": ' + b'{"a":' * 50000):
            self.assertEqual(self.server.call("POST", S + "/samples", raw, "application/json").status, 400)
        for kind in ("application/x-npy", "application/jsonl"):
            self.assertEqual(self.server.call("POST", S + "/samples", b"\x93NUMPY\x01\0", kind).status, 400)
        self.assertEqual(self.server.call("POST", S + "/samples", b"x", "text/xml").status, 415)
        for operation in ("[" * 100000, '{"kind": "rename"}', '{"kind": 1}', "7"):
            answer = self.server.call("POST", S + "/operations", operation.encode(), "application/json")
            self.assertEqual(answer.status, 400)
        self.assertEqual(self.get(S)["samples"], 0)

    def test_names_are_no_paths(self):
        for name in ("..", "%2e%2e", "a%2fb", ".hidden", "-x", "a" * 65, "%2e%2e%2f%2e%2e%2fetc", "a%0ab", "ä"):
            path = "/v1/streams/" + name.replace("ä", "%c3%a4")
            self.assertIn(self.server.call("PUT", path, self.model).status, (400, 404), name)
        self.assertEqual(sorted(p.name for p in pathlib.Path(self.folder).glob("*.journal")),
                         ["birds.journal"])

    def test_scripts_in_names_and_keys_stay_text(self):
        script = "<script>alert(1)</script>"
        self.send(0, 1, id=script, attributes={script: script})
        self.operate(kind="rename", category=0, name=script)
        answer = self.server.get(S + "/samples/0")
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        self.assertEqual(answer.json["attributes"], {script: script})

    def test_pictures_that_are_none_or_bombs_are_refused(self):
        def png(width, height):
            head = struct.pack(">II5B", width, height, 8, 2, 0, 0, 0)
            return (b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + head +
                    struct.pack(">I", zlib.crc32(b"IHDR" + head)))
        for picture in (png(60000, 60000), b"<svg onload='alert(1)'/>", b"GIF89a", b"\xff\xd8\xff", b"",
                        png(8, 8) + b"x" * 300000):
            text = base64.b64encode(picture).decode()
            body = {"samples": [{"embedding": ROWS[0], "picture": text}]}
            if picture:
                self.assertEqual(self.server.call("POST", S + "/samples", body).status, 400)
        self.assertEqual(self.get(S)["samples"], 0)

    def test_pages_of_other_servers_may_not_call(self):
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            answer = self.server.call("POST", S + "/samples", samples(0, 1), headers=headers)
            self.assertEqual(answer.status, 403)
        own = {"Origin": f"http://127.0.0.1:{self.server.port}"}
        self.assertEqual(self.server.call("POST", S + "/samples", samples(0, 1), headers=own).status, 200)


class Connections(Served):
    def options(self):
        return ["--idle-seconds", "1", "--body-seconds", "1", "--connections", "20"]

    def test_slow_and_idle_connections_are_cut_and_hinder_nobody(self):
        slow = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(10)]
        for peer in slow[:5]:
            peer.sendall(b"POST /v1/streams/birds/samples HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        for peer in slow[5:]:
            peer.sendall(b"POST /v1/streams/birds/samples HTTP/1.1\r\nHost: localhost\r\n"
                         b"Content-Length: 100\r\n\r\n{")
        self.send(0, 10)
        for peer in slow:
            peer.settimeout(20)
            while peer.recv(4096):
                pass
            peer.close()
        self.send(10, 20)

    def test_connections_beyond_the_limit_are_refused_in_words(self):
        peers = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(20)]
        self.assertIn(b"503", self.server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        for peer in peers:
            peer.close()


class Fuzz(Served):
    """Every described call with values that fit its description in shape and are absurd in content."""

    WORDS = ["", "0", "1", "-1", "7", "18446744073709551616", "9223372036854775807", "1e9", "nan", "x" * 300, "%00",
             "%2e%2e", "birds", "newest", "desc", "only", "sample,created", ",", "\u221e", "<b>", "'; DROP TABLE", "a b"]

    def value(self, chance, depth=0):
        kind = chance.randrange(9 if depth < 3 else 6)
        if kind == 0:
            return chance.choice(self.WORDS)
        if kind == 1:
            return chance.choice([0, -1, 6, 7, 8, 2**31, 2**63, 2**70, 1.5, 1e308, -0.0])
        if kind == 2:
            return chance.choice([None, True, False])
        if kind == 3:
            return chance.choice(["rename", "merge", "move", "promote", "retire", "undo", "new", "paco"])
        if kind == 4:
            return list(ROWS[chance.randrange(20)])
        if kind == 5:
            return [chance.randrange(12) for _ in range(chance.randrange(4))]
        if kind < 8:
            names = ["samples", "embedding", "key", "id", "attributes", "picture", "kind", "category", "categories",
                     "into", "name", "prototypes", "event", "support", "embeddings", "labels", "method", "settings"]
            return {chance.choice(names): self.value(chance, depth + 1) for _ in range(chance.randrange(4))}
        return [self.value(chance, depth + 1) for _ in range(chance.randrange(4))]

    def test_absurd_values_are_answered_in_words_and_the_journal_stays_whole(self):
        from urllib.parse import quote
        self.send(0, 20)
        paths = self.get("/v1/openapi.json")["paths"]
        seed = int(os.environ.get("PACO_FUZZ_SEED", "1"))
        chance = random.Random(seed)
        calls = [(verb, pattern, operation) for pattern, verbs in paths.items() for verb, operation in verbs.items()]
        connection = self.server.connection()
        for round in range(int(os.environ.get("PACO_FUZZ_ROUNDS", "600"))):
            verb, pattern, operation = chance.choice(calls)
            if pattern.endswith(("/events", "/rename")):
                continue
            path, query = pattern, []
            for parameter in operation["parameters"]:
                word = chance.choice(self.WORDS)
                if parameter["in"] == "path":
                    if parameter["name"] == "name" and chance.random() < 0.8:
                        word = "birds"
                    path = path.replace("{" + parameter["name"] + "}", quote(word, safe="%") or "0")
                elif chance.random() < 0.3:
                    query.append(parameter["name"] + "=" + quote(word, safe="%"))
            body = self.value(chance) if "requestBody" in operation else None
            if body is not None:
                body = json.dumps(body).encode()
                if chance.random() < 0.2:
                    body = body[:chance.randrange(len(body) + 1)]
            answer = self.server.call(verb.upper(), path + ("?" + "&".join(query) if query else ""), body,
                                      "application/json" if body is not None else None, connection=connection)
            with self.subTest(seed=seed, round=round, verb=verb, path=path, query=query, body=body):
                self.assertNotEqual(answer.status, 500)
                if answer.status >= 400 and not pattern == "/readyz":
                    self.assertLessEqual({"code", "message", "hint"}, set(answer.json["error"]))
        connection.close()
        self.assertIsNone(self.server.process.poll())
        self.server.stop()
        run_paco("journal", "verify", self.folder + "/birds.journal")
        run_paco("replay", self.folder + "/birds.journal")


class Disk(Served):
    def test_a_full_disk_is_refused_in_words_and_gone_on_from_when_there_is_room(self):
        self.send(0, 50)
        pid = self.server.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, before[1]))
        answer = self.server.call("POST", S + "/samples", samples(50, 274))
        self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "unavailable"))
        self.assertTrue(any(" warning request " in line and "status=503" in line and "cannot" in line
                            for line in self.server.log()), self.server.log())
        self.assertEqual(self.get(S + "/samples/49")["sequence"], 49)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
        rest = self.send(50, 274)
        self.assertEqual([d["sequence"] for d in rest], list(range(50, 274)))
        self.assertFalse(any(d["repeated"] for d in rest))
        self.server.stop()
        run_paco("replay", self.folder + "/birds.journal")


class Tls(Served):
    """The same calls over TLS, with answers of more than one record."""

    def options(self):
        self.keys = tempfile.mkdtemp(prefix="paco-tls-")
        self.make_certificate()
        return ["--tls-certificate", self.keys + "/cert.pem", "--tls-key", self.keys + "/key.pem"]

    def make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                        self.keys + "/key.pem", "-out", self.keys + "/cert.pem"], check=True, capture_output=True)

    def test_a_new_certificate_is_used_without_a_restart(self):
        old = ssl.get_server_certificate(("127.0.0.1", self.server.port))
        kept = self.server.connection()
        kept.request("GET", "/healthz")
        kept.getresponse().read()
        self.make_certificate()
        self.server.process.send_signal(signal.SIGHUP)
        while not any(" reloaded " in line for line in self.server.log()):
            pass
        self.assertNotEqual(ssl.get_server_certificate(("127.0.0.1", self.server.port)), old)
        self.assertEqual(self.get("/healthz"), {"status": "ok"})
        kept.request("GET", "/healthz")  # a connection from before goes on
        self.assertEqual(kept.getresponse().status, 200)
        kept.close()
        pathlib.Path(self.keys + "/key.pem").write_text("no key")
        self.server.process.send_signal(signal.SIGHUP)
        while not any(" reload_failed " in line for line in self.server.log()):
            pass
        self.assertEqual(self.get("/healthz"), {"status": "ok"})

    def setUp(self):
        plain = Server.connection
        self.addCleanup(setattr, Server, "connection", plain)

        def encrypted(server, timeout=30):
            context = ssl.create_default_context(cafile=self.keys + "/cert.pem")
            return http.client.HTTPSConnection("127.0.0.1", server.port, timeout=timeout, context=context)

        Server.connection = encrypted
        super().setUp()

    def tearDown(self):
        super().tearDown()
        shutil.rmtree(self.keys)

    def test_large_requests_and_answers_pass(self):
        self.assertEqual(len(self.send(0, len(ROWS))), len(ROWS))
        self.assertEqual(len(self.get(S + "/samples?limit=1000")["samples"]), len(ROWS))
        self.assertEqual(len(self.server.events(S + "/events?from=0&kinds=sample", 200)), 200)
        self.assertTrue(self.server.get(S + "/journal").body.startswith(b"SQLite format 3"))

    def test_plain_and_broken_handshakes_are_cut(self):
        self.assertEqual(self.server.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")[:4] == b"HTTP", False)
        self.assertEqual(self.server.raw(b"\x16\x03\x01\xff\xff" + b"x" * 500)[:4] == b"HTTP", False)
        self.assertEqual(self.get("/healthz"), {"status": "ok"})


class Host(unittest.TestCase):
    def test_another_address_needs_tokens(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(RuntimeError, "token-file"):
                Server(folder, "--host", "0.0.0.0").start()


if __name__ == "__main__":
    unittest.main()
