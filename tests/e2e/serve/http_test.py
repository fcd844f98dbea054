"""How the server speaks HTTP: what proxies, health checks, browsers and clients of any kind rely on."""

import gzip
import json
import pathlib
import signal
import socket
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from serve_test import S, Served, samples  # noqa: E402

HOST = b"Host: localhost\r\n"
POST = b"POST " + S.encode() + b"/samples HTTP/1.1\r\n" + HOST


class Requests(Served):
    def status(self, data):
        return self.server.raw(data).split(b" ")[1]

    def test_head_is_get_without_the_body_and_the_connection_goes_on(self):
        self.send(0, 20)
        for path in (S, S + "/samples", "/healthz", S + "/export", S + "/journal", "/nowhere"):
            expected = self.server.get(path)
            got = self.server.raw(b"HEAD " + path.encode() + b" HTTP/1.1\r\n" + HOST + b"\r\nGET /healthz HTTP/1.1\r\n" +
                                  HOST + b"Connection: close\r\n\r\n")
            head, _, rest = got.partition(b"\r\n\r\n")
            with self.subTest(path=path):
                self.assertEqual(int(head.split()[1]), expected.status)
                self.assertTrue(rest.startswith(b"HTTP/1.1 200"), rest[:80])
                length = expected.headers.get("Content-Length")
                if length and path != S:  # figures of the stream change
                    self.assertIn(b"Content-Length: " + length.encode(), head)

    def test_a_body_whose_end_is_unknown_is_no_next_request(self):
        hidden = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
        for coding in (b"gzip", b"identity", b"gzip, chunked", b"xchunked"):
            got = self.server.raw(POST + b"Transfer-Encoding: " + coding + b"\r\n\r\n" + hidden)
            self.assertEqual((got.split(b" ")[1], got.count(b"HTTP/1.1 ")), (b"501", 1), coding)
        got = self.server.raw(POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n" + hidden)
        self.assertEqual((got.split(b" ")[1][:1] in (b"4", b"5"), got.count(b"HTTP/1.1 ")), (True, 1))
        got = self.server.raw(POST.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        self.assertEqual(got.split(b" ")[1], b"501")

    def test_two_hosts_are_refused(self):
        self.assertEqual(self.status(b"GET /healthz HTTP/1.1\r\n" + HOST + b"Host: evil.example\r\n\r\n"), b"400")

    def test_a_check_of_the_older_http_needs_no_host(self):
        for path in (b"/healthz", b"/readyz"):
            got = self.server.raw(b"GET " + path + b" HTTP/1.0\r\n\r\n")
            self.assertTrue(got.startswith(b"HTTP/1.1 200"), got)
            self.assertIn(b"Connection: close", got)
        self.assertEqual(self.status(b"GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n"), b"403")

    def test_bodies_come_compressed(self):
        body = gzip.compress(json.dumps(samples(0, 50)).encode())
        packed = {"Content-Encoding": "gzip"}
        answer = self.server.call("POST", S + "/samples", body, "application/json", headers=packed)
        self.assertEqual((answer.status, len(answer.json["decisions"])), (200, 50))
        for damaged in (body[:-9], body[:100], body + b"x", b"", b"plain"):
            answer = self.server.call("POST", S + "/samples", damaged, "application/json", headers=packed)
            self.assertEqual(answer.status, 400, damaged[:20])
        answer = self.server.call("POST", S + "/samples", body, "application/json", headers={"Content-Encoding": "br"})
        self.assertEqual((answer.status, answer.headers["Accept-Encoding"]), (415, "gzip"))
        bomb = gzip.compress(b" " * (65 << 20))
        answer = self.server.call("POST", S + "/samples", bomb, "application/json", headers=packed)
        self.assertEqual(answer.status, 413)
        self.assertEqual(self.get(S)["samples"], 50)

    def test_answers_are_compressed_for_those_who_can_read_it(self):
        self.send(0, 100)
        path = S + "/samples?limit=1000"
        plain = self.server.get(path)
        self.assertEqual((plain.headers.get("Content-Encoding"), plain.headers["Vary"]), (None, "Accept-Encoding"))
        for accepted in ("gzip", "br, GZIP;q=0.5", "*"):
            packed = self.server.get(path, headers={"Accept-Encoding": accepted})
            self.assertEqual(packed.headers["Content-Encoding"], "gzip", accepted)
            self.assertLess(len(packed.body), len(plain.body) / 3)
            self.assertEqual(gzip.decompress(packed.body), plain.body)
        for refused in ("gzip;q=0", "br", "identity, gzip; q=0.0"):
            self.assertEqual(self.server.get(path, headers={"Accept-Encoding": refused}).body, plain.body, refused)

    def test_exports_and_events_are_compressed_piece_by_piece(self):
        self.send(0, 100)
        packed = {"Accept-Encoding": "gzip"}
        for form in ("csv", "manifest"):
            plain = self.server.get(S + "/export?form=" + form)
            small = self.server.call("GET", S + "/export?form=" + form, headers=packed)
            self.assertEqual((plain.headers.get("Content-Encoding"), small.headers["Content-Encoding"]), (None, "gzip"))
            self.assertEqual(gzip.decompress(small.body), plain.body)
        connection = self.server.connection()
        connection.request("GET", S + "/events?from=0", headers=packed)
        events = connection.getresponse()
        self.assertEqual(events.headers["Content-Encoding"], "gzip")
        reader, text = zlib.decompressobj(31), b""
        while b'"sequence":99,' not in text:
            text += reader.decompress(events.read1())
        self.send(100, 101)
        while b'"sequence":100,' not in text:
            text += reader.decompress(events.read1())
        connection.close()

    def test_the_page_is_sent_once(self):
        page = self.server.get("/")
        if page.status == 404:
            self.skipTest("built without the page")
        tag = page.headers["ETag"]
        again = self.server.get("/s/birds", headers={"If-None-Match": tag})
        self.assertEqual((again.status, again.body), (304, b""))
        other = self.server.get("/", headers={"If-None-Match": '"another"', "Accept-Encoding": "gzip"})
        self.assertEqual((other.status, gzip.decompress(other.body), other.headers["ETag"]), (200, page.body, tag))


class Tokens(Served):
    def options(self):
        self.tokens = tempfile.NamedTemporaryFile("w", suffix=".tokens")
        self.tokens.write("operate ann operate-0123456789abcdef\n")
        self.tokens.flush()
        return ["--token-file", self.tokens.name]

    def token(self):
        return "operate-0123456789abcdef"

    def test_the_scheme_is_read_in_any_case(self):
        for scheme in ("Bearer", "bearer", "BEARER"):
            answer = self.server.get(S, headers={"Authorization": f"{scheme} {self.token()}"})
            self.assertEqual(answer.status, 200, scheme)
        for wrong in ("Basic " + self.token(), "bearer" + self.token()):
            self.assertEqual(self.server.get(S, headers={"Authorization": wrong}).status, 401, wrong)


if __name__ == "__main__":
    unittest.main()
