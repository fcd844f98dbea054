"""`paco models` against a server on this machine: what comes is resumed and verified, and what is wrong is said in words."""

import functools
import hashlib
import http.server
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = pathlib.Path(os.environ.get("PACO_SHARED", ROOT.parent / "shared"))
PROGRAM = os.environ.get("PACO_PROGRAM", str(ROOT / "build" / "release" / "paco"))
TINY = ROOT / "tests" / "golden" / "tiny_text"


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves a folder with ranges, and writes down what was asked for; a file may be cut off once, come without ranges, or from
    elsewhere."""

    asked, cut, whole, moved = [], set(), set(), {}

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = pathlib.Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        if path.name in self.moved:
            self.send_response(302)
            self.send_header("Location", self.moved[path.name])
            return self.end_headers()
        content = path.read_bytes()
        wanted = None if path.name in self.whole else self.headers.get("Range")
        first = int(wanted.split("=")[1].split("-")[0]) if wanted else 0
        self.asked.append((path.name, first))
        if first >= len(content) and wanted:
            return self.send_error(416)
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - first))
        self.end_headers()
        rest = content[first:]
        if path.name in self.cut:
            self.cut.discard(path.name)
            rest = rest[:len(rest) // 2]
            self.close_connection = True
        self.wfile.write(rest)


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paco-models-"))
        self.served = self.folder / "served"
        self.served.mkdir()
        Files.asked, Files.cut, Files.whole, Files.moved = [], set(), set(), {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=self.served))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.cache = self.folder / "cache" / "paco" / "models"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.folder)

    def paco(self, *words, code=0):
        run = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True,
                             env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def serve_gte(self):
        """The files of gte-small, of a network that is smaller than that."""
        (self.served / "1_Pooling").mkdir()
        for name in ("config.json", "model.safetensors"):
            shutil.copy(TINY / name, self.served / name)
        shutil.copy(TINY / "vocab.txt", self.served / "vocab.txt")
        words = (TINY / "vocab.txt").read_text().split("\n")[:-1]
        (self.served / "tokenizer.json").write_text(json.dumps({
            "normalizer": {"type": "BertNormalizer", "lowercase": True, "strip_accents": None, "clean_text": True,
                           "handle_chinese_chars": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "TemplateProcessing",
                               "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                                          {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
                               "special_tokens": {w: {"id": w, "ids": [words.index(w)], "tokens": [w]}
                                                  for w in ("[CLS]", "[SEP]")}},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100, "vocab": {word: i for i, word in enumerate(words)}}}))
        (self.served / "modules.json").write_text(json.dumps(
            [{"type": f"sentence_transformers.models.{name}"} for name in ("Transformer", "Pooling", "Normalize")]))
        (self.served / "sentence_bert_config.json").write_text('{"max_seq_length": 16}')
        (self.served / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')

    def test_what_is_missing_is_said_with_what_to_type_and_where_to_click(self):
        said = self.paco("models", "path", "vit-base", code=1).stderr
        self.assertIn("paco models get vit-base", said)
        self.assertIn("https://", said)
        self.assertIn("--encoder FOLDER", said)
        self.assertIn("minilm", self.paco("models", "path", "nothing", code=1).stderr)
        self.assertEqual(self.paco("models", "check", "vit-base", code=1).stdout.split()[1], "absent")
        listed = json.loads(self.paco("models", "list", "--json").stdout)["models"]
        self.assertTrue(all(not one["here"] and one["licence"] and one["page"] for one in listed))
        (self.folder / "t.txt").write_text("a card\n")
        said = self.paco("embed", "--texts", self.folder / "t.txt", "--encoder", "minilm", "--out", self.folder / "x.npy",
                         code=1).stderr
        self.assertIn("paco models get minilm", said)

    def test_a_download_that_was_cut_off_goes_on_where_it_stopped(self):
        self.serve_gte()
        Files.cut = {"model.safetensors"}
        said = self.paco("models", "get", "gte-small", "--from", self.address, code=1).stderr
        self.assertIn("Try again", said)
        self.assertFalse((self.cache / "gte-small" / "model.safetensors").exists())
        half = (self.cache / "gte-small" / "model.safetensors.part").stat().st_size
        self.assertGreater(half, 0)
        Files.asked.clear()
        got = json.loads(self.paco("models", "get", "gte-small", "--from", self.address, "--json").stdout)
        self.assertEqual(Files.asked, [("model.safetensors", half)])  # and nothing that was there
        self.assertFalse(got["verified"])  # nobody knows the hash of what was published
        weights = self.cache / "gte-small" / "model.safetensors"
        self.assertEqual(weights.read_bytes(), (TINY / "model.safetensors").read_bytes())
        self.assertIn(hashlib.sha256(weights.read_bytes()).hexdigest(), [file["sha256"] for file in got["files"]])
        self.assertEqual(self.paco("models", "check", "gte-small").stdout.split()[1], "unverified")
        (self.folder / "t.txt").write_text("a card\nlost\n")
        self.paco("embed", "--texts", self.folder / "t.txt", "--encoder", "gte-small", "--out", self.folder / "x.npy")
        weights.write_bytes(weights.read_bytes()[:1000])
        self.assertEqual(self.paco("models", "check", "gte-small", code=1).stdout.split()[1], "damaged")

    def half_of_gte(self):
        """A download that was cut off: what is there of the weights."""
        self.serve_gte()
        Files.cut = {"model.safetensors"}
        self.paco("models", "get", "gte-small", "--from", self.address, code=1)
        return (self.cache / "gte-small" / "model.safetensors.part").stat().st_size

    def test_a_server_that_knows_no_ranges_sends_the_whole_again(self):
        self.assertGreater(self.half_of_gte(), 0)
        Files.whole = {"model.safetensors"}
        self.paco("models", "get", "gte-small", "--from", self.address)
        weights = self.cache / "gte-small" / "model.safetensors"
        self.assertEqual(weights.read_bytes(), (TINY / "model.safetensors").read_bytes())

    def test_a_file_that_has_moved_is_followed_and_one_that_is_gone_is_named(self):
        self.serve_gte()
        shutil.copy(self.served / "config.json", self.served / "elsewhere.json")
        Files.moved = {"config.json": "/elsewhere.json"}
        (self.served / "modules.json").unlink()
        said = self.paco("models", "get", "gte-small", "--from", self.address, code=1).stderr
        self.assertIn("modules.json: the server answered 404", said)
        self.assertIn("with a browser", said)
        self.assertEqual((self.cache / "gte-small" / "config.json").read_bytes(), (TINY / "config.json").read_bytes())
        Files.moved = {"tokenizer.json": "file:///etc/hostname"}
        (self.cache / "gte-small" / "tokenizer.json").unlink()
        self.paco("models", "get", "gte-small", "--from", self.address, code=1)
        self.assertFalse((self.cache / "gte-small" / "tokenizer.json").exists())

    def test_a_full_disk_is_named_and_what_came_stays(self):
        self.serve_gte()
        limit = (TINY / "model.safetensors").stat().st_size // 2
        run = subprocess.run([PROGRAM, "models", "get", "gte-small", "--from", self.address], capture_output=True, text=True,
                             env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}, preexec_fn=lambda: (
                                 signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                 resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("model.safetensors: cannot write: File too large", run.stderr)
        self.assertEqual((self.cache / "gte-small" / "model.safetensors.part").stat().st_size, limit)
        self.paco("models", "get", "gte-small", "--from", self.address)
        self.assertEqual(Files.asked[-1], ("model.safetensors", limit))

    def test_what_is_not_what_was_published_is_refused_and_does_not_stay(self):
        for name in ("config.json", "tokenizer.json", "model.fp16.safetensors"):
            (self.served / name).write_text("something else")
        said = self.paco("models", "get", "minilm", "--from", self.address, code=1).stderr
        self.assertIn("14 bytes, the published file 612", said)
        self.assertEqual(list((self.cache / "minilm").iterdir()), [])

    def test_without_a_network_it_says_so_and_how_to_do_it_by_hand(self):
        said = self.paco("models", "get", "vit-tiny", "--from", "http://127.0.0.1:9", code=1).stderr
        self.assertIn("is there a network?", said)
        self.assertIn("https://", said)

    @unittest.skipUnless((SHARED / "models" / "minilm").is_dir(), "../shared/models/minilm is not here")
    def test_files_that_were_put_there_by_hand_are_as_good_and_are_verified(self):
        shutil.copytree(SHARED / "models" / "minilm", self.cache / "minilm")
        self.assertEqual(self.paco("models", "path", "minilm").stdout.strip(), str(self.cache / "minilm"))
        self.assertEqual(self.paco("models", "check", "minilm").stdout.split()[1], "verified")
        self.paco("models", "get", "minilm", "--from", self.address)
        self.assertEqual(Files.asked, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
