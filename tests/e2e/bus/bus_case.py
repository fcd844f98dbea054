"""What the tests of `paco bus` share: a server of their own, a stream named after the test, and the program's verbs.

Nothing here knows how the program is built.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
from load_tool import load_tool  # noqa: E402

TINY = ROOT / "tests" / "golden" / "tiny"
PACO = os.environ.get("PACO_PROGRAM", str(ROOT / "build" / "release" / "paco"))
WAIT = 120


Cluster = load_tool("cluster").Cluster


class Link:
    """Somebody on the bus who is no paco: messages and requests in the words of the protocol."""

    def __init__(self, url):
        host, port = url.removeprefix("nats://").split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=30)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.socket.sendall(b'CONNECT {"verbose":false}\r\nSUB answers 1\r\n')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def publish(self, subject, *payloads, reply=""):
        for payload in payloads:
            self.socket.sendall(f"PUB {subject} {reply} {len(payload)}\r\n".encode() + payload + b"\r\n")

    def flush(self):
        """Returns when the server has everything."""
        self.socket.sendall(b"PING\r\n")
        while self.lines.readline() != b"PONG\r\n":
            pass

    def answer(self):
        while not (line := self.lines.readline()).startswith(b"MSG"):
            if line == b"PING\r\n":
                self.socket.sendall(b"PONG\r\n")
            elif not line:
                raise EOFError("the server has closed the connection")
        size = int(line.split()[-1])
        return self.lines.read(size + 2)[:size]

    def request(self, subject, **body):
        """Of JetStream: what it answers."""
        self.publish("$JS.API." + subject, json.dumps(body).encode() if body else b"", reply="answers")
        answer = json.loads(self.answer())
        if "error" in answer:
            raise RuntimeError(f"{subject}: {answer['error']}")
        return answer


class BusCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="paco-bus-test-"))
        cls.cluster = Cluster(cls.folder / "cluster").create(1)
        assert cls.cluster.up(), "the server did not get ready"
        cls.model = cls.folder / "model.paco"
        subprocess.run([PACO, "calibrate", "--support", TINY / "support.npy", "--labels", TINY / "support_labels.npy",
                        "--out", cls.model], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.stream = self.id().rsplit(".", 1)[1][:48]
        self.children = []

    def tearDown(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.wait()
            if child.stderr:
                child.stderr.close()

    def bus(self, what, *words, url=None, stream=None, fails=False):
        done = subprocess.run([PACO, "bus", what, "--server", url or self.cluster.url(), "--stream", stream or self.stream,
                               "--patience", "10", *map(str, words)], capture_output=True, text=True, timeout=WAIT)
        self.assertEqual(done.returncode != 0, fails, done.stderr)
        return done.stderr if fails else done.stdout

    def init(self, *words, **more):
        return self.bus("init", "--model", self.model, "--replicas", 1, *words, **more)

    def publish(self, *words, **more):
        return self.bus("publish", "--input", TINY / "stream.npy", *words, **more)

    def journal(self, name="a"):
        return self.folder / f"{self.stream}-{name}.journal"

    def decide(self, until, *words, name="a", **more):
        return self.bus("decide", "--journal", self.journal(name), "--name", name, "--until", until, *words, **more)

    def start(self, name, *words):
        self.children.append(subprocess.Popen(
            [PACO, "bus", "decide", "--server", self.cluster.url(), "--stream", self.stream, "--journal",
             str(self.journal(name)), "--name", name, *map(str, words)], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True))
        return self.children[-1]

    def link(self):
        return Link(self.cluster.url())

    def strange(self, part, *payloads):
        """Messages that no paco wrote."""
        with self.link() as link:
            link.publish(f"paco.{self.stream}.{part}", *payloads)
            link.flush()

    def records(self):
        return [json.loads(line) for line in self.bus("watch", "--current", "--json").splitlines()]

    def decisions(self):
        path = self.folder / f"{self.stream}.csv"
        self.bus("watch", "--current", "--out", path)
        return path.read_text()

    def expected(self):
        path = self.folder / "expected.csv"
        if not path.exists():
            subprocess.run([PACO, "discover", "--model", self.model, "--input", TINY / "stream.npy", "--out", path],
                           check=True, capture_output=True)
        return path.read_text()

    def status(self):
        return json.loads(self.bus("status", "--json"))["streams"][0]
