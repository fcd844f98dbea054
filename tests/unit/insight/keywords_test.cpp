// Words of texts, and what tells the categories of a stream apart by them.
#include "insight/keywords.hpp"

#include <gmock/gmock.h>

#include "insight/insight.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::insight {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Keywords, WordsAreSmallLettersWithoutSignsNumbersAndSingleLetters) {
  EXPECT_THAT(words_of("My card's PIN, 4711 is b2b!"),
              ElementsAre("my", "card", "pin", "is", "b2b"));
  EXPECT_THAT(words_of("Überweisung — ÉTÉ Привет"), ElementsAre("überweisung", "été", "привет"));
  EXPECT_THAT(words_of("退款卡"), ElementsAre("退款", "款卡"));
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of("\xff\xfe 12 ..."), IsEmpty());
}

TEST(Keywords, AreWhatACategoryHasAndOthersHaveNotWhateverTheLanguage) {
  const std::vector<std::string> middles{"refund", "card", "transfer", "exchange", "password"};
  std::map<CategoryId, std::vector<std::string>> texts;
  for (std::size_t c = 0; c < middles.size(); ++c) {
    for (int i = 0; i < 12; ++i) {
      texts[static_cast<CategoryId>(c)].push_back("where is the " + middles[c] +
                                                  (i % 2 == 0 ? " pending" : " please") +
                                                  " der die das " + std::to_string(i));
    }
  }
  texts[0].push_back("unique");
  const Keywords found = keywords_of(texts);
  for (std::size_t c = 0; c < middles.size(); ++c) {
    const auto& own = found.at(static_cast<CategoryId>(c));
    EXPECT_EQ(own.front(), middles[c]);
    for (const char* stop : {"the", "is", "where", "der", "pending", "please"})
      EXPECT_THAT(own, Not(Contains(stop)));
  }
  EXPECT_THAT(found.at(0), Not(Contains("unique"))) << "one text is not enough";
  EXPECT_EQ(suggested_name(found, 1), "card");
  EXPECT_EQ(suggested_name(found, 99), "");
  EXPECT_EQ(suggested_name({{3, {"a", "b", "c", "d"}}}, 3), "a · b · c");
  EXPECT_THAT(keywords_of({}), IsEmpty());
}

// Half of the members of one category talk of herons.
TEST(Keywords, OfAStreamNameAnUnnamedCategoryUntilSomebodyDoes) {
  const testing::SyntheticData data = testing::make_data(
      {.dimension = 24, .known = 8, .novel = 4, .per_class = 12, .stream = 400, .noise = 0.35}, 5);
  const testing::TemporaryFolder folder;
  auto session = Session::create(folder / "s.journal", testing::calibrated(data.support_set()),
                                 "paco", {}, {});
  ASSERT_TRUE(session.ok()) << session.error().message;
  std::vector<Decision> decisions(data.stream.rows());
  std::vector<std::string> attributes;
  for (std::size_t i = 0; i < data.truth.size(); ++i) {
    attributes.push_back(data.truth[i] == 9 && i % 2 == 0 ? R"({"text": "a grey heron"})"
                                                          : R"({"text": "some bird", "n": 4})");
  }
  ASSERT_TRUE(session->decide(data.stream, decisions, {{}, {}, attributes}).ok());
  CategoryId herons = kNoId;
  for (const Decision& d : decisions) {
    if (data.truth[d.sequence] == 9) herons = d.category;
  }
  const auto asked = [&]() -> std::optional<Operation> {
    const auto insight = insight_of(*session);
    EXPECT_TRUE(insight.ok());
    for (const Suggestion& s : insight->suggestions) {
      if (s.kind == "name" && s.categories[0] == herons) return s.operation;
    }
    return std::nullopt;
  };
  const auto rename = asked();
  ASSERT_TRUE(rename);
  EXPECT_EQ(rename->name, "grey · heron");
  ASSERT_TRUE(session->apply(*rename).ok());
  EXPECT_FALSE(asked());
}

}  // namespace
}  // namespace paco::insight
