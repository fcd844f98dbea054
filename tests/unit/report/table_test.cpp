// One table, six spellings: values in full for programs, rounded for people, special characters
// safe everywhere.
#include "report/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace paco::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Table birds() {
  Table table{"birds",
              "Birds & more",
              {{"name", "name"},
               {"samples", "samples", Show::integer},
               {"share", "% right", Show::share},
               {"nmi", "NMI", Show::number, 3}},
              {}};
  table.add({std::string("robin"), std::int64_t{12}, 0.84375, 0.5});
  table.add({std::string("wren, \"small\"_|x"), std::int64_t{3}, Cell(), std::nan("")});
  return table;
}

TEST(Table, JsonKeepsValuesInFullAndUndefinedAsNull) {
  EXPECT_EQ(table_json(birds()).dump(),
            R"([{"name":"robin","samples":12,"share":0.84375,"nmi":0.5},)"
            R"({"name":"wren, \"small\"_|x","samples":3,"share":null,"nmi":null}])");
}

TEST(Table, CsvQuotesAndLeavesUndefinedEmpty) {
  EXPECT_EQ(table_csv(birds()),
            "name,samples,share,nmi\nrobin,12,0.84375,0.5\n\"wren, \"\"small\"\"_|x\",3,,\n");
}

TEST(Table, CsvNumbersReadBackExactly) {
  Table table{"t", "t", {{"x", "x", Show::share}}, {}};
  table.add({1.0 / 3});
  EXPECT_EQ(std::stod(table_csv(table).substr(2)), 1.0 / 3);
}

TEST(Table, LatexEscapesAndRounds) {
  const std::string latex = table_latex(birds());
  EXPECT_THAT(latex, HasSubstr("\\caption{Birds \\& more}"));
  EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lrrr}"));
  EXPECT_THAT(latex, HasSubstr("name & samples & \\% right & NMI \\\\"));
  EXPECT_THAT(latex, HasSubstr("robin & 12 & 84.4 & 0.500 \\\\"));
  EXPECT_THAT(latex, HasSubstr("\\_|x & 3 & - & - \\\\"));
}

TEST(Table, HtmlHasNoMarkupOfItsCells) {
  const std::string html = table_html(birds());
  EXPECT_THAT(html, HasSubstr("<caption>Birds &amp; more</caption>"));
  EXPECT_THAT(html, HasSubstr("<td>robin</td><td class=\"number\">12</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">84.4</td>"));
  Table table{"t", "t", {{"x", "x"}}, {}};
  table.add({std::string("<script>alert(1)</script>")});
  EXPECT_THAT(table_html(table), Not(HasSubstr("<script>")));
}

TEST(Table, LatexBreaksALongTableOverPages) {
  Table table{"t", "t", {{"x", "x", Show::integer}}, {}};
  for (std::int64_t row = 0; row < 60; ++row) table.add({row});
  EXPECT_THAT(table_latex(table), HasSubstr("\\begin{longtable}{r}"));
  EXPECT_THAT(table_latex(birds()), Not(HasSubstr("longtable")));
}

TEST(Table, MarkdownEscapesPipesAndAlignsNumbersRight) {
  const std::string markdown = table_markdown(birds());
  EXPECT_THAT(markdown,
              HasSubstr("| name | samples | % right | NMI |\n| --- | ---: | ---: | ---: |"));
  EXPECT_THAT(markdown, HasSubstr("| wren, \"small\"\\_\\|x | 3 | - | - |"));
}

TEST(Table, TextAlignsColumnsWithoutTrailingBlanks) {
  EXPECT_EQ(table_text(birds()),
            "Birds & more\n"
            "  name              samples  % right    NMI\n"
            "  ----------------  -------  -------  -----\n"
            "  robin                  12     84.4  0.500\n"
            "  wren, \"small\"_|x        3        -      -\n");
}

TEST(Table, TextCutsLongNamesByCharactersNotBytes) {
  Table table{"t", "t", {{"name", "name"}}, {}};
  table.add({std::string("Blåmes och Gräsand")});
  EXPECT_THAT(table_text(table, 8), HasSubstr("  Blåme...\n"));
}

TEST(Table, NotANumberIsNeverShown) {
  for (const TableFormat format : {TableFormat::json, TableFormat::csv, TableFormat::latex,
                                   TableFormat::markdown, TableFormat::text}) {
    EXPECT_THAT(write_tables({birds()}, format), Not(HasSubstr("nan")));
  }
}

TEST(Table, SeveralTablesInOneFileAreNamed) {
  EXPECT_THAT(write_tables({birds(), birds()}, TableFormat::csv),
              HasSubstr(",3,,\n\n# birds: Birds & more\nname,"));
  const auto json = nlohmann::json::parse(write_tables({birds()}, TableFormat::json));
  EXPECT_EQ(json["birds"].size(), 2u);
}

TEST(Table, ATableWithoutRowsIsStillATable) {
  const Table empty{"t", "nothing", {{"x", "x"}}, {}};
  EXPECT_EQ(table_json(empty).dump(), "[]");
  EXPECT_EQ(table_csv(empty), "x\n");
  EXPECT_EQ(table_text(empty), "nothing\n  x\n  -\n");
}

}  // namespace
}  // namespace paco::report
