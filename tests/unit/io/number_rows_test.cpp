// Rows and lists read in vectors are what reading one number after the other gives, bit for bit, on
// every instruction set of this machine; and so is what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "../math/targets.hpp"
#include "core/random.hpp"
#include "io/numbers.hpp"

namespace paco::io {
namespace {

constexpr std::size_t kFormats = 12;

// As programs print an embedding; `format` chooses how.
std::string printed(core::Random& random, std::size_t format) {
  const double value = random.uniform(-4, 4) * (random.below(20) == 0 ? 1e-5 : 1);
  switch (format) {
    case 0:
      return fmt::format("{:.7g}", value);
    case 1:
      return fmt::format("{:.6f}", value);
    case 2:
      return fmt::format("{:.8e}", value);
    case 3:
      return fmt::format("{:.18e}", value);
    case 4:
      return fmt::format("{}", static_cast<float>(value));
    case 5:
      return fmt::format("{}", value);
    case 6:
      return fmt::format("{:.7g}", 50 * value);
    case 7:
      return fmt::format("{}", static_cast<int>(100 * value));
    case 8:
      return fmt::format("{:.{}f}", value, random.below(30));
    case 9:
      return fmt::format("{:.{}e}", value * 1e-30, random.below(25));
    case 10:
      return fmt::format("-0.{}", std::string(random.below(20), '0') + "0");
    default:
      return printed(random, random.below(kFormats - 1));
  }
}

// The text at the end of a block of memory of its own, so that reading beyond it is noticed.
class Exact {
 public:
  explicit Exact(std::string_view text) : size_(text.size()), bytes_(new char[text.size()]) {
    std::copy(text.begin(), text.end(), bytes_.get());
  }
  std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// The same, one number after the other.
std::optional<std::vector<double>> plain_row(std::string_view text, char separator) {
  std::vector<double> values;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    double value = 0;
    if (end == 0 || read_number(text.substr(0, end), value) != end) return std::nullopt;
    values.push_back(value);
    if (end == text.size()) return values;
    text.remove_prefix(end + 1);
    if (separator != ' ' && text.starts_with(' ')) text.remove_prefix(1);
  }
}

// What the JSON library reads, but for numbers too small for a double, which it makes zeros.
std::optional<std::vector<double>> plain_list(std::string_view text) {
  const auto list = nlohmann::json::parse(text.substr(0, text.find(']') + 1), nullptr, false);
  if (!list.is_array() || text[0] != '[') return std::nullopt;
  for (const auto& value : list) {
    if (!value.is_number()) return std::nullopt;
  }
  auto values = list.get<std::vector<double>>();
  std::size_t at = 1;
  for (const double value : values) {
    at = text.find_first_not_of(" \t\r\n,", at);
    double again = 0;
    const std::size_t length = read_number(text.substr(at), again);
    if (value == 0 && length == 0) return std::nullopt;
    at = text.find_first_of(",]", at);
  }
  return values;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> all;
  for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}

void expect_same_row(const std::string& text, char separator) {
  const auto expected = plain_row(text, separator);
  const Exact exact(text);
  const auto count = static_cast<std::size_t>(std::count(text.begin(), text.end(), separator)) + 1;
  std::vector<double> values(count), fewer(count - 1), more(count + 1);
  ASSERT_EQ(read_number_row(exact.text(), separator, values), expected.has_value()) << text;
  if (expected) {
    ASSERT_EQ(bits(values), bits(*expected)) << text;
  }
  ASSERT_FALSE(read_number_row(exact.text(), separator, fewer)) << text;
  ASSERT_FALSE(read_number_row(exact.text(), separator, more)) << text;
}

void expect_same_list(const std::string& text, std::vector<double>& values) {
  const auto expected = plain_list(text);
  const Exact exact(text);
  const auto length = read_number_list(exact.text(), values);
  ASSERT_EQ(length.has_value(), expected.has_value()) << text;
  if (!expected) return;
  ASSERT_EQ(*length, text.find(']') + 1) << text;
  ASSERT_EQ(values, *expected) << text;
}

std::string random_row(core::Random& random, std::string_view separator) {
  const std::size_t format = random.below(kFormats);
  std::string text;
  for (std::size_t n = random.below(random.below(8) == 0 ? 900 : 60) + 1; n > 0; --n) {
    text += printed(random, format);
    if (n > 1) text += separator;
  }
  return text;
}

// One to three characters changed, put in or taken away.
std::string damaged(std::string text, core::Random& random) {
  constexpr std::string_view kLikely = "0123456789.-+eE,; \t\r\n\"[]{}x:/\0\xae\xff";
  for (std::size_t edits = 1 + random.below(3); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = random.below(text.size());
    const char c = kLikely[random.below(kLikely.size())];
    switch (random.below(3)) {
      case 0:
        text[at] = c;
        break;
      case 1:
        text.insert(at, 1, c);
        break;
      default:
        text.erase(at, 1);
    }
  }
  return text;
}

TEST(NumberRows, AreWhatOneNumberAfterTheOtherGives) {
  testing::for_every_target([] {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      SCOPED_TRACE(seed);
      core::Random random(seed);
      const std::string separator = std::vector<std::string>{",", ";", "\t", " ", ", "}[seed % 5];
      const std::string text = random_row(random, separator);
      ASSERT_TRUE(plain_row(text, separator[0])) << text;
      ASSERT_NO_FATAL_FAILURE(expect_same_row(text, separator[0]));
      for (int i = 0; i < 10; ++i)
        ASSERT_NO_FATAL_FAILURE(expect_same_row(damaged(text, random), separator[0]));
    }
  });
}

TEST(NumberRows, ListsAreWhatTheJsonLibraryGives) {
  testing::for_every_target([] {
    std::vector<double> values;  // kept from list to list, as readers do
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(seed);
      core::Random random(seed);
      const std::string text = "[" + random_row(random, seed % 2 == 0 ? "," : ", ") + "]";
      ASSERT_TRUE(plain_list(text)) << text;
      ASSERT_NO_FATAL_FAILURE(expect_same_list(text, values));
      for (int i = 0; i < 10; ++i)
        ASSERT_NO_FATAL_FAILURE(expect_same_list(damaged(text, random), values));
    }
  });
}

