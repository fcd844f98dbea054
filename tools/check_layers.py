"""Does every folder of src/ keep to its place? Prints each breach and exits with 1 where there is one.

  - a folder includes only itself and folders above it in LAYERS;
  - public headers (include/paco) include only each other and the standard library;
  - torch is included by represent/ and train/ alone, and by no header that another folder can reach;
  - the disk is reached through src/base only, and the library prints nothing and does not exit;
  - no source file has more than 500 lines;
  - every source file opens with a comment that says what it is, a .cpp perhaps in the header of its name;
  - no two headers define a type of the same name in the same namespace: a program with both would mix them up.
"""

import pathlib
import re
import sys

LAYERS = ["base", "linalg", "data", "images", "represent", "vision", "train", "sphere", "calibrate", "mirror",
          "journal", "discover", "peers", "registry", "session", "evaluate", "report", "study", "serve", "bus"]
TORCH_FOLDERS = {"represent", "train"}
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MAX_LINES = 500
BASE_ONLY = re.compile(r"#\s*include\s*<(fstream|fcntl\.h|sys/mman\.h)>|\bfopen\s*\(")
LOUD = re.compile(r"\bstd::(cout|cerr|clog)\b|(?<![\w:.>])(?:std::)?(?:printf|puts|exit|_exit)\s*\("
                  r"|\bfmt::print\s*\(")

root = pathlib.Path(__file__).resolve().parent.parent
breaches = []


def source_files(folder):
    return sorted(path for path in (root / folder).rglob("*")
                  if path.suffix in (".cpp", ".hpp", ".cu", ".cuh") and "node_modules" not in path.parts)


def breach(path, number, text):
    breaches.append(f"{path.relative_to(root)}:{number}: {text}")


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1) == "<", found.group(2)


def resolve(path, name):
    """The project's own file behind an include, or None."""
    for base in (root / "src", root / "include", root / "tests", path.parent):
        if (base / name).is_file():
            return base / name
    return None


def layer_of(path):
    parts = path.relative_to(root).parts
    return parts[1] if parts[0] == "src" else None


def reaches_torch(path, seen):
    """The torch header that including `path` brings along, or None."""
    if path in seen:
        return None
    seen.add(path)
    for _, _, name in includes(path):
        if TORCH.match(name):
            return name
        own = resolve(path, name)
        if own and (deeper := reaches_torch(own, seen)):
            return deeper
    return None


def check_source(path):
    folder = layer_of(path)
    if folder not in LAYERS:
        breach(path, 1, f"folder '{folder}' is not in LAYERS of tools/check_layers.py")
        return
    place = LAYERS.index(folder)
    for number, _, name in includes(path):
        other = name.split("/")[0]
        if other in LAYERS and LAYERS.index(other) > place and (root / "src" / name).is_file():
            breach(path, number, f"{folder}/ includes {name}, but {other}/ is below it")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = line.split("//")[0]
        if folder != "base" and BASE_ONLY.search(code):
            breach(path, number, "reaches the disk by itself; use base/files.hpp")
        if LOUD.search(code):
            breach(path, number, "the library prints nothing and does not exit")


def check_torch(path):
    parts = path.relative_to(root).parts
    if (layer_of(path) in TORCH_FOLDERS or parts[:2] == ("bench", "gpu")  # it measures the network itself
            or parts[:3] in (("tests", "unit", "represent"), ("tests", "unit", "train"))):
        return
    for number, _, name in includes(path):
        own = resolve(path, name)
        torch = name if TORCH.match(name) else own and reaches_torch(own, {path})
        if torch:
            breach(path, number, f"{name} brings {torch} along; only represent/ and train/ use torch")


def check_opening(path):
    header = path.with_suffix(".hpp")
    if path.read_text().startswith("//") or (path.suffix == ".cpp" and header.is_file()):
        return  # the header is looked at itself
    breach(path, 1, "opens without a word on what it is")


def types_of(path):
    """The types that a header defines at the top of its namespaces, by their full names, with their lines."""
    spaces = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if found := re.match(r"namespace ([\w:]+) \{", line):
            spaces.append(found.group(1))
        elif line.startswith("}  // namespace") and spaces:
            spaces.pop()
        elif found := re.match(r"(?:struct|class|enum|enum class) (\w+)(?: final)?(?: :[^;]*)? \{", line):
            yield "::".join([*spaces, found.group(1)]), number


def check_names(paths):
    known = {}
    for path in paths:
        for name, number in types_of(path):
            first = known.setdefault(name, path)
            if first != path:
                breach(path, number, f"{name} is also defined in {first.relative_to(root)}")


def main():
    for path in source_files("src"):
        check_source(path)
    check_names([path for folder in ("include", "src", "apps") for path in source_files(folder) if path.suffix == ".hpp"])
    for path in source_files("include"):
        for number, system, name in includes(path):
            if not name.startswith("paco/") and not (system and re.fullmatch(r"[a-z_0-9]+", name)):
                breach(path, number, f"a public header includes {name}")
    everything = [path for folder in ("include", "src", "apps", "tests", "fuzz", "bench", "examples")
                  for path in source_files(folder)]
    for path in everything:
        check_torch(path)
        check_opening(path)
        lines = len(path.read_text().splitlines())
        if lines > MAX_LINES:
            breach(path, lines, f"{lines} lines; split it, {MAX_LINES} are the most")
    print("\n".join(breaches) if breaches else f"{len(everything)} files keep their place")
    return 1 if breaches else 0


sys.exit(main())
