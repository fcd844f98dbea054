"""The client of a server: in front of one that breaks in every way, and of the real one where the program has it."""

import asyncio
import base64
import dataclasses
import http.server
import io
import json
import subprocess
import threading
import urllib.parse

import numpy as np
import pytest

import pacodiscovery as paco
from pacodiscovery.errors import InputError, NotFoundError, ServerError


class Fake(http.server.BaseHTTPRequestHandler):
    """Decides samples by their number; `trouble` says what happens to the next requests before that."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value, **headers):
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, **headers):
        self.answer(status, {"error": {"code": code, "message": f"it is {code}", "hint": "do better"}}, **headers)

    def do_POST(self):
        state = self.server.state
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urllib.parse.urlsplit(self.path)
        state["requests"].append(self.path)
        trouble = state["trouble"].pop(0) if state["trouble"] else None
        state["connections"].add(self.client_address)
        if trouble in ("drop", "lose the answer", "half an answer"):
            self.close_connection = True
        if trouble == "drop":
            return
        if isinstance(trouble, int):
            return self.refuse(trouble, "unavailable", Retry_After="0")
        if path.path.endswith("/operations") or path.path.endswith("/undo"):
            state["operations"] += 1
            state["actors"].append(json.loads(body).get("actor") if body else None)
            out = {"event": 7, "sequence": 3, "kind": "rename", "category": 1, "text": "done", "time": 1.0, "actor": "ann",
                   "undoes": None, "undone_by": None}
        elif self.headers["Content-Type"] == "application/x-npy":
            prefix = urllib.parse.parse_qs(path.query)["key_prefix"][0]
            out = {"decisions": [self.decide(f"{prefix}{i}") for i in range(len(np.load(io.BytesIO(body))))]}
        else:
            out = {"decisions": [self.decide(sample["key"]) for sample in json.loads(body)["samples"]]}
        if trouble == "lose the answer":
            return
        if trouble == "half an answer":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"deci')
            return
        self.answer(200, out)

    def decide(self, key):
        keys = self.server.state["keys"]
        repeated = key in keys
        sequence = keys.setdefault(key, len(keys))
        return {"sequence": sequence, "event": sequence, "category": 3, "name": "category 3", "verdict": "existing", "key": key,
                "repeated": repeated, "something new": 1}

    def do_GET(self):
        state = self.server.state
        path = urllib.parse.urlsplit(self.path)
        if path.path.endswith("/events"):
            after = self.headers.get("Last-Event-ID")
            first = int(after) + 1 if after is not None else int(urllib.parse.parse_qs(path.query)["from"][0])
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"retry: 1000\n\n: alive\n\n")
            for event in range(first, first + 2):
                data = json.dumps({"sequence": event})
                self.wfile.write(f"id: {event}\nevent: sample\ndata: {data}\n\n".encode())
            self.close_connection = True
        elif path.path == "/v1/streams/none":
            self.refuse(404, "not_found")
        elif path.path == "/v1/streams/html":
            self.send_error(404, "Not Found")
        elif self.headers.get("Authorization") != "Bearer secret":
            self.refuse(401, "unauthorized")
        else:
            self.answer(200, {"streams": [{"name": "birds", "path": state["requests"]}]})


@pytest.fixture
def server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fake)
    server.state = {"trouble": [], "keys": {}, "requests": [], "operations": 0, "connections": set(), "actors": []}
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def client(server):
    return paco.Client(f"http://127.0.0.1:{server.server_port}", token="secret")


def test_a_sample_is_decided_once_whatever_happens_on_the_way(server, client):
    server.state["trouble"] = ["drop", 503, "lose the answer", 429]
    decision = client.stream("birds").decide([1.0, 2.0])
    assert (decision.sequence, decision.verdict, decision.repeated) == (0, "existing", True)
    assert len(server.state["keys"]) == 1 and len(server.state["requests"]) == 5
    server.state["trouble"] = ["lose the answer", "drop", "half an answer"]
    decisions = client.stream("birds").decide_many(np.ones((5000, 2), np.float32))
    assert [d.sequence for d in decisions] == list(range(1, 5001)) and len(server.state["keys"]) == 5001


def test_keys_of_ones_own_go_along(server, client):
    stream = client.stream("birds")
    stream.decide_many([[1, 2], [3, 4]], keys=["a", "b"], ids=["one", "two"])
    assert stream.decide([3, 4], key="b").repeated and list(server.state["keys"]) == ["a", "b"]
    with pytest.raises(InputError, match="1 keys for 2"):
        stream.decide_many([[1, 2], [3, 4]], keys=["a"])


def test_an_operation_is_never_sent_twice(server, client):
    server.state["trouble"] = [503, None]
    assert client.stream("birds").rename(1, "heron", actor="ann").event == 7
    server.state["trouble"] = ["lose the answer"]
    with pytest.raises(ServerError) as error:
        client.stream("birds").undo(7)
    assert "history" in error.value.hint and server.state["operations"] == 2


def test_an_undo_says_who_did_it(server, client):
    client.stream("birds").undo(7, actor="ann")
    assert server.state["actors"] == ["ann"]


def test_connections_are_kept_and_used_again(server, client):
    stream = client.stream("birds")
    for _ in range(20):
        stream.decide([1.0, 2.0])
    assert len(server.state["connections"]) == 1
    client.close()
    stream.decide([1.0, 2.0])
    assert len(server.state["connections"]) == 2 and len(server.state["keys"]) == 21


def test_short_answers_are_asked_for(server, client):
    client.stream("birds").decide_many([[1, 2]], brief=True)
    client.stream("birds").decide_many([[1, 2]], keys=["a"], brief=True)
    assert all("brief=1" in path for path in server.state["requests"])


def test_refusals_are_exceptions_in_the_servers_words(server, client):
    with pytest.raises(NotFoundError, match="it is not_found\n.*do better"):
        client.stream("none").info()
    with pytest.raises(ServerError, match="unauthorized"):
        paco.Client(client.url).streams()
    with pytest.raises(ServerError, match="404"):
        client.stream("html").info()
    with pytest.raises(InputError, match="no address"):
        paco.Client("localhost:8080")
    server.state["trouble"] = [503] * 3
    with pytest.raises(ServerError, match="unavailable"):
        paco.Client(client.url, retries=2).stream("birds").decide([1, 2])


def test_events_go_on_after_a_break_with_no_gap_and_nothing_twice(client):
    seen = []
    for event in client.stream("birds").events(start=5):
        seen.append(event.id)
        if len(seen) == 7:
            break
    assert seen == list(range(5, 12)) and event.data == {"sequence": 11} and event.kind == "sample"


PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")


async def asynchronous(address):
    async with paco.AsyncClient(address) as client:
        stream = client.stream("birds")
        info, categories, decision = await asyncio.gather(
            stream.info(), stream.categories(kind="discovered", limit=1), stream.decide(np.eye(16)[0], key="from the loop"))
        async for event in stream.events(start=0):
            assert event.id == 0
            break
        with pytest.raises(NotFoundError):
            await client.stream("none").info()
        return [categories[0].id, categories[0].name, decision.sequence + 1]


def test_the_real_server_decides_like_a_session(program, model, tiny, tmp_path):
    if "\n  serve " not in subprocess.run([program, "--help"], capture_output=True, text=True).stdout:
        pytest.skip("this paco has no verb serve")
    server = subprocess.Popen([program, "serve", str(tmp_path / "streams"), "--port", "0"], stderr=subprocess.PIPE, text=True)
    try:
        address = next(word for line in server.stderr for word in line.split() if word.startswith("http://"))
        threading.Thread(target=server.stderr.read, daemon=True).start()
        client = paco.Client(address)
        stream = client.create("birds", model)
        stream_decision = paco.Session(model).decide_many(tiny.stream[:4])[3]
        half = [stream.decide(row, key=f"k{i}") for i, row in enumerate(tiny.stream[:20])]
        rest = stream.decide_many(tiny.stream[20:])
        assert [d.category for d in half + rest] == tiny.expected.tolist()
        assert stream.decide(tiny.stream[3], key="k3").repeated
        renamed = stream.rename(6, "heron")
        local = paco.Session(model)
        local.decide_many(tiny.stream)
        local.rename(6, "heron")
        assert stream.categories() == [dataclasses.replace(c, birth=None if c.id < 6 else c.birth)
                                       for c in local.categories(notes=True)]
        members = stream.members(6)
        assert [m.sequence for m in members] == np.flatnonzero(tiny.expected == 6).tolist() and members[0].now_name == "heron"
        assert [m.sequence for m in stream.members(6, order="newest", limit=2)] == [m.sequence for m in members[:-3:-1]]
        assert {m.sequence for m in stream.exemplars(6, 3)} <= {m.sequence for m in members}
        assert [n.category for n in stream.nearest(6, 3)] == [n.category for n in local.nearest(6, 3)]
        assert all(np.array_equal(*both) for both in zip(stream.centroids(), local.centroids()))
        assert np.array_equal(stream.centroid(6), local.centroid(6))
        assert {p.category for p in stream.map()} == {c.id for c in local.categories()}
        assert stream.sample(3).explanation == stream_decision.explain() and stream.sample(3).key == "k3"
        assert len(stream.neighbours(3)) == 8 and stream.neighbours(3)[0].cosine > 0
        assert all(s.kind in ("merge", "name", "look") for s in stream.suggestions())
        assert stream.series()
        shown = stream.decide(tiny.stream[0], text="a bird", attributes={"camera": "north"}, picture=PNG)
        assert stream.sample(shown.sequence).text == "a bird" and stream.picture(shown.sequence) == PNG
        assert stream.picture(0) is None and stream.sample(shown.sequence).attributes["camera"] == "north"
        assert [s.sequence for s in stream.samples(attribute="camera=north")] == [shown.sequence]
        assert asyncio.run(asynchronous(address)) == [6, "heron", len(tiny.stream) + 2]
        stream.undo(renamed)
        assert [o.kind for o in stream.history()] == ["rename", "undo"]
        first = next(iter(stream.events(start=0)))
        assert first.data["category"] == tiny.expected[0]
        stream.download(tmp_path / "copy.journal")
        with pytest.raises(NotFoundError):
            client.stream("none").info()
        assert client.streams()[0]["samples"] == len(tiny.stream) + 2
    finally:
        server.terminate()
        server.wait()
    with paco.Session.look(tmp_path / "copy.journal") as session:
        assert session.samples == len(tiny.stream) + 2
    assert paco.replay(tmp_path / "streams" / "birds.journal").equal
