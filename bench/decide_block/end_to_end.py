"""From embedding files to decisions: `paco calibrate` and `paco discover` against the NumPy program beside this file.

    end_to_end.py PACO FOLDER OUT.json

Both get the same files, each as whole processes, start-up included; the categories are compared before a figure is written.
One thread each, then as many as the machine has. The median of several runs, the two taking turns.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

RUNS = 5


def seconds(commands, threads):
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads))
    before = time.perf_counter()
    for command in commands:
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - before


def main(paco, folder, out):
    here = pathlib.Path(__file__).parent
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for threads in sorted({1, os.cpu_count()}):
            calibrate = [paco, "calibrate", "--support", f"{folder}/support.npy", "--labels", f"{folder}/support_labels.npy",
                         "--out", f"{scratch}/model.paco", "--threads", str(threads)]
            if os.path.exists(f"{folder}/classifier.npy"):
                calibrate += ["--classifier", f"{folder}/classifier.npy"]
            discover = [paco, "discover", "--model", f"{scratch}/model.paco", "--input", f"{folder}/stream.npy",
                        "--out", f"{scratch}/paco.npy", "--threads", str(threads)]
            contenders = {"paco": [calibrate, discover],
                          "numpy": [[sys.executable, str(here / "numpy_paco.py"), folder, f"{scratch}/numpy.npy"]]}
            times = {name: [] for name in contenders}
            for _ in range(RUNS):
                for name, commands in contenders.items():
                    times[name].append(seconds(commands, threads))
            ours, theirs = np.load(f"{scratch}/paco.npy"), np.load(f"{scratch}/numpy.npy")
            if not np.array_equal(ours, theirs):
                sys.exit(f"answers differ: {int((ours != theirs).sum())} of {len(ours)} categories")
            for name, values in times.items():
                rows.append({"question": "end_to_end", "contender": name, "shape": pathlib.Path(folder).name,
                             "threads": threads, "seconds": statistics.median(values), "low_seconds": min(values),
                             "samples": len(ours)})
            ratio = rows[-1]["seconds"] / rows[-2]["seconds"]
            rows[-2]["times_faster"] = ratio
            print(f"end_to_end {pathlib.Path(folder).name}, {threads} thread(s): paco {rows[-2]['seconds']:.3f} s, "
                  f"numpy {rows[-1]['seconds']:.3f} s, {ratio:.1f} times")
    pathlib.Path(out).write_text(json.dumps({"question": "end_to_end", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
