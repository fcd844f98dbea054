// Files that do not belong together are noticed by what decisions carry.
#include "evaluate/stream_outline.hpp"

#include <gmock/gmock.h>

#include "core/files.hpp"
#include "temporary_folder.hpp"

namespace paco::evaluate {
namespace {

using ::testing::HasSubstr;

// Rows of a decisions file: two of known classes, then a category that is born and met again.
const std::string kHeader =
    "sequence,sample,verdict,category,name,branch,route,score,threshold,runner_up,"
    "assignment_score,runner_up_score,tau_birth,top_cosine,margin,birth_score,attach_score\n";
const std::string kRows[] = {
    "0,a,known,0,wren,known_only,known_only,0.5,0.3,0,1,0.5,-3,0.9,0.5,,\n",
    "1,b,known,1,owl,known_only,known_only,0.5,0.3,0,1,0.5,-3,0.9,0.5,,\n",
    "2,c,created,2,category 2,create,all,-3.4,-3,0,,,-3,0.2,0.1,-3.4,\n",
    "3,d,existing,2,category 2,attach,all,2,1,2,,,-3,0.3,0.1,-3.2,2\n"};

class StreamOutlineTest : public ::testing::Test {
 protected:
  std::string put(const std::vector<int>& rows) {
    std::string text = kHeader;
    for (const int row : rows) text += kRows[row];
    const std::string path = folder_ / "decisions.csv";
    EXPECT_TRUE(core::write_file(path, text).ok());
    return path;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(StreamOutlineTest, RowsInAnyOrderAreTheSameStream) {
  const auto table = read_stream_decisions(put({3, 1, 0, 2}));
  ASSERT_TRUE(table.ok());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(table->decisions[i].sequence, i);
    EXPECT_EQ(table->samples[i], std::string(1, static_cast<char>('a' + i)));
  }
  EXPECT_EQ(table->names[1], "owl");
}

TEST_F(StreamOutlineTest, AStreamMayBeginAnywhereButHasNoRowTwiceAndNoGap) {
  EXPECT_TRUE(read_stream_decisions(put({2, 3})).ok());
  const auto twice = read_stream_decisions(put({0, 1, 2, 1}));
  ASSERT_FALSE(twice.ok());
  EXPECT_THAT(twice.error().message, HasSubstr("sequence number 1"));
  const auto gap = read_stream_decisions(put({0, 3}));
  ASSERT_FALSE(gap.ok());
  EXPECT_THAT(gap.error().message, HasSubstr("0 comes 3"));
}

TEST_F(StreamOutlineTest, ANumberOfKnownClassesIsContradictedFromBothSides) {
  const auto table = read_stream_decisions(put({0, 1, 2, 3})).value();
  EXPECT_TRUE(check_known(table, "d", {2, {}, "--known"}).ok());
  for (const std::size_t classes : {0, 1, 3, 100}) {
    const auto checked = check_known(table, "d", {classes, {}, "--known"});
    ASSERT_FALSE(checked.ok()) << classes;
    EXPECT_EQ(checked.error().code, ErrorCode::mismatch);
    EXPECT_THAT(checked.error().message, HasSubstr("--known"));
  }
}

TEST_F(StreamOutlineTest, AModelWithOtherNamesIsAnotherModel) {
  const auto table = read_stream_decisions(put({0, 1, 2, 3})).value();
  const std::vector<std::string> same = {"wren", "owl"}, other = {"owl", "wren"};
  EXPECT_TRUE(check_known(table, "d", {2, same, "m.paco"}).ok());
  const auto checked = check_known(table, "d", {2, other, "m.paco"});
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("'wren'"));
}

TEST_F(StreamOutlineTest, IdsAloneContradictNothing) {
  io::DecisionTable table = read_stream_decisions(put({0, 1, 2, 3})).value();
  table.detailed = false;
  EXPECT_TRUE(check_known(table, "d", {1, {}, "--known"}).ok());
}

TEST_F(StreamOutlineTest, TwoPartsOfAStreamAreNotTheSameStream) {
  const StreamExtent first = extent_of(read_outline(put({0, 1})).value());
  const StreamExtent second = extent_of(read_outline(put({2, 3})).value());
  const StreamExtent longer = extent_of(read_outline(put({1, 2, 3})).value());
  EXPECT_TRUE(check_same_stream(first, "a", first, "b").ok());
  EXPECT_FALSE(check_same_stream(first, "a", second, "b").ok());
  EXPECT_FALSE(check_same_stream(first, "a", longer, "b").ok());
}

TEST_F(StreamOutlineTest, AnOutlineSaysWhatTheTableSaysInWhateverOrderTheRowsAre) {
  for (const std::vector<int>& rows : {std::vector{0, 1, 2, 3}, {3, 1, 0, 2}, {1, 2, 3}}) {
    const std::string path = put(rows);
    const auto table = read_stream_decisions(path).value();
    const auto outline = read_outline(path).value();
    ASSERT_EQ(outline.categories.size(), table.decisions.size());
    EXPECT_EQ(outline.first, table.decisions[0].sequence);
    EXPECT_EQ(outline.samples, table.samples);
    for (std::size_t i = 0; i < table.decisions.size(); ++i) {
      const CategoryId category = table.decisions[i].category;
      EXPECT_EQ(outline.categories[i], category);
      EXPECT_EQ(outline.names[static_cast<std::size_t>(category)], table.names[i]);
    }
  }
}

TEST_F(StreamOutlineTest, AnOutlineRefusesWhatTheTableRefuses) {
  EXPECT_FALSE(read_outline(put({0, 1, 2, 1})).ok());
  EXPECT_FALSE(read_outline(put({0, 3})).ok());
  const std::vector<std::string> same = {"wren", "owl"}, other = {"owl", "wren"};
  for (const std::vector<int>& rows : {std::vector{0, 1, 2, 3}, {3, 1, 0, 2}}) {
    const std::string path = put(rows);
    EXPECT_TRUE(read_outline(path, KnownClaim{2, same, "m.paco"}).ok());
    EXPECT_FALSE(read_outline(path, KnownClaim{2, other, "m.paco"}).ok());
    EXPECT_FALSE(read_outline(path, KnownClaim{1, {}, "--known"}).ok());
  }
}

TEST_F(StreamOutlineTest, IdsThatAreArrivalNumbersAreNotKept) {
  const std::string path = folder_ / "numbered.csv";
  std::string text = kHeader;
  for (const char* row : {"7,7,known,0,wren", "8,8,known,0,wren"})
    text += std::string(row) + ",known_only,known_only,0.5,0.3,0,1,0.5,-3,0.9,0.5,,\n";
  ASSERT_TRUE(core::write_file(path, text).ok());
  const auto outline = read_outline(path);
  ASSERT_TRUE(outline.ok()) << outline.error().message;
  EXPECT_EQ(outline->first, 7u);
  EXPECT_TRUE(outline->samples.empty());
}

}  // namespace
}  // namespace paco::evaluate
