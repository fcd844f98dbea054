"""`pip install .` makes a package that works, and fetches nothing."""

import os
import pathlib
import subprocess
import sys

import pytest

import pacodiscovery as paco
from conftest import SOURCE


def test_pip_installs_the_package_without_a_network(tmp_path):
    pytest.importorskip("pip", reason="python3-pip is not installed")
    build = pathlib.Path(paco.__file__).parent.parent.parent
    if not (build / "CMakeCache.txt").exists():
        pytest.skip("the package does not stand in a build folder")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-cache-dir", "--quiet", "--target",
                    tmp_path / "here", "--config-settings", f"build={build}", SOURCE], check=True, env=environment,
                   capture_output=True)
    code = ("import importlib.metadata, pathlib, pacodiscovery as paco; assert 'here' in paco.__file__; "
            "assert (pathlib.Path(paco.__file__).parent / 'py.typed').exists(); "
            "print(importlib.metadata.version('pacodiscovery'), paco.methods()[0])")
    run = subprocess.run([sys.executable, "-c", code], env={**environment, "PYTHONPATH": str(tmp_path / "here")}, cwd=tmp_path,
                         capture_output=True, text=True, check=True)
    assert run.stdout == f"{paco.__version__} paco\n"
