// The files that paco writes for itself: what the checksum covers, which versions are read.
#include "io/artifact.hpp"

#include <gmock/gmock.h>

#include "data_files.hpp"

namespace paco::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<double> kNumbers = {1, 2, 3, 4, 5, 6};
const std::vector<std::int64_t> kCounts = {7, 8};

std::vector<std::byte> artifact() {
  ArtifactWriter writer("model", 3);
  writer.set("words", "some");
  writer.add<double>("numbers", {2, 3}, kNumbers);
  writer.add<std::int64_t>("counts", {2}, kCounts);
  return *writer.to_bytes();
}

// As 0.1 wrote it: no artifact format, and a checksum of names and contents alone.
std::vector<std::byte> artifact_of_0_1() {
  SafetensorsWriter writer;
  writer.set_metadata("paco.kind", "model");
  writer.set_metadata("paco.version", "1");
  writer.set_metadata("paco.crc32", "fb5594b6");
  writer.add<double>("numbers", {2, 3}, kNumbers);
  return *writer.to_bytes();
}

Result<SafetensorsFile> read(std::vector<std::byte> bytes) {
  return artifact_from_bytes(std::move(bytes), "made", "model", 3);
}

std::vector<std::byte> with(std::vector<std::byte> bytes, const std::string& from,
                            const std::string& to) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  EXPECT_EQ(from.size(), to.size());
  return testing::bytes_of(text.replace(at, from.size(), to));
}

TEST(Artifact, WhatWasWrittenReadsBack) {
  const auto file = read(artifact());
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(artifact_kind(*file), "model");
  EXPECT_EQ(*artifact_entry(*file, "words"), "some");
  EXPECT_THAT(*file->read<double>("numbers"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(*file->read<std::int64_t>("counts"), ElementsAre(7, 8));
}

TEST(Artifact, AChangedNameTypeShapeOrWordIsNoticed) {
  const std::pair<const char*, const char*> changes[] = {
      {"\"F64\"", "\"I64\""},
      {"[2,3]", "[3,2]"},
      {"numbers", "members"},
      {"some", "sums"},
      {"words", "wards"},
      {"\"paco.format\":\"2\"", "\"paco.fermat\":\"2\""},
      {"\"paco.format\":\"2\"", "\"paco.format\":\"1\""}};
  for (const auto& [from, to] : changes) {
    const auto file = read(with(artifact(), from, to));
    ASSERT_FALSE(file.ok()) << from << " to " << to;
    EXPECT_THAT(file.error().message, HasSubstr("damaged")) << from;
  }
}

TEST(Artifact, EveryFlippedBitIsNoticed) {
  const auto good = artifact();
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      auto bytes = good;
      bytes[i] ^= static_cast<std::byte>(1 << bit);
      const auto file = read(bytes);
      // Blanks at the end of the header say nothing; all else does.
      const bool blank = good[i] == std::byte{' '};
      EXPECT_TRUE(!file.ok() || blank) << "byte " << i << ", bit " << bit;
    }
  }
}

TEST(Artifact, FilesOf01AreReadButNotWithOtherTypes) {
  const auto file = read(artifact_of_0_1());
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_THAT(*file->read<double>("numbers"), ElementsAre(1, 2, 3, 4, 5, 6));
  // Their checksum does not notice the type; whoever reads it does.
  const auto changed = read(with(artifact_of_0_1(), "\"F64\"", "\"I64\""));
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  const auto numbers = changed->read<double>("numbers");
  ASSERT_FALSE(numbers.ok());
  EXPECT_THAT(numbers.error().message, HasSubstr("'numbers' holds int64, float64 is expected"));
}

TEST(Artifact, ANewerFormatOrVersionIsNamedAsSuch) {
  ArtifactWriter newer("model", 4);
  EXPECT_THAT(read(*newer.to_bytes()).error().message, HasSubstr("newer paco (format 4"));
  EXPECT_THAT(
      read(with(artifact(), "\"paco.format\":\"2\"", "\"paco.format\":\"3\"")).error().message,
      HasSubstr("newer paco"));
}

// A state names the model it was made with by this sum, so it stays what it was in 0.1.
TEST(Artifact, TheSumOfTheContentIsThatOf01) {
  ArtifactWriter writer("model", 1);
  writer.add<double>("numbers", {2, 3}, kNumbers);
  EXPECT_EQ(writer.checksum(), "fb5594b6");
}

}  // namespace
}  // namespace paco::io
