"""A server that has a backbone takes images, on a real process; those that mean harm are refused in words."""

import base64
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from server import Server, program, run_paco, tiny_model  # noqa: E402

S = "/v1/streams/birds"
COLOURS = [(200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 40), (40, 200, 200), (200, 40, 200)]


def png(width, height, rows, whole=True):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">II5B", width, height, 8, 2, 0, 0, 0))
    if not whole:
        return start
    return start + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b"")


def picture(kind, seed):
    """32 x 32 pixels of a colour, with noise: pictures of one kind are alike."""
    chance = random.Random(seed)
    return png(32, 32, [bytes(max(0, min(255, c + chance.randrange(-30, 30)))
                              for _ in range(32) for c in COLOURS[kind]) for _ in range(32)])


def write_small_weights(path):
    """Weights of `small` from a seed, as a safetensors file."""
    chance = random.Random(1)
    tensors, before = {}, 3
    for i, width in enumerate((32, 64, 128)):
        tensors[f"stages.{i}.0.weight"] = (width, before, 3, 3)
        tensors[f"stages.{i}.1.conv1.weight"] = (width, width, 3, 3)
        tensors[f"stages.{i}.1.conv2.weight"] = (width, width, 1, 1)
        for norm in ("norm1", "norm2"):
            tensors[f"stages.{i}.1.{norm}.weight"] = tensors[f"stages.{i}.1.{norm}.bias"] = (width,)
        before = width
    tensors["norm.weight"] = tensors["norm.bias"] = (128,)
    header, data = {}, b""
    for name, shape in tensors.items():
        count = 1
        for size in shape:
            count *= size
        reach = (shape[0] / count) ** 0.5
        numbers = ([1.0 if name.endswith("weight") else 0.0] * count if len(shape) == 1 else
                   [chance.uniform(-reach, reach) for _ in range(count)])
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + 4 * count]}
        data += struct.pack(f"<{count}f", *numbers)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = pathlib.Path(tempfile.mkdtemp(prefix="paco-images-"))
        write_small_weights(cls.made / "small.safetensors")
        cls.backbone = ["--encoder", "small", "--weights", cls.made / "small.safetensors"]
        for kind in range(4):
            (cls.made / "support" / f"kind{kind}").mkdir(parents=True)
            for i in range(8):
                (cls.made / "support" / f"kind{kind}" / f"{i}.png").write_bytes(picture(kind, 100 * kind + i))
        (cls.made / "stream").mkdir()
        cls.stream = [picture(i % 6, 1000 + i) for i in range(24)]
        for i, file in enumerate(cls.stream):
            (cls.made / "stream" / f"{i:03}.png").write_bytes(file)
        (cls.made / "stream" / "notes.txt").write_text("no image\n")
        run_paco("embed", *cls.backbone, "--data", f"folder:{cls.made}/support", "--out", cls.made / "support.npy",
                 "--labels-out", cls.made / "labels.npy")
        run_paco("embed", *cls.backbone, "--data", f"folder:{cls.made}/stream", "--out", cls.made / "stream.npy")
        run_paco("calibrate", "--support", cls.made / "support.npy", "--labels", cls.made / "labels.npy",
                 "--out", cls.made / "model.paco")
        run_paco("discover", "--model", cls.made / "model.paco", "--input", cls.made / "stream.npy",
                 "--out", cls.made / "decisions.jsonl")
        cls.expected = [json.loads(line)["category"] for line in (cls.made / "decisions.jsonl").read_text().splitlines()]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="paco-serve-")
        self.server = Server(self.folder, *self.backbone).start()
        answer = self.server.call("PUT", S, (self.made / "model.paco").read_bytes(), "application/octet-stream")
        self.assertEqual(answer.status, 201, answer.body)

    def tearDown(self):
        self.server.__exit__()
        shutil.rmtree(self.folder)

    def post(self, body, type=None, query=""):
        return self.server.call("POST", S + "/samples" + query, body, type)

    def as_json(self, files):
        return {"samples": [{"image": base64.b64encode(file).decode(), "key": f"k{i}"} for i, file in enumerate(files)]}

    def test_images_are_decided_as_their_embeddings_are(self):
        self.assertEqual(len(self.expected), 24)
        first = self.post(self.as_json(self.stream[:20]))
        self.assertEqual(first.status, 200, first.body)
        rest = [self.post(file, "image/png", f"?key=r{i}&id=file%20{i}") for i, file in enumerate(self.stream[20:])]
        got = [d["category"] for d in first.json["decisions"]] + [a.json["decisions"][0]["category"] for a in rest]
        self.assertEqual(got, self.expected)
        sample = self.server.get(S + "/samples/20").json
        self.assertEqual((sample["key"], sample["id"], sample["picture"]), ("r0", "file 0", True))
        shown = self.server.get(S + "/samples/20/picture")
        self.assertEqual(shown.headers["Content-Type"], "image/jpeg")
        self.assertTrue(shown.body.startswith(b"\xff\xd8\xff"))
        again = self.post(self.as_json(self.stream[:1])).json["decisions"][0]
        self.assertEqual((again["repeated"], again["sequence"]), (True, 0))
        encoder = self.server.get("/v1").json["encoder"]
        self.assertEqual((encoder["kind"], encoder["encoder"], encoder["dimension"]), ("images", "small", 2048))
        self.assertEqual(self.server.get(S).json["embedding"]["preprocessing"], encoder["preprocessing"])

    def test_embeddings_that_were_made_otherwise_are_refused_on_every_way_in(self):
        other = self.made / "other.npy"
        run_paco("embed", *self.backbone, "--normalise", "none", "--data", f"folder:{self.made}/stream", "--out", other)
        sent = subprocess.run([program(), "send", "--server", f"http://127.0.0.1:{self.server.port}", "--stream", "birds",
                               "--input", other], capture_output=True, text=True)
        self.assertEqual(sent.returncode, 1)
        self.assertIn("none", sent.stderr)
        with Server(tempfile.mkdtemp(dir=self.folder), *self.backbone, "--normalise", "half") as half:
            self.assertEqual(half.call("PUT", S, (self.made / "model.paco").read_bytes()).status, 201)
            answer = half.call("POST", S + "/samples", self.stream[0], "image/png")
            self.assertEqual(answer.status, 409)
            self.assertIn("imagenet", answer.json["error"]["message"])
        self.assertEqual(self.server.get(S).json["samples"], 0)

    def test_labelled_images_become_a_stream_whose_classes_show_three_of_them(self):
        new = "/v1/streams/drawn"
        examples = [{"image": base64.b64encode(picture(kind, seed)).decode(), "label": f"kind {kind}"}
                    for kind in range(3) for seed in range(5)]
        def add(rows, query=""):
            return self.server.call("POST", new + "/support/samples" + query, {"samples": rows})
        broken = {"image": base64.b64encode(picture(0, 1)[:40]).decode(), "label": "kind 0"}
        refused = add([examples[0], broken], "?anew=1")
        self.assertEqual((refused.status, refused.json["error"]["row"]), (400, 1), refused.body)
        self.assertEqual(add([{"image": examples[0]["image"]}]).status, 400)
        self.assertEqual(add(examples[:10], "?anew=1").json, {"rows": 10, "classes": 2})
        few = self.server.call("POST", new + "/calibrate", {"method": "paco"})
        self.assertEqual(few.status, 400)
        self.assertIn("2 classes, and 3 are needed", few.json["error"]["message"])
        self.assertEqual(add(examples[10:]).json, {"rows": 15, "classes": 3})
        self.assertEqual(self.server.call("POST", new + "/calibrate", {"method": "paco"}).status, 202)
        self.server.wait_ready("drawn")
        classes = self.server.get(new + "/categories?kind=known").json["categories"]
        self.assertEqual([(one["name"], one["support_pictures"]) for one in classes],
                         [("kind 0", 3), ("kind 1", 3), ("kind 2", 3)])
        shown = self.server.get(new + "/categories/1/support/2")
        self.assertEqual((shown.status, shown.headers["Content-Type"], shown.body[:2]), (200, "image/jpeg", b"\xff\xd8"))
        self.assertEqual(self.server.get(new + "/categories/1/support/3").status, 404)
        encoder = self.server.get("/v1").json["encoder"]
        self.assertEqual(encoder.pop("kind"), "images")
        self.assertEqual(self.server.get(new).json["embedding"], encoder)
        one = {"samples": [{"image": base64.b64encode(picture(1, 99)).decode()}]}
        self.assertEqual(self.server.call("POST", new + "/samples", one).status, 200)

    def test_images_and_embeddings_may_come_together(self):
        zeros = [0.5] * 2047 + [1.0]
        both = self.as_json(self.stream[:1])["samples"] + [{"embedding": zeros}]
        answer = self.post({"samples": both})
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.json["decisions"][0]["category"], self.expected[0])
        self.assertEqual(self.server.get(S + "/samples/1").json["picture"], False)
        two = dict(both[0], embedding=zeros)
        self.assertEqual(self.post({"samples": [two]}).status, 400)

    def test_one_image_does_not_wait_for_a_request_with_hundreds(self):
        many = self.as_json([picture(i % 4, i) for i in range(640)])
        answers = []
        sender = threading.Thread(target=lambda: answers.append(self.post(many)))
        sender.start()
        while sender.is_alive() and b"paco_waiting_image_requests 1" not in self.server.get("/metrics").body:
            pass
        self.assertEqual(self.post(picture(0, 1), "image/png").json["decisions"][0]["sequence"], 0)
        sender.join()
        self.assertEqual([d["sequence"] for d in answers[0].json["decisions"]], list(range(1, 641)))

    def test_what_is_no_image_is_refused_and_nothing_of_its_request_is_decided(self):
        good = self.stream[0]
        line = bytes(3 * 60000)
        bombs = [png(60000, 60000, [], whole=False), png(60000, 600, [line] * 600)]  # claimed, and true
        for bad in bombs + [good[:len(good) // 2], b"GIF89a", b"just a text, no image at all", good[:8], b"\xff\xd8\xff\xe0"]:
            answer = self.post(bad, "image/png")
            self.assertEqual(answer.status, 400, bad[:20])
            self.assertIn("hint", answer.json["error"])
            answer = self.post(self.as_json([good, bad]))
            self.assertEqual((answer.status, answer.json["error"]["row"]), (400, 1), bad[:20])
        self.assertEqual(self.post({"samples": [{"image": "????"}]}).status, 400)
        self.assertEqual(self.post(b"", "image/png").status, 400)
        self.assertEqual(self.post(good, "image/gif").status, 415)
        self.assertEqual(self.server.get(S).json["samples"], 0)
        self.assertEqual(self.post(good, "image/png").status, 200)

    def test_a_stream_of_another_backbone_and_a_server_without_one_say_so(self):
        self.assertEqual(self.server.call("PUT", "/v1/streams/other", tiny_model(self.folder)).status, 201)
        answer = self.server.call("POST", "/v1/streams/other/samples", self.stream[0], "image/png")
        self.assertEqual(answer.status, 409)
        self.assertIn("2048", answer.json["error"]["message"])
        with Server(tempfile.mkdtemp(dir=self.folder)) as bare:
            self.assertEqual(bare.call("PUT", S, (self.made / "model.paco").read_bytes()).status, 201)
            answer = bare.call("POST", S + "/samples", self.stream[0], "image/png")
            self.assertEqual(answer.status, 415)
            self.assertIn("--encoder", answer.json["error"]["hint"])

    def test_paco_send_takes_files_and_folders(self):
        address = ["--server", f"http://127.0.0.1:{self.server.port}", "--stream", "birds"]
        out = self.made / "sent.jsonl"
        for repeated in (0, 24):
            said = json.loads(run_paco("send", *address, "--images", self.made / "stream", "--key-prefix", "run-", "--block",
                                       "7", "--out", out, "--json"))
            self.assertEqual((said["samples"], said["repeated"]), (24, repeated))
        self.assertEqual([json.loads(line)["category"] for line in out.read_text().splitlines()], self.expected)


    def folder_of(self, files):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name, file in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(file)
        return folder

    def send_folder(self, folder, *options):
        """The outcome of `paco send --images`, with its exit code."""
        done = subprocess.run([program(), "send", "--server", f"http://127.0.0.1:{self.server.port}", "--stream", "birds",
                               "--images", str(folder), "--json", *options], capture_output=True)
        return done.returncode, json.loads(done.stdout)

    def keys(self):
        return [s["key"] for s in self.server.get(S + "/samples?limit=1000").json["samples"]]

    def test_a_file_that_sorts_first_changes_no_key_of_the_others(self):
        folder = self.folder_of({"b.png": self.stream[0], "deep/c.png": self.stream[1]})
        self.assertEqual(self.send_folder(folder)[0], 0)
        (folder / "a.png").write_bytes(self.stream[2])
        code, said = self.send_folder(folder)
        self.assertEqual((code, said["samples"], said["repeated"]), (0, 3, 2))
        self.assertEqual(self.keys(), ["b.png", "deep/c.png", "a.png"])
        self.assertEqual(self.send_folder(folder, "--key-prefix", "n-")[1]["repeated"], 0)
        self.assertEqual(self.keys()[3:], ["n-a.png", "n-b.png", "n-deep/c.png"])

    def test_a_file_that_became_another_picture_is_named_and_the_rest_is_sent(self):
        folder = self.folder_of({"a.png": self.stream[0], "b.png": self.stream[1]})
        self.send_folder(folder)
        (folder / "a.png").write_bytes(self.stream[2])
        (folder / "c.png").write_bytes(self.stream[3])
        code, said = self.send_folder(folder)
        self.assertEqual((code, said["samples"], said["repeated"]), (1, 2, 1))
        self.assertEqual([s["file"] for s in said["skipped"]], [f"{folder}/a.png"])

    def test_damaged_files_are_listed_and_large_ones_made_smaller(self):
        line = bytes(3 * 6000)
        folder = self.folder_of({"0.png": self.stream[0][:len(self.stream[0]) // 2], "1.png": self.stream[1],
                                 "2.png": png(6000, 6000, [line] * 6000), "3.png": png(60000, 60000, [], whole=False),
                                 "4.png": self.stream[2]})
        code, said = self.send_folder(folder, "--block", "2")
        self.assertEqual((code, said["samples"]), (1, 3))
        self.assertEqual([pathlib.Path(s["file"]).name for s in said["skipped"]], ["0.png", "3.png"])
        self.assertEqual(self.keys(), ["1.png", "2.png", "4.png"])

    def test_two_files_with_one_key_are_refused_before_anything_is_sent(self):
        one, two = self.folder_of({"a.png": self.stream[0]}), self.folder_of({"a.png": self.stream[1]})
        with self.assertRaises(subprocess.CalledProcessError):
            run_paco("send", "--server", f"http://127.0.0.1:{self.server.port}", "--stream", "birds", "--images", one, two)
        self.assertEqual(self.keys(), [])


if __name__ == "__main__":
    unittest.main()
