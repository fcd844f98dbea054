"""The annotations hold, and the stub says what the module has."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import pacodiscovery as paco

FOLDER = pathlib.Path(paco.__file__).parent.parent
# pybind11 makes classes by a metaclass and gives all of them an __init__.
OF_PYBIND11 = re.compile(r"metaclass differs|\.__init__ is inconsistent")


def test_mypy_finds_nothing(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, "-p", "pacodiscovery"], cwd=FOLDER,
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_the_stub_is_the_module(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    run = subprocess.run([sys.executable, "-m", "mypy.stubtest", "pacodiscovery._paco"], cwd=tmp_path, capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": str(FOLDER)})
    assert "Found" in run.stdout or run.returncode == 0, run.stdout + run.stderr
    errors = [line for line in run.stdout.splitlines() if line.startswith("error:") and not OF_PYBIND11.search(line)]
    assert errors == []


def test_everything_public_is_described():
    bare = [name for name in paco.__all__ if not getattr(getattr(paco, name), "__doc__", None)]
    for kind in (paco.Session, paco.Discoverer, paco.Decision, paco.Decisions, paco.Evaluation):
        bare += [f"{kind.__name__}.{name}" for name, value in vars(kind).items()
                 if not name.startswith("_") and (callable(value) or isinstance(value, property)) and not value.__doc__]
    assert bare == []
