"""Prints what a figure needs to be understood later, as JSON: machine, commit, program. machine.py PACO"""

import json
import os
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
doctor = json.loads(output(sys.argv[1], "doctor", "--json") or "{}")
print(json.dumps({
    "cpu": cpu,
    "cores": os.cpu_count(),
    "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
    "load_at_start": os.getloadavg()[0],
    "commit": output("git", "describe", "--always", "--dirty", "--exclude", "*"),
    "kernels": doctor.get("kernels", {}).get("used", ""),
    "blas": doctor.get("blas", {}).get("name", ""),
    "compiler": doctor.get("compiler", ""),
}, indent=1))
