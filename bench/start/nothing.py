#!/usr/bin/env python3
"""How right `paco start --from-nothing` is: a folder of texts or photos without labels, whose classes are known here alone.

    bench/start/nothing.py ../shared/data/banking77.csv --encoder minilm --classes 24
    bench/start/nothing.py ../shared/data/cub-224-train.tar --encoder vit_tiny_patch16_224.safetensors --classes 24

Classes and samples are drawn anew for every draw. Strict accuracy over the whole stream, and how many categories there are.
Needs nothing but the program and the file.
"""

import argparse
import csv
import json
import pathlib
import random
import signal
import statistics
import subprocess
import tarfile
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read_classes(path):
    """{class: [(text or photo)]}"""
    classes = {}
    if path.suffix == ".csv":
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                classes.setdefault(row["label"], []).append(row["text"])
        return {name: sorted(set(texts)) for name, texts in classes.items()}
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(".jpg"):
                classes.setdefault(pathlib.PurePath(member.name).parent.name, []).append(archive.extractfile(member).read())
    return classes


def fill(folder, samples):
    """Writes the samples; the class of each by what a row of the export says of it."""
    if isinstance(samples[0][1], bytes):
        for i, (_, photo) in enumerate(samples):
            (folder / f"{i:05}.jpg").write_bytes(photo)
        return {f"{i:05}.jpg": name for i, (name, _) in enumerate(samples)}
    with open(folder / "texts.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text"])
        writer.writerows([text] for _, text in samples)
    return {text: name for name, text in samples}


def run(program, encoder, folder, count):
    """Starts, waits until all is decided, and ends it with Ctrl-C."""
    port = folder.parent / "port"
    process = subprocess.Popen([program, "start", str(folder), "--from-nothing", "--encoder", encoder, "--port", "0",
                                "--port-file", str(port), "--no-browser"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    while not port.exists() and process.poll() is None:
        time.sleep(0.1)
    address = f"http://127.0.0.1:{port.read_text().strip()}/v1/streams/{folder.name}"
    while process.poll() is None:
        with urllib.request.urlopen(address) as answer:
            if json.load(answer)["samples"] >= count:
                break
        time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    if process.returncode != 130:
        raise SystemExit(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--classes", type=int, default=24)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--paco", default=str(ROOT / "build" / "release" / "paco"))
    given = parser.parse_args()
    classes, strict, found = read_classes(given.data), [], []
    for draw in range(given.draws):
        chance = random.Random(draw)
        names = chance.sample(sorted(classes), given.classes)
        samples = [(name, sample) for name in names for sample in classes[name]]
        samples = chance.sample(samples, min(given.samples, len(samples)))
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            folder = place / "folder"
            folder.mkdir()
            truth = fill(folder, samples)
            run(given.paco, given.encoder, folder, len(truth))
            own = folder / ".paco"
            subprocess.run([given.paco, "journal", "export", own / "streams" / "folder.journal", "--out", place / "e"],
                           check=True, capture_output=True)
            with open(place / "e" / "decisions.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            of = [truth.get(row["key"]) or truth[json.loads(row["attributes"])["text"]] for row in rows]
            (place / "truth.txt").write_text("".join(f"{name}\n" for name in of))
            report = json.loads(subprocess.run(
                [given.paco, "evaluate", "--decisions", place / "e" / "decisions.csv", "--truth", place / "truth.txt",
                 "--model", own / "model.paco", "--bootstrap", "0", "--json"], check=True, capture_output=True).stdout)
            strict.append(100 * report["strict"]["all"])
            found.append(report["clusters_seen"])
            print(f"draw {draw}: {len(rows)} samples of {given.classes} classes: strict {strict[-1]:.1f}, "
                  f"{found[-1]} categories", flush=True)
    print(f"strict {statistics.mean(strict):.1f} ± {statistics.stdev(strict):.1f}, "
          f"categories {statistics.mean(found):.0f} ± {statistics.stdev(found):.0f}")


if __name__ == "__main__":
    main()
