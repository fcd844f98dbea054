"""From embedding files to decisions: paco in one process (`paco discover --support`) and in two (`paco calibrate`, then
`paco discover --model`) against the NumPy program beside this file.

    end_to_end.py PACO FOLDER OUT.json

All get the same files, each as whole processes, start-up included; the categories are compared before a figure is written.
Also the calibration alone, files in memory for NumPy and still on the disk for paco, as both say it themselves.
One thread each, then as many as the machine has. The median of several runs, the contenders taking turns.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

RUNS = 9


def seconds(commands, threads):
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads))
    outputs = []
    before = time.perf_counter()
    for command in commands:
        done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        outputs.append(done.stdout.decode())
    return time.perf_counter() - before, outputs[0]


def calibration(name, output):
    """Seconds of the calibration alone, as the first process of a contender printed them; nothing where it did not."""
    if name == "numpy":
        return float(re.search(r"calibrate ([0-9.]+)", output)[1])
    return json.loads(output)["seconds"] if name == "paco, two processes" else None


def main(paco, folder, out):
    here = pathlib.Path(__file__).parent
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for threads in sorted({1, os.cpu_count()}):
            support = ["--support", f"{folder}/support.npy", "--labels", f"{folder}/support_labels.npy", "--threads", str(threads)]
            if os.path.exists(f"{folder}/classifier.npy"):
                support += ["--classifier", f"{folder}/classifier.npy"]
            stream = ["--input", f"{folder}/stream.npy", "--threads", str(threads)]
            contenders = {
                "paco": [[paco, "discover", *support, *stream[:2], "--out", f"{scratch}/paco.npy"]],
                "paco, two processes": [[paco, "calibrate", *support, "--out", f"{scratch}/model.paco", "--json"],
                                        [paco, "discover", "--model", f"{scratch}/model.paco", *stream,
                                         "--out", f"{scratch}/paco, two processes.npy"]],
                "numpy": [[sys.executable, str(here / "numpy_paco.py"), folder, f"{scratch}/numpy.npy"]]}
            times = {name: [] for name in contenders}
            calibrations = {name: [] for name in contenders}
            for _ in range(RUNS):
                for name, commands in contenders.items():
                    whole, output = seconds(commands, threads)
                    times[name].append(whole)
                    if alone := calibration(name, output):
                        calibrations[name].append(alone)
            theirs = np.load(f"{scratch}/numpy.npy")
            for name, values in times.items():
                ours = np.load(f"{scratch}/{name}.npy")
                if not np.array_equal(ours, theirs):
                    sys.exit(f"answers differ: {int((ours != theirs).sum())} of {len(ours)} categories")
                row = {"question": "end_to_end", "contender": name, "shape": pathlib.Path(folder).name,
                       "threads": threads, "seconds": statistics.median(values), "low_seconds": min(values),
                       "samples": len(ours)}
                if calibrations[name]:
                    row["calibration_seconds"] = statistics.median(calibrations[name])
                if name != "numpy":
                    row["times_faster"] = statistics.median(times["numpy"]) / row["seconds"]
                if calibrations[name] and name != "numpy":
                    row["calibration_times_faster"] = statistics.median(calibrations["numpy"]) / row["calibration_seconds"]
                rows.append(row)
                print(f"end_to_end {row['shape']}, {threads} thread(s): {name} {row['seconds']:.3f} s"
                      + (f", {row['times_faster']:.1f} times faster" if name != "numpy" else "")
                      + (f", calibration alone {row['calibration_seconds']:.4f} s" if calibrations[name] else "")
                      + (f", {row['calibration_times_faster']:.1f} times faster" if "calibration_times_faster" in row else ""))
    pathlib.Path(out).write_text(json.dumps({"question": "end_to_end", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
