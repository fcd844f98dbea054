#!/usr/bin/env python3
"""How good decisions are on short texts: BANKING77 (77 intents of bank customers) through an encoder and `paco`.

Nearest class mean with all classes known says what the embeddings are worth; then every second intent is known, and the
stream has all of them. Texts are drawn anew for every order. Needs nothing but the program and the file:

    bench/texts/banking77.py ../shared/data/banking77.csv --encoder minilm
"""

import argparse
import array
import collections
import csv
import json
import math
import operator
import pathlib
import random
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUPPORT, STREAM = 15, 20  # texts of a class: of its training part, of its test part


def read_rows(path):
    """float32 rows of an npy file as `paco embed` writes it."""
    raw = pathlib.Path(path).read_bytes()
    size = int.from_bytes(raw[8:10], "little")
    count, width = eval(raw[10:10 + size])["shape"]  # noqa: S307: our own file
    numbers = array.array("f", raw[10 + size:])
    return [numbers[i * width:(i + 1) * width] for i in range(count)]


def write_rows(path, rows):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        for row in rows:
            row.tofile(file)


def nearest_class_mean(support, stream, names):
    means = []
    for name in names:
        mean = [sum(column) for column in zip(*[row for row, label in support if label == name])]
        length = math.sqrt(sum(value * value for value in mean))
        means.append([value / length for value in mean])
    right = 0
    for row, label in stream:
        scores = [sum(map(operator.mul, row, mean)) for mean in means]
        right += names[scores.index(max(scores))] == label
    return right / len(stream)


def spread(values, digits=1):
    return f"{statistics.mean(values):.{digits}f} ± {statistics.stdev(values):.{digits}f}"


def same_decisions(a, b, known):
    """Share of texts decided alike. Ids of categories count births, so these are paired first, the largest overlap first."""
    overlap = collections.Counter((x, y) for x, y in zip(a, b) if x >= known and y >= known)
    pairs, taken = {}, set()
    for x, y in sorted(overlap, key=lambda pair: (-overlap[pair], pair)):
        if x not in pairs and y not in taken:
            pairs[x] = y
            taken.add(y)
    return statistics.mean((x if x < known else pairs.get(x)) == y for x, y in zip(a, b))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--orders", type=int, default=6)
    parser.add_argument("--precision", nargs="+", default=["float32"], help="of the encoder; later ones are held to the first")
    parser.add_argument("--paco", default=ROOT / "build" / "release" / "paco")
    given = parser.parse_args()
    with open(given.data, newline="") as file:
        table = list(csv.DictReader(file))
    names = sorted({row["label"] for row in table})
    known = names[::2]
    places = {(part, name): [i for i, row in enumerate(table) if row["split"] == part and row["label"] == name]
              for part in ("train", "test") for name in names}

    draws = []  # for each order: rows of the table that are the support set and the stream, with their classes
    for seed in range(given.orders):
        chance = random.Random(seed)
        support = [(i, name) for name in names for i in chance.sample(places["train", name], SUPPORT)]
        stream = [(i, name) for name in names for i in chance.sample(places["test", name], STREAM)]
        mixed = list(stream)
        chance.shuffle(mixed)
        draws.append((support, stream, mixed))
    needed = sorted({i for support, stream, _ in draws for i, _ in support + stream})

    def paco(*words):
        return subprocess.run([given.paco, *map(str, words)], check=True, capture_output=True, text=True).stdout

    def discover(folder, method):
        """Ids of the decisions, and what they are worth."""
        model = folder / "model.paco"
        paco("calibrate", "--method", method, "--support", folder / "support.npy", "--labels", folder / "labels.txt", "--out", model)
        paco("discover", "--model", model, "--input", folder / "stream.npy", "--out", folder / "decisions.csv")
        found = json.loads(paco("evaluate", "--decisions", folder / "decisions.csv", "--truth", folder / "truth.txt",
                                "--model", model, "--bootstrap", 0, "--json"))
        figures = {(rule, part): 100 * found[rule][part] for rule in ("strict", "greedy") for part in ("all", "old", "new")}
        with open(folder / "decisions.csv", newline="") as file:
            return [int(row["category"]) for row in csv.DictReader(file)], {**figures, "clusters": found["clusters_seen"]}

    first = {}  # decisions of the first precision, by method and order
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for precision in given.precision:
            with open(folder / "texts.jsonl", "w") as file:
                file.writelines(json.dumps(table[i]["text"]) + "\n" for i in needed)
            paco("embed", "--texts", folder / "texts.jsonl", "--strict", "--encoder", given.encoder, "--precision", precision,
                 "--out", folder / "all.npy")
            rows = dict(zip(needed, read_rows(folder / "all.npy")))
            means, scores, alike = [], {}, {}
            for seed, draw in enumerate(draws):
                support, stream, mixed = ([(rows[i], name) for i, name in part] for part in draw)
                means.append(nearest_class_mean(support, stream, names))
                support = [(row, label) for row, label in support if label in known]
                write_rows(folder / "support.npy", [row for row, _ in support])
                write_rows(folder / "stream.npy", [row for row, _ in mixed])
                (folder / "labels.txt").write_text("".join(f"{label}\n" for _, label in support))
                (folder / "truth.txt").write_text("".join(f"{label}\n" for _, label in mixed))
                for method in ("paco", "mirror"):
                    decided, figures = discover(folder, method)
                    for name, value in figures.items():
                        scores.setdefault(method, {}).setdefault(name, []).append(value)
                    same = same_decisions(decided, first.setdefault((method, seed), decided), len(known))
                    alike.setdefault(method, []).append(100 * (1 - same))
            print(f"{precision}: nearest class mean of all {len(names)} classes, {SUPPORT} texts each: {spread(means, 3)}")
            print(f"| method, {len(known)} known classes | strict all | old | new | greedy all | old | new | clusters | decided otherwise |")
            for method, figures in scores.items():
                print(f"| {method} | " + " | ".join(spread(values) for values in [*figures.values(), alike[method]]) + " |")


if __name__ == "__main__":
    main()
