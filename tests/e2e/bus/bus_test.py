"""`paco bus` against real servers: what is decided, what survives, and the messages when something is wrong.

One server for most, three where it matters (tools/bus_campaign). Who may enter, and what strangers send: strangers_test.py.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import unittest
import urllib.request
import zlib

from bus_case import PACO, ROOT, TINY, WAIT, BusCase, Cluster, load_tool

sys.path.insert(0, str(ROOT / "tests" / "e2e" / "serve"))
from server import Server, read_npy  # noqa: E402

campaign = load_tool("bus_campaign")


def png(pixels, side):
    """A grey picture."""
    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(b"\0" + bytes(pixels[y * side:(y + 1) * side]) for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
            + part(b"IDAT", zlib.compress(lines)) + part(b"IEND", b""))


# A network for the tests, as a user would bring one: the darkness of each of sixteen pixels. It dies of a white picture.
NETWORK = '''
import struct, sys
read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
while head := read(4):
    rows = []
    for _ in range(struct.unpack("<I", head)[0]):
        width, height = struct.unpack("<II", read(8))
        pixels = read(width * height * 3)
        if set(pixels) == {255}:
            sys.exit(1)
        rows.append([(255 - value) / 64 - 2 for value in pixels[::3]])
    write(struct.pack("<II", len(rows), 16) + b"".join(struct.pack("<16f", *row) for row in rows))
    sys.stdout.buffer.flush()
'''


class BusTest(BusCase):
    # What is decided.

    def test_decides_as_discover_does(self):
        self.init()
        self.publish()
        self.decide(274)
        self.assertEqual(self.decisions(), self.expected())
        self.assertEqual((self.status()["events"], self.status()["behind"]), (274, 0))

    def test_a_repeated_publish_decides_nothing_twice(self):
        self.init()
        self.publish()
        self.publish()  # before the first decision
        self.assertEqual(self.status()["events"], 548)
        self.decide(548)
        self.publish()  # and after it
        self.decide(822)
        self.assertEqual(self.decisions(), self.expected())
        records = self.records()
        self.assertEqual(sum(record["repeated"] for record in records), 548)
        self.assertEqual([record["decision"]["category"] for record in records[:274]] * 3,
                         [record["decision"]["category"] for record in records])

    def test_a_sample_has_no_message_id(self):
        """Servers forget ids by clocks of their own, and would differ in what they store; replicas know keys for ever."""
        self.init()
        self.publish()
        with self.link() as link:
            answer = link.request(f"STREAM.MSG.GET.paco-{self.stream}-events", seq=1)
        self.assertNotIn("hdrs", answer["message"])

    def test_a_repeated_key_before_a_rename_survives_a_restart(self):
        self.init("--digest-every", 1)
        self.publish()
        self.publish()
        for category in range(6, 9):
            self.bus("publish", "--operation", json.dumps({"kind": "rename", "category": category, "name": f"heron {category}", "actor": "ann"}))
        self.decide(551)
        self.decide(551)  # its journal ends with the last sample that was not repeated; it folds the rest again
        self.publish()
        self.decide(825)
        self.decide(825, name="late")
        self.assertIn("heron 6", {record["decision"]["name"] for record in self.records() if record["kind"] == "decided"})

    def test_a_second_replica_agrees_and_takes_over(self):
        self.init("--digest-every", 50)
        first, second = self.start("a"), self.start("b")
        self.publish("--key-prefix", "x-")
        self.bus("watch", "--from", 1, "--count", 274)
        publisher = self.status()["speaker"]
        by_name = {"a": first, "b": second}
        by_name[publisher].kill()
        self.publish("--key-prefix", "y-")
        self.bus("watch", "--from", 1, "--count", 548)
        other = "b" if publisher == "a" else "a"
        self.assertEqual(self.status()["speaker"], other)
        by_name[other].send_signal(signal.SIGINT)
        by_name[other].communicate(timeout=WAIT)
        self.decide(548, name=publisher)
        digests = {json.loads(subprocess.run([PACO, "replay", str(self.journal(name)), "--json"], check=True,
                                             capture_output=True).stdout)["digest"] for name in "ab"}
        self.assertEqual(len(digests), 1)

    def test_operations_are_events_in_the_same_order(self):
        self.init()
        self.publish("--key-prefix", "x-")
        self.bus("publish", "--operation", '{"kind": "rename", "category": 6, "name": "heron", "actor": "ann"}')
        self.bus("publish", "--operation", '{"kind": "rename", "category": 999, "name": "none", "actor": "ann"}')
        self.publish("--key-prefix", "y-")
        self.decide(550)
        kinds = [record["kind"] for record in self.records()]
        self.assertEqual(kinds, ["decided"] * 274 + ["operated", "refused"] + ["decided"] * 274)
        listed = json.loads(subprocess.run([PACO, "category", "list", "--journal", str(self.journal()), "--json"], check=True,
                                           capture_output=True).stdout)["categories"]
        self.assertIn("heron", [category["name"] for category in listed])
        self.decide(550, name="late")  # folds all of it anew, and compares

    def test_a_new_replica_starts_from_a_snapshot(self):
        self.init("--snapshot-every", 100)
        child = self.start("a")
        self.publish()
        self.bus("watch", "--from", 1, "--count", 274)
        for _ in range(100):
            if self.status()["snapshot"] >= 100:
                break
        self.assertGreaterEqual(self.status()["snapshot"], 100)
        late = self.start("b", "--until", 274)
        _, notes = late.communicate(timeout=WAIT)
        self.assertIn("from a snapshot", notes)
        self.assertIsNone(child.poll())

    def test_processes_share_streams_and_take_those_of_the_dead(self):
        names = [f"{self.stream}-{i}"[-40:] for i in range(3)]
        for name in names:
            self.init(stream=name)
        owners = []
        for who in "pq":
            owners.append(subprocess.Popen([PACO, "bus", "decide", "--server", self.cluster.url(), "--folder",
                                            str(self.folder / f"owner-{who}"), "--name", who],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            self.children.append(owners[-1])
        for name in names:
            self.publish("--key-prefix", "x-", stream=name)
            self.bus("watch", "--from", 1, "--count", 274, stream=name)
        owners[0].kill()
        for name in names:
            self.publish("--key-prefix", "y-", stream=name)
            self.bus("watch", "--from", 1, "--count", 548, stream=name)

    # Pictures.

    def pictures(self, count, extra):
        chance = random.Random(7)
        folder = self.folder / f"{self.stream}-pictures"
        folder.mkdir()
        rows = {}
        for i in range(count):
            pixels = [chance.randrange(200) for _ in range(16)]
            (folder / f"{i:03}.png").write_bytes(png(pixels, 4))
            rows[f"{i:03}.png"] = [(255 - value) / 64 - 2 for value in pixels]
        for name, data in extra.items():
            (folder / name).write_bytes(data)
        (self.folder / "network.py").write_text(NETWORK)
        self.init()
        self.bus("publish", "--images", folder)
        return rows

    def embed(self, *words, **more):
        return self.bus("embed", "--program", f"{sys.executable} {self.folder}/network.py", "--batch", 8, *words, **more)

    def check_pictures(self, rows):
        """The decisions are those of the embeddings in the order in which they came."""
        path = self.folder / f"{self.stream}.npy"
        order = [record["decision"]["sample"] for record in self.records()]
        self.assertEqual(sorted(order), sorted(rows))
        campaign.write_npy(path, [rows[name] for name in order])
        done = subprocess.run([PACO, "discover", "--model", self.model, "--input", path, "--out",
                               self.folder / "direct.csv"], check=True, capture_output=True)
        self.assertEqual(done.returncode, 0)

        def columns(text):
            return [line.split(",")[:1] + line.split(",")[2:] for line in text.splitlines()]
        self.assertEqual(columns(self.decisions()), columns((self.folder / "direct.csv").read_text()))

    def test_workers_share_the_pictures_and_report_what_cannot_be_read(self):
        rows = self.pictures(40, {"999.png": b"\x89PNG\r\n\x1a\n but no more"})
        words = [PACO, "bus", "embed", "--server", self.cluster.url(), "--stream", self.stream, "--batch", "8", "--program",
                 f"{sys.executable} {self.folder}/network.py", "--until-idle", "2"]
        for _ in range(2):
            self.children.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        self.decide(40)
        for child in self.children:
            self.assertEqual(child.wait(WAIT), 0)
        self.check_pictures(rows)
        self.assertEqual((self.status()["raw"], self.status()["rejected"]), (0, 1))

    def test_pictures_of_a_worker_that_died_go_to_another(self):
        rows = self.pictures(20, {})
        lost = subprocess.Popen([PACO, "bus", "embed", "--server", self.cluster.url(), "--stream", self.stream, "--batch", "20",
                                 "--program", "read x; sleep 100", "--answer-seconds", "1"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(200):
            if pathlib.Path(f"/proc/{lost.pid}/task").exists() and self.taken() == 20:
                break
        os.killpg(lost.pid, signal.SIGKILL)
        lost.wait()
        said = json.loads(self.embed("--until-idle", 3, "--answer-seconds", 1, "--json"))
        self.assertEqual((said["embedded"], said["again"]), (20, 20))
        self.decide(20)
        self.check_pictures(rows)

    def taken(self):
        """Pictures that a worker has and did not answer for."""
        url = "http://127.0.0.1:%d/jsz?consumers=1&streams=1" % self.cluster.state["servers"][0]["monitor"]
        with urllib.request.urlopen(url) as answer:
            for stream in json.load(answer)["account_details"][0]["stream_detail"]:
                if stream["name"] == f"paco-{self.stream}-raw":
                    return sum(consumer["num_ack_pending"] for consumer in stream.get("consumer_detail", []))
        return 0

    def worker(self, *words):
        self.children.append(subprocess.Popen(
            [PACO, "bus", "embed", "--server", self.cluster.url(), "--stream", self.stream, "--batch", "8", "--program",
             f"{sys.executable} {self.folder}/network.py", *map(str, words)], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))

    def test_a_queue_that_is_gone_is_made_anew(self):
        rows = self.pictures(10, {})
        self.worker()
        self.decide(10)
        while self.taken() > 0:  # what the worker has answered for is not given out again
            pass
        with self.link() as link:
            link.request(f"CONSUMER.DELETE.paco-{self.stream}-raw.embed")
        folder = self.folder / f"{self.stream}-pictures"
        self.bus("publish", "--images", folder, "--key-prefix", "again-")
        self.decide(20)
        self.assertEqual(len(self.records()), 2 * len(rows))

    def test_pictures_that_the_queue_has_forgotten_are_found(self):
        rows = self.pictures(20, {})
        raw = f"paco-{self.stream}-raw"
        with self.link() as link:  # a consumer that gives each picture out once, and whoever had them is gone
            link.request(f"CONSUMER.DURABLE.CREATE.{raw}.embed", stream_name=raw, config={
                "durable_name": "embed", "ack_policy": "explicit", "deliver_policy": "all", "replay_policy": "instant",
                "ack_wait": 10**9, "max_ack_pending": 100_000, "max_deliver": 1})
            link.publish(f"$JS.API.CONSUMER.MSG.NEXT.{raw}.embed", b'{"batch": 20, "no_wait": true}', reply="answers")
            self.assertTrue(all(link.answer() for _ in range(20)))
        self.worker("--answer-seconds", 1)
        self.decide(20)
        self.check_pictures(rows)

    def test_a_picture_that_ends_every_worker_is_rejected_in_the_end(self):
        rows = self.pictures(10, {"005x.png": png([255] * 16, 4)})
        for _ in range(3):
            self.assertIn("ended while it was to answer", self.embed("--tries", 3, fails=True))
        self.embed("--tries", 3, "--until-idle", 1)
        self.decide(10)
        self.check_pictures(rows)
        self.assertEqual((self.status()["raw"], self.status()["rejected"]), (0, 1))

    def test_a_network_of_another_dimension_is_named(self):
        self.pictures(3, {})
        (self.folder / "network.py").write_text(NETWORK.replace("len(rows), 16)", "len(rows), 15)"))
        self.assertIn("answers 3 embeddings of 15 numbers, 3 of 16 are expected", self.embed(fails=True))

    # The page and its interface in front.

    def test_serve_answers_when_the_decision_is_committed(self):
        rows = read_npy(TINY / "stream.npy")
        one = Cluster(self.folder / "served").create(1)  # it serves all streams that are there
        try:
            self.assertTrue(one.up())
            self.init(url=one.url())
            with Server(self.folder / "served-journals", "--bus", one.url()) as server:
                path = f"/v1/streams/{self.stream}"
                sent = [{"embedding": row, "key": f"k{i}"} for i, row in enumerate(rows)]
                first = server.call("POST", path + "/samples", {"samples": sent[:100]})
                self.assertEqual(first.status, 200, first.body)
                for bad, key in ([0] * len(rows[0]), "k500"), (rows[0], "k" * 257):
                    both = [{"embedding": rows[0], "key": "k501"}, {"embedding": bad, "key": key}]
                    refused = server.call("POST", path + "/samples", {"samples": both})
                    self.assertEqual(refused.status, 400, refused.body)
                    self.assertIn("sample 1 ", refused.json["error"]["message"])
                again = server.call("POST", path + "/samples", {"samples": sent[90:110]}).json["decisions"]
                self.assertEqual([decision["sequence"] for decision in again], list(range(90, 110)))
                self.bus("publish", "--input", TINY / "stream.npy", "--skip", 110, "--key-prefix", "k", url=one.url())
                self.bus("watch", "--from", 1, "--count", 274, url=one.url())
                renamed = server.call("POST", path + "/operations", {"kind": "rename", "category": 6, "name": "heron"})
                self.assertEqual(renamed.status, 200, renamed.body)
                refused = server.call("POST", path + "/operations", {"kind": "rename", "category": 999, "name": "x"})
                self.assertEqual(refused.status, 409, refused.body)
                self.assertEqual(server.get(path).json["samples"], 274)
                names = [one["name"] for one in server.get(path + "/categories?limit=100").json["categories"]]
                self.assertIn("heron", names)
                made = server.call("PUT", "/v1/streams/another", self.model.read_bytes(), "application/octet-stream")
                self.assertEqual(made.status, 409, made.body)
                self.assertEqual(server.stop(), 130)
            lines = self.bus("watch", "--current", "--json", url=one.url()).splitlines()
            self.assertEqual(len(lines), 276)
            self.bus("watch", "--current", "--out", self.folder / "served.csv", url=one.url())
            self.assertEqual((self.folder / "served.csv").read_text(), self.expected())
            self.bus("decide", "--journal", self.journal(), "--until", 276, url=one.url())  # folds and compares all of it
        finally:
            one.down()

    def test_serve_finds_streams_that_are_made_later(self):
        rows = read_npy(TINY / "stream.npy")
        one = Cluster(self.folder / "later").create(1)
        try:
            self.assertTrue(one.up())
            with Server(self.folder / "later-journals", "--bus", one.url()) as server:
                for i in range(2):
                    name = f"later-{i}"
                    self.assertEqual(server.get(f"/v1/streams/{name}").status, 404)
                    self.init(url=one.url(), stream=name)
                    for _ in range(100_000):
                        if server.get(f"/v1/streams/{name}").status == 200:
                            break
                    sent = {"samples": [{"embedding": row, "key": f"k{i}"} for i, row in enumerate(rows)]}
                    answer = server.call("POST", f"/v1/streams/{name}/samples", sent)
                    self.assertEqual(answer.status, 200, answer.body)
                self.assertEqual(server.stop(), 130)
            self.bus("watch", "--current", "--out", self.folder / "later.csv", url=one.url(), stream="later-1")
            self.assertEqual((self.folder / "later.csv").read_text(), self.expected())
        finally:
            one.down()

    def test_a_campaign_that_is_stopped_leaves_nothing_running(self):
        folder = self.folder / "campaign"
        running = subprocess.Popen([sys.executable, str(ROOT / "tools" / "bus_campaign"), "100", "--paco", PACO, "--keep",
                                    str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.children.append(running)
        while not (folder / "r1.journal").exists():
            self.assertIsNone(running.poll())
        running.terminate()
        self.assertEqual(running.wait(WAIT), 128 + signal.SIGTERM)
        left = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if str(folder).encode() in (process / "cmdline").read_bytes():
                    left.append(process.name)
            except OSError:
                pass  # it has ended
        self.assertEqual(left, [])

    # What is wrong.

    def test_no_such_stream(self):
        self.init(stream="other")
        self.assertIn(f"there is no stream '{self.stream}' on the bus", self.publish(fails=True))

    def test_a_full_store_loses_nothing(self):
        self.init("--max-bytes", 40_000)
        self.assertIn("the store is full", self.publish(fails=True))
        self.assertLess(self.status()["events"], 274)
        self.init("--max-bytes", 10_000_000)
        self.publish()
        self.decide(self.status()["events"])
        self.assertEqual(len(self.decisions().splitlines()), 275)

    def test_a_replica_of_another_model_is_refused(self):
        self.init()
        other = self.folder / "other.paco"
        subprocess.run([PACO, "calibrate", "--support", TINY / "support.npy", "--labels", TINY / "support_labels.npy",
                        "--method", "mirror", "--out", other], check=True, capture_output=True)
        self.assertIn("has model", self.decide(1, "--model", other, fails=True))
        self.assertIn("is on the bus with another model", self.bus("init", "--model", other, "--replicas", 1, fails=True))
        subprocess.run([PACO, "discover", "--model", other, "--input", TINY / "stream.npy", "--journal", self.journal()],
                       check=True, capture_output=True)
        self.assertIn("a journal of model", self.decide(1, fails=True))

    def test_a_journal_that_did_not_come_from_the_bus_is_refused(self):
        self.init()
        subprocess.run([PACO, "discover", "--model", self.model, "--input", TINY / "stream.npy", "--journal", self.journal()],
                       check=True, capture_output=True)
        self.assertIn("did not come from the bus", self.decide(1, fails=True))

    def test_another_dimension_is_refused_by_publish(self):
        self.init()
        self.assertIn("rows have", self.bus("publish", "--input", ROOT / "tests/golden/wide/stream.npy", fails=True))

    def test_a_bad_name_is_refused(self):
        self.assertIn("cannot be the name of a stream", self.init(stream="a.b", fails=True))


if __name__ == "__main__":
    if not shutil.which("nats-server"):
        sys.exit("there is no nats-server; install the Debian package nats-server")
    unittest.main()
