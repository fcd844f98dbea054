"""Do the commands in the documents print what the documents show? Runs every block marked `console`, those of one document one after
another in a folder that begins with the files of tests/golden/tiny. In the expected output a line `...` stands for any lines, and
times and rates may differ. Blocks that need more than that (photographs, servers, a network) are marked `sh` and are not run here.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from links_test import tracked
from listings import ROOT, blocks

PROGRAM = os.environ.get("PACO_PROGRAM", str(ROOT / "build/release/paco"))
TINY = ROOT / "tests/golden/tiny"
VARYING = [(re.compile(pattern), put) for pattern, put in (
    (r"\b\d+(\.\d+)? (s|ms|us)\b", "TIME"), (r"\(\d+ a second\)", "(RATE)"), (r"\b\d{4}-\d\d-\d\d[T ][\d:.]+Z?", "DATE"),
    (r"\b(\d+x\d+)-[0-9a-f]{8}\b", r"\1-ID"))]


def plain(line):
    for pattern, put in VARYING:
        line = pattern.sub(put, line)
    return line.rstrip()


def steps(block):
    """(command, expected lines) of a block: a command begins with `$ ` and goes on after a backslash."""
    found, lines = [], block.splitlines()
    while lines:
        line = lines.pop(0)
        if not line.startswith("$ "):
            raise ValueError(f"a block of console begins with '$ ': {line!r}")
        command = line[2:]
        while command.endswith("\\"):
            command = command[:-1] + lines.pop(0)
        expected = []
        while lines and not lines[0].startswith("$ "):
            expected.append(lines.pop(0))
        found.append((command, expected))
    return found


def fits(expected, printed):
    if not expected:
        return not printed
    if expected[0].strip() == "...":
        return any(fits(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and plain(expected[0]) == plain(printed[0]) and fits(expected[1:], printed[1:])


class Documents(unittest.TestCase):
    maxDiff = None

    def test_show_what_their_commands_print(self):
        ran = 0
        for name in tracked("*.md"):
            todo = [(text, line) for language, text, line in blocks(name) if language == "console"]
            if not todo:
                continue
            with tempfile.TemporaryDirectory() as folder, self.subTest(document=name):
                for file in ("support.npy", "support_labels.npy", "stream.npy", "stream_labels.npy"):
                    shutil.copy(TINY / file, folder)
                environment = {**os.environ, "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}", "HOME": folder,
                               "XDG_CACHE_HOME": f"{folder}/.cache"}
                for text, line in todo:
                    for command, expected in steps(text):
                        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                                              timeout=120)
                        printed = done.stdout.splitlines()
                        ran += 1
                        if not fits(expected, printed):
                            self.fail(f"{name}, block at line {line}: $ {command}\nshown:\n" + "\n".join(expected) +
                                      "\nprinted:\n" + done.stdout + done.stderr)
        self.assertGreater(ran, 0)


if __name__ == "__main__":
    unittest.main()
