"""What the command line adds to a decision: samples through a pipe, decided one by one (`--block 1`), answers as JSON lines
to another pipe.

    pipe.py PACO OUT.json

The limits in the same run: the engine's own time for the same decisions, one by one (`deciding_seconds` of a run from a file
that writes no decisions); and the reading alone of the same bytes through the same pipe (all rows but one passed over with
`--skip`). Also the time from one row into the pipe to its answer out of it, where the next row is sent after the answer. The
shape is that of Cars (d = 768, 98 known classes, 98 that the stream adds), its stream three times as long, so that starting the
processes is a small part. Best of several runs, the contenders taking turns; answers are compared first. The time of the
processor is that of paco alone, start-up included.
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

RUNS = 5
SAMPLES = 3 * 6144
ROUND_TRIPS = 2000


def make(folder):
    random = np.random.default_rng(0)
    centres = random.normal(size=(196, 768))

    def draw(labels):
        return (0.9 * centres[labels] + random.normal(size=(len(labels), 768))).astype(np.float32)

    labels = np.repeat(np.arange(98), 40)
    np.save(folder / "support.npy", draw(labels))
    np.save(folder / "labels.npy", labels)
    stream = draw(random.integers(0, 196, SAMPLES))
    np.save(folder / "stream.npy", stream)
    np.savetxt(folder / "stream.csv", stream, delimiter=",", fmt="%.7g")
    with open(folder / "stream.jsonl", "w") as lines:
        for row in stream:
            lines.write("[" + ",".join(f"{x:.7g}" for x in row) + "]\n")
    return stream


def piped(paco, model, file, skip=0):
    with open(file, "rb") as source:
        before = time.perf_counter()
        feeder = subprocess.Popen(["cat"], stdin=source, stdout=subprocess.PIPE)
        program = subprocess.Popen([paco, "discover", "--model", model, "--input", "-", "--block", "1", "--skip",
                                    str(skip)], stdin=feeder.stdout,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        feeder.stdout.close()
        answers = program.stdout.read()
        _, status, usage = os.wait4(program.pid, 0)
        seconds = time.perf_counter() - before
        program.returncode = status
        feeder.wait()
    if status != 0:
        sys.exit("pipe: paco failed")
    categories = [json.loads(line)["category"] for line in answers.splitlines()]
    return seconds / SAMPLES, (usage.ru_utime + usage.ru_stime) / SAMPLES, categories


def engine(paco, model, file):
    done = subprocess.run([paco, "discover", "--model", model, "--input", file, "--block", "1", "--json"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)["deciding_seconds"] / SAMPLES


def round_trips(paco, model, stream):
    program = subprocess.Popen([paco, "discover", "--model", model, "--input", "-", "--block", "1"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
    head = np.array([768], np.int32).tobytes()
    times = []
    for row in stream[:ROUND_TRIPS]:
        before = time.perf_counter()
        program.stdin.write(head + row.tobytes())
        answer = b""
        while not answer.endswith(b"\n"):
            answer += program.stdout.read(65536)
        times.append(time.perf_counter() - before)
    program.stdin.close()
    program.wait()
    return statistics.median(times)


def main(paco, out):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        stream = make(folder)
        model = f"{scratch}/model.paco"
        subprocess.run([paco, "calibrate", "--support", f"{scratch}/support.npy", "--labels", f"{scratch}/labels.npy", "--out",
                        model], check=True, capture_output=True)
        formats = ("npy", "csv", "jsonl")
        best = {name: 1e9 for name in ("engine",) + formats}
        reading = {name: 1e9 for name in formats}
        processor = {name: 1e9 for name in formats}
        expected = None
        for _ in range(RUNS):
            best["engine"] = min(best["engine"], engine(paco, model, f"{scratch}/stream.npy"))
            for name in formats:
                seconds, used, categories = piped(paco, model, f"{scratch}/stream.{name}")
                expected = expected or categories
                if categories != expected or len(categories) != SAMPLES:
                    sys.exit(f"answers differ: {name}")
                best[name] = min(best[name], seconds)
                processor[name] = min(processor[name], used)
                seconds, _, _ = piped(paco, model, f"{scratch}/stream.{name}", SAMPLES - 1)
                reading[name] = min(reading[name], seconds)
        trip = round_trips(paco, model, stream)
    words = {"engine": "engine, one by one", "npy": "npy through a pipe", "csv": "csv through a pipe",
             "jsonl": "jsonl through a pipe"}
    rows = [{"question": "pipe", "contender": words[name], "microseconds_per_item": 1e6 * seconds,
             "times_the_engine": seconds / best["engine"],
             **({"processor_microseconds": 1e6 * processor[name], "reading_microseconds": 1e6 * reading[name]}
                if name in processor else {})} for name, seconds in best.items()]
    rows.append({"question": "pipe", "contender": "one row out, its answer back", "microseconds_per_item": 1e6 * trip,
                 "times_the_engine": trip / best["engine"]})
    for row in rows:
        alone = f", reading alone {row['reading_microseconds']:.1f} us" if "reading_microseconds" in row else ""
        print(f"pipe {row['contender']}: {row['microseconds_per_item']:.1f} us, {row['times_the_engine']:.2f} times the engine{alone}")
    pathlib.Path(out).write_text(json.dumps({"question": "pipe", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
