"""Are the terms of docs/reference/glossary.md the ones that code and documents use? Prints each that is not and exits with 1.

There are at most 40. Each occurs in an identifier of the code and in a document other than the glossary; no identifier has one of
the words that they replaced.
"""

import pathlib
import re
import subprocess
import sys

MOST = 40
REPLACED = {"postman": "publisher", "outbox": "publisher", "speaker": "publisher", "door": "queue", "nobody": "none",
            "screen_bank": "prefilter", "judge": "diagnostics", "told": "progress", "made_data": "synthetic data"}

root = pathlib.Path(__file__).resolve().parent.parent


def files(*patterns):
    names = subprocess.run(["git", "-C", root, "ls-files", *patterns], capture_output=True, text=True, check=True).stdout.split()
    return [root / name for name in names if (root / name).is_file()]


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def identifiers():
    """All identifiers in snake case; comments and texts left out."""
    found = {}
    for path in files("src/*.hpp", "src/*.cpp", "apps/*.hpp", "apps/*.cpp", "include/*.hpp", "python/module/*.cpp", "python/module/*.hpp"):
        text = re.sub(r"//[^\n]*|\"(\\.|[^\"\\\n])*\"", "", path.read_text())
        for name in set(re.findall(r"\b[A-Za-z_]\w*\b", text)):
            found.setdefault(snake(name), path)
    return found


def main():
    glossary = root / "docs/reference/glossary.md"
    terms = [row.split("|")[1].strip() for row in glossary.read_text().splitlines() if row.startswith("| ")][1:]
    terms = [term for term in terms if not term.startswith("---")]
    names = identifiers()
    words = " ".join(names)
    documents = " ".join(path.read_text().lower() for path in files("*.md") if path != glossary)
    faults = []
    if len(terms) > MOST:
        faults.append(f"docs/reference/glossary.md has {len(terms)} terms; {MOST} are the most")
    for term in terms:
        written = term.lower().replace(" ", "_").replace("-", "_")
        if written not in words and written + "s" not in words:
            faults.append(f"docs/reference/glossary.md: '{term}' is in no identifier")
        if term.lower() not in documents:
            faults.append(f"docs/reference/glossary.md: '{term}' is in no other document")
    for word, instead in REPLACED.items():
        for name, path in names.items():
            if word == name or word in name.split("_") or ("_" in word and word in name):
                faults.append(f"{path.relative_to(root)}: {name}: '{word}' was replaced; write {instead}")
    print("\n".join(faults) if faults else f"{len(terms)} terms, all in use")
    return 1 if faults else 0


sys.exit(main())
