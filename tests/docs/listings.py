"""Takes the fenced code blocks out of a Markdown document."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```[ ]*$", re.S | re.M)


def blocks(path):
    """(language, text, number of its first line) of every block, in order."""
    text = (ROOT / path).read_text()
    return [(m.group(1).strip(), m.group(2), text.count("\n", 0, m.start(2)) + 1) for m in FENCE.finditer(text)]


def program(path, language="python"):
    """All blocks of one language as one text, each line at its line of the document, so that errors name it."""
    lines = []
    for name, text, first in blocks(path):
        if name == language:
            lines += [""] * (first - 1 - len(lines)) + text.splitlines()
    return compile("\n".join(lines) + "\n", path, "exec")
