"""Does every link in the documents lead somewhere? Looks at links between files of the repository, at the headings they name, and at
documents that code and comments mention by path. Addresses elsewhere are not visited."""

import pathlib
import re
import subprocess
import unittest

from listings import FENCE, ROOT

LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)|(?:href|src)=\"([^\"]+)\"")
MENTION = re.compile(r"(?<![\w./{-])(docs/(?:[\w.-]+/)*[\w-]+\.(?:md|png|svg))\b")
# Texts that name documents of their own time, or made-up ones.
HISTORY = {"CHANGELOG.md", "tests/docs/links_test.py"}


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def prose(text):
    """The text with its code blocks and code spans blanked."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def anchors(path):
    """The names under which the headings of a document can be linked to, as GitHub and the site make them."""
    names = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", path.read_text()))
    for heading in re.findall(r"^#+ +(.+?) *$", FENCE.sub("", path.read_text()), re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
        names.add(name if name not in names else name + "-1")
    return names


def broken(name):
    for match in LINK.finditer(prose((ROOT / name).read_text())):
        link = match.group(1) or match.group(2)
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists():
            yield f"{name}: {link} leads to no file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{name}: {link} leads to no heading"


class Links(unittest.TestCase):
    def test_between_documents_lead_somewhere(self):
        faults = [fault for name in tracked("*.md") for fault in broken(name)]
        self.assertEqual(faults, [], "\n".join(faults))

    def test_documents_that_files_mention_exist(self):
        faults = []
        for name in tracked():
            if name in HISTORY or pathlib.Path(name).suffix in (".png", ".npy", ".json", ".gz"):
                continue
            try:
                text = (ROOT / name).read_text()
            except UnicodeDecodeError:
                continue
            faults += [f"{name}: there is no {found}" for found in MENTION.findall(text) if not (ROOT / found).exists()]
        self.assertEqual(faults, [], "\n".join(faults))

    def test_every_document_of_docs_is_reached_from_the_index(self):
        reached, todo = set(), [ROOT / "docs/index.md"]
        while todo:
            page = todo.pop().resolve()
            if page in reached or page.suffix != ".md" or not page.exists():
                continue
            reached.add(page)
            todo += [page.parent / (a or b).partition("#")[0] for a, b in LINK.findall(prose(page.read_text()))
                     if not re.match(r"[a-z]+:|#", a or b)]
        lost = [name for name in tracked("docs/*.md") if (ROOT / name).resolve() not in reached]
        self.assertEqual(lost, [])


if __name__ == "__main__":
    unittest.main()
