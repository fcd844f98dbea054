"""Who may enter the bus, and what becomes of messages that no paco wrote.

Real servers with passwords, tokens, credentials and TLS; and messages of every kind on every subject of a stream, damaged
ones among them, whose number and seed are fixed. No process may end, and what paco published is decided as always.
"""

import contextlib
import json
import random
import shutil
import struct
import subprocess
import sys
import unittest

import keys
from bus_case import PACO, ROOT, TINY, BusCase, Cluster

sys.path.insert(0, str(ROOT / "tests" / "e2e" / "serve"))
from server import Server  # noqa: E402

SEED = 14


def sample_event(key, numbers, magic=b"paco\x01\x01", attributes=b""):
    """An event as paco writes it: key, id, attributes and picture with their lengths, then the numbers."""
    texts = b"".join(struct.pack("<I", len(text)) + text for text in (key, b"", attributes, b""))
    return magic + texts + b"\x04" + struct.pack(f"<{len(numbers)}f", *numbers)


def damaged(chance, message):
    """The message with something wrong: cut, longer, other bytes, or nothing but noise."""
    kind = chance.randrange(4)
    if kind == 0:
        return message[:chance.randrange(len(message))]
    if kind == 1:
        return message + chance.randbytes(chance.randrange(1, 40))
    if kind == 2:
        return chance.randbytes(chance.randrange(200))
    out = bytearray(message)
    for _ in range(chance.randrange(1, 6)):
        out[chance.randrange(len(out))] = chance.randrange(256)
    return bytes(out)


