"""What a decision costs in Python over the same call in C++, at the Cars shape (98 known classes, 768 numbers).

    PYTHONPATH=BUILD/python decide.py BENCH_PYTHON OUT.json

The C++ program and Python take turns, pass by pass, on the same stream; the decisions are compared before anything is
timed. Figures are medians over the passes.
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

import pacodiscovery as paco

PASSES = 15


def in_blocks(model, rows):
    session = paco.Session(model)
    before = time.process_time()  # as the C++ side: a pass is long enough to be interrupted
    decisions = session.decide_many(rows)
    return (time.process_time() - before) / len(rows) * 1e6, decisions


def one_by_one(model, rows):
    decide = paco.Session(model).decide
    clock = time.perf_counter
    seconds = []
    for row in rows:
        before = clock()
        decide(row)
        seconds.append(clock() - before)
    return statistics.median(seconds[-(len(rows) // 3):]) * 1e6


def main(program, out):
    with tempfile.TemporaryDirectory() as folder:
        native = subprocess.Popen([program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        native.stdout.readline()

        def ask(question):
            native.stdin.write(question + "\n")
            return float(native.stdout.readline())

        load = lambda name: np.load(os.path.join(folder, f"{name}.npy"))
        model = paco.calibrate(load("support"), load("labels"))
        doubles = load("stream")
        kinds = {"float64": doubles, "float32": doubles.astype(np.float32),
                 "float32, F order": np.asfortranarray(doubles, np.float32)}
        if not np.array_equal(in_blocks(model, doubles)[1].category, load("categories")):
            sys.exit("answers differ")
        times = {name: [] for name in ("C++ block", "C++ single", "single", *kinds)}
        for _ in range(PASSES):
            times["C++ block"].append(ask("block"))
            for name, rows in kinds.items():
                times[name].append(in_blocks(model, rows)[0])
            times["C++ single"].append(ask("single"))
            times["single"].append(one_by_one(model, doubles))
        native.stdin.close()
        native.wait()
    # Each pass against the one beside it: what the machine does besides hits both.
    rows = []
    for name, values in times.items():
        row = {"question": "python", "contender": name, "shape": "cars", "microseconds": statistics.median(values)}
        if name in kinds:
            row["share_of_native_speed"] = statistics.median(a / b for a, b in zip(times["C++ block"], values))
        if name == "single":
            row["microseconds_over_native"] = statistics.median(b - a for a, b in zip(times["C++ single"], values))
        rows.append(row)
        print(", ".join(f"{k} {v:.3g}" if isinstance(v, float) else str(v) for k, v in row.items() if k != "question"))
    if out:
        pathlib.Path(out).write_text(json.dumps({"question": "python", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
