"""Checkpoints in the form that the released code of SMILE and PHE saves them, and what it decides with them, in NumPy.

  published.py PACO SOURCE

makes miniature heads with random weights, as PyTorch files, calibrates `smile` and `phe` with them on the made set
tests/golden/tiny, and decides the stream again with the released forward pass: embeddings as they are, GELU by the error
function, normalisation with running statistics (with those of the class means for PHE's hash centres, as in its training).
"""

import collections
import csv
import io
import math
import pathlib
import pickle
import subprocess
import sys
import tempfile
import types
import zipfile

import numpy as np

HIDDEN, NARROW, EACH = 24, 10, 10


class Stored:
    """Stands for a torch.FloatTensor's storage while it is pickled."""

    def __init__(self, array, key):
        self.array, self.key = np.ascontiguousarray(array, np.float32), key


def save_torch(path, tensors, wrapper=None):
    """What torch.save writes of a dictionary of float32 tensors: a zip with a pickle and one file for each storage."""
    module = types.ModuleType("torch._utils")
    torch = types.ModuleType("torch")

    def _rebuild_tensor_v2():
        pass

    class FloatStorage:
        pass

    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    FloatStorage.__module__, FloatStorage.__qualname__ = "torch", "FloatStorage"
    module._rebuild_tensor_v2, torch.FloatStorage, torch._utils = _rebuild_tensor_v2, FloatStorage, module
    sys.modules.update({"torch": torch, "torch._utils": module})

    class Tensor:
        def __init__(self, stored):
            self.stored = stored

        def __reduce__(self):
            shape = self.stored.array.shape
            strides = tuple(s // 4 for s in self.stored.array.strides)
            return _rebuild_tensor_v2, (self.stored, 0, shape, strides, False, collections.OrderedDict())

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            if isinstance(value, Stored):
                return "storage", FloatStorage, value.key, "cpu", value.array.size
            return None

    storages = [Stored(array, str(i)) for i, array in enumerate(tensors.values())]
    state = collections.OrderedDict((name, Tensor(stored)) for name, stored in zip(tensors, storages))
    text = io.BytesIO()
    Pickler(text, protocol=2).dump({wrapper: state} if wrapper else state)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", text.getvalue())
        for stored in storages:
            archive.writestr(f"archive/data/{stored.key}", stored.array.tobytes())
        archive.writestr("archive/version", "3\n")


def made_mlp(random, prefix, inputs, bits):
    tensors = {}
    for layer, (width, seen) in {"0": (HIDDEN, inputs), "2": (HIDDEN, HIDDEN), "4": (NARROW, HIDDEN)}.items():
        tensors[f"{prefix}mlp.{layer}.weight"] = random.normal(size=(width, seen)) / math.sqrt(seen)
        tensors[f"{prefix}mlp.{layer}.bias"] = random.normal(size=width) / 10
    tensors |= made_norm(random, f"{prefix}mlp.5", NARROW)
    tensors[f"{prefix}hash.weight"] = random.normal(size=(bits, NARROW))
    return tensors | made_norm(random, f"{prefix}bn_h", bits)


def made_norm(random, name, width):
    return {f"{name}.weight": random.uniform(0.5, 1.5, width), f"{name}.bias": random.normal(size=width) / 4,
            f"{name}.running_mean": random.normal(size=width) / 4, f"{name}.running_var": random.uniform(0.5, 1.5, width),
            f"{name}.num_batches_tracked": np.array([7.0])}


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def norm(tensors, name, x, own=False):
    mean, variance = (x.mean(axis=0), x.var(axis=0)) if own else (tensors[f"{name}.running_mean"], tensors[f"{name}.running_var"])
    return (x - mean) / np.sqrt(variance + 1e-5) * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]


def trunk(tensors, prefix, x, own=False):
    for layer in "02":
        x = gelu(x @ tensors[f"{prefix}mlp.{layer}.weight"].T + tensors[f"{prefix}mlp.{layer}.bias"])
    x = x @ tensors[f"{prefix}mlp.4.weight"].T + tensors[f"{prefix}mlp.4.bias"]
    return gelu(norm(tensors, f"{prefix}mlp.5", x, own)) @ tensors[f"{prefix}hash.weight"].T


