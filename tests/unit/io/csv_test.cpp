// Tables of text are read as pandas, spreadsheets and people write them, and names read back.
#include "io/csv.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/random.hpp"
#include "data_files.hpp"
#include "io/embedding_writer.hpp"
#include "io/embeddings.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Table {
  std::vector<double> numbers;
  std::size_t columns = 0;
  std::vector<std::string> ids, notes;
};

Result<Table> read_table(const std::string& text) {
  const auto bytes = testing::bytes_of(text);
  const auto source = open_embeddings(bytes, "made");
  if (!source.ok()) return source.error();
  Table table;
  table.columns = (*source)->dimension();
  table.notes = (*source)->notes();
  math::Matrix<double> block(100, table.columns);
  const auto count = (*source)->read(block.view(), &table.ids);
  if (!count.ok()) return count.error();
  table.numbers.assign(block.data(), block.data() + *count * table.columns);
  return table;
}

// Whatever bytes a name has, a written table gives them back.
TEST(Csv, EveryNameReadsBackByteForByte) {
  testing::TemporaryFolder folder;
  constexpr std::string_view kLikely = "\n\r\t \",;#=+-@'\\a1[{.\x01\x1b\x7f\xc3\xa4\xff";
  core::Random random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> ids(3);
    for (std::string& id : ids) {
      id.resize(random.below(12));
      for (char& c : id) c = kLikely[random.below(kLikely.size())];
    }
    const std::string path = folder / "a.csv";
    const math::Matrix<double> numbers(3, 60, math::Matrix<double>::Numbers(180, 0.5));
    auto writer = create_embeddings(path, 60);
    ASSERT_TRUE((*writer)->append(numbers, ids).ok());
    ASSERT_TRUE((*writer)->commit().ok());
    auto source = open_embeddings(path);
    ASSERT_TRUE(source.ok()) << "round " << round << ": " << source.error().message;
    math::Matrix<double> block(4, 60);
    std::vector<std::string> back;
    const auto count = (*source)->read(block.view(), &back);
    ASSERT_TRUE(count.ok()) << "round " << round << ": " << count.error().message;
    EXPECT_EQ(back, ids) << "round " << round;
  }
}

// Quotes keep a name whole; an apostrophe before it would make it another name.
TEST(Csv, WhatASpreadsheetMayTakeForAFormulaIsQuotedAndNothingIsAdded) {
  EXPECT_EQ(csv_field("=1+1"), "\"=1+1\"");
  EXPECT_EQ(csv_field("@name"), "\"@name\"");
  EXPECT_EQ(csv_field("+x"), "\"+x\"");
  EXPECT_EQ(csv_field("-x"), "\"-x\"");
  EXPECT_EQ(csv_field("-1.5"), "-1.5");
  EXPECT_EQ(csv_field("plain"), "plain");
}

TEST(Csv, ColumnNamesOfPandasAreNoSample) {
  const auto bare = read_table("0,1,2,3\n0.5,1,2,3\n");
  ASSERT_TRUE(bare.ok()) << bare.error().message;
  EXPECT_THAT(bare->numbers, ElementsAre(0.5, 1, 2, 3));
  ASSERT_EQ(bare->notes.size(), 1u);
  EXPECT_THAT(bare->notes[0], HasSubstr("made: line 1 counts the columns"));
  for (const char* head : {"id,0,1,2\n", "index,0,1,2\n", ",0,1,2\n", "Unnamed: 0,0,1,2\n"}) {
    const auto named = read_table(std::string(head) + "7,0.5,1,2\n");
    ASSERT_TRUE(named.ok()) << head << named.error().message;
    EXPECT_THAT(named->numbers, ElementsAre(0.5, 1, 2)) << head;
    EXPECT_THAT(named->ids, ElementsAre("7")) << head;
  }
  const auto labelled = read_table("0,1,2,label\n0.5,1,2,kiwi\n");
  ASSERT_TRUE(labelled.ok()) << labelled.error().message;
  EXPECT_THAT(labelled->numbers, ElementsAre(0.5, 1, 2));
}

