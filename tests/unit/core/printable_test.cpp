// What would act on a terminal is written out, and everything else stays as it is.
#include "core/printable.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/random.hpp"

namespace paco::core {
namespace {

TEST(Printable, LettersOfEveryScriptStayAsTheyAre) {
  for (const char* text : {"", "plain words, 100 %", "Kohlmeise äöü", "シジュウカラ", "🐦 \\ \"q\""})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesOfTheTerminalAreWrittenOut) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(printable(std::string("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");  // the one-character escape
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "gpj"),
            "a\\u202egpj");  // right to left from here
}

TEST(Printable, BytesThatAreNoTextAreWrittenOut) {
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("a\xc3"), "a\\xc3");                  // cut in the middle
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // an escape in a longer form
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
}

TEST(Printable, ANameCannotPoseAsALineOfItsOwnButTextMayHaveLines) {
  EXPECT_EQ(printable("a\r\nb\tc"), "a\\r\\nb\\tc");
  EXPECT_EQ(printable_lines("a\r\nb\tc\x1b"), "a\\r\nb\tc\\x1b");
}

TEST(Printable, NoControlByteIsLeftInRandomBytes) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random.below(20), '\0');
    for (char& c : text) c = static_cast<char>(random.below(256));
    const std::string once = printable(text);
    for (const char c : once)
      ASSERT_FALSE(static_cast<unsigned char>(c) < 0x20 || c == 0x7f) << "round " << round;
    ASSERT_EQ(printable(once), once) << "what is printable stays, round " << round;
  }
}

}  // namespace
}  // namespace paco::core
