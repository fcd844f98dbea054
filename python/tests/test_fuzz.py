"""Some thousand calls with anything end in an answer or in an exception in words (fuzz_calls.py)."""

import pathlib
import subprocess
import sys

import pytest


@pytest.mark.parametrize("seed", [1, 1000])
def test_calls_with_anything_break_nothing(seed, tmp_path):
    pytest.importorskip("matplotlib")
    run = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("fuzz_calls.py"), "--calls", "1500", "--seed", str(seed)],
                         cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.startswith("1500 calls"), run.stderr[-3000:]