TEST(Csv, NumbersThatOnlyHappenToCountStayNumbers) {
  EXPECT_THAT(read_table("0,1,2,3\n4,5,6,7\n")->numbers, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(read_table("0,1\n0.5,0.5\n")->numbers, ElementsAre(0, 1, 0.5, 0.5));
  EXPECT_THAT(read_table("0,1,2,3\n")->numbers, ElementsAre(0, 1, 2, 3));
}

TEST(Csv, AnIndexOfPandasIsNoValue) {
  for (const char* head : {"index", "Index", "Unnamed: 0"}) {
    const auto table = read_table(std::string(head) + ",x0,x1\n0,0.5,1\n1,2,3\n");
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(table->columns, 2u) << head;
    EXPECT_THAT(table->ids, ElementsAre("0", "1")) << head;
    ASSERT_EQ(table->notes.size(), 1u) << head;
    EXPECT_THAT(table->notes[0], HasSubstr("index of the rows"));
  }
  const auto both = read_table(",id,x0,x1\n0,a,0.5,1\n1,b,2,3\n");
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(both->columns, 2u);
  EXPECT_THAT(both->ids, ElementsAre("a", "b"));
  ASSERT_EQ(both->notes.size(), 1u);
  EXPECT_THAT(both->notes[0], HasSubstr("left out"));
  // Elsewhere, or with a fraction below it, it is a value like others.
  EXPECT_EQ(read_table("x0,index\n0.5,1\n")->columns, 2u);
  EXPECT_EQ(read_table("index,x0\n1.33,2\n")->columns, 2u);
}

TEST(Csv, ALineOfFarTooManyFieldsIsGivenUpEarly) {
  std::string line;
  for (std::size_t i = 0; i < kMaxFields + 100; ++i) line += "1,";
  const auto table = read_table(line + "1\n");
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(table.error().message, HasSubstr("made: line 1 has more than"));
}

TEST(Csv, DecimalCommasAreNamedWithTheRemedy) {
  for (const char* text : {"1,5;2,5\n", "1,5;2,5\n3,5;4,5\n", "a;b\n1,5;2\n", "1,5\t2,5\n",
                           "1,5 2,5\n3,5 4,5\n", "id;x\na;-0,25\n"}) {
    const auto table = read_table(text);
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_THAT(table.error().message, HasSubstr("decimal comma")) << text;
    EXPECT_THAT(table.error().hint, HasSubstr("decimal point")) << text;
  }
  EXPECT_TRUE(read_table("\"a, b\";1\n").ok()) << "a name may have a comma";
}

// The same table with its names and labels at every place, and with rows that are not plain.
TEST(Csv, ColumnsAroundTheNumbersChangeNoNumber) {
  const std::string written[] = {"0.125", "-2.5e-3", "0.12345678901234567", "7"};
  const std::vector<double> expected{0.125, -2.5e-3, 0.12345678901234567, 7};
  for (std::size_t id = 0; id <= 4; ++id) {
    for (std::size_t label = 0; label <= 4; ++label) {
      for (const char* name : {"a", " b ", "\"c\"", "\"d,e\"", "7"}) {
        std::string head, row;
        for (std::size_t i = 0; i <= 4; ++i) {
          if (id == i) head += ",id", row += fmt::format(",{}", name);
          if (label == i) head += ",label", row += ",x";
          if (i < 4) head += fmt::format(",v{}", i), row += "," + written[i];
        }
        const std::string text = head.substr(1) + "\n" + row.substr(1) + "\n" + row.substr(1);
        const auto table = read_table(text + "\n");
        ASSERT_TRUE(table.ok()) << text << table.error().message;
        ASSERT_EQ(table->columns, 4u) << text;
        const std::vector<double> second(table->numbers.begin() + 4, table->numbers.end());
        EXPECT_EQ(second, expected) << text;
        EXPECT_EQ(table->ids[1], table->ids[0]) << text;
        EXPECT_EQ(read_table(text + ",1\n").error().message,
                  "made: line 3 (row 1) has 7 fields, the first has 6");
      }
    }
  }
}

TEST(Csv, ARowThatIsPassedOverLeavesTheNextAsItIs) {
  const std::string text = "a,b\n1,2\n\n3,\"x\ny\"\r\n \n4,5\n6,7";
  const auto reader_of = [&] {
    return CsvReader(ByteStream::from_bytes(std::as_bytes(std::span(text)), "x.csv"), false);
  };
  std::vector<std::string_view> fields;
  for (unsigned mask = 0; mask < 32; ++mask) {  // which of the five rows are passed over
    SCOPED_TRACE(mask);
    CsvReader all = reader_of(), some = reader_of();
    for (unsigned row = 0; row < 6; ++row) {
      const bool more = all.next(fields).value();
      const std::vector<std::string> expected(fields.begin(), fields.end());
      EXPECT_EQ(more, row < 5);
      if ((mask >> row & 1) != 0) {
        EXPECT_EQ(some.skip().value(), more);
      } else {
        EXPECT_EQ(some.next(fields).value(), more);
        EXPECT_EQ(std::vector<std::string>(fields.begin(), fields.end()), expected);
      }
      EXPECT_EQ(some.line(), all.line());
    }
  }
}

}  // namespace
}  // namespace paco::io
