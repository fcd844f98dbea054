"""The examples run to their end."""

import subprocess
import sys

import pytest

from conftest import SOURCE


@pytest.mark.parametrize("example", sorted((SOURCE / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_the_example_runs(example, tmp_path):
    if "sklearn" in example.read_text():
        pytest.importorskip("sklearn", reason="python3-sklearn is not installed")
    run = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) > 4 and not list(tmp_path.iterdir())


def test_the_page_shows_what_the_text_example_prints():
    run = subprocess.run([sys.executable, SOURCE / "examples" / "2_text_intents.py"], capture_output=True, text=True, check=True)
    assert run.stdout in (SOURCE / "docs" / "reference" / "python.md").read_text()
