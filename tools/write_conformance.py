"""Writes examples/conformance/evaluation.json: predictions, truths and the scores that an implementation of the field's protocols
should find, so that other repositories can test theirs. The scores are computed here, by scipy's assignment; paco's own are
compared with them by a test.

    tools/write_conformance.py
"""

import json
import pathlib

import numpy as np
from scipy.optimize import linear_sum_assignment

OUT = pathlib.Path(__file__).resolve().parent.parent / "examples/conformance/evaluation.json"


def kept(predicted, classes, keep):
    """The ids that may be matched: all, or as many of the largest as there are classes, of equal ones the lower id."""
    ids, counts = np.unique(predicted, return_counts=True)
    if keep == "all" or len(ids) <= classes:
        return ids
    return np.sort(ids[np.argsort(-counts, kind="stable")[:classes]])


def right(predicted, truth, ids, table):
    """Which samples are right under the best matching of `ids` with the classes in `truth`."""
    classes = np.unique(truth)
    counts = np.array([[np.sum((predicted == i) & (truth == c)) for c in classes] for i in ids]).reshape(len(ids), len(classes))
    if table == "square":
        size = max(counts.shape)
        counts = np.pad(counts, ((0, size - counts.shape[0]), (0, size - counts.shape[1])))
    stands_for = {ids[r]: classes[c] for r, c in zip(*linear_sum_assignment(counts, maximize=True))
                  if r < len(ids) and c < len(classes) and counts[r, c] > 0}
    return np.array([stands_for.get(p) == t for p, t in zip(predicted, truth)])


def scores(predicted, truth, known, keep, table):
    old = truth < known
    ids = kept(predicted, len(np.unique(truth)), keep)
    strict = right(predicted, truth, ids, table)
    greedy = np.zeros(len(truth), bool)
    for part in (old, ~old):
        if part.any():
            greedy[part] = right(predicted[part], truth[part], ids, table)
    return {name: [int(r.sum()), int(r[old].sum()), int(r[~old].sum())] for name, r in (("strict", strict), ("greedy", greedy))}


def case(rng, classes, known, samples, clusters, noise):
    truth = rng.randint(0, classes, samples)
    predicted = np.where(rng.random_sample(samples) < noise, rng.randint(0, clusters, samples), truth % clusters)
    return truth, predicted


def made(rng, shape):
    known = shape[1]
    truth, predicted = case(rng, *shape)
    return {"known_classes": known, "truth": truth.tolist(), "predicted": predicted.tolist(),
            "samples": [len(truth), int((truth < known).sum()), int((truth >= known).sum())],
            "right": {f"{keep} {table}": scores(predicted, truth, known, keep, table)
                      for keep in ("top", "all") for table in ("rectangular", "square")}}


def main():
    rng = np.random.RandomState(7)
    shapes = [(4, 2, 40, 4, 0.2), (6, 3, 80, 12, 0.4), (10, 5, 200, 7, 0.5), (10, 4, 120, 40, 0.7), (8, 4, 24, 20, 0.9)]
    cases = [made(rng, shape) for shape in shapes]
    # Two more in which the square table gives other shares of old and new than the rectangular one.
    while len(cases) < len(shapes) + 2:
        one = made(rng, (6, 3, 20, 14, 0.9))
        if one["right"]["all square"]["strict"] != one["right"]["all rectangular"]["strict"]:
            cases.append(one)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    text = ",\n".join(json.dumps(one) for one in cases)
    OUT.write_text(f"[\n{text}\n]\n")


main()
