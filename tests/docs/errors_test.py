"""Does docs/reference/errors.md have every error code of the library?"""

import re
import unittest

from listings import ROOT


class TheCodes(unittest.TestCase):
    def test_are_all_explained(self):
        header = (ROOT / "include/paco/result.hpp").read_text()
        codes = re.findall(r"^  (\w+),", header.partition("enum class ErrorCode {")[2].partition("};")[0], re.M)
        self.assertGreater(len(codes), 5)
        page = (ROOT / "docs/reference/errors.md").read_text()
        self.assertEqual([code for code in codes if f"| `{code}` |" not in page], [])


if __name__ == "__main__":
    unittest.main()
