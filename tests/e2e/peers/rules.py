"""Every peer's rule once more, in a few lines of NumPy, decision by decision.

  rules.py PACO SOURCE

calibrates each peer on the made set tests/golden/tiny, streams it, reads the model file, and decides again from what stands
there: heads by plain products, codes, prototypes and densities by their definitions. Codes are taken as recorded where an
output is so near zero that rounding decides, and must agree with the head elsewhere.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64}
QUICK = {"steps": "6", "width": "32"}
ALPHA = 1e6  # of AGE, so that this small set has categories


def read_model(path):
    """The tensors of a safetensors file, and its metadata."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        raw = data[8 + size + first:8 + size + last]
        if entry["dtype"] in TYPES:
            tensors[name] = np.frombuffer(raw, TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, header["__metadata__"]


class Section:
    def __init__(self, tensors, metadata, name):
        self.prefix = next(t.split(name + "/")[0] for t in tensors if name + "/" in t) + name + "/"
        self.tensors = tensors
        self.numbers = find_numbers(metadata, name)

    def __getitem__(self, name):
        return self.tensors[self.prefix + name]


def find_numbers(metadata, name):
    for text in metadata.values():
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if isinstance(value, dict):
            section = value.get("sections", value).get(name) if isinstance(value.get("sections", value), dict) else None
            if isinstance(section, dict) and "numbers" in section:
                return section["numbers"]
    raise SystemExit(f"the model's metadata has no numbers of {name}")


def units_of(tensors, raw):
    z = (raw.astype(np.float64) - tensors["mean"]) / tensors["deviation"]
    return (z / np.linalg.norm(z, axis=1, keepdims=True)).astype(np.float32)


def head_outputs(section, units):
    x = units.astype(np.float64)
    for layer, bent in enumerate(section["head.gelu"]):
        x = x @ section[f"head.{layer}.weight"].astype(np.float64).T + section[f"head.{layer}.bias"].astype(np.float64)[0]
        if bent:
            x = x / (1 + np.exp(-1.702 * x))
    return x


def marks(method, outputs):
    """Rows of booleans."""
    out = np.zeros(outputs.shape, bool)
    if method == "rankstat-head":
        np.put_along_axis(out, np.argsort(-outputs, axis=1, kind="stable")[:, :3], True, axis=1)
    elif method == "wta-head":
        for g in range(0, 48, 16):
            out[np.arange(len(out)), g + outputs[:, g:g + 16].argmax(axis=1)] = True
    else:
        out = outputs > 0
    return out


def decide_codes(method, section, known, codes, literal):
    """Category ids from rows of booleans."""
    memory, radius = [], 0
    if method in ("phe-head", "diffgre-p-head"):
        bits = codes.shape[1]
        memory = [(int(c) >> np.arange(bits)) & 1 for c in section["centres"]]
        radius = int(section.numbers["radius"])
    answers = []
    for code in codes.astype(int):
        distances = []
        for k, stored in enumerate(memory):
            if literal and k < known:
                stored = 2 * stored - 1  # as the released code has it
            distances.append(int((stored != code).sum()))
        best = int(np.argmin(distances)) if distances else -1
        if best < 0 or distances[best] > radius:
            memory.append(code)
            best = len(memory) - 1
        answers.append(best + (0 if method in ("phe-head", "diffgre-p-head") else known))
    return answers


def decide_sync(section, units):
    prototypes = [row.astype(np.float64) for row in section["centres"]]
    thresholds = list(section["thresholds"])
    answers = []
    for u in units.astype(np.float64):
        margins = [p @ u - t for p, t in zip(prototypes, thresholds)]
        best = int(np.argmax(margins))
        if margins[best] < 0:
            prototypes.append(u)
            thresholds.append(thresholds[best])
            best = len(prototypes) - 1
        answers.append(best)
    return answers


def decide_space(section, known, points, tau, batch):
    """LTC (no batch) and TALON."""
    prototypes = [row.astype(np.float64) for row in section["centres"]]
    answers, waiting = [], []
    for point in points:
        cosines = [p @ point for p in prototypes]
        best = int(np.argmax(cosines))
        confidence = min(max(cosines[best], 0), 1)
        if cosines[best] < tau:
            prototypes.append(point)
            best, confidence = len(prototypes) - 1, 1
        answers.append(best)
        waiting.append((best, point, confidence))
        if batch and len(waiting) == batch:
            for k in {one[0] for one in waiting}:
                own = [one for one in waiting if one[0] == k]
                if len(own) == 1:
                    continue
                rate, reluctance = (0.06, 32) if k < known else (0.3, 8)
                step = rate * np.mean([one[2] for one in own]) * len(own) / (len(own) + reluctance)
                moved = (1 - step) * prototypes[k] + step * np.mean([one[1] for one in own], axis=0)
                prototypes[k] = moved / np.linalg.norm(moved)
            waiting = []
    return answers


def ledoit_wolf(x):
    n, p = x.shape
    x = x - x.mean(axis=0)
    s = x.T @ x / n
    scale = np.trace(s) / p
    off = ((s - scale * np.eye(p)) ** 2).sum() / p
    noise = sum(((np.outer(r, r) - s) ** 2).sum() for r in x) / n ** 2 / p
    share = min(noise / off, 1) if off > 0 else 1
    return (1 - share) * s + share * scale * np.eye(p)


def decide_age(section, known, sizes, units, alpha, window=20):
    basis, centre = section["basis"].astype(np.float64), section["centre"]
    points = (units - centre) @ basis.T
    cosines = units.astype(np.float64) @ section["classifier"].astype(np.float64).T
    everything = section["covariance"]
    p = len(everything)

    def log_density(x, mean, covariance):
        covariance = covariance + 1e-5 * np.eye(p)
        off = x - mean
        return -0.5 * (off @ np.linalg.solve(covariance, off) + np.linalg.slogdet(covariance)[1] + p * np.log(2 * np.pi))

    means, covariances = list(section["means"]), list(section["covariances"])
    counts, windows, answers = list(sizes), [None] * known, []
    for point, cosine in zip(points, cosines):
        soft = np.exp(16 * (cosine - cosine.max()))
        best = int(cosine.argmax())
        if soft[best] / soft.sum() < section["gates"][best]:
            scores = [np.log(n) + log_density(point, m, c) for n, m, c in zip(counts, means, covariances)]
            best = int(np.argmax(scores))
            if scores[best] < np.log(alpha) + log_density(point, 0, everything):
                best = len(means)
                means.append(None), covariances.append(None), counts.append(0), windows.append([])
            if best >= known:
                windows[best] = (windows[best] + [point])[-window:]
                rows = np.array(windows[best])
                share = 2 / (len(rows) + 2)
                means[best] = rows.mean(axis=0)
                covariances[best] = (everything if len(rows) == 1
                                     else (1 - share) * ledoit_wolf(rows) + share * everything)
        counts[best] += 1
        answers.append(best)
    return answers


def main():
    paco, source = sys.argv[1], pathlib.Path(sys.argv[2])
    data = source / "tests/golden/tiny"
    stream = np.load(data / "stream.npy")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for method in ("smile-head", "smile-head raw", "hash-head", "mldg-head", "diffgre-s-head", "phe-head", "phe-head literal",
                       "diffgre-p-head", "rankstat-head", "wta-head", "ncm-threshold", "ncm-threshold raw", "ncm-threshold names",
                       "age-head", "age-head raw", "ltc-head", "ltc-head raw", "talon-head"):
            name, _, rule = method.partition(" ")
            options = {} if name == "ncm-threshold" else dict(QUICK)
            if rule == "raw":
                options["embeddings"] = "raw"
            if name in ("age-head", "ltc-head", "talon-head"):
                del options["width"]
            if name == "ncm-threshold":
                options["deviations"] = "1"
            if rule == "names":
                np.save(folder / "names.npy", np.random.default_rng(0).normal(size=(6, 20)))
                options["names"] = str(folder / "names.npy")
                options["name_steps"] = "20"
            given = [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
            model, out = folder / "model.paco", folder / "decisions.csv"
            run = lambda *words: subprocess.run([paco, *map(str, words)], check=True, capture_output=True)
            run("calibrate", "--method", name, "--support", data / "support.npy", "--labels", data / "support_labels.npy",
                "--out", model, *given)
            run("discover", "--model", model, "--input", data / "stream.npy", "--out", out,
                *(["--set", "rule=literal"] if rule == "literal" else []), *(["--set", f"alpha={ALPHA}"] if name == "age-head" else []))
            tensors, metadata = read_model(model)
            section = Section(tensors, metadata, name)
            rows = list(csv.DictReader(out.open()))
            answered = [int(row["category"]) for row in rows]
            units = units_of(tensors, stream)
            if rule == "raw":
                units = stream.astype(np.float64)
                if name in ("age-head", "ncm-threshold"):
                    units /= np.linalg.norm(units, axis=1, keepdims=True)
            labels = np.load(data / "support_labels.npy")
            known = int(labels.max()) + 1
            if name == "ncm-threshold":
                if rule == "names":
                    units = head_outputs(section, units)
                    units /= np.linalg.norm(units, axis=1, keepdims=True)
                expected = decide_sync(section, units)
            elif name in ("ltc-head", "talon-head"):
                points = head_outputs(section, units)
                points /= np.linalg.norm(points, axis=1, keepdims=True)
                expected = decide_space(section, known, points, section.numbers["tau"], 64 if name == "talon-head" else 0)
            elif name == "age-head":
                expected = decide_age(section, known, np.bincount(labels), units, ALPHA)
            else:
                outputs = head_outputs(section, units)
                bits = outputs.shape[1]
                recorded = np.array([[int(float(row["code"])) >> b & 1 for b in range(bits)] for row in rows], bool)
                computed = marks(name, outputs)
                ordered = -np.sort(-outputs, axis=1)
                sure = (np.abs(outputs).min(axis=1) > 1e-3 if name not in ("rankstat-head", "wta-head")
                        else np.abs(np.diff(ordered, axis=1)).min(axis=1) > 1e-5)
                wrong = int((computed[sure] != recorded[sure]).any(axis=1).sum())
                if wrong or sure.mean() < 0.5:
                    print(f"{method}: {wrong} codes differ, {sure.mean():.2f} of them sure")
                    failed += 1
                expected = decide_codes(name, section, known, recorded, rule == "literal")
            differ = [i for i, (a, b) in enumerate(zip(answered, expected)) if a != b]
            born = max(max(answered) + 1 - known, 0)
            print(f"{method}: {len(rows)} decisions, {born} categories, {len(differ)} differ")
            if differ:
                print(f"  first at sample {differ[0]}: {answered[differ[0]]} against {expected[differ[0]]}")
                failed += 1
    return 1 if failed else 0


sys.exit(main())
