#!/usr/bin/env python3
"""How much faster two embedding workers are than one: bench/bus/workers.py PACO [PICTURES [ROUNDS]], one JSON object on stdout.

Fashion-MNIST pictures wait on a bus of one server; workers of one thread each embed them with a ViT-Tiny (weights of
../shared/models, or PACO_SHARED) at 224 x 224. A worker counts from its first picture to its last, so that loading the
weights does not: the rate is taken from when as many batches as there are workers are events. Every picture is an event before a time is reported. Two cores have to be free.
"""

import gzip
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from load_tool import load_tool  # noqa: E402

SHARED = pathlib.Path(os.environ.get("PACO_SHARED", ROOT.parent / "shared"))
WEIGHTS = SHARED / "models" / "vit_tiny_patch16_224.safetensors"
PICTURES = pathlib.Path("/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz")
DIMENSION = 192
BATCH = 8


campaign = load_tool("bus_campaign")


def prepare(paco, folder, count):
    """A model of the right dimension, whatever it knows, and the first pictures of the test set."""
    chance = random.Random(0)
    rows = [[chance.gauss(i % 4 == j % 4, 0.5) for j in range(DIMENSION)] for i in range(80)]
    campaign.write_npy(folder / "support.npy", rows)
    campaign.write_npy(folder / "labels.npy", [i % 4 for i in range(80)], "<i8")
    subprocess.run([paco, "calibrate", "--support", folder / "support.npy", "--labels", folder / "labels.npy", "--out",
                    folder / "model.paco"], check=True, capture_output=True)
    with gzip.open(PICTURES) as file:
        file.read(16)
        (folder / "pictures.idx").write_bytes(struct.pack(">IIII", 0x803, count, 28, 28) + file.read(count * 784))


class Bus:
    def __init__(self, paco, cluster, stream):
        self.paco, self.url, self.stream = paco, cluster.url(), stream
        self.monitor = "http://127.0.0.1:%d/jsz?streams=1" % cluster.state["servers"][0]["monitor"]

    def words(self, what, *more):
        return [self.paco, "bus", what, "--server", self.url, "--stream", self.stream, *map(str, more)]

    def run(self, what, *more):
        return subprocess.run(self.words(what, *more), check=True, capture_output=True, text=True).stdout

    def events(self):
        """As the server itself counts them: asking must not cost the workers anything."""
        with urllib.request.urlopen(self.monitor) as answer:
            streams = json.load(answer)["account_details"][0]["stream_detail"]
        return next(one["state"]["messages"] for one in streams if one["name"] == f"paco-{self.stream}-events")


def rate(bus, folder, count, workers):
    """Pictures a second of so many workers, from when each has had a batch."""
    bus.run("init", "--model", folder / "model.paco", "--replicas", 1)
    bus.run("publish", "--images", f"idx:{folder}/pictures.idx")
    words = bus.words("embed", "--encoder", "vit_ti16", "--weights", WEIGHTS, "--normalise", "half", "--threads", 1,
                      "--batch", BATCH, "--until-idle", 1, "--json")
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(workers)]
    first, begun = 0, 0.0
    while (seen := bus.events()) < count:
        if begun == 0.0 and seen >= workers * BATCH:
            first, begun = seen, time.monotonic()
        time.sleep(0.05)
    span = time.monotonic() - begun
    said = [json.loads(child.communicate()[0]) for child in running]
    if sum(one["embedded"] for one in said) != count or bus.events() != count:
        sys.exit(f"{count} pictures were published, the workers say {said}")
    return (count - first) / span


def main():
    paco = str(pathlib.Path(sys.argv[1]).resolve())
    count, rounds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 600), (3, 2)))
    if not WEIGHTS.exists() or not PICTURES.exists():
        sys.exit(f"{WEIGHTS} or {PICTURES} is not here")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="paco-bench-"))
    cluster = load_tool("cluster").Cluster(folder / "cluster").create(1)
    try:
        prepare(paco, folder, count)
        if not cluster.up():
            sys.exit("the server did not get ready")
        measured = []
        for i in range(rounds):
            one, two = (rate(Bus(paco, cluster, f"bench{i}-{n}"), folder, count, n) for n in (1, 2))
            measured.append({"one": round(one, 1), "two": round(two, 1), "times": round(two / one, 3)})
        print(json.dumps({"pictures": count, "batch": BATCH, "rounds": measured}))
    finally:
        cluster.down()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
