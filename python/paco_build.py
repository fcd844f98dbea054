"""Makes the wheel that `pip install .` installs: builds the module and the program with CMake and packs them with the
package and the libraries they need.

A build backend after PEP 517 and PEP 660 (`pip install -e .`), of the standard library alone. `--config-settings
build=FOLDER` takes what is built from a build that is there already; otherwise every interpreter has a build folder of its
own. `python3 python/paco_build.py metadata` prints what the package says of itself.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of the system, by the rules for wheels that run on many distributions (PEP 600).
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|util|resolv|stdc\+\+|gcc_s))[-.]")
NEEDED = ("what it needs stands in tools/packages.txt: cmake, ninja-build, a C++20 compiler, pybind11-dev, python3-dev and the "
          "libraries there; on Debian, './run' installs them")


def version():
    found = re.search(r"project\(paco VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    return found.group(1)


def metadata():
    return (f"Metadata-Version: 2.1\nName: pacodiscovery\nVersion: {version()}\n"
            "Summary: On-the-fly category discovery: sorts a stream whose classes keep growing\n"
            "Author: The paco authors\nLicense: Apache-2.0\n"
            "Keywords: category discovery,open-world recognition,novel class discovery,data streams\n"
            "Classifier: Development Status :: 4 - Beta\nClassifier: Intended Audience :: Science/Research\n"
            "Classifier: License :: OSI Approved :: Apache Software License\nClassifier: Operating System :: POSIX :: Linux\n"
            "Classifier: Programming Language :: C++\nClassifier: Programming Language :: Python :: 3\n"
            "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence\nClassifier: Typing :: Typed\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\n"
            "Provides-Extra: tables\nRequires-Dist: pandas; extra == 'tables'\n"
            "Provides-Extra: plots\nRequires-Dist: matplotlib; extra == 'plots'\n"
            "Description-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text())


def interpreter():
    return f"cp{sys.version_info.major}{sys.version_info.minor}"


def tag():
    """Of wheels that fit this interpreter and this system: with the libraries inside, the C library alone counts."""
    name, number = platform.libc_ver()
    system = re.sub(r"[^0-9A-Za-z]", "_", sysconfig.get_platform())
    if name == "glibc" and system.startswith("linux_") and shutil.which("ldd"):
        system = f"manylinux_{number.replace('.', '_')}_{system.removeprefix('linux_')}"
    return f"{interpreter()}-{interpreter()}-{system}"


def run(*command):
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        raise SystemExit(f"{command[0]} is not installed: {NEEDED}") from None
    except subprocess.CalledProcessError:
        raise SystemExit(f"'{' '.join(command[:3])} ...' failed, the lines above say why; {NEEDED}") from None


def build_folder(settings):
    """The folder of a finished build."""
    given = (settings or {}).get("build")
    if given:
        return pathlib.Path(given)
    folder = ROOT / "build" / f"wheel-{interpreter()}"
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not (folder / "CMakeCache.txt").exists() else []
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DPACO_TORCH=OFF", "-DPACO_TESTS=OFF", "-DPACO_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    try:
        import pybind11
        options.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
    except ImportError:
        pass  # CMake looks for that of the system
    run("cmake", *generator, "-S", str(ROOT), "-B", str(folder), *options)
    run("cmake", "--build", str(folder), "--target", "paco_python", "paco", "--parallel", str(os.cpu_count()))
    return folder


def module_of(folder):
    module = folder / "python" / "pacodiscovery" / ("_paco" + sysconfig.get_config_var("EXT_SUFFIX"))
    if not module.exists():
        raise SystemExit(f"{module} was not built for this Python: {NEEDED}")
    return module


def libraries_of(*binaries):
    """The shared libraries that these need and a system does not have for sure, by the name under which they are looked for."""
    if not shutil.which("ldd"):
        return {}
    found = {}
    for binary in binaries:
        listed = subprocess.run(["ldd", str(binary)], check=True, capture_output=True, text=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE):
            if not SYSTEM.match(name):
                found[name] = pathlib.Path(path)
    return found


def stripped(path):
    """The bytes of a binary without what only debuggers read."""
    if not shutil.which("strip"):
        return path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        shutil.copyfile(path, copy)
        subprocess.run(["strip", "--strip-unneeded", str(copy)], check=True)
        return copy.read_bytes()


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def info_files():
    info = f"pacodiscovery-{version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: paco\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    return {f"{info}/METADATA": metadata().encode(), f"{info}/WHEEL": wheel.encode(),
            f"{info}/entry_points.txt": b"[console_scripts]\npaco = pacodiscovery._program:main\n",
            f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes()}


def write_wheel(directory, files):
    """A wheel of these files and what it says of itself; returns its name."""
    files = {**files, **info_files()}
    record = f"pacodiscovery-{version()}.dist-info/RECORD"
    files[record] = ("".join(record_line(name, data) for name, data in files.items()) + f"{record},,\n").encode()
    wheel = f"pacodiscovery-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the same input gives the same bytes
            entry.external_attr = (0o100755 if ".so" in name or "/bin/" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """PEP 517: what the wheel will say of itself, without building it."""
    for name, data in info_files().items():
        path = pathlib.Path(metadata_directory) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return f"pacodiscovery-{version()}.dist-info"


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: makes the wheel, returns its name."""
    folder = build_folder(config_settings)
    module, program = module_of(folder), folder / "paco"
    sources = sorted(path for path in (ROOT / "python" / "pacodiscovery").iterdir() if path.suffix in (".py", ".pyi", ".typed"))
    files = {f"pacodiscovery/{path.name}": path.read_bytes() for path in sources}
    files[f"pacodiscovery/{module.name}"] = stripped(module)
    binaries = [module]
    if program.exists():
        files["pacodiscovery/bin/paco"] = stripped(program)
        binaries.append(program)
    for name, path in sorted(libraries_of(*binaries).items()):
        files[f"pacodiscovery/libs/{name}"] = stripped(path)
    return write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: a wheel that points at the package in the build folder, whose Python files are links to the sources."""
    package = module_of(build_folder(config_settings)).parent.parent.resolve()
    return write_wheel(wheel_directory, {"pacodiscovery.pth": f"{package}\n".encode()})


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


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel

if __name__ == "__main__":
    if sys.argv[1:] != ["metadata"]:
        sys.exit("usage: python3 python/paco_build.py metadata")
    sys.stdout.write(metadata())