def decide_smile(codes, known):
    """A list of codes that starts empty, exact matches."""
    seen = []
    answers = []
    for code in codes.tolist():
        if code not in seen:
            seen.append(code)
        answers.append(known + seen.index(code))
    return answers


def decide_phe(codes, centres, radius):
    memory = [c.astype(int) for c in centres]
    answers = []
    for code in codes.astype(int):
        distances = [int((stored != code).sum()) for stored in memory]
        best = int(np.argmin(distances))
        if distances[best] > radius:
            memory.append(code)
            best = len(memory) - 1
        answers.append(best)
    return answers


def main():
    paco, data = sys.argv[1], pathlib.Path(sys.argv[2]) / "tests/golden/tiny"
    support, labels = np.load(data / "support.npy"), np.load(data / "support_labels.npy")
    stream, known = np.load(data / "stream.npy").astype(np.float64), int(labels.max()) + 1
    width, bits, failed = stream.shape[1], 7, 0
    random = np.random.default_rng(0)
    smile = made_mlp(random, "", width, bits)
    smile |= {"variance.weight": random.normal(size=(bits, NARROW))} | made_norm(random, "bn_v", bits)
    phe = {"features.cls_token": random.normal(size=(1, 1, width)), "features.norm.weight": random.normal(size=width)}
    phe |= {"add_on_layers.0.weight": random.normal(size=(width, width)) / math.sqrt(width),
            "add_on_layers.0.bias": random.normal(size=width) / 10,
            "prototype_vectors_global": random.uniform(size=(known * EACH, width)), "ones": np.ones((known * EACH, width, 1, 1)),
            "last_layer_global.weight": random.normal(size=(known, known * EACH))}
    phe |= made_mlp(random, "hash_head.", width, bits)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        save_torch(folder / "smile_proj_head.pt", smile)
        save_torch(folder / "phe.pth", phe, "model")
        for name, file in (("smile", "smile_proj_head.pt"), ("phe", "phe.pth")):
            model, out = folder / "model.paco", folder / "decisions.csv"
            for words in (("calibrate", "--method", name, "--head", folder / file, "--support", data / "support.npy", "--labels",
                           data / "support_labels.npy", "--out", model),
                          ("discover", "--model", model, "--input", data / "stream.npy", "--out", out)):
                subprocess.run([paco, *map(str, words)], check=True, capture_output=True)
            rows = list(csv.DictReader(out.open()))
            if name == "smile":
                outputs = norm(smile, "bn_h", trunk(smile, "", stream))
                expected = decide_smile(outputs > 0, known)
            else:
                project = lambda x: gelu(x @ phe["add_on_layers.0.weight"].T + phe["add_on_layers.0.bias"])
                outputs = trunk(phe, "hash_head.", project(stream))
                means = phe["prototype_vectors_global"].reshape(known, EACH, width).mean(axis=1)
                centres = trunk(phe, "hash_head.", means, own=True) > 0
                most = next((d for d in range(1, bits // 2 + 1) if 2 ** bits / known <= math.comb(bits, d - 1)), bits // 2)
                expected = decide_phe(outputs > 0, centres, max(most // 2, 1))
            if np.abs(outputs).min() < 1e-4:
                raise SystemExit(f"{name}: an output is so near zero that rounding decides; choose another seed")
            answered = [int(row["category"]) for row in rows]
            differ = [i for i, (a, b) in enumerate(zip(answered, expected)) if a != b]
            print(f"{name}: {len(rows)} decisions, {len(set(answered))} answers, {len(differ)} differ")
            if differ:
                print(f"  first at sample {differ[0]}: {answered[differ[0]]} against {expected[differ[0]]}")
            failed += len(differ) + (len(set(answered)) < 2)
    sys.exit(1 if failed else 0)


main()
