"""How long a short run takes, from the start of the process to its end: `paco --version`, and `paco discover` on the small set of
tests/golden/tiny (274 samples of 16 numbers).

    start.py PACO OUT.json

The limit is a process that does nothing (`true`), started the same way in the same run. The decisions go to a pipe, where no
disk is waited for. Medians; the contenders take turns.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 101


def used_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(paco, out):
    tiny = pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "golden" / "tiny"
    with tempfile.TemporaryDirectory() as scratch:
        model = f"{scratch}/model.paco"
        support = ["--support", f"{tiny}/support.npy", "--labels", f"{tiny}/support_labels.npy"]
        subprocess.run([paco, "calibrate", *support, "--out", model], check=True, capture_output=True)
        contenders = {
            "nothing": ["true"],
            "paco --version": [paco, "--version"],
            "paco discover": [paco, "discover", "--model", model, "--input", f"{tiny}/stream.npy"],
            "paco discover --support": [paco, "discover", *support, "--input", f"{tiny}/stream.npy"]}
        times = {name: [] for name in contenders}
        processor = {name: [] for name in contenders}
        answers = {}
        for _ in range(RUNS):
            for name, command in contenders.items():
                used, before = used_seconds(), time.perf_counter()
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                times[name].append(time.perf_counter() - before)
                processor[name].append(used_seconds() - used)
                answers[name] = done.stdout
    if answers["paco discover"] != answers["paco discover --support"] or answers["paco discover"].count(b"\n") != 274:
        sys.exit("answers differ")
    rows = []
    for name in contenders:
        rows.append({"question": "start", "contender": name, "seconds": statistics.median(times[name]),
                     "low_seconds": min(times[name]), "processor_seconds": statistics.median(processor[name])})
        print(f"start {name}: {1e3 * rows[-1]['seconds']:.1f} ms, of the processor {1e3 * rows[-1]['processor_seconds']:.1f} ms")
    pathlib.Path(out).write_text(json.dumps({"question": "start", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
