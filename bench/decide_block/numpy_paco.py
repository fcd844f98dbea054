"""PACO in NumPy, as one would write it for a paper's repository: matrix products for the support set, one vectorised
step per sample of the stream. A contender of the benchmarks, not a part of the product.

    numpy_paco.py FOLDER OUT.npy     FOLDER has support.npy, support_labels.npy, stream.npy and perhaps classifier.npy

Writes the category of every stream sample and prints the seconds of loading, calibrating and streaming.
"""

import math
import os
import sys
import time

import numpy as np

T, ALPHA, BETA, SPREAD, EPS, REPLAYS, SEED = 1.0, 1e6, 0.5, 1.0, 1e-5, 3, 0


def top_two(rows):
    part = np.partition(rows, -2, axis=1)
    return part[:, -1], part[:, -2]


def threshold(positives, negatives):
    """The middle of the first interval of best balanced accuracy."""
    values = np.unique(np.concatenate([positives, negatives]))
    below_p = np.searchsorted(np.sort(positives), values, side="left")
    below_n = np.searchsorted(np.sort(negatives), values, side="left")
    accuracy = 0.5 * ((1 - below_p / len(positives)) + below_n / len(negatives))
    i = int(np.argmax(accuracy))
    return values[0] if i == 0 else 0.5 * (values[i - 1] + values[i])


def concentration(resultants, sizes, d):
    square = np.minimum((resultants / sizes) ** 2, 1 - 1e-6)
    return np.where(sizes > 1, np.sqrt(square) * (d - square) / (1 - square) * (sizes - 1) / (sizes + 1), 0.0)


class Bank:
    """Growing sums of unit vectors."""

    def __init__(self, d):
        self.sums = np.zeros((64, d))
        self.sizes = np.zeros(64)
        self.lengths = np.zeros(64)
        self.count = 0

    def add(self, k, u):
        if k == self.count:
            self.count += 1
            if k == len(self.sums):
                self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
                self.sizes = np.concatenate([self.sizes, np.zeros_like(self.sizes)])
                self.lengths = np.concatenate([self.lengths, np.zeros_like(self.lengths)])
        self.sums[k] += u
        self.sizes[k] += 1
        self.lengths[k] = np.linalg.norm(self.sums[k])

    def cosines(self, u):
        return self.sums[:self.count] @ u / self.lengths[:self.count]

    def attach_scores(self, cosines, log_p0):
        n = self.sizes[:self.count]
        return np.log(n) + concentration(self.lengths[:self.count], n, self.sums.shape[1]) * cosines - log_p0


def calibrate(support, labels, classifier):
    n, d = support.shape
    classes = int(labels.max()) + 1
    mean = support.mean(axis=0)
    scale = np.sqrt(support.var(axis=0) + EPS)
    units = (support - mean) / scale
    units = (units / np.linalg.norm(units, axis=1, keepdims=True)).astype(np.float32).astype(np.float64)
    sums = np.zeros((classes, d))
    np.add.at(sums, labels, units)
    banks = [sums / np.linalg.norm(sums, axis=1, keepdims=True)]
    if classifier is not None:
        weights = classifier / scale
        banks.append(weights / np.linalg.norm(weights, axis=1, keepdims=True))
    best = None
    for bank in banks:
        bank = bank.astype(np.float32).astype(np.float64)
        cosines = units @ bank.T
        first, second = top_two(cosines)
        quality = (np.mean(cosines.argmax(axis=1) == labels), np.mean(first - second))
        if best is None or quality > best[0]:
            best = (quality, bank, cosines)
    _, references, cosines = best
    first, second = top_two(cosines)
    masked = cosines.copy()
    masked[np.arange(n), labels] = -np.inf
    masked_first, masked_second = top_two(masked)
    log_p0 = math.lgamma(d / 2) - math.log(2) - d / 2 * math.log(math.pi)
    tau_hi = threshold(first - second, masked_first - masked_second)
    tau_lo = min(tau_hi, first.min() - first.std())
    tau_birth = threshold(first / T - log_p0, masked_first / T - log_p0)

    positives, negatives = [], []
    random = np.random.RandomState(SEED)
    for _ in range(REPLAYS):
        bank, slot = Bank(d), {}
        for i in random.permutation(n):
            if bank.count:
                score = bank.attach_scores(bank.cosines(units[i]), log_p0).max()
                (positives if labels[i] in slot else negatives).append(score)
            bank.add(slot.setdefault(labels[i], bank.count), units[i])
    sizes = np.bincount(labels, minlength=classes).astype(float)
    return {"mean": mean, "scale": scale, "references": references, "sizes": sizes, "log_p0": log_p0, "hi": tau_hi,
            "lo": tau_lo, "birth": tau_birth - SPREAD * first.std() / T,
            "create": threshold(np.array(positives), np.array(negatives)), "median": np.median(sizes)}


