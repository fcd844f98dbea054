"""The notebooks of the tutorials run from top to bottom, and their outputs are what the engine says today."""

import subprocess
import sys

import pytest

from conftest import SOURCE


@pytest.mark.parametrize("notebook", sorted((SOURCE / "docs" / "tutorials").glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_says_what_it_shows(notebook):
    pytest.importorskip("matplotlib")
    run = subprocess.run([sys.executable, SOURCE / "tools" / "run_notebook", "--check", notebook], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