// Every byte at every place of a number, wherever in a vector that place is.
TEST(NumberRows, OneStrangeByteIsFoundAtEveryPlace) {
  const std::string number = "-0.1234567", before(45, '1'), behind(20, '2');
  for (std::size_t at = 0; at < number.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string strange = number;
      strange[at] = static_cast<char>(byte);
      for (std::size_t shift = 0; shift < 2; ++shift) {  // first and second of two
        const std::string text = before + (shift == 0 ? "," : ",0.5,") + strange + "," + behind;
        ASSERT_NO_FATAL_FAILURE(expect_same_row(text, ','));
      }
    }
  }
}

TEST(NumberRows, ManySeparatorsInAVectorAreAllFound) {
  for (std::size_t count = 1; count < 300; ++count) {
    std::string text = "7";
    for (std::size_t i = 1; i < count; ++i) text += ",7";
    ASSERT_NO_FATAL_FAILURE(expect_same_row(text, ','));
    ASSERT_NO_FATAL_FAILURE(expect_same_row(std::string(count, ','), ','));
  }
}

TEST(NumberRows, LongRowsGoOnWhereAStripEnds) {
  core::Random random(5);
  for (std::size_t shift = 0; shift < 40; ++shift) {
    std::string text = std::string(shift, '1');
    while (text.size() < 10'000) text += "," + printed(random, 0);
    text = text.substr(text.find_first_not_of(','));
    for (const std::size_t size : {2047u, 2048u, 2049u, 4095u, 4096u, 4097u, 9000u})
      ASSERT_NO_FATAL_FAILURE(expect_same_row(text.substr(0, size), ','));
  }
}

}  // namespace
}  // namespace paco::io
