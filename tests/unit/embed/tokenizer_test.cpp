// Texts become pieces as BERT's tokenizer makes them, and vocabularies that ask for something else
// are refused by name. (57 recorded texts are in tests/golden/text_test.cpp.)
#include "embed/text/tokenizer.hpp"

#include <gmock/gmock.h>

#include "core/files.hpp"
#include "embed/text/unicode.hpp"
#include "temporary_folder.hpp"

namespace paco::embed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kPlenty = 100;
// The number of a piece is its line.
const char* const kWords =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\ncafe\n,\n卡\n##s\ncard\nÜber\nuber\n#\n";

Tokenizer words(const TokenizerOptions& options = {}) {
  auto tokenizer = Tokenizer::from_vocabulary(kWords, options, "vocab.txt");
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  return std::move(tokenizer).value();
}

std::string json_with(const std::string& normalizer, const std::string& cutter,
                      const std::string& model) {
  return R"({"normalizer": )" + normalizer + R"(, "pre_tokenizer": )" + cutter + R"(, "model": )" +
         model + "}";
}
const std::string kNormalizer = R"({"type": "BertNormalizer", "lowercase": true})";
const std::string kCutter = R"({"type": "BertPreTokenizer"})";
const std::string kModel =
    R"({"type": "WordPiece", "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "card": 3, "##s": 4}})";

TEST(Tokenizer, TakesTheLongestPiecesFromTheFront) {
  EXPECT_THAT(words().encode("unaffable", kPlenty).ids, ElementsAre(2, 4, 5, 6, 3));
  EXPECT_THAT(words().encode("cards, un", kPlenty).ids, ElementsAre(2, 11, 10, 8, 4, 3));
}

TEST(Tokenizer, AWordThatCannotBeMadeIsUnknownAsAWhole) {
  EXPECT_THAT(words().encode("unaffablex card", kPlenty).ids, ElementsAre(2, 1, 11, 3));
}

TEST(Tokenizer, CapitalsAndAccentsGoWhereTheVocabularyHasNone) {
  EXPECT_THAT(words().encode("CAFÉ Über", kPlenty).ids, ElementsAre(2, 7, 13, 3));
  TokenizerOptions exact;
  exact.lower_case = exact.strip_accents = false;
  EXPECT_THAT(words(exact).encode("Über", kPlenty).ids, ElementsAre(2, 12, 3));
  EXPECT_THAT(words(exact).encode("CAFÉ", kPlenty).ids, ElementsAre(2, 1, 3));
}

TEST(Tokenizer, ChineseCharactersAreWords) {
  EXPECT_THAT(words().encode("卡卡card", kPlenty).ids, ElementsAre(2, 9, 9, 11, 3));
}

TEST(Tokenizer, ControlCharactersAreNothingAndOtherWhiteSpaceIsSpace) {
  EXPECT_THAT(words().encode("ca\u200brd\u2003\x01un\u0007", kPlenty).ids,
              ElementsAre(2, 11, 4, 3));
}

TEST(Tokenizer, BytesThatAreNoUtf8AreNothing) {
  EXPECT_THAT(words().encode("ca\xff\xc0rd", kPlenty).ids, ElementsAre(2, 11, 3));
  EXPECT_EQ(invalid_utf8("ca\xffrd"), 2u);
  EXPECT_EQ(invalid_utf8("a\uFFFDb"), std::nullopt) << "a replacement that is written out is valid";
  EXPECT_EQ(invalid_utf8("\xed\xa0\x80"), 0u) << "half a pair of UTF-16";
}

TEST(Tokenizer, SpecialPiecesInATextArePlainWords) {
  EXPECT_THAT(words().encode("[SEP]", kPlenty).ids, ElementsAre(2, 1, 1, 1, 3));
}

TEST(Tokenizer, APieceFromTheMiddleOfWordsIsNoWord) {
  EXPECT_THAT(words().encode("##s", kPlenty).ids, ElementsAre(2, 14, 14, 1, 3));
}

TEST(Tokenizer, LongTextsAreCutBehindAndSaySo) {
  const auto tokens = words().encode("card card card card", 5);
  EXPECT_THAT(tokens.ids, ElementsAre(2, 11, 11, 11, 3));
  EXPECT_TRUE(tokens.cut);
  EXPECT_FALSE(words().encode("card card card", 5).cut);
}

TEST(Tokenizer, WordsOfMoreLettersThanTheLimitAreUnknown) {
  TokenizerOptions options;
  options.most_letters = 8;
  EXPECT_THAT(words(options).encode("unaffable cards", kPlenty).ids, ElementsAre(2, 1, 11, 10, 3));
}

TEST(Tokenizer, ReadsTokenizerJson) {
  const auto tokenizer =
      Tokenizer::from_json(json_with(kNormalizer, kCutter, kModel), "tokenizer.json");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  EXPECT_THAT(tokenizer->encode("Cards", kPlenty).ids, ElementsAre(1, 3, 4, 2));
  EXPECT_EQ(tokenizer->size(), 5u);
}

TEST(Tokenizer, WhatIsNotDoneHereIsRefusedByName) {
  const auto message = [](const std::string& text) {
    const auto tokenizer = Tokenizer::from_json(text, "t.json");
    return tokenizer.ok() ? "accepted" : tokenizer.error().message;
  };
  EXPECT_THAT(message(json_with(kNormalizer, kCutter, R"({"type": "BPE", "vocab": {}})")),
              HasSubstr("BPE"));
  EXPECT_THAT(message(json_with(R"({"type": "NFKC"})", kCutter, kModel)), HasSubstr("NFKC"));
  EXPECT_THAT(message(json_with(kNormalizer, R"({"type": "Metaspace"})", kModel)),
              HasSubstr("Metaspace"));
  EXPECT_THAT(
      message(json_with(kNormalizer, kCutter, R"({"type": "WordPiece", "vocab": {"a": -1}})")),
      HasSubstr("\"a\""));
  EXPECT_THAT(
      message(json_with(kNormalizer, kCutter, R"({"type": "WordPiece", "vocab": {"a": 0}})")),
      HasSubstr("[UNK]"));
  EXPECT_THAT(message("[1"), HasSubstr("t.json"));
}

TEST(Tokenizer, AFolderSaysHowItsVocabularyIsWritten) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(Tokenizer::open(folder.path()).error().message, HasSubstr("vocab.txt"));
  ASSERT_TRUE(core::write_file(folder / "vocab.txt", std::string_view(kWords)).ok());
  ASSERT_TRUE(core::write_file(folder / "tokenizer_config.json",
                               std::string_view(R"({"do_lower_case": false})"))
                  .ok());
  const auto tokenizer = Tokenizer::open(folder.path());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  EXPECT_FALSE(tokenizer->options().lower_case);
  EXPECT_FALSE(tokenizer->options().strip_accents);
}

}  // namespace
}  // namespace paco::embed
