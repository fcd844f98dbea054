// Embeddings that are written can be read, in every format; a failure leaves no file.
#include "io/embedding_writer.hpp"

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "data_files.hpp"
#include "io/embeddings.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::HasSubstr;

const char* const kEndings[] = {"npy", "npz", "safetensors", "csv", "jsonl", "fvecs"};

math::Matrix<double> made(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  core::Random random(seed);
  math::Matrix<double> matrix(rows, columns);
  // Numbers that float32 holds exactly, so that every format can be asked for all bits.
  for (std::size_t i = 0; i < rows * columns; ++i)
    matrix.data()[i] = static_cast<float>(random.normal());
  return matrix;
}

TEST(EmbeddingWriter, EveryFormatReadsBackBitForBit) {
  constexpr std::uint64_t kSeed = 3;
  const auto matrix = made(11, 5, kSeed);
  testing::TemporaryFolder folder;
  for (const std::string ending : kEndings) {
    const std::string path = folder / ("a." + ending);
    auto writer = create_embeddings(path, 5);
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    ASSERT_TRUE((*writer)->append(matrix.view().slice(0, 4), {}).ok());
    ASSERT_TRUE((*writer)->append(matrix.view().slice(4, 7), {}).ok());
    EXPECT_EQ(core::path_kind(path), core::PathKind::absent)
        << ending << ": before commit nothing may be there";
    ASSERT_TRUE((*writer)->commit().ok());
    const auto back = read_embeddings(path);
    ASSERT_TRUE(back.ok()) << back.error().message;
    ASSERT_EQ(back->rows(), 11u) << ending;
    for (std::size_t i = 0; i < 55; ++i)
      ASSERT_EQ(back->data()[i], matrix.data()[i]) << ending << " seed " << kSeed;
  }
}

TEST(EmbeddingWriter, TheSameRowsGiveTheSameBytes) {
  const auto matrix = made(3, 2, 1);
  testing::TemporaryFolder folder;
  for (const std::string ending : kEndings) {
    for (const std::string name : {"a.", "b."}) {
      auto writer = create_embeddings(folder / (name + ending), 2);
      ASSERT_TRUE((*writer)->append(matrix.view(), {}).ok() && (*writer)->commit().ok());
    }
    EXPECT_EQ(testing::file_bytes(folder / ("a." + ending)),
              testing::file_bytes(folder / ("b." + ending)));
  }
}

TEST(EmbeddingWriter, NamesOfRowsTravelThroughText) {
  testing::TemporaryFolder folder;
  const auto matrix = made(2, 2, 1);
  const std::vector<std::string> ids = {"a, \"b\"", "#c"};
  for (const std::string ending : {"csv", "jsonl"}) {
    auto writer = create_embeddings(folder / ("a." + ending), 2);
    ASSERT_TRUE((*writer)->append(matrix.view(), ids).ok() && (*writer)->commit().ok());
    auto source = open_embeddings(folder / ("a." + ending));
    ASSERT_TRUE(source.ok()) << source.error().message;
    math::Matrix<double> block(2, 2);
    std::vector<std::string> back;
    ASSERT_TRUE((*source)->read(block.view(), &back).ok());
    EXPECT_EQ(back, ids) << ending;
  }
}

TEST(EmbeddingWriter, ANameWithoutAKindIsRefused) {
  const auto writer = create_embeddings("out.bin", 2);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::bad_argument);
  EXPECT_THAT(writer.error().hint, HasSubstr(".npy"));
}

// Every single operation on the disk fails once; the target is then whole or absent, and nothing
// else is left.
TEST(EmbeddingWriter, AFailingDiskLeavesNothingBehind) {
  const auto matrix = made(3, 2, 1);
  for (const std::string ending : kEndings) {
    for (std::uint64_t n = 1;; ++n) {
      testing::TemporaryFolder folder;
      bool failed = false;
      {
        core::FailNthOperation fail(n);
        auto writer = create_embeddings(folder / ("a." + ending), 2);
        failed =
            !writer.ok() || !(*writer)->append(matrix.view(), {}).ok() || !(*writer)->commit().ok();
        if (!fail.happened()) break;
      }
      const auto left = core::list_folder(folder.path());
      ASSERT_TRUE(left.ok());
      if (!left->empty()) {
        EXPECT_EQ(left->size(), 1u) << ending << " operation " << n;
        EXPECT_TRUE(read_embeddings(folder / left->front()).ok()) << ending << " operation " << n;
      } else {
        EXPECT_TRUE(failed) << ending << " operation " << n;
      }
      ASSERT_LT(n, 100u);
    }
  }
}

}  // namespace
}  // namespace paco::io
