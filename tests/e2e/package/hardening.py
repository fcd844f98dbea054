"""Are the built programs hardened?  hardening.py FILE...

Each file has to be position-independent, to have all its relocations read-only once it runs, a stack that is not executable, a
guard on the stack, and checked copies of the C library.
"""

import subprocess
import sys


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, capture_output=True, text=True).stdout


def missing(path):
    """What a file lacks, in words."""
    header, segments, dynamic, symbols = (readelf(option, path) for option in ("-h", "-l", "-d", "--dyn-syms"))
    checks = {
        "a position-independent file (-fPIE)": "DYN (" in header,
        "read-only relocations (-z relro)": "GNU_RELRO" in segments,
        "all symbols bound at the start (-z now)": "BIND_NOW" in dynamic or "FLAGS_1" in dynamic and "NOW" in dynamic,
        "a stack that is not executable": any("GNU_STACK" in line and " RW " in line for line in segments.splitlines()),
        "a guarded stack (-fstack-protector-strong)": "__stack_chk_fail" in symbols,
        "checked copies (_FORTIFY_SOURCE)": "_chk@" in symbols.replace("__stack_chk_fail@", ""),
    }
    return [what for what, found in checks.items() if not found]


failed = False
for name in sys.argv[1:]:
    for what in missing(name):
        print(f"{name}: lacks {what}")
        failed = True
sys.exit(failed)
