"""The losses of SMILE, PHE, TALON and LTC in NumPy, for objective_test.cpp.

    objective_reference.py NAME FOLDER

FOLDER has features.npy (views, B, d), labels.npy and, as one npy each, the tensors of the head by name. Prints the total,
its first term and the sum of the others. PHE is in the state of deciding: running statistics, no activation dropped.
LTC's samples that no class owns are left out.
"""

import math
import pathlib
import sys

import numpy as np


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def log_softmax(x):
    x = x - x.max(axis=1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=1, keepdims=True))


def cross_entropy(logits, labels):
    return -log_softmax(logits)[np.arange(len(labels)), labels].mean()


def contrastive(rows, labels, temperature):
    total = []
    for i in range(len(rows)):
        others = [j for j in range(len(rows)) if j != i]
        products = rows[others] @ rows[i] / temperature
        logs = products - np.log(np.exp(products - products.max()).sum()) - products.max()
        same = [logs[k] for k, j in enumerate(others) if labels[j] == labels[i]]
        if same:
            total.append(-np.mean(same))
    return np.mean(total)


class Head:
    def __init__(self, folder, training):
        self.tensors = {file.stem: np.load(file).astype(np.float64) for file in folder.glob("*.npy")}
        self.training = training

    def __getitem__(self, name):
        return self.tensors[name]

    def linear(self, name, x):
        y = x @ self[name + ".weight"].T
        return y + self[name + ".bias"] if name + ".bias" in self.tensors else y

    def norm(self, name, x):
        if self.training:
            mean, variance = x.mean(axis=0), x.var(axis=0)
        else:
            mean, variance = self[name + ".running_mean"], self[name + ".running_var"]
        return (x - mean) / np.sqrt(variance + 1e-5) * self[name + ".weight"] + self[name + ".bias"]

    def mlp(self, prefix, x):
        x = gelu(self.linear(prefix + "mlp.0", x))
        x = gelu(self.linear(prefix + "mlp.2", x))
        return gelu(self.norm(prefix + "mlp.5", self.linear(prefix + "mlp.4", x)))


def smile(head, rows, labels):
    trunk = head.mlp("", rows)
    sign = np.tanh(head.norm("bn_h", head.linear("hash", trunk)))
    z = head.norm("bn_v", head.linear("variance", trunk))
    return contrastive(unit(sign * z / np.tanh(z)), labels, 0.07), 3 * (1 - np.abs(sign)).mean()


def phe(head, rows, labels):
    each, bits = 10, len(head["hash_head.hash.weight"])
    prototypes = head["prototype_vectors_global"]
    classes = len(prototypes) // each
    z = gelu(head.linear("add_on_layers.0", rows))
    distance = np.linalg.norm(unit(z)[:, None] - unit(prototypes)[None], axis=2)
    says = 0.9 * np.log((distance + 1) / (distance + 1e-4))
    connections = np.where(np.arange(len(prototypes)) // each == np.arange(classes)[:, None], 1, -0.5)
    codes = head.linear("hash_head.hash", head.mlp("hash_head.", z))
    means = prototypes.reshape(classes, each, -1).mean(axis=1)
    centres = head.linear("hash_head.hash", head.mlp("hash_head.", means))
    soft = np.tanh(3 * centres)
    apart = next((d for d in range(1, bits // 2 + 1) if 2 ** bits / classes <= math.comb(bits, d - 1)), bits // 2)
    separation = sum(max(0, apart - 0.5 * (0.95 * bits - soft[a] @ soft[b]))
                     for a in range(classes) for b in range(classes) if a != b) / classes
    feature = cross_entropy(unit(codes) @ unit(centres).T, labels)
    return cross_entropy(says @ connections.T, labels), 0.1 * separation + 0.1 * (1 - np.abs(soft)).mean() + 3 * feature


def talon(head, rows, labels):
    cosines = unit(rows) @ unit(head["classifier.weight"]).T
    own = np.arange(len(labels)), labels
    logits = 30 * cosines
    logits[own] = 30 * np.cos(np.arccos(cosines[own]) + 0.2)
    return cross_entropy(logits, labels), contrastive(unit(rows), labels, 0.08)


def ltc(head, rows, labels):
    cosines = unit(rows) @ unit(head["classifier.weight"]).T
    short = np.maximum(head["threshold"][0] + 0.05 - cosines.max(axis=1), 0).mean()
    return cross_entropy(16 * cosines, labels), 0.3 * contrastive(unit(rows), labels, 0.07) + 0.05 * short


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    head = Head(folder, training=name != "phe")
    features, labels = head["features"], head["labels"].astype(int)
    rows = features.reshape(-1, features.shape[2])
    first, others = {"smile": smile, "phe": phe, "talon": talon, "ltc": ltc}[name](
        head, rows, np.tile(labels, len(features)))
    print(first + others, first, others)


main()
