"""Is every Markdown file written one sentence per line? Prints each file that is not and exits with 1; with --fix: makes it so.

A paragraph or list item is joined and broken again after each sentence. Headings, tables, code blocks and HTML stay as they are.
"""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
ITEM = re.compile(r"^(\s*)([-*+]|\d+\.)(\s+)")
# A sentence ends with a full stop, question or exclamation mark, perhaps in brackets or quotes, before a space and a new start.
END = re.compile(r"(?<=[.!?])([)\]\"'*_`]*)\s+(?=[\"'(\[*_`]*[A-Z0-9`<])")
# An initial ("H. W. Kuhn", "Y.-Z. Song"), an ellipsis, or an abbreviation ends none.
NOT_END = re.compile(r"(^|[\s(])(e\.g|i\.e|etc|vs|cf|Fig|Eq|approx|et al|[A-Z]|[A-Z]\.-[A-Z]|\.\.)\.$")


def sentences(text):
    out, start = [], 0
    for found in END.finditer(text):
        end = found.start() + len(found.group(1))
        before = text[start:end]
        if NOT_END.search(before) or re.search(r"(^|\s)\d+\.$", before) or before.count("`") % 2:
            continue
        out.append(before.strip())
        start = found.end()
    out.append(text[start:].strip())
    return [sentence for sentence in out if sentence]


def is_verbatim(line):
    text = line.strip()
    return (not text or text.startswith(("#", "|", "<", "[![", "---", "===", ">")) or line.startswith("    ") and not ITEM.match(line)
            or re.match(r"\[[^\]]+\]: ", text))


def rewritten(text):
    out, block, fence = [], [], False

    def flush():
        if not block:
            return
        item = ITEM.match(block[0])
        lead = item.group(0) if item else re.match(r"\s*", block[0]).group(0)
        body = " ".join([block[0][len(lead):].strip()] + [line.strip() for line in block[1:]])
        for i, sentence in enumerate(sentences(body)):
            out.append((lead if i == 0 else " " * len(lead)) + sentence)
        block.clear()

    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            flush()
            fence = not fence
            out.append(line)
        elif fence:
            out.append(line)
        elif is_verbatim(line) and not (block and line.startswith("    ") and line.strip()):
            flush()
            out.append(line)
        else:
            if ITEM.match(line):
                flush()
            block.append(line)
    flush()
    return "\n".join(out)


def main():
    fix = "--fix" in sys.argv[1:]
    names = subprocess.run(["git", "-C", root, "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split()
    bad = []
    for name in names:
        path = root / name
        if not path.is_file():
            continue
        text = path.read_text()
        wanted = rewritten(text)
        if text != wanted:
            bad.append(name)
            if fix:
                path.write_text(wanted)
    for name in bad:
        print(f"{name}: {'written anew' if fix else 'not one sentence per line; tools/check_markdown.py --fix writes it so'}")
    print(f"{len(names)} Markdown files" + ("" if bad else ", one sentence per line"))
    return 1 if bad and not fix else 0


sys.exit(main())
