// tar archives of every flavour list their members; damaged ones are refused.
#include "io/tar.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "data_files.hpp"

namespace paco::io {
namespace {

using ::testing::HasSubstr;

// One ustar header block with a right checksum.
std::string header(const std::string& name, std::size_t size, char type) {
  std::string block(512, '\0');
  name.copy(block.data(), 100);
  std::snprintf(block.data() + 124, 12, "%011zo", size);
  std::memcpy(block.data() + 257,
              "ustar\0"
              "00",
              8);
  block[156] = type;
  std::memset(block.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (unsigned char c : block) sum += c;
  std::snprintf(block.data() + 148, 8, "%06o", sum);
  return block;
}

Result<std::vector<TarEntry>> list(const std::string& archive) {
  const auto bytes = testing::bytes_of(archive + std::string(1024, '\0'));
  return list_tar(FileBytes::of(bytes), "made.tar");
}

TEST(Tar, LongNamesOfBothKindsAreRead) {
  const std::string name = "set/" + std::string(120, 'x') + "/1.png";
  for (const char* file : {"tar/gnu.tar", "tar/pax.tar"}) {
    const auto bytes = testing::file_bytes(testing::corpus(file));
    const auto entries = list_tar(FileBytes::of(bytes), file);
    ASSERT_TRUE(entries.ok()) << entries.error().message;
    ASSERT_EQ(entries->size(), 2u);
    EXPECT_EQ((*entries)[0].name, name);
    EXPECT_EQ((*entries)[0].size, 75u);
  }
}

TEST(Tar, NamesThatLeadOutsideAreRefused) {
  for (const char* name : {"../evil.png", "a/../../evil.png", "/etc/passwd", "a/.."}) {
    const auto entries = list(header(name, 0, '0'));
    ASSERT_FALSE(entries.ok()) << name;
    EXPECT_THAT(entries.error().message, HasSubstr(name));
  }
  EXPECT_TRUE(list(header("a/..b/c..png", 0, '0')).ok());
}

TEST(Tar, LinksAndFoldersArePassedOver) {
  const auto entries = list(header("d/", 0, '5') + header("link", 0, '2') + header("hard", 0, '1') +
                            header("f", 0, '0'));
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ((*entries)[0].name, "f");
}

TEST(Tar, DamageIsFound) {
  std::string wrong = header("f", 0, '0');
  wrong[3] = 'x';
  EXPECT_THAT(list(wrong).error().message, HasSubstr("check sum"));
  EXPECT_THAT(list(header("f", 100000, '0')).error().message, HasSubstr("beyond the end"));
  const auto cut = testing::bytes_of(header("f", 0, '0'));
  EXPECT_THAT(list_tar(FileBytes::of(cut), "cut.tar").error().message, HasSubstr("end mark"));
  EXPECT_THAT(list(header("f", 0, 'S')).error().message, HasSubstr("sparse"));
}

}  // namespace
}  // namespace paco::io
