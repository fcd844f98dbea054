"""What becomes of a long stream: `paco evaluate`, `paco report`, `paco inspect` on 1,000,000 decisions (csv, with a trace, a
model and the truth), whole processes, with the most memory that each had.

    large.py PACO OUT.json

The limits in the same run: reading the bytes of the decisions, and deciding the stream. The report needs a program with its
page; where this one has none, build/release/paco is tried.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SAMPLES = 1_000_000


def make(folder):
    """Runs as a process of its own: what a process has in memory when it starts another counts as the other's."""
    import numpy as np

    random = np.random.default_rng(0)
    centres = 1.5 * random.normal(size=(200, 16))

    def draw(labels):
        return (centres[labels] + random.normal(size=(len(labels), 16))).astype(np.float32)

    labels = np.repeat(np.arange(50), 40)
    np.save(folder / "support.npy", draw(labels))
    np.save(folder / "labels.npy", labels)
    truth = random.integers(0, 200, SAMPLES)
    np.save(folder / "stream.npy", draw(truth))
    np.save(folder / "truth.npy", truth)


def run(command):
    """Seconds, seconds of the processor and the most bytes of memory of one process."""
    before = time.perf_counter()
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(command, stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        sys.exit(f"large: failed: {' '.join(command)}")
    return time.perf_counter() - before, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss


def has_page(program):
    done = subprocess.run([program, "doctor", "--json"], capture_output=True)
    return done.returncode == 0 and json.loads(done.stdout)["report_page"]


def main(paco, out):
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, __file__, "make", scratch], check=True)
        model, decisions, trace = f"{scratch}/model.paco", f"{scratch}/decisions.csv", f"{scratch}/trace.csv"
        run([paco, "calibrate", "--support", f"{scratch}/support.npy", "--labels", f"{scratch}/labels.npy", "--out", model])
        truth = ["--truth", f"{scratch}/truth.npy", "--model", model]
        contenders = {
            "deciding": [paco, "discover", "--model", model, "--input", f"{scratch}/stream.npy", "--out", decisions,
                         "--trace", trace],
            "bytes alone": ["cat", decisions],
            "paco inspect": [paco, "inspect", decisions],
            "paco inspect --explain": [paco, "inspect", decisions, "--model", model, "--explain", str(SAMPLES - 1)],
            "paco evaluate": [paco, "evaluate", "--decisions", decisions, *truth]}
        reporter = next((p for p in (paco, "build/release/paco") if os.path.exists(p) and has_page(p)), None)
        if reporter:
            contenders["paco report"] = [reporter, "report", "--decisions", decisions, "--trace", trace, *truth, "--out",
                                         f"{scratch}/report.html"]
        else:
            print("large: no program with the report's page; paco report is left out")
        for name, command in contenders.items():
            seconds, processor, memory = run(command)
            row = {"question": "large", "contender": name, "samples": SAMPLES, "seconds": seconds,
                   "processor_seconds": processor, "peak_bytes": memory, "bytes_per_decision": memory / SAMPLES}
            if name == "paco report":
                row["page_bytes"] = os.path.getsize(f"{scratch}/report.html")
            rows.append(row)
            print(f"large {name}: {seconds:.2f} s, of the processor {processor:.2f} s, {memory / 1e6:.0f} MB")
    pathlib.Path(out).write_text(json.dumps({"question": "large", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        main(*sys.argv[1:])
