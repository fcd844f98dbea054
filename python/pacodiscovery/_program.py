"""The command `paco` of an installed package: starts the program that lies in it."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn

HERE = pathlib.Path(__file__).resolve().parent


def main() -> NoReturn:
    """Becomes the program."""
    program = HERE / "bin" / "paco"
    if not program.exists():
        sys.exit("paco: this package was built without the program\n  hint: build it with cmake, or install the Debian package paco")
    environment = dict(os.environ)
    libraries = HERE / "libs"
    if libraries.is_dir():
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [str(libraries), environment.get("LD_LIBRARY_PATH")]))
    os.execve(program, ["paco", *sys.argv[1:]], environment)
