"""`paco start` on folders of texts and photos: a page, new files as they come, and going on where it was."""

import json
import os
import pathlib
import pty
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = pathlib.Path(os.environ.get("PACO_SHARED", ROOT.parent / "shared"))
PROGRAM = os.environ.get("PACO_PROGRAM", str(ROOT / "build" / "release" / "paco"))
TINY = ROOT / "tests" / "golden" / "tiny_text"
WORDS = {"card": "card lost where", "refund": "refund payment money", "login": "password login account",
         "travel": "hotel flight ticket"}
PATIENCE = 120  # seconds that a busy machine may take before a test gives up


def sentence(kind, seed):
    words = WORDS[kind].split()
    return " ".join(random.Random(f"{kind} {seed}").choices(words, k=6))


class Started:
    """The program, from its start until Ctrl-C."""

    def __init__(self, folder, *words, cache):
        self.port_file = pathlib.Path(cache) / "port"
        self.port_file.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [PROGRAM, "start", str(folder), "--port", "0", "--port-file", str(self.port_file), "--no-browser",
             *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(cache)})

    def __enter__(self):
        self.wait(self.port_file.exists)
        self.address = f"http://127.0.0.1:{self.port_file.read_text().strip()}"
        self.stream = "/v1/streams/" + self.get("/v1/streams")["streams"][0]["name"]
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.said = self.process.communicate(timeout=PATIENCE)
        self.code = self.process.returncode

    def wait(self, happened):
        until = time.monotonic() + PATIENCE
        while not happened():
            if self.process.poll() is not None or time.monotonic() > until:
                self.process.kill()
                raise AssertionError(f"it did not happen: {self.process.communicate()}")
            time.sleep(0.05)

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=30) as answer:
            body = answer.read()
            return json.loads(body) if answer.headers["Content-Type"].startswith("application/json") else body

    def samples(self):
        return self.get(self.stream + "/samples?limit=1000")["samples"]

    def wait_for(self, count):
        self.wait(lambda: self.get(self.stream)["samples"] >= count)


