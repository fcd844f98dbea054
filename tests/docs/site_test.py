"""Is the site whole? Builds it as `docs/build` does, and looks for every verb, every header and the formulas."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import os

from listings import ROOT

PROGRAM = os.environ.get("PACO_PROGRAM", str(ROOT / "build/release/paco"))
NEEDED = [tool for tool in ("mkdocs", "doxygen") if not shutil.which(tool)]


@unittest.skipIf(NEEDED, f"not installed: {', '.join(NEEDED)}")
class TheSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.work.cleanup)
        cls.site = pathlib.Path(cls.work.name) / "site"
        done = subprocess.run([ROOT / "docs/build", cls.site, "--program", PROGRAM, "--python",
                               os.environ.get("PYTHONPATH", str(ROOT / "build/release/python"))], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)

    def test_has_every_verb_with_its_options(self):
        page = (self.site / "docs/reference/command-line.html").read_text()
        listed = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        verbs = re.findall(r"^  ([a-z]+) {2,}", listed.partition("Verbs:")[2], re.M)
        self.assertGreater(len(verbs), 15)
        for verb in verbs:
            self.assertIn(f"usage: paco {verb}", page)

    def test_has_every_public_header(self):
        pages = "\n".join(path.name for path in (self.site / "cpp").glob("*.html"))
        for header in (ROOT / "include/paco").glob("*.hpp"):
            self.assertIn(header.stem.replace("_", "__") + "_8hpp", pages)

    def test_leads_nowhere_that_is_not_there(self):
        faults = []
        for page in self.site.rglob("*.html"):
            if "cpp" in page.parts or page.name == "404.html":
                continue
            for link in re.findall(r"(?:href|src)=\"([^\"#:?]+)[\"#?]", page.read_text()):
                target = page.parent / link
                if not target.exists():
                    faults.append(f"{page.relative_to(self.site)}: {link}")
        self.assertEqual(faults, [])


if __name__ == "__main__":
    unittest.main()
