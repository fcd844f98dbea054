// Labels are numbers or names, of every format; wrong ones are named.
#include "io/labels.hpp"

#include <gmock/gmock.h>

#include "data_files.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Labels> labels_in(const std::string& text, const std::vector<std::string>& first = {}) {
  return parse_labels(testing::bytes_of(text), "made", first);
}

TEST(Labels, NumbersAreKept) {
  for (const char* name :
       {"labels/int64.npy", "labels/uint8.npy", "labels/column.npy", "labels/numbers.txt",
        "npz/stored.npz", "safetensors/bf16.safetensors"}) {
    const auto labels = read_labels(testing::corpus(name));
    ASSERT_TRUE(labels.ok()) << labels.error().message;
    EXPECT_THAT(labels->ids, ElementsAre(1, 0, 1)) << name;
    EXPECT_THAT(labels->names, ElementsAre("0", "1")) << name;
  }
}

TEST(Labels, NamesAreNumberedInTheirOwnOrder) {
  const std::pair<const char*, const char*> cases[] = {
      {"labels/unicode.npy", "äpple"},
      {"labels/bytes.npy", "apple"},
      {"labels/names.txt", "Black footed Albatross"},
      {"labels/table.csv", "apple, red"},
      {"labels/lines.jsonl", "apple"},
      {"labels/list.json", "apple"}};
  for (const auto& [name, other] : cases) {
    const auto labels = read_labels(testing::corpus(name));
    ASSERT_TRUE(labels.ok()) << labels.error().message;
    std::vector<std::string> words;
    for (std::int64_t id : labels->ids) words.push_back(labels->names[id]);
    EXPECT_THAT(words, ElementsAre("kiwi", other, "kiwi")) << name;
    EXPECT_TRUE(std::is_sorted(labels->names.begin(), labels->names.end())) << name;
  }
}

TEST(Labels, KnownNamesComeFirstAndInTheirOrder) {
  const auto labels = labels_in("b\nz\na\nc\n", {"c", "b"});
  ASSERT_TRUE(labels.ok());
  EXPECT_THAT(labels->names, ElementsAre("c", "b", "a", "z"));
  EXPECT_THAT(labels->ids, ElementsAre(1, 3, 2, 0));
}

TEST(Labels, NumbersTakeTheKnownNames) {
  const auto labels = labels_in("2\n0\n", {"ant", "bee"});
  ASSERT_TRUE(labels.ok());
  EXPECT_THAT(labels->names, ElementsAre("ant", "bee", "2"));
}

TEST(Labels, OneWordAmongNumbersMakesAllOfThemNames) {
  const auto labels = labels_in("10\n9\nunknown\n");
  ASSERT_TRUE(labels.ok());
  EXPECT_THAT(labels->names, ElementsAre("10", "9", "unknown"));
}

// One label a line: separators belong to it.
TEST(Labels, NamesKeepEveryCharacter) {
  const std::vector<std::string> names[] = {
      {"Gull, Herring", "Gull, Ring-billed", "Tern, Herring", "Gull, Herring"},
      {"Gull;Herring", "Gull;Ring-billed", "Tern;Herring", "Tern;Herring"},
      {"Gull\tHerring", "Gull\tRing-billed", "Tern\tHerring", "Tern\tHerring"},
      {"plain", "with, comma", "with; both, of them", "plain"},
      {"[red] bird", "[blue] bird", "[red] bird"},
      {"[1] bird", "[2] bird", "[1] bird"},
      {"{a} bird", "b", "b"},
      {"#ant", "#bee", "#ant"},
      {"# ant", "bee", "# ant"},
      {"one # two", "b", "b"}};
  for (const auto& words : names) {
    std::string text;
    for (const std::string& word : words) text += word + "\n";
    const auto labels = labels_in(text);
    ASSERT_TRUE(labels.ok()) << text << labels.error().message;
    std::vector<std::string> back;
    for (const std::int64_t id : labels->ids) back.push_back(labels->names[id]);
    EXPECT_EQ(back, words) << text;
  }
}

TEST(Labels, CommentsOnTopAndListsOverManyLinesAreUnderstood) {
  EXPECT_THAT(labels_in("# made by hand\n#\nb\na\n")->names, ElementsAre("a", "b"));
  EXPECT_THAT(labels_in("[\n  \"b\",\n  \"a\"\n]\n")->ids, ElementsAre(1, 0));
  EXPECT_THAT(labels_in("# ids\n2\n0\n")->ids, ElementsAre(2, 0));
}

TEST(Labels, BadOnesAreNamedWithTheirPlace) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "is empty"},
      {"\n\n", "no labels"},
      {"1\n-1\n", "row 1: -1 is not a class number"},
      {"1\n99999999999\n", "row 1: 99999999999"},
      {"a,b,c\n", "which field is the label?"},
      {"x,kiwi\ny,apple\nz,kiwi\n", "every line has 2 fields and no line occurs twice"},
      {"id,label\nx,kiwi\ny,apple,red\n", "line 3 (row 1) has 3 fields"},
      {"{\"label\": \"kiwi\"\n", "line 1 is not JSON"},
      {"{\"name\":\"kiwi\"}\n", "line 1 has a label that is neither"},
      {"[1.5]\n", "neither text nor integer"},
      {testing::npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
                         std::string(4, '\0')),
       "float32"},
      {testing::npy_with("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }",
                         std::string(4, '\0')),
       "one dimension"},
      {testing::npy_with(
           "{'descr': '<i8', 'fortran_order': False, 'shape': (1152921504606846976,), }", "x"),
       "needs 9223372036854775808 bytes"}};
  for (const auto& [text, said] : cases) {
    const auto labels = labels_in(text);
    ASSERT_FALSE(labels.ok()) << said;
    EXPECT_THAT(labels.error().message, HasSubstr(said));
    EXPECT_THAT(labels.error().message, HasSubstr("made"));
    EXPECT_FALSE(labels.error().hint.empty()) << said;
  }
}

TEST(ClassNames, TheLineIsTheNumber) {
  testing::TemporaryFolder folder;
  ASSERT_TRUE(
      core::write_file(folder / "names.txt", "T-shirt, top\r\n  two words \nlast\n\n").ok());
  EXPECT_THAT(*read_class_names(folder / "names.txt"),
              ElementsAre("T-shirt, top", "  two words", "last"));
  ASSERT_TRUE(core::write_file(folder / "names.json", "[\"a\", \"b\"]").ok());
  EXPECT_THAT(*read_class_names(folder / "names.json"), ElementsAre("a", "b"));
}

TEST(ClassNames, MayBeginWithBracketsAndMarks) {
  testing::TemporaryFolder folder;
  ASSERT_TRUE(core::write_file(folder / "names.txt", "[red] bird\n#two\n{three}\n").ok());
  EXPECT_THAT(*read_class_names(folder / "names.txt"),
              ElementsAre("[red] bird", "#two", "{three}"));
}

TEST(ClassNames, GapsAndRepeatsAreRefused) {
  testing::TemporaryFolder folder;
  ASSERT_TRUE(core::write_file(folder / "gap.txt", "a\n\nb\n").ok());
  EXPECT_THAT(read_class_names(folder / "gap.txt").error().message, HasSubstr("line 2 is blank"));
  ASSERT_TRUE(core::write_file(folder / "twice.txt", "a\nb\na\n").ok());
  EXPECT_THAT(read_class_names(folder / "twice.txt").error().message,
              HasSubstr("line 3: class 'a'"));
}

}  // namespace
}  // namespace paco::io
