#!/usr/bin/env python3
"""Turns the lines of throughput.sh (standard input) into what bench/render.py reads (standard output): one row for every
network, batch, work and contender, the mean of its turns. Lines that are no JSON are left out."""
import json
import sys

rows, about = {}, {}
for line in sys.stdin:
    if not line.startswith("{"):
        continue
    entry = json.loads(line)
    if "device" in entry:
        about = entry
    elif "images_per_second" in entry:
        key = tuple(entry[k] for k in ("backbone", "batch", "what", "contender"))
        rows.setdefault(key, []).append(entry["images_per_second"])
    elif "error" in entry:
        about.setdefault("errors", {})[f"{entry['backbone']}, {entry['what']}"] = entry["error"]
print(json.dumps(about | {"rows": [
    dict(zip(("backbone", "batch", "what", "contender"), key), images_per_second=round(sum(r) / len(r), 1), turns=r)
    for key, r in rows.items()]}, indent=1))
