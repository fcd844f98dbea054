// Every byte of one small file per format is flipped, and the file is cut at every length. The
// parser must answer each time with an error that says something, or with valid data; under the
// sanitizers this is the proof that it never reads where it should not.
#include <gmock/gmock.h>

#include <algorithm>

#include "data_files.hpp"
#include "parsers.hpp"

namespace paco::io {
namespace {

class Damage : public ::testing::TestWithParam<std::string_view> {
 protected:
  // The parser's seeds: those made by the program, or else the files of its corpus.
  static std::vector<fuzz::Seed> seeds() {
    std::vector<fuzz::Seed> seeds = fuzz::made_seeds(GetParam());
    if (!seeds.empty()) return seeds;
    for (const std::string& path : testing::corpus_files(std::string(GetParam())))
      seeds.push_back({path, testing::file_bytes(path)});
    return seeds;
  }
  static std::vector<std::byte> small_file() {
    const auto all = seeds();
    return std::ranges::min_element(all, {},
                                    [](const fuzz::Seed& seed) { return seed.bytes.size(); })
        ->bytes;
  }
  void expect_an_answer(const std::vector<std::byte>& bytes, const std::string& what) const {
    const auto result = fuzz::parse_as(GetParam(), bytes);
    if (!result.ok()) {
      EXPECT_THAT(result.error().message, ::testing::HasSubstr("input")) << what;
      EXPECT_FALSE(result.error().hint.empty()) << what << ": " << result.error().message;
    }
  }
};

TEST_P(Damage, EverySeedIsValid) {
  for (const fuzz::Seed& seed : seeds()) {
    if (seed.name.ends_with("idx/labels") || seed.name.ends_with(".gz"))
      continue;  // read in pairs, or unpacked first
    const auto result = fuzz::parse_as(GetParam(), seed.bytes);
    EXPECT_TRUE(result.ok()) << seed.name << ": " << result.error().message;
  }
}

TEST_P(Damage, EveryByteMayBeFlipped) {
  auto bytes = small_file();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned mask : {0x01u, 0x80u, 0xffu}) {
      bytes[i] ^= static_cast<std::byte>(mask);
      expect_an_answer(bytes, "byte " + std::to_string(i) + " flipped by " + std::to_string(mask));
      bytes[i] ^= static_cast<std::byte>(mask);
    }
  }
}

TEST_P(Damage, TheFileMayEndAnywhere) {
  const auto bytes = small_file();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    expect_an_answer({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)},
                     "cut at " + std::to_string(length));
  }
}

INSTANTIATE_TEST_SUITE_P(Parsers, Damage, ::testing::ValuesIn(fuzz::kParsers),
                         [](const auto& parser) { return std::string(parser.param); });

}  // namespace
}  // namespace paco::io
