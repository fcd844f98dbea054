"""Makes the wheel that `pip install .` installs: builds the module with CMake and packs it with the package.

A build backend after PEP 517, of the standard library alone. `--config-settings build=FOLDER` takes the module from a
build that is there already instead of making one in build/wheel.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    found = re.search(r"project\(paco VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    return found.group(1)


def metadata():
    return (f"Metadata-Version: 2.1\nName: pacodiscovery\nVersion: {version()}\n"
            "Summary: On-the-fly category discovery: sorts a stream whose classes keep growing\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
            "Provides-Extra: tables\nRequires-Dist: pandas; extra == 'tables'\n"
            "Provides-Extra: plots\nRequires-Dist: matplotlib; extra == 'plots'\n"
            "Description-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text())


def tag():
    """Of wheels that fit this interpreter and this system."""
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[^0-9A-Za-z]", "_", sysconfig.get_platform())
    return f"{interpreter}-{interpreter}-{platform}"


def build_module(settings):
    """The built module's file."""
    given = (settings or {}).get("build")
    folder = pathlib.Path(given) if given else ROOT / "build" / "wheel"
    if not given:
        generator = ["-G", "Ninja"] if not (folder / "CMakeCache.txt").exists() else []
        subprocess.run(["cmake", *generator, "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DPACO_TORCH=OFF",
                        "-DPACO_TESTS=OFF", "-DPACO_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "paco_python", "--parallel", str(os.cpu_count())], check=True)
    name = "_paco" + sysconfig.get_config_var("EXT_SUFFIX")
    module = folder / "python" / "pacodiscovery" / name
    if not module.exists():
        raise SystemExit(f"{module} was not built: the lines above say what is missing; tools/packages.txt lists what has to "
                         "be there (pybind11-dev, python3-dev)")
    return module


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: paco\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """PEP 517: what the wheel will say of itself, without building it."""
    info = f"pacodiscovery-{version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / info
    folder.mkdir()
    (folder / "METADATA").write_text(metadata())
    (folder / "WHEEL").write_text(wheel_text())
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: makes the wheel, returns its name."""
    module = build_module(config_settings)
    info = f"pacodiscovery-{version()}.dist-info"
    sources = sorted(path for path in (ROOT / "python" / "pacodiscovery").iterdir() if path.suffix in (".py", ".pyi", ".typed"))
    files = {f"pacodiscovery/{path.name}": path.read_bytes() for path in [*sources, module]}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = wheel_text().encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(record_line(name, data) for name, data in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    wheel = f"pacodiscovery-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the same input gives the same bytes
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: everything that git has, as an archive."""
    name = f"pacodiscovery-{version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in filter(None, listed.decode().split("\0")):
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
        data = metadata().encode()
        (pathlib.Path(sdist_directory) / "PKG-INFO").write_bytes(data)
        archive.add(pathlib.Path(sdist_directory) / "PKG-INFO", f"{name}/PKG-INFO")
        (pathlib.Path(sdist_directory) / "PKG-INFO").unlink()
    return f"{name}.tar.gz"


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []
