"""`pip install .` makes a package that works, fetches nothing, and brings the program and the libraries that both need."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

import pacodiscovery as paco
from conftest import SOURCE
from pacodiscovery import _paco

sys.path.insert(0, str(SOURCE / "python"))
import paco_build  # noqa: E402

BUILD = pathlib.Path(paco.__file__).parent.parent.parent
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PACO_PROGRAM")}


@pytest.fixture(scope="module")
def built():
    if not (BUILD / "CMakeCache.txt").exists():
        pytest.skip("the package does not stand in a build folder")
    return BUILD


@pytest.fixture(scope="module")
def wheel(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    return folder / paco_build.build_wheel(folder, {"build": str(built)})


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    pytest.importorskip("pip", reason="python3-pip is not installed")
    folder = tmp_path_factory.mktemp("here")
    subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-cache-dir", "--quiet", "--target", folder,
                    wheel], check=True, env=ENVIRONMENT, capture_output=True)
    return folder


def test_pip_installs_the_package_without_a_network(installed, tmp_path):
    code = ("import importlib.metadata as m, pathlib, pacodiscovery as paco; assert 'here' in paco.__file__; "
            "assert (pathlib.Path(paco.__file__).parent / 'py.typed').exists(); "
            "print(m.version('pacodiscovery'), paco.methods()[0], m.metadata('pacodiscovery')['License'])")
    run = subprocess.run([sys.executable, "-c", code], env={**ENVIRONMENT, "PYTHONPATH": str(installed)}, cwd=tmp_path,
                         capture_output=True, text=True)
    assert run.stdout == f"{paco.__version__} paco Apache-2.0\n", run.stderr


def test_the_program_is_a_command_of_the_package(built, installed, tmp_path):
    if not (built / "paco").exists():
        pytest.skip("the program is not built")
    run = subprocess.run([installed / "bin" / "paco", "methods"], env={**ENVIRONMENT, "PYTHONPATH": str(installed)}, cwd=tmp_path,
                         capture_output=True, text=True)
    assert run.returncode == 0 and "mirror" in run.stdout, run.stderr


def test_libraries_that_a_system_may_not_have_are_inside(wheel, installed):
    if not shutil.which("ldd"):
        pytest.skip("there is no ldd")
    package = installed / "pacodiscovery"
    module = next(package.glob("_paco*.so"))
    listed = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    outside = [name for name, path in re.findall(r"^\s*(\S+) => (\S+)", listed, re.MULTILINE)
               if not paco_build.SYSTEM.match(name) and not path.startswith(str(package))]
    assert outside == [], listed
    assert paco_build.tag() in wheel.name and ("manylinux" in wheel.name or sys.platform != "linux")


def test_only_the_entry_point_is_to_be_seen():
    if not shutil.which("nm"):
        pytest.skip("there is no nm (binutils)")
    listed = subprocess.run(["nm", "-D", "--defined-only", _paco.__file__], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in listed.splitlines()] == ["PyInit__paco"]


def test_a_wheel_is_the_same_bytes_twice(built, wheel, tmp_path):
    again = tmp_path / paco_build.build_wheel(tmp_path, {"build": str(built)})
    assert again.read_bytes() == wheel.read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = archive.read(next(name for name in names if name.endswith("RECORD"))).decode()
    assert sorted(line.split(",")[0] for line in record.splitlines()) == sorted(names)


def test_an_editable_install_points_at_the_sources(built, tmp_path):
    name = paco_build.build_editable(tmp_path, {"build": str(built)})
    with zipfile.ZipFile(tmp_path / name) as archive:
        folder = pathlib.Path(archive.read("pacodiscovery.pth").decode().strip())
    assert (folder / "pacodiscovery" / "session.py").resolve() == (SOURCE / "python" / "pacodiscovery" / "session.py").resolve()


def test_what_is_missing_is_named_with_where_to_find_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(paco_build, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match="cmake is not installed.*tools/packages.txt"):
        paco_build.build_folder(None)
    for name in ("cmake", "ninja"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(SystemExit, match="failed.*pybind11-dev"):
        paco_build.build_folder(None)
    with pytest.raises(SystemExit, match="not built for this Python.*pybind11-dev"):
        paco_build.module_of(tmp_path)


def test_there_is_one_version_number():
    assert paco.__version__ == paco_build.version() == _paco.__version__
    assert f"VERSION {paco.__version__} " in (SOURCE / "CMakeLists.txt").read_text()
    others = [path for path in (SOURCE / "python").rglob("*.py") if f'"{paco.__version__}"' in path.read_text()]
    assert others == []
