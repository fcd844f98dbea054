// Numbers read the quick way are the numbers that the standard library reads.
#include "io/numbers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/random.hpp"
#include "data_files.hpp"
#include "io/embeddings.hpp"

namespace paco::io {
namespace {

// A number as people and programs write it: few digits or many, with and without an exponent.
std::string random_number(core::Random& random) {
  const double value = std::ldexp(random.uniform(-1, 1), static_cast<int>(random.below(60)) - 30);
  switch (random.below(6)) {
    case 0:
      return fmt::format("{:.6g}", value);
    case 1:
      return fmt::format("{}", value);
    case 2:
      return fmt::format("{:.17e}", value);
    case 3:
      return fmt::format("{}", static_cast<float>(value));
    case 4:
      return fmt::format("{}", static_cast<std::int64_t>(value));
    default:
      return fmt::format("{:.{}f}", value, random.below(25));
  }
}

TEST(Numbers, TheyAreTheNearestDoublesBitForBit) {
  core::Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random_number(random);
    double value = 0;
    const std::size_t length = read_number(text + ",rest", value);
    ASSERT_EQ(length, text.size()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value),
              std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)))
        << text;
  }
}

TEST(Numbers, WhatIsNoJsonNumberIsNotRead) {
  double value = 0;
  for (const char* text :
       {"", "-", "+1", ".5", "5.", "01", "1e", "1e+", "nan", "inf", "-inf", "x", "- 1"}) {
    EXPECT_EQ(read_number(text, value), 0u) << text;
  }
}

// Whatever stands behind a number, and however near the end of the text it is.
TEST(Numbers, DigitsOfAnyCountAreReadBeforeAnyByte) {
  core::Random random(3);
  for (std::size_t whole = 1; whole <= 17; ++whole) {
    for (std::size_t fraction = 0; fraction + whole <= 17; ++fraction) {
      std::string text(1, static_cast<char>('1' + random.below(9)));
      while (text.size() < whole) text += static_cast<char>('0' + random.below(10));
      if (fraction > 0) text += '.';
      for (std::size_t i = 0; i < fraction; ++i) text += static_cast<char>('0' + random.below(10));
      const double expected = std::strtod(text.c_str(), nullptr);
      for (int byte = 0; byte < 256; ++byte) {
        const char behind = static_cast<char>(byte);
        if ((behind >= '0' && behind <= '9') || behind == '.' || behind == 'e' || behind == 'E')
          continue;
        for (const std::size_t times : {0, 1, 9}) {
          double value = 0;
          const std::size_t length = read_number(text + std::string(times, behind), value);
          ASSERT_EQ(length, text.size()) << text << " before byte " << byte;
          ASSERT_EQ(value, expected) << text << " before byte " << byte;
        }
      }
    }
  }
}

TEST(Numbers, RowsAreReadWhereTheyAreNumbersAndNothingElse) {
  std::vector<double> values(3);
  ASSERT_TRUE(read_number_row("1,-2.5,3e2", ',', values));
  EXPECT_EQ(values, (std::vector<double>{1, -2.5, 300}));
  ASSERT_TRUE(read_number_row("0.25;0.125;1234567.5", ';', values));
  EXPECT_EQ(values, (std::vector<double>{0.25, 0.125, 1234567.5}));
  for (const char* text : {"", "1", "1,2", "1,2,", "1,2,3,", "1,2,3,4", "1;2;3", "1,2,x", "1,,3",
                           " 1,2,3", "1,2,3 ", "1,\"2\",3", "1,2,nan"}) {
    EXPECT_FALSE(read_number_row(text, ',', values)) << text;
  }
}

TEST(Numbers, ListsAreWhatTheJsonLibraryReads) {
  core::Random random(2);
  std::vector<double> values;
  for (int i = 0; i < 500; ++i) {
    std::string text = "[";
    for (std::size_t n = random.below(20); n > 0; --n)
      text += random_number(random) + (n > 1 ? (random.below(2) == 0 ? "," : " , ") : " ");
    text += "]";
    const auto length = read_number_list(text + " tail", values);
    ASSERT_EQ(length, text.size()) << text;
    const auto expected = nlohmann::json::parse(text).get<std::vector<double>>();
    ASSERT_EQ(values, expected) << text;
  }
}

TEST(Numbers, WhatIsNoListOfNumbersIsLeftToTheJsonLibrary) {
  std::vector<double> values;
  for (const char* text : {"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[[1]]", "[null]",
                           "[\"1\"]", "[1e999]", "{\"a\":1}", "1"}) {
    EXPECT_FALSE(read_number_list(text, values)) << text;
  }
}

// The same lines, some of them in ways that take the JSON library, give the same rows.
TEST(Numbers, ObjectsGiveTheirListWhateverStandsAroundIt) {
  for (const char* line :
       {R"({"embedding":[1,2.5,-3e2]})", R"({"id":"a","embedding":[1,2.5,-3e2]})",
        R"({"embedding":[1,2.5,-3e2],"id":"a","note":"[9] \" {"})",
        R"({"other":[7,7,7,7],"embedding":[1,2.5,-3e2]})",
        R"({"meta":{"embedding":[9,9]},"embedding":[1,2.5,-3e2]})",
        R"({"embedding":[4],"embedding":[1,2.5,-3e2]})", " [1, 2.5 ,-3e2] "}) {
    const auto bytes = testing::bytes_of(std::string(line) + "\n");
    const auto source = open_embeddings(bytes, "made.jsonl");
    ASSERT_TRUE(source.ok()) << line;
    ASSERT_EQ((*source)->dimension(), 3u) << line;
    math::Matrix<double> block(1, 3);
    ASSERT_EQ(*(*source)->read(block.view()), 1u) << line;
    EXPECT_EQ(block[0][0], 1.0) << line;
    EXPECT_EQ(block[0][1], 2.5) << line;
    EXPECT_EQ(block[0][2], -300.0) << line;
  }
}

}  // namespace
}  // namespace paco::io
