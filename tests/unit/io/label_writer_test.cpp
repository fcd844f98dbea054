// Class names go into a file and come back as the same names.
#include "io/label_writer.hpp"

#include <gmock/gmock.h>

#include "core/files.hpp"
#include "io/labels.hpp"
#include "io/npy.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_in(const std::string& path) {
  const auto labels = read_labels(path);
  EXPECT_TRUE(labels.ok()) << labels.error().message;
  std::vector<std::string> names;
  for (const std::int64_t id : labels->ids)
    names.push_back(labels->names[static_cast<std::size_t>(id)]);
  return names;
}

TEST(LabelWriter, NamesComeBackAsTheyWere) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> names = {"Blue Jay", "Zaunkönig, klein", "鳥", "🦜 parrot",
                                          "Blue Jay"};
  for (const char* file : {"l.npy", "l.txt"}) {
    const auto written = write_labels(folder / file, names);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(names_in(folder / file), names) << file;
  }
}

TEST(LabelWriter, ANumberThatIsWrittenUnusuallyIsAName) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> names = {"01", "02", "01"};
  ASSERT_TRUE(write_labels(folder / "l.npy", names).ok());
  EXPECT_EQ(names_in(folder / "l.npy"), names);
}

TEST(LabelWriter, NumbersStayNumbersWithMinusOneForNone) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> names = {"3", "0", ""};
  ASSERT_TRUE(write_labels(folder / "l.npy", names).ok());
  const auto numbers = read_npy<std::int64_t>(folder / "l.npy");
  ASSERT_TRUE(numbers.ok()) << numbers.error().message;
  EXPECT_THAT(numbers->data, ElementsAre(3, 0, -1));
}

TEST(LabelWriter, RefusesOtherKindsOfFilesAndNamesThatNoLineHolds) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(check_label_file("l.parquet").error().message, HasSubstr("l.parquet"));
  const std::vector<std::string> names = {"two\nlines"};
  EXPECT_THAT(write_labels(folder / "l.txt", names).error().message, HasSubstr("line break"));
  EXPECT_EQ(core::path_kind(folder / "l.txt"), core::PathKind::absent);
  EXPECT_TRUE(write_labels(folder / "l.npy", names).ok());
  EXPECT_EQ(names_in(folder / "l.npy"), names);
}

}  // namespace
}  // namespace paco::io