def boundary(bank, model, mature_size):
    n, lengths = bank.sizes[:bank.count], bank.lengths[:bank.count]
    mature = n >= mature_size
    if mature.sum() < 2:
        return model["birth"]
    n, lengths = n[mature], lengths[mature]
    levels = (n - 1) / (n + 1) * lengths / n / T - model["log_p0"]
    middle = np.median(levels)
    eta = np.median(n) / (np.median(n) + model["median"])
    return min(model["birth"], (1 - eta) * model["birth"] + eta * (middle - np.median(np.abs(levels - middle))))


def discover(stream, model):
    d = stream.shape[1]
    known = len(model["references"])
    class_sizes = model["sizes"].copy()
    bank, log_p0, tau = Bank(d), model["log_p0"], model["birth"]
    mature_size = round(model["median"] ** BETA)
    out = np.empty(len(stream), dtype=np.int64)
    for i, h in enumerate(stream):
        u = (h - model["mean"]) / model["scale"]
        u = (u / np.linalg.norm(u)).astype(np.float32).astype(np.float64)
        known_cosines = model["references"] @ u
        second, first = np.partition(known_cosines, -2)[-2:]
        only_known = first - second >= model["hi"]
        only_categories = not only_known and first < model["lo"]
        if only_known:
            shares = np.log(class_sizes + ALPHA)
            chosen = int(np.argmax(known_cosines / T + shares))
        elif only_categories and bank.count == 0:
            chosen = known
        else:
            cosines = bank.cosines(u)
            sizes = bank.sizes[:bank.count]
            if not only_categories:
                cosines = np.concatenate([known_cosines, cosines])
                sizes = np.concatenate([class_sizes, sizes])
            if cosines.max() / T - log_p0 >= tau:
                chosen = int(np.argmax(cosines / T + np.log(sizes + ALPHA))) + (known if only_categories else 0)
            elif bank.count == 0:
                chosen = known
            else:
                scores = bank.attach_scores(cosines[-bank.count:], log_p0)
                best = int(np.argmax(scores))
                chosen = known + (best if scores[best] >= model["create"] else bank.count)
        if chosen < known:
            class_sizes[chosen] += 1
        else:
            bank.add(chosen - known, u)
            tau = boundary(bank, model, mature_size)
        out[i] = chosen
    return out


def main(folder, out):
    start = time.perf_counter()
    support = np.load(f"{folder}/support.npy").astype(np.float64)
    labels = np.load(f"{folder}/support_labels.npy").astype(np.int64)
    stream = np.load(f"{folder}/stream.npy").astype(np.float64)
    path = f"{folder}/classifier.npy"
    classifier = np.load(path).astype(np.float64) if os.path.exists(path) else None
    loaded = time.perf_counter()
    model = calibrate(support, labels, classifier)
    calibrated = time.perf_counter()
    categories = discover(stream, model)
    np.save(out, categories)
    done = time.perf_counter()
    print(f"load {loaded - start:.4f} calibrate {calibrated - loaded:.4f} stream {done - calibrated:.4f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
