"""How many decisions of `mirror` two programs share, on draws of known classes from real sets: what a change of its numbers costs.

    same_decisions.py PACO OTHER FOLDER...     FOLDER has support.npy, support_labels.npy, stream.npy

Each draw keeps some of the known classes (5, 10, 20, 50, all), plain and rehearsed, and has both programs calibrate and decide.
Prints a line a draw and the sum. A threshold that differs is said, for then decisions do too.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

DRAWS = 4


def decide(program, scratch, rehearse):
    model, out = f"{scratch}/model.paco", f"{scratch}/out.npy"
    calibrated = subprocess.run(
        [program, "calibrate", "--method", "mirror", "--set", f"rehearse={rehearse}", "--support", f"{scratch}/support.npy",
         "--labels", f"{scratch}/labels.npy", "--out", model, "--json"], check=True, capture_output=True)
    subprocess.run([program, "discover", "--model", model, "--input", f"{scratch}/stream.npy", "--out", out], check=True,
                   capture_output=True)
    return np.load(out), json.loads(calibrated.stdout)


def main(paco, other, *folders):
    different = decided = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in map(pathlib.Path, folders):
            support, labels = np.load(folder / "support.npy"), np.load(folder / "support_labels.npy")
            np.save(f"{scratch}/stream.npy", np.load(folder / "stream.npy"))
            classes = int(labels.max()) + 1
            for known in [k for k in (5, 10, 20, 50) if k < classes] + [classes]:
                for draw in range(DRAWS if known < classes else 1):
                    chosen = np.sort(np.random.default_rng(draw).permutation(classes)[:known])
                    rows = np.isin(labels, chosen)
                    np.save(f"{scratch}/support.npy", support[rows])
                    np.save(f"{scratch}/labels.npy", np.searchsorted(chosen, labels[rows]))
                    for rehearse in (0, 2):
                        (a, told_a), (b, told_b) = (decide(program, scratch, rehearse) for program in (paco, other))
                        thresholds = told_a["start"], told_b["start"]
                        count = int((a != b).sum())
                        different, decided = different + count, decided + len(a)
                        print(f"{folder.name} {known} known, draw {draw}, rehearse {rehearse}: {count} of {len(a)} differ"
                              + ("" if thresholds[0] == thresholds[1] else f", threshold {thresholds[0]} and {thresholds[1]}"),
                              flush=True)
    print(f"{different} of {decided} decisions differ")


if __name__ == "__main__":
    main(*sys.argv[1:])
