"""Does a verb keep its speed where another process has one of the cores?

    busy.py PACO OUT.json [VERB...]

With verbs, those alone are measured, and the others keep their rows in OUT.json.
Every verb that uses threads, with as many as there are cores: quiet, and beside a process at nice 15 that computes on one core all
the time. They take turns. The limit is what the cores that are left could do: the rate that the verb has on one core fewer
(at least one), measured in the same run by its --threads. Training and embedding need paco-torch; without it they are left out.
"""

import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

RUNS = 3
KEPT = 0.55  # of the quiet rate, asked for


def make(folder):
    random = np.random.default_rng(0)
    centres = random.normal(size=(200, 256))
    labels = np.repeat(np.arange(100), 100)
    np.save(folder / "support.npy", (centres[labels] + 2 * random.normal(size=(len(labels), 256))).astype(np.float32))
    np.save(folder / "labels.npy", labels)
    truth = random.integers(0, 200, 40_000)
    np.save(folder / "stream.npy", (centres[truth] + 2 * random.normal(size=(len(truth), 256))).astype(np.float32))
    images = random.integers(0, 256, (4096, 28, 28), dtype=np.uint8)
    (folder / "images").write_bytes(struct.pack(">IIII", 0x803, *images.shape) + images.tobytes())
    (folder / "classes").write_bytes(struct.pack(">II", 0x801, len(images)) + (np.arange(len(images)) % 10).astype(np.uint8).tobytes())


def seconds(command):
    before = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"busy: {' '.join(command)}: {done.stderr.decode()[-300:]}")
    return time.perf_counter() - before


class Company:
    def __enter__(self):
        self.process = subprocess.Popen(["nice", "-n", "15", sys.executable, "-c", "while True: pass"])

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def main(paco, out, *wanted):
    cores = os.cpu_count()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        make(folder)
        data = f"idx:{scratch}/images,{scratch}/classes"
        support = ["--support", f"{scratch}/support.npy", "--labels", f"{scratch}/labels.npy"]
        seconds([paco, "calibrate", *support, "--out", f"{scratch}/model.paco"])
        verbs = {"calibrate": [paco, "calibrate", *support, "--out", f"{scratch}/again.paco"],
                 "calibrate --method smile-head": [paco, "calibrate", "--method", "smile-head", "--set", "steps=200", *support, "--out",
                                              f"{scratch}/smile.paco"],
                 "discover": [paco, "discover", "--model", f"{scratch}/model.paco", "--input", f"{scratch}/stream.npy", "--out",
                              f"{scratch}/ids.npy"]}
        if os.path.exists(f"{paco}-torch"):
            verbs["train"] = [paco, "train", "--data", data, "--out", f"{scratch}/run", "--epochs", "1", "--batch", "64"]
            verbs["embed"] = [paco, "embed", "--encoder", f"{scratch}/run", "--data", data, "--out", f"{scratch}/embedded.npy"]
        else:
            print("busy: no paco-torch beside the program; train and embed are left out")
        before = json.loads(pathlib.Path(out).read_text())["rows"] if wanted and os.path.exists(out) else []
        rows = [row for row in before if row["contender"] not in wanted]
        for name, command in verbs.items():
            if wanted and name not in wanted:
                continue
            times = {"quiet": [], "busy": [], "fewer": []}

            def once(threads):
                subprocess.run(["rm", "-rf", f"{scratch}/run"] if name == "train" else ["true"], check=True)
                return seconds([*command, "--threads", str(threads)])

            if name == "embed" and not os.path.exists(f"{scratch}/run"):
                seconds(verbs["train"])
            for _ in range(RUNS):
                times["quiet"].append(once(cores))
                times["fewer"].append(once(max(1, cores - 1)))
                with Company():
                    times["busy"].append(once(cores))
            row = {"question": "busy", "contender": name, "threads": cores,
                   **{f"{how}_seconds": statistics.median(values) for how, values in times.items()}}
            row["kept"] = row["quiet_seconds"] / row["busy_seconds"]
            row["kept_with_fewer"] = row["quiet_seconds"] / row["fewer_seconds"]
            rows.append(row)
            print(f"busy {name}: quiet {row['quiet_seconds']:.2f} s, beside another {row['busy_seconds']:.2f} s, kept "
                  f"{row['kept']:.0%} (asked {KEPT:.0%}); on one core fewer {row['kept_with_fewer']:.0%}")
    pathlib.Path(out).write_text(json.dumps({"question": "busy", "asked": KEPT, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
