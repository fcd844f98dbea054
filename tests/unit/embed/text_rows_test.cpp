// Texts come out of tables, JSON lines and plain lines as they stand there; what is no text is
// named by its row.
#include "embed/text/text_rows.hpp"

#include <gmock/gmock.h>

namespace paco::embed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<TextRows> read(const std::string& name, const std::string& text,
                      const TextColumns& columns = {}) {
  return parse_text_rows(io::ByteStream::from_bytes(std::as_bytes(std::span(text)), name), name,
                         columns);
}

std::string message_of(const Result<TextRows>& rows) {
  return rows.ok() ? "accepted" : rows.error().message + " | " + rows.error().hint;
}

TEST(TextRows, AQuotedFieldOfATableKeepsItsCommasQuotesAndLineBreaks) {
  const auto rows = read(
      "t.csv", "label,text\ncard,\"Where is it, \"\"my\"\" card?\nGone\"\n,plain\n", {"", "label"});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(rows->texts, ElementsAre("Where is it, \"my\" card?\nGone", "plain"));
  EXPECT_THAT(rows->labels, ElementsAre("card", ""));
  EXPECT_THAT(rows->rows, ElementsAre(0, 1));
}

TEST(TextRows, TheOnlyColumnNeedsNoNameAndAnyScriptPasses) {
  const auto rows = read("t.csv", "utterance\n私のカードはどこ\nГде моя карта\n");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(rows->texts, ElementsAre("私のカードはどこ", "Где моя карта"));
}

TEST(TextRows, JsonLinesAreObjectsOrTexts) {
  const auto rows = read("t.jsonl",
                         "{\"body\": \"lost\\u00e9\", \"kind\": 3}\n\n{\"body\": \"found\", "
                         "\"kind\": null}\n",
                         {"body", "kind"});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(rows->texts, ElementsAre("losté", "found"));
  EXPECT_THAT(rows->labels, ElementsAre("3", ""));
  const auto plain = read("t.jsonl", "\"one\"\n\"two\"\n");
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_THAT(plain->texts, ElementsAre("one", "two"));
  EXPECT_THAT(plain->labels, IsEmpty());
}

TEST(TextRows, AMissingColumnIsNamedWithThoseThatAreThere) {
  EXPECT_THAT(message_of(read("t.csv", "a,b\n1,2\n")), HasSubstr("no column \"text\""));
  EXPECT_THAT(message_of(read("t.csv", "a,b\n1,2\n")), HasSubstr("it has a, b"));
  EXPECT_THAT(message_of(read("t.csv", "text,b\n1,2\n", {"", "class"})),
              HasSubstr("choose one with --label-column"));
  EXPECT_THAT(message_of(read("t.jsonl", "{\"words\": \"x\"}\n")), HasSubstr("line 1"));
  EXPECT_THAT(message_of(read("t.txt", "one\n", {"text", ""})), HasSubstr("no columns"));
  EXPECT_THAT(message_of(read("t.pdf", "one\n")), HasSubstr("t.pdf"));
}

TEST(TextRows, WhatIsNoTextIsSetApartWithItsRow) {
  const std::string large(kMostTextBytes + 1, 'a');
  const auto rows = read(
      "t.csv", "id,text\n1,good\n2,\n3,\"\xe2\x80\x8b \"\n4,bad\xff\n5," + large + "\n6,last\n");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(rows->texts, ElementsAre("good", "last"));
  EXPECT_THAT(rows->rows, ElementsAre(0, 5));
  ASSERT_EQ(rows->skipped.size(), 4u);
  EXPECT_EQ(rows->skipped[0].error.message, "t.csv: row 1: its text is empty");
  EXPECT_EQ(rows->skipped[1].row, 2u);
  EXPECT_THAT(rows->skipped[2].error.message, HasSubstr("no UTF-8 at byte 3"));
  EXPECT_THAT(rows->skipped[3].error.message, HasSubstr("1048577 bytes"));
}

TEST(TextRows, ATextWithAZeroIsNone) {
  EXPECT_EQ(text_fault(std::string_view("a\0b", 3)), "its text has a zero at byte 1");
}

TEST(TextRows, ARowOfAnotherLengthAndAFileWithoutTextsAreRefused) {
  EXPECT_THAT(message_of(read("t.csv", "id,text\n1,one,two\n")), HasSubstr("line 2 has 3 fields"));
  EXPECT_THAT(message_of(read("t.csv", "")), HasSubstr("is empty"));
  EXPECT_THAT(message_of(read("t.csv", "text\n")), HasSubstr("there is no text"));
  EXPECT_THAT(message_of(read("t.csv", "text,label\n,x\n")), HasSubstr("row 0: its text is empty"));
  EXPECT_THAT(message_of(read("t.jsonl", "{\"text\": [1]}\n")), HasSubstr("is no text"));
  EXPECT_THAT(message_of(read("t.jsonl", "[1]\n")), HasSubstr("no JSON object"));
}

}  // namespace
}  // namespace paco::embed
