"""What fewer bits do to embeddings and to decisions, on real photographs.

  /usr/bin/python3 bench/embed/precision.py PACO CUB.tar WEIGHTS.safetensors FOLDER [CLASSES]

Embeds the first CLASSES (60) classes of CUB with ViT-Tiny in float32, bfloat16 and int8; every second class is known, half of its
images are the support set, everything else is the stream in a fixed random order. Prints, for each precision, how far the embeddings are from those of
float32, how many decisions differ where all is done in that precision, and the scores. FOLDER keeps the embeddings: what is there is not made again.
"""

import json
import pathlib
import subprocess
import sys
import tarfile

import numpy as np


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout


def same_decisions(a, b, known):
    """Share of samples decided alike. Ids of categories count births, so categories are paired first, the largest overlap first."""
    overlap = {}
    for x, y in zip(a, b):
        if x >= known and y >= known:
            overlap[x, y] = overlap.get((x, y), 0) + 1
    pairs, taken = {}, set()
    for x, y in sorted(overlap, key=lambda pair: (-overlap[pair], pair)):
        if x not in pairs and y not in taken:
            pairs[x] = y
            taken.add(y)
    return np.mean([(x if x < known else pairs.get(x)) == y for x, y in zip(a, b)])


def main():
    program, images, weights, folder = sys.argv[1:5]
    classes = int(sys.argv[5]) if len(sys.argv) > 5 else 60
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    # The images in the order in which paco numbers them: by class, then by name.
    with tarfile.open(images) as archive:
        names = sorted(m.name for m in archive if m.isfile())
    labels = np.array([int(name.split("/")[-2].split(".")[0]) - 1 for name in names])
    chosen = np.flatnonzero(labels < classes)
    np.save(folder / "index.npy", chosen)
    known = labels[chosen] % 2 == 0
    first_half = np.arange(len(chosen)) % 2 == 0
    support = np.flatnonzero(known & first_half)
    stream = np.random.RandomState(0).permutation(np.flatnonzero(~(known & first_half)))
    # Known classes come first.
    numbers = np.where(known, labels[chosen] // 2, (classes + 1) // 2 + labels[chosen] // 2)
    np.save(folder / "support_labels.npy", numbers[support])
    np.save(folder / "stream_labels.npy", numbers[stream])

    results = {}
    for precision in ("float32", "bfloat16", "int8"):
        rows = folder / f"{precision}.npy"
        if not rows.exists():
            run(program, "embed", "--encoder", "vit_ti16", "--weights", weights, "--normalise", "half", "--data", f"tar:{images}",
                "--index", folder / "index.npy", "--labels-out", folder / "labels.npy", "--precision", precision, "--out", rows, "--strict")
            assert (np.load(folder / "labels.npy") == labels[chosen]).all()
        x = np.load(rows)
        np.save(folder / "support.npy", x[support])
        np.save(folder / "stream.npy", x[stream])
        run(program, "calibrate", "--support", folder / "support.npy", "--labels", folder / "support_labels.npy", "--out", folder / "model.paco")
        run(program, "discover", "--model", folder / "model.paco", "--input", folder / "stream.npy", "--out", folder / "decisions.npy")
        run(program, "discover", "--model", folder / "model.paco", "--input", folder / "stream.npy", "--out", folder / "decisions.csv")
        scores = json.loads(run(program, "evaluate", "--decisions", folder / "decisions.csv", "--truth", folder / "stream_labels.npy",
                                "--model", folder / "model.paco", "--json"))
        results[precision] = (x, np.load(folder / "decisions.npy"), scores)

    exact, decided, _ = results["float32"]
    print(f"{len(support)} support, {len(stream)} stream images of {classes} classes")
    for precision, (x, decisions, scores) in results.items():
        error = np.linalg.norm(x - exact, axis=1) / np.linalg.norm(exact, axis=1)
        cosine = (x * exact).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(exact, axis=1)
        differ = 1 - same_decisions(decisions, decided, (classes + 1) // 2)
        share = {k: " / ".join(f"{100 * scores[k][part]:.1f}" for part in ("all", "old", "new")) for k in ("strict", "greedy")}
        print(f"{precision:9} relative error median {np.median(error):.2e}, largest {error.max():.2e}; smallest cosine {cosine.min():.5f}; "
              f"decisions that differ {100 * differ:.1f} %; categories {len(set(decisions))}; "
              f"strict {share['strict']}, greedy {share['greedy']}")


main()
