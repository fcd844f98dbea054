"""Does every file keep to its room? Prints each breach and exits with 1 if there is one.

  - a room of src/ includes only itself and the rooms that ALLOWED names for it;
  - every file of a room is in the namespace of that room (definitions of the public API are in `paco`);
  - public headers (include/paco) include only each other and the standard library;
  - torch is included by embed/torch and train/ alone, and by no header that another room can reach;
  - files are opened in core/ only, and the library prints nothing and does not exit;
  - no source file has more than 500 lines;
  - every source file opens with a comment that says what it is, a .cpp perhaps in the header of its name;
  - no two headers define a type of the same name in the same namespace: a program with both would mix them up.
"""

import pathlib
import re
import sys

# For each room the rooms that it may include. A graph without cycles; ARCHITECTURE.md describes the rooms.
ALLOWED = {
    "core": [],
    "math": ["core"],
    "io": ["core", "math"],
    "embed": ["core", "math", "io"],
    "train": ["core", "math", "io", "embed"],
    "methods": ["core", "math", "io"],
    "journal": ["core", "io"],
    "session": ["core", "math", "io", "methods", "journal"],
    "insight": ["core", "math", "io", "embed", "methods", "journal", "session"],
    "evaluate": ["core", "math", "io"],
    "report": ["core", "io", "embed", "methods", "evaluate"],
    "study": ["core", "math", "io", "methods", "session", "insight", "train", "evaluate", "report"],
    "server": ["core", "math", "io", "embed", "methods", "journal", "session", "insight", "report"],
    "bus": ["core", "math", "io", "embed", "journal", "session", "server"],
}
TORCH_FOLDERS = ["src/embed/torch", "src/train", "tests/unit/embed", "tests/unit/train", "bench/gpu"]
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
NAMESPACE = re.compile(r"^namespace (paco[\w:]*) \{")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MAX_LINES = 500
CORE_ONLY = re.compile(r"#\s*include\s*<(fstream|fcntl\.h|sys/mman\.h)>|\bfopen\s*\(")
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


def room_of(path):
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
    room = room_of(path)
    if room not in ALLOWED:
        breach(path, 1, f"room '{room}' is not in ALLOWED of tools/check_layers.py")
        return
    for number, _, name in includes(path):
        other = name.split("/")[0]
        if other != room and other in ALLOWED and other not in ALLOWED[room] and (root / "src" / name).is_file():
            breach(path, number, f"{room}/ includes {name}, but may include only {', '.join(ALLOWED[room]) or 'itself'}")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = line.split("//")[0]
        if room != "core" and CORE_ONLY.search(code):
            breach(path, number, "opens a file by itself; use core/files.hpp")
        if LOUD.search(code):
            breach(path, number, "the library prints nothing and does not exit")
        found = NAMESPACE.match(line)
        if (found and path.suffix == ".hpp" and not re.match(rf"paco::{room}\b", found.group(1))
                and not forward_only(path, number)):
            breach(path, number, f"namespace {found.group(1)}: a header of {room}/ is in paco::{room}")


def forward_only(path, number):
    """Does the namespace that opens in this line only declare types of other rooms?"""
    for line in path.read_text().splitlines()[number:]:
        if line.startswith("}"):
            return True
        if re.match(r"struct \w+::\w+ \{", line):  # the inside of a public class
            return True
        if line.strip() and not re.match(r"(class|struct) \w+;", line) and not line.startswith("//"):
            return False
    return True


def check_graph():
    done = []
    while len(done) < len(ALLOWED):
        ready = [room for room in ALLOWED if room not in done and all(other in done for other in ALLOWED[room])]
        if not ready:
            breaches.append("tools/check_layers.py: ALLOWED has a cycle: " + ", ".join(r for r in ALLOWED if r not in done))
            return
        done += ready


def check_torch(path):
    if any(path.relative_to(root).as_posix().startswith(folder + "/") for folder in TORCH_FOLDERS):
        return
    for number, _, name in includes(path):
        own = resolve(path, name)
        torch = name if TORCH.match(name) else own and reaches_torch(own, {path})
        if torch:
            breach(path, number, f"{name} brings {torch} along; only embed/torch and train/ use torch")


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
    check_graph()
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
    print("\n".join(breaches) if breaches else f"{len(everything)} files keep to their rooms")
    return 1 if breaches else 0


sys.exit(main())
