// Every byte of one small file per format is flipped, and the file is cut at every length. The
// parser must answer each time with an error that says something, or with valid data; under the
// sanitizers this is the proof that it never reads where it should not.
#include <gmock/gmock.h>

#include "data_files.hpp"
#include "parsers.hpp"

namespace paco::io {
namespace {

class Damage : public ::testing::TestWithParam<std::string_view> {
 protected:
  // The smallest file of the parser's corpus.
  std::vector<std::byte> small_file() const {
    std::vector<std::byte> smallest;
    for (const std::string& path : testing::corpus_files(std::string(GetParam()))) {
      auto bytes = testing::file_bytes(path);
      if (smallest.empty() || bytes.size() < smallest.size()) smallest = std::move(bytes);
    }
    return smallest;
  }
  void expect_an_answer(const std::vector<std::byte>& bytes, const std::string& what) const {
    const auto result = fuzz::parse_as(GetParam(), bytes);
    if (!result.ok()) {
      EXPECT_THAT(result.error().message, ::testing::HasSubstr("input")) << what;
      EXPECT_FALSE(result.error().hint.empty()) << what << ": " << result.error().message;
    }
  }
};

TEST_P(Damage, EveryFileOfTheCorpusIsValid) {
  for (const std::string& path : testing::corpus_files(std::string(GetParam()))) {
    if (path.ends_with("idx/labels") || path.ends_with(".gz"))
      continue;  // read in pairs, or unpacked first
    const auto result = fuzz::parse_as(GetParam(), testing::file_bytes(path));
    EXPECT_TRUE(result.ok()) << path << ": " << result.error().message;
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
