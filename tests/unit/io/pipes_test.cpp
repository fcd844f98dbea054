// Pipes: what is there is handed out at once, row by row, and nothing is waited for that is not
// needed. A reader that waits too long hangs these tests.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "data_files.hpp"
#include "io/embeddings.hpp"
#include "io/format.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A pipe whose reading end has a path, as standard input has.
class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_) != 0) ADD_FAILURE() << "no pipe";
  }
  ~Pipe() {
    close();
    ::close(ends_[0]);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }
  void write(const std::string& bytes) {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void close() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

std::string bytes_of_floats(std::initializer_list<float> values) {
  return {reinterpret_cast<const char*>(values.begin()), 4 * values.size()};
}

std::string fvec(std::initializer_list<float> values) {
  const auto dimension = static_cast<std::uint32_t>(values.size());
  return std::string(reinterpret_cast<const char*>(&dimension), 4) + bytes_of_floats(values);
}

// One format: what stands in front, and how three rows of one or two numbers are written.
struct Dialect {
  const char* name;
  std::string head;
  std::vector<std::string> rows;
};

std::vector<Dialect> dialects() {
  const std::string npy =
      testing::npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", "");
  return {
      {"csv", "", {"1,2\n", "3,4\n", "5,6\n"}},
      {"csv of one column", "", {"1\n", "3\n", "5\n"}},
      {"csv with names", "id,x0\n", {"a,1\n", "b,3\n", "c,5\n"}},
      {"csv with blank lines", "", {"1,2\n\n", "3,4\n \n", "\r\n5,6\n"}},
      {"jsonl", "", {"[1,2]\n", "[3,4]\n", "[5,6]\n"}},
      {"jsonl with blank lines",
       "\n",
       {"{\"embedding\":[1]}\n\n", "\n{\"embedding\":[3]}\n", "{\"embedding\":[5]}\n"}},
      {"fvecs", "", {fvec({1, 2}), fvec({3, 4}), fvec({5, 6})}},
      {"fvecs of one value", "", {fvec({1}), fvec({3}), fvec({5})}},
      {"npy", npy, {bytes_of_floats({1, 2}), bytes_of_floats({3, 4}), bytes_of_floats({5, 6})}}};
}

class Pipes : public ::testing::TestWithParam<Dialect> {};

TEST_P(Pipes, EveryRowIsAnsweredBeforeTheNextIsWritten) {
  Pipe pipe;
  pipe.write(GetParam().head + GetParam().rows[0]);
  auto source = open_embeddings(pipe.path());
  ASSERT_TRUE(source.ok()) << source.error().message;
  math::Matrix<double> block(8, (*source)->dimension());
  for (int row = 0; row < 3; ++row) {
    if (row > 0) pipe.write(GetParam().rows[static_cast<std::size_t>(row)]);
    const auto count = (*source)->read_ready(block.view());
    ASSERT_TRUE(count.ok()) << count.error().message;
    ASSERT_EQ(*count, 1u) << "row " << row;
    EXPECT_EQ(block[0][0], 2 * row + 1);
  }
  pipe.close();
  EXPECT_EQ(*(*source)->read_ready(block.view()), 0u);
}

TEST_P(Pipes, AllRowsThatAreThereAreTakenTogetherAndHalfARowIsLeft) {
  const std::string& last = GetParam().rows[2];
  Pipe pipe;
  pipe.write(GetParam().head + GetParam().rows[0] + GetParam().rows[1] + last.substr(0, 1));
  auto source = open_embeddings(pipe.path());
  ASSERT_TRUE(source.ok()) << source.error().message;
  math::Matrix<double> block(8, (*source)->dimension());
  ASSERT_EQ(*(*source)->read_ready(block.view()), 2u);
  EXPECT_EQ(block[1][0], 3);
  pipe.write(last.substr(1));
  ASSERT_EQ(*(*source)->read_ready(block.view()), 1u);
  EXPECT_EQ(block[0][0], 5);
  pipe.close();
  EXPECT_EQ(*(*source)->read_ready(block.view()), 0u);
}

TEST_P(Pipes, ABlockIsFilledNoFurtherThanItsRows) {
  Pipe pipe;
  for (const std::string& row : GetParam().rows)
    pipe.write((&row == &GetParam().rows[0] ? GetParam().head : "") + row);
  pipe.close();
  auto source = open_embeddings(pipe.path());
  ASSERT_TRUE(source.ok()) << source.error().message;
  math::Matrix<double> block(2, (*source)->dimension());
  EXPECT_EQ(*(*source)->read_ready(block.view()), 2u);
  EXPECT_EQ(*(*source)->read_ready(block.view()), 1u);
  EXPECT_EQ(*(*source)->read_ready(block.view()), 0u);
}

TEST_P(Pipes, AFileFillsTheBlock) {
  testing::TemporaryFolder folder;
  std::string text = GetParam().head;
  for (const std::string& row : GetParam().rows) text += row;
  ASSERT_TRUE(core::write_file(folder / "rows", text).ok());
  auto source = open_embeddings(folder / "rows");
  ASSERT_TRUE(source.ok()) << source.error().message;
  math::Matrix<double> block(8, (*source)->dimension());
  EXPECT_EQ(*(*source)->read_ready(block.view()), 3u);
  EXPECT_EQ(*(*source)->read_ready(block.view()), 0u);
}

INSTANTIATE_TEST_SUITE_P(Data, Pipes, ::testing::ValuesIn(dialects()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(Pipe, WhatDoesNotBelongBehindAnNpyArrayIsFoundAtTheEnd) {
  Pipe pipe;
  pipe.write(testing::npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }",
                               bytes_of_floats({1})) +
             "more");
  auto source = open_embeddings(pipe.path());
  math::Matrix<double> block(1, 1);
  EXPECT_EQ(*(*source)->read_ready(block.view()), 1u);
  EXPECT_FALSE((*source)->read_ready(block.view()).ok());
  const auto all =
      open_embeddings(testing::bytes_of(testing::npy_with(
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }",
                          bytes_of_floats({1}) + "more")),
                      "made");
  EXPECT_FALSE(all.ok() && read_embeddings(**all).ok());
}

TEST(Pipe, ArraysWithoutAnOrderOfRowsAreReadWhole) {
  for (const char* file : {"npz/stored.npz", "safetensors/f32.safetensors"}) {
    const auto bytes = testing::file_bytes(testing::corpus(file));
    Pipe pipe;
    pipe.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    pipe.close();
    const auto matrix = read_embeddings(pipe.path());
    ASSERT_TRUE(matrix.ok()) << file << ": " << matrix.error().message;
    EXPECT_EQ(matrix->rows(), 3u);
  }
}

}  // namespace
}  // namespace paco::io
