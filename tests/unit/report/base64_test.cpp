// Base64 against the vectors of RFC 4648.
#include "report/base64.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace paco::report {
namespace {

std::string of(std::string_view text) { return base64(std::as_bytes(std::span(text))); }

TEST(Base64, GivesTheVectorsOfTheStandard) {
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foob"), "Zm9vYg==");
  EXPECT_EQ(of("fooba"), "Zm9vYmE=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Base64, NumbersTravelAsLittleEndianBytes) {
  const std::vector<std::uint32_t> values = {1, 0xfffefdfc};
  EXPECT_EQ(base64_of<std::uint32_t>(values), "AQAAAPz9/v8=");
}

}  // namespace
}  // namespace paco::report
