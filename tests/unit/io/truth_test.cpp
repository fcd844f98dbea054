// Truth for all, for some, by name, by number; and files that do not belong to the stream.
#include "io/truth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.hpp"
#include "io/npy.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Three decisions of a stream that was resumed at its 10th sample; two known classes.
class TruthTest : public ::testing::Test {
 protected:
  Result<Truth> parse(std::string_view text, bool with_names = true) const {
    DecidedStream stream;
    stream.first = 10;
    stream.count = 3;
    stream.samples = samples_;
    if (with_names) stream.class_names = names_;
    return parse_truth(std::as_bytes(std::span(text)), "truth.csv", stream);
  }
  Error error_of(std::string_view text, bool with_names = true) const {
    const auto truth = parse(text, with_names);
    EXPECT_FALSE(truth.ok());
    return truth.ok() ? Error{ErrorCode::io, "", ""} : truth.error();
  }

  std::vector<std::string> samples_ = {"a.jpg", "b.jpg", "c.jpg"};
  std::vector<std::string> names_ = {"wren", "robin"};
};

TEST_F(TruthTest, AListOfNumbersIsInStreamOrderAndMinusOneIsUnknown) {
  const auto truth = parse("3\n-1\n0\n");
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_THAT(truth->labels, ElementsAre(3, kNoTruth, 0));
  EXPECT_THAT(truth->class_names, ElementsAre("wren", "robin"));
}

TEST_F(TruthTest, ATableBySequenceCoversSomeSamples) {
  const auto truth = parse("sequence,label\n12,5\n10,1\n");
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_THAT(truth->labels, ElementsAre(1, kNoTruth, 5));
}

TEST_F(TruthTest, ATableBySampleCoversSomeSamples) {
  const auto truth = parse("label,sample\nrobin,b.jpg\n");
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_THAT(truth->labels, ElementsAre(kNoTruth, 1, kNoTruth));
}

TEST_F(TruthTest, JsonLinesSayTheSame) {
  const auto truth = parse(
      "{\"sample\": \"c.jpg\", \"label\": \"owl\"}\n{\"sample\": \"a.jpg\", \"label\": null}\n");
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_THAT(truth->labels, ElementsAre(kNoTruth, kNoTruth, 2));
}

TEST_F(TruthTest, NamesOfKnownClassesKeepTheirIdsAndOthersFollow) {
  const auto truth = parse("robin\nowl\nduck\n");
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_THAT(truth->labels, ElementsAre(1, 3, 2));
  EXPECT_THAT(truth->class_names, ElementsAre("wren", "robin", "duck", "owl"));
}

TEST_F(TruthTest, AnIntegerArrayMayHoldMinusOne) {
  const testing::TemporaryFolder folder;
  const std::vector<std::int64_t> labels = {-1, 0, 7};
  ASSERT_TRUE(
      write_npy<std::int64_t>(folder / "y.npy", std::vector<std::uint64_t>{3}, labels).ok());
  const auto truth = read_truth(folder / "y.npy", {10, 3, samples_, names_});
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_THAT(truth->labels, ElementsAre(kNoTruth, 0, 7));
}

TEST_F(TruthTest, EmbeddingsInPlaceOfLabelsAreRefused) {
  const testing::TemporaryFolder folder;
  const std::vector<std::int64_t> rows(6);
  ASSERT_TRUE(
      write_npy<std::int64_t>(folder / "x.npy", std::vector<std::uint64_t>{3, 2}, rows).ok());
  const auto truth = read_truth(folder / "x.npy", {10, 3, samples_, names_});
  ASSERT_FALSE(truth.ok());
  EXPECT_THAT(truth.error().message, HasSubstr("(3, 2)"));
}

TEST_F(TruthTest, AListOfAnotherLengthIsRefusedWithAWayOut) {
  const Error error = error_of("0\n1\n");
  EXPECT_EQ(error.code, ErrorCode::bad_shape);
  EXPECT_THAT(error.message, HasSubstr("truth.csv: 2 labels for 3 decisions"));
  EXPECT_THAT(error.hint, HasSubstr("sequence,label"));
}

TEST_F(TruthTest, AnUnknownIdIsNamed) {
  EXPECT_THAT(error_of("sample,label\nz.jpg,0\n").message, HasSubstr("sample 'z.jpg'"));
  EXPECT_THAT(error_of("sequence,label\n0,0\n").message, HasSubstr("sequence '0'"));
}

TEST_F(TruthTest, TwoLabelsForOneSampleAreRefused) {
  EXPECT_THAT(error_of("sequence,label\n10,0\n10,1\n").message, HasSubstr("another label"));
}

TEST_F(TruthTest, AnIdThatSeveralSamplesShareIsRefused) {
  samples_[1] = "a.jpg";
  EXPECT_THAT(error_of("sample,label\na.jpg,0\n").hint, HasSubstr("sequence"));
}

TEST_F(TruthTest, NamesWithoutKnownNamesAreRefused) {
  EXPECT_THAT(error_of("robin\nowl\nowl\n", false).hint, HasSubstr("--classes"));
}

TEST_F(TruthTest, ATextArrayOfNamesNeedsTheKnownNamesToo) {
  // numpy's array(['owl', 'wren', 'owl']) as fixed-width bytes.
  std::string file("\x93NUMPY\x01\x00", 8);
  std::string header = "{'descr': '|S4', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  header += '\n';
  file += std::string("\x76\x00", 2) + header + std::string("owl\0wrenowl\0", 12);
  EXPECT_THAT(error_of(file, false).hint, HasSubstr("--classes"));
  const auto truth = parse(file);
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_THAT(truth->labels, ElementsAre(2, 0, 2));
}

TEST_F(TruthTest, ATableWithoutHeaderIsRefused) {
  EXPECT_THAT(error_of("10,0\n11,1\n12,1\n").hint, HasSubstr("header"));
}

TEST_F(TruthTest, ALabelBelowMinusOneIsRefused) {
  EXPECT_THAT(error_of("0\n-3\n0\n").message, HasSubstr("label -3 of row 1"));
}

TEST_F(TruthTest, AnEmptyFileIsRefused) { EXPECT_FALSE(parse("").ok()); }

TEST_F(TruthTest, ClassesGetTheirNamesFromAListThatGoesOnWithTheNovelOnes) {
  const testing::TemporaryFolder folder;
  const std::string list = folder / "classes.txt", short_list = folder / "short.txt";
  ASSERT_TRUE(core::write_file(list, "wren\nrobin\nowl\n").ok());
  ASSERT_TRUE(core::write_file(short_list, "wren\n").ok());
  const auto names = names_of_classes(names_, list);
  ASSERT_TRUE(names.ok()) << names.error().message;
  EXPECT_THAT(*names, ElementsAre("wren", "robin", "owl"));
  EXPECT_THAT(*names_of_classes(names_, ""), ElementsAre("wren", "robin"));
  const auto refused = names_of_classes(names_, short_list);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("short.txt has 1 names, but 2 classes"));
}

}  // namespace
}  // namespace paco::io