class Strangers(BusCase):
    @contextlib.contextmanager
    def server(self, **settings):
        """A server of its own; ended with the test."""
        cluster = Cluster(self.folder / f"{self.stream}-server").create(1, **settings)
        try:
            self.assertTrue(cluster.up())
            yield cluster.url()
        finally:
            cluster.down()

    # Who may enter.

    def check_all(self, url, *words):
        """With the right papers everything goes as ever."""
        self.init(*words, url=url)
        self.publish(*words, url=url)
        self.decide(274, *words, url=url)
        out = self.folder / f"{self.stream}.csv"
        self.bus("watch", "--current", "--out", out, *words, url=url)
        self.assertEqual(out.read_text(), self.expected())

    def test_no_server_is_named(self):
        with unanswered_port() as port:
            self.assertIn(f"no NATS server answers at nats://127.0.0.1:{port}",
                          self.bus("status", url=f"nats://127.0.0.1:{port}", fails=True))

    def test_a_wrong_password_is_named_and_not_shown(self):
        with self.server(user="ann:right") as url:
            said = self.bus("status", url=url.replace("right", "wrong"), fails=True)
            self.assertIn("refuses the credentials", said)
            self.assertNotIn("wrong@", said)
            self.check_all(url)

    def test_a_token_is_passed_through_and_a_wrong_one_named_and_not_shown(self):
        with self.server(more=['authorization { token: "s3cret-token" }']) as url:
            self.assertIn("refuses the credentials", self.bus("status", url=url, fails=True))
            said = self.bus("status", url=url.replace("://", "://n0t-the-token@"), fails=True)
            self.assertIn("refuses the credentials", said)
            self.assertNotIn("n0t-the-token", said)
            self.check_all(url.replace("://", "://s3cret-token@"))

    def test_credentials_are_passed_through_and_wrong_ones_named(self):
        accounts = keys.Accounts(self.folder / "accounts")
        right = accounts.credentials("ann")
        wrong = accounts.credentials("eve", keys.Key(accounts.folder, "nobody", "account"))
        with self.server(more=accounts.settings()) as url:
            self.assertIn("refuses the credentials", self.bus("status", url=url, fails=True))
            said = self.bus("status", "--credentials", wrong, url=url, fails=True)
            self.assertIn(f"refuses the credentials in {wrong}", said)
            absent = self.folder / "absent.creds"
            self.assertIn(f"--credentials {absent}: no such file", self.bus("status", "--credentials", absent, url=url, fails=True))
            self.assertIn("this-is-none", self.bus("status", "--credentials", self.noise("this-is-none"), url=url, fails=True))
            self.check_all(url, "--credentials", right)
            with Server(self.folder / "creds-journals", "--bus", url, "--bus-credentials", right) as served:
                self.assertEqual(served.get(f"/v1/streams/{self.stream}").status, 200)

    def noise(self, name):
        path = self.folder / name
        path.write_text("no credentials\n")
        return path

    def test_tls_is_passed_through_and_what_is_missing_is_named(self):
        made, other = keys.certificates(self.folder / "tls"), keys.certificates(self.folder / "other-tls")
        tls = 'tls { cert_file: "%s", key_file: "%s", ca_file: "%s", verify: true }' % (
            made / "server.pem", made / "server.key", made / "ca.pem")
        client = ["--tls-certificate", made / "client.pem", "--tls-key", made / "client.key"]
        with self.server(more=[tls]) as url:
            said = self.bus("status", url=url, fails=True)
            self.assertIn(url, said)
            self.assertIn("--tls-ca", said)
            said = self.bus("status", "--tls-ca", other / "ca.pem", *client, url=url, fails=True)
            self.assertIn("unable to get local issuer certificate", said)
            self.assertIn(url, self.bus("status", "--tls-ca", made / "ca.pem", url=url, fails=True))
            self.assertIn("belong together", self.bus("status", "--tls-ca", made / "ca.pem", *client[:2], url=url, fails=True))
            absent = self.folder / "absent.pem"
            self.assertIn(f"--tls-ca {absent}: no such file", self.bus("status", "--tls-ca", absent, url=url, fails=True))
            self.assertIn("this-is-no-pem", self.bus("status", "--tls-ca", self.noise("this-is-no-pem"), url=url, fails=True))
            self.check_all(url, "--tls-ca", made / "ca.pem", *client)
            words = ["--bus-" + word[2:] if str(word).startswith("--") else word for word in ["--tls-ca", made / "ca.pem", *client]]
            with Server(self.folder / "tls-journals", "--bus", url, *words) as served:
                self.assertEqual(served.get(f"/v1/streams/{self.stream}").status, 200)

    # What strangers send.

    def test_a_foreign_message_is_refused_and_delays_no_other(self):
        self.init()
        self.strange("events", b"hello")
        self.publish()
        self.decide(275)
        self.assertEqual(self.records()[0]["kind"], "refused")
        self.assertIn("foreign message of 5 bytes", self.records()[0]["text"])
        self.assertEqual(self.decisions(), self.expected())

    def test_a_foreign_decision_stops_a_replica(self):
        self.init()
        self.publish()
        self.strange("decisions", b"hello")
        self.assertIn("message 1: a foreign message of 5 bytes", self.decide(274, fails=True))

    def test_a_foreign_picture_is_rejected_by_name_and_delays_no_other(self):
        self.init()
        chance = random.Random(SEED)
        self.strange("raw", b"hello", *(damaged(chance, b"pacr\x01" + bytes(40)) for _ in range(50)))
        said = json.loads(self.bus("embed", "--program", "cat", "--until-idle", 1, "--json"))
        self.assertEqual((said["embedded"], said["rejected"]), (0, 51))
        self.assertEqual((self.status()["raw"], self.status()["rejected"]), (0, 51))

    def test_a_foreign_snapshot_is_named_by_a_replica_that_needs_one(self):
        self.init()
        self.publish()
        self.strange("files.snapshot", b"hello")
        self.assertIn(f"paco.{self.stream}.files.snapshot: a foreign message", self.decide(274, fails=True))

    def test_damaged_and_strange_events_are_refused_alike_by_every_replica(self):
        """Damage may leave a message that is one: then it is a sample or an operation like any other."""
        self.init("--digest-every", 64)
        chance = random.Random(SEED)
        good = [sample_event(b"s%d" % i, [chance.gauss(0, 1) for _ in range(16)]) for i in range(20)]
        strange = [sample_event(b"nan", [float("nan")] * 16), sample_event(b"inf", [float("inf")] * 16),
                   sample_event(b"short", [1.0] * 15), sample_event(b"none", []), sample_event(b"", [1.0] * 16),
                   sample_event(b"k" * 300, [1.0] * 16), sample_event(b"old", [1.0] * 16, b"paco\x00\x01"),
                   b"paco\x01\x02" + struct.pack("<I", 9) + b'{"kind":1', b"paco\x01\x02" + struct.pack("<I", 2**32 - 1),
                   b"paco\x01\x02" + struct.pack("<I", 100_000) + b"[" * 100_000, b"",
                   sample_event(b"\xff\xfe no letters", [1.0] * 15),
                   sample_event(b"deep", [1.0] * 16, attributes=b'{"bus_event": 1, "a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
                   sample_event(b"posing", [2.0] * 16, attributes=b'{"bus_event": 1}'),
                   sample_event(b"no-object", [3.0] * 16, attributes=b"[1, 2"), sample_event(b"\xe9", [4.0] * 16)]
        strange += [damaged(chance, chance.choice(good)) for _ in range(300)]
        chance.shuffle(strange)
        first = self.start("a")
        for i in range(0, len(strange), 50):
            self.strange("events", *strange[i:i + 50])
        self.publish("--key-prefix", "proper-")
        count = len(strange) + 274
        self.bus("watch", "--from", 1, "--count", count)
        self.decide(count, name="b")  # folds all of it anew, and compares words and digests
        self.assertIsNone(first.poll())
        records = self.records()
        self.assertEqual(len(records), count)
        self.assertGreater(sum(record["kind"] == "refused" for record in records), 100)
        self.assertEqual([record["kind"] for record in records[-274:]], ["decided"] * 274)

    def test_a_message_too_large_is_named(self):
        with self.server(payload=2000) as url:
            self.assertIn("the servers take messages of at most 2000", self.init(url=url, fails=True))

    def test_a_sample_too_large_is_named_and_those_before_it_are_stored(self):
        chance = random.Random(SEED)
        folder = self.folder / "large"
        folder.mkdir()
        (folder / "0.png").write_bytes(chance.randbytes(1000))
        (folder / "1.png").write_bytes(chance.randbytes(70_000))
        with self.server(payload=65_536) as url:
            self.init(url=url)
            said = self.bus("publish", "--images", folder, "--key-prefix", "x-", url=url, fails=True)
            self.assertIn("'x-1' has 70", said)
            self.assertIn("messages of at most 65536", said)

    def test_a_full_server_is_named_and_nothing_is_lost(self):
        cluster = Cluster(self.folder / "full-server").create(1, store=400_000)
        try:
            self.assertTrue(cluster.up())
            self.init(url=cluster.url())
            words = [PACO, "bus", "publish", "--server", cluster.url(), "--stream", self.stream, "--patience", "3", "--input",
                     TINY / "stream.npy", "--key-prefix"]
            for runs in range(1, 20):
                done = subprocess.run([*words, f"{runs}-"], capture_output=True, text=True)
                if done.returncode != 0:
                    break
            self.assertEqual(done.returncode, 1)
            self.assertIn("store is full", done.stderr)
            cluster.stop(0)
            cluster.enlarge(100_000_000)
            self.assertTrue(cluster.up())
            subprocess.run([*words, f"{runs}-"], check=True, capture_output=True)
            events = json.loads(self.bus("status", "--json", url=cluster.url()))["streams"][0]["events"]
            self.decide(events, url=cluster.url())
            lines = self.bus("watch", "--current", "--json", url=cluster.url()).splitlines()
            kept = {json.loads(line)["key"] for line in lines}
            self.assertEqual(kept, {f"{run}-{i}" for run in range(1, runs + 1) for i in range(274)})
        finally:
            cluster.down()


@contextlib.contextmanager
def unanswered_port():
    """A port that is taken and that no process listens on."""
    import socket
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


if __name__ == "__main__":
    if not shutil.which("nats-server"):
        sys.exit("there is no nats-server; install the Debian package nats-server")
    unittest.main()
