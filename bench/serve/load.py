"""The load figures of `paco serve`, beside the engine's own in the same run: load.py PACO BENCH_SERVE OUT.json [DIMENSION]

Bounded counts on loopback: single samples as fast as they are answered, at half that rate, blocks of 256 (npy), and singles
again beside 5,000 idle connections and 200 that send a byte a second; then a stream of 1,000,000 requests, with the
server's memory after each tenth. Here and there the samples are 256 rows again and again, so that both decide the same.
"""

import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "e2e" / "serve"))


def write_npy(path, rows, dimension, chance, repeated=False):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dimension}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        different = [struct.pack(f"<{dimension}f", *(chance.gauss(0, 1) for _ in range(dimension)))
                     for _ in range(min(rows, 256 if repeated else rows))]
        for i in range(rows):
            out.write(different[i % len(different)])


def main():
    paco, bench, out = sys.argv[1:4]
    dimension = int(sys.argv[4]) if len(sys.argv) > 4 else 128
    os.environ["PACO_PROGRAM"] = paco
    from server import Server, resident_bytes
    folder = pathlib.Path(tempfile.mkdtemp(prefix="paco-load-"))
    chance = random.Random(1)
    write_npy(folder / "support.npy", 500, dimension, chance)
    (folder / "labels.txt").write_text("".join(f"class {i % 50}\n" for i in range(500)))
    write_npy(folder / "stream.npy", 100_000, dimension, chance, repeated=True)
    subprocess.run([paco, "calibrate", "--support", folder / "support.npy", "--labels", folder / "labels.txt",
                    "--out", folder / "model.paco"], check=True, capture_output=True)
    own = json.loads(subprocess.run(
        [paco, "discover", "--model", folder / "model.paco", "--input", folder / "stream.npy", "--journal",
         folder / "own.journal", "--json"], check=True, capture_output=True).stdout)
    results = {"dimension": dimension, "discover_journal_samples_per_second": own["samples_per_second"]}
    with Server(folder / "streams") as server:
        model = (folder / "model.paco").read_bytes()

        def load(name, *options):
            if name not in results:
                server.call("PUT", f"/v1/streams/{name}", model)
            line = subprocess.run([bench, str(server.port), name, str(dimension), *map(str, options)], check=True,
                                  capture_output=True).stdout
            results[name] = json.loads(line)
            results[name]["resident_bytes"] = resident_bytes(server.process.pid)
            return results[name]

        full = load("singles", "--requests", 50000)
        load("half", "--requests", 25000, "--rate", full["requests_per_second"] / 2)
        load("blocks", "--requests", 400, "--rows", 256, "--connections", 4, "--npy", 1)
        load("beside_idle", "--requests", 25000, "--idle", 5000, "--slow", 200)
        results["resident_bytes_by_tenth"] = [load("long", "--requests", 100_000)["resident_bytes"] for _ in range(10)]
    pathlib.Path(out).write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1))


main()
