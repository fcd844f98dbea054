"""Is the listing of docs/how-to/write-a-method.md the method that the laws run over?"""

import unittest

from listings import ROOT, blocks


class TheListing(unittest.TestCase):
    def test_stands_in_the_file_that_is_compiled(self):
        source = (ROOT / "tests/laws/toy_method.cpp").read_text()
        found = [text for language, text, _ in blocks("docs/how-to/write-a-method.md") if language == "cpp"]
        self.assertGreater(len(found), 3)
        for text in found:
            self.assertIn(text, source)


if __name__ == "__main__":
    unittest.main()
