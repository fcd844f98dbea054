"""Is the listing of docs/explanation/paco.md the whole rule? Runs the document's own blocks and compares every answer, branch and
birth boundary with the recorded ones, which were computed from the specification. Not a test of the program."""

import contextlib
import io
import json
import os
import unittest

import numpy as np

from listings import ROOT, blocks, program

DOCUMENT = "docs/explanation/paco.md"
GOLDEN = ROOT / "tests/golden"


def read(case, name):
    path = GOLDEN / case / f"{name}.npy"
    return np.load(path) if path.exists() else None


class TheListing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(ROOT)
        cls.rule, printed = {}, io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program(DOCUMENT), cls.rule)
        cls.printed = printed.getvalue()

    def test_prints_what_the_document_shows(self):
        shown = [text for language, text, _ in blocks(DOCUMENT) if language == "text"]
        self.assertEqual(shown, [self.printed])

    def test_decides_like_the_recorded_runs(self):
        for case in ("tiny", "wide", "overlap"):
            with self.subTest(case=case):
                support, stream = (read(case, name).astype(np.float64) for name in ("support", "stream"))
                classifier = read(case, "classifier")
                model = self.rule["calibrate"](support, read(case, "support_labels").astype(np.int64),
                                               None if classifier is None else classifier.astype(np.float64))
                expected = json.loads((GOLDEN / case / "expected.json").read_text())
                for ours, theirs in (("hi", "tau_hi"), ("lo", "tau_lo"), ("birth", "tau_birth"), ("sup", "tau_birth_sup"),
                                     ("create", "tau_create"), ("log_p0", "log_p0")):
                    self.assertAlmostEqual(model[ours], expected[theirs], delta=1e-9, msg=theirs)
                answers, branches, boundaries = zip(*self.rule["discover"](stream, model))
                self.assertEqual(list(answers), read(case, "expected_category").tolist())
                self.assertEqual(list(branches), read(case, "expected_branch").tolist())
                np.testing.assert_allclose(boundaries, read(case, "expected_tau_birth_after"), atol=1e-9)


if __name__ == "__main__":
    unittest.main()