class Start(unittest.TestCase):
    def setUp(self):
        self.cache = pathlib.Path(tempfile.mkdtemp(prefix="paco-start-"))
        self.folder = self.cache / "tickets"
        self.folder.mkdir()

    def tearDown(self):
        shutil.rmtree(self.cache)

    def start(self, *words):
        return Started(self.folder, *words, cache=self.cache)

    def refused(self, *words):
        run = subprocess.run([PROGRAM, "start", str(self.folder), "--no-browser", *map(str, words)], capture_output=True,
                             text=True, env={**os.environ, "XDG_CACHE_HOME": str(self.cache)}, stdin=subprocess.DEVNULL)
        self.assertEqual(run.returncode, 1, run.stderr)
        return run.stderr

    def write_table(self, stream=8):
        lines = ["text,label"]
        for kind in ("card", "refund", "login"):
            lines += [f"{sentence(kind, i)} {i},{kind}" for i in range(6)]
        lines += [f"{sentence(('card', 'travel')[i % 2], 100 + i)} {i}," for i in range(stream)]
        (self.folder / "tickets.csv").write_text("\n".join(lines) + "\n")

    def test_a_table_of_texts_becomes_a_stream_that_grows_and_goes_on(self):
        self.write_table()
        with self.start("--encoder", TINY) as started:
            started.wait_for(8)
            self.assertIn(b"<html", started.get("/")[:2000].lower())
            names = [c["name"] for c in started.get(started.stream + "/categories")["categories"]]
            self.assertTrue({"card", "login", "refund"} <= set(names), names)
            sample = started.samples()[0]
            self.assertTrue(sample["key"].startswith("tickets.csv#"), sample["key"])
            self.assertIn(sample["attributes"]["text"].split()[0], " ".join(WORDS.values()))
            self.assertEqual(started.get("/v1")["encoder"]["kind"], "texts")
            self.write_table(stream=11)  # the same rows, and three more
            started.wait_for(11)
            (self.folder / "stream").mkdir()
            (self.folder / "stream" / "late.txt").write_text("hotel ticket lost")
            started.wait_for(12)
            (self.cache / "more.txt").write_text("password lost\n\nhotel money\npassword lost\n")
            for repeated in (0, 3):
                sent = subprocess.run([PROGRAM, "send", "--server", started.address, "--stream", "tickets", "--texts",
                                       str(self.cache / "more.txt"), "--json"], capture_output=True, text=True, check=True)
                counts = json.loads(sent.stdout)
                self.assertEqual((counts["samples"], counts["repeated"]), (3, repeated))
            started.wait_for(15)
        self.assertEqual(started.code, 130, started.said)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), [".paco", "stream", "tickets.csv"])
        (self.folder / "stream" / "later.txt").write_text("flight refund")
        with self.start() as again:  # it knows its encoder
            again.wait_for(16)
            keys = [sample["key"] for sample in again.samples()]
            self.assertEqual(len(keys), len(set(keys)))
            self.assertEqual(keys[-1], "stream/later.txt")
        self.assertIn("going on after 15 samples", again.said[1])

    def test_subfolders_of_texts_are_classes(self):
        for kind in ("card", "refund", "login"):
            (self.folder / kind).mkdir()
            for i in range(4):
                (self.folder / kind / f"{i}.txt").write_text(sentence(kind, i))
        (self.folder / "new.txt").write_text(sentence("travel", 1))
        (self.folder / "empty.txt").write_text(" \n")
        with self.start("--encoder", TINY) as started:
            started.wait_for(1)
            self.assertEqual([sample["key"] for sample in started.samples()], ["new.txt"])
        self.assertIn("empty.txt: its text is empty", started.said[1])

    def test_what_is_missing_is_said(self):
        self.assertIn("neither photos nor texts", self.refused())
        (self.folder / "t.csv").write_text("text,label\na card,card\nanother,card\nlost,refund\n")
        self.assertIn("2 classes, and 3 are needed", self.refused("--encoder", TINY))
        (self.folder / "t.csv").write_text("text,label\na card,card\nanother,card\nlost,refund\nx,y\nz,y\n")
        self.assertIn("classes of a single sample: refund", self.refused("--encoder", TINY))
        (self.folder / "t.csv").write_text("question,label\na card,card\n")
        self.assertIn("it has no column text or path", self.refused("--encoder", TINY))
        (self.folder / "t.csv").unlink()
        self.write_table()
        (self.folder / "photo.jpg").write_bytes(b"\xff\xd8\xff")
        self.assertIn("put them into two folders", self.refused("--encoder", TINY))
        (self.folder / "photo.jpg").unlink()
        self.assertIn("paco models get minilm", self.refused())  # no encoder, and nobody to ask
        self.assertIn("no such encoder", self.refused("--encoder", self.folder / "nothing"))

    def write_unlabelled(self, each=8):
        lines = ["text"] + [f"{sentence(kind, i)} {kind}" for i in range(each) for kind in WORDS]
        (self.folder / "tickets.csv").write_text("\n".join(lines) + "\n")
        return len(lines) - 1

    def test_without_labels_it_begins_from_nothing_if_that_is_wanted(self):
        count = self.write_unlabelled()
        said = self.refused("--encoder", TINY)
        self.assertIn("0 classes, and 3 are needed", said)
        self.assertIn("--from-nothing", said)
        with self.start("--encoder", TINY, "--from-nothing") as started:
            started.wait_for(count)
            categories = started.get(started.stream + "/categories")["categories"]
            self.assertGreaterEqual(len(categories), 3)
            self.assertTrue(any(set(c["name"].split(" · ")) <= set(" ".join(WORDS.values()).split()) | set(WORDS)
                                for c in categories), categories)
        self.assertIn("first categories from groups of alike samples", started.said[1])
        (self.folder / "more").mkdir()
        (self.folder / "more" / "one.txt").write_text(sentence("card", 99))
        with self.start() as again:  # it knows how it began, and that a folder is no class
            again.wait_for(count + 1)
        self.assertIn("the labels of 1 samples are not used", again.said[1])

    def test_too_little_to_begin_from_nothing_is_said(self):
        (self.folder / "t.txt").write_text("a card")
        self.assertIn("fall into 0 groups", self.refused("--encoder", TINY, "--from-nothing"))

    def test_a_folder_that_began_with_labels_does_not_begin_from_nothing(self):
        self.write_table()
        with self.start("--encoder", TINY) as started:
            started.wait_for(8)
        self.assertIn("it began with labelled examples", self.refused("--from-nothing"))

    def test_at_a_terminal_it_asks_whether_to_begin_from_nothing(self):
        self.write_unlabelled()
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "start", str(self.folder), "--no-browser", "--encoder", str(TINY)], stdin=theirs,
                                   stderr=theirs, stdout=subprocess.DEVNULL)
        os.close(theirs)
        os.write(ours, b"n\n")
        said = b""
        while True:
            try:
                said += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
        self.assertEqual(process.wait(), 1)
        self.assertIn(b"Begin from nothing, with groups of alike samples as the first categories? [Y/n]", said)

    def test_another_encoder_than_that_of_the_first_start_is_refused(self):
        self.write_table()
        with self.start("--encoder", TINY) as started:
            started.wait_for(8)
        other = self.cache / "other"
        shutil.copytree(TINY, other)
        (other / "sentence_bert_config.json").write_text('{"max_seq_length": 5}')
        self.assertIn("embedded otherwise", self.refused("--encoder", other))

    @unittest.skipUnless((SHARED / "models" / "vit_tiny_patch16_224.safetensors").is_file() and
                         (SHARED / "data" / "cub-224-train.tar").is_file(), "../shared has no photos or no encoder of them")
    def test_a_folder_of_photos(self):
        encoder = self.cache / "encoder"
        encoder.mkdir()
        os.symlink(SHARED / "models" / "vit_tiny_patch16_224.safetensors", encoder / "model.safetensors")
        (encoder / "config.json").write_text(json.dumps({
            "architecture": "vit_tiny_patch16_224",
            "pretrained_cfg": {"input_size": [3, 224, 224], "mean": [0.5] * 3, "std": [0.5] * 3}}))
        photos = {}
        with tarfile.open(SHARED / "data" / "cub-224-train.tar") as archive:
            for member in archive:
                kind = pathlib.PurePath(member.name).parent.name
                if member.isfile() and member.name.endswith(".jpg") and (kind in photos or len(photos) < 4):
                    if len(photos.setdefault(kind, [])) < 5:
                        photos[kind].append(archive.extractfile(member).read())
                if len(photos) == 4 and all(len(each) == 5 for each in photos.values()):
                    break
        kinds = sorted(photos)
        for kind in kinds[:3]:
            (self.folder / kind).mkdir()
            for i, photo in enumerate(photos[kind][:3]):
                (self.folder / kind / f"{i}.jpg").write_bytes(photo)
        (self.folder / kinds[0] / "broken.jpg").write_bytes(photos[kinds[0]][0][:500])
        for i, photo in enumerate([photos[kinds[0]][3], photos[kinds[3]][0]]):
            (self.folder / f"new {i}.jpg").write_bytes(photo)
        (self.folder / "torn.jpg").write_bytes(photos[kinds[1]][3][:800])
        with self.start("--encoder", encoder) as started:
            started.wait_for(2)
            names = [c["name"] for c in started.get(started.stream + "/categories")["categories"]]
            self.assertTrue(set(kinds[:3]) <= set(names), names)
            self.assertTrue(all(sample["picture"] for sample in started.samples()))
            (self.folder / "torn.jpg").write_bytes(photos[kinds[1]][3])  # now it is whole
            started.wait_for(3)
            self.assertEqual(sorted(sample["key"] for sample in started.samples()), ["new 0.jpg", "new 1.jpg", "torn.jpg"])
        self.assertIn("broken.jpg", started.said[1])
        self.assertIn("torn.jpg", started.said[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
