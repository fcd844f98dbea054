// npy files of every version and order are read, and damaged headers refused.
#include "io/npy.hpp"

#include <gmock/gmock.h>

#include "data_files.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::npy_with;

template <class T>
Result<NpyArray<T>> parse(const std::vector<std::byte>& bytes) {
  auto stream = ByteStream::from_bytes(bytes, "made.npy");
  return read_npy<T>(stream);
}

template <class T>
void expect_round_trip(const std::vector<T>& values) {
  testing::TemporaryFolder folder;
  const std::vector<std::uint64_t> shape = {2, values.size() / 2};
  ASSERT_TRUE(write_npy<T>(folder / "a.npy", shape, values).ok());
  const auto back = read_npy<T>(folder / "a.npy");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->shape, shape);
  EXPECT_EQ(back->data, values);
}

TEST(Npy, EveryWrittenTypeReadsBack) {
  expect_round_trip<double>({1, -2.5, 3e300, 0});
  expect_round_trip<float>({1, -2.5f, 3e30f, 0});
  expect_round_trip<std::int64_t>({1, -2, INT64_MAX, INT64_MIN});
  expect_round_trip<std::int32_t>({1, -2, INT32_MAX, INT32_MIN});
  expect_round_trip<std::uint8_t>({1, 2, 255, 0});
}

TEST(Npy, ColumnMajorArraysOfThreeDimensionsComeInRowMajorOrder) {
  // Element (i, j, k) of shape (2, 3, 2) is 100 i + 10 j + k; the first index runs fastest in the
  // file.
  std::string data;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) data += static_cast<char>(100 * i + 10 * j + k);
  const auto bytes =
      bytes_of(npy_with("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }", data));
  const auto array = parse<std::int64_t>(bytes);
  ASSERT_TRUE(array.ok()) << array.error().message;
  EXPECT_THAT(array->data, ElementsAre(0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121));
}

TEST(Npy, IntegersThatDoNotFitAreRefused) {
  testing::TemporaryFolder folder;
  const std::vector<std::int64_t> values = {1, 300};
  ASSERT_TRUE(
      write_npy<std::int64_t>(folder / "a.npy", std::vector<std::uint64_t>{2}, values).ok());
  const auto narrow = read_npy<std::uint8_t>(folder / "a.npy");
  ASSERT_FALSE(narrow.ok());
  EXPECT_EQ(narrow.error().code, ErrorCode::bad_value);
  EXPECT_TRUE(read_npy<std::int32_t>(folder / "a.npy").ok());
}

TEST(Npy, NumbersWithAFractionAreNotReadAsIntegers) {
  const auto array = read_npy<std::int64_t>(testing::corpus("npy/little_f4.npy"));
  ASSERT_FALSE(array.ok());
  EXPECT_THAT(array.error().message, HasSubstr("float32"));
}

TEST(Npy, RowsWrittenAsTheyComeGiveTheSameFileAsAllAtOnce) {
  testing::TemporaryFolder folder;
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(
      write_npy<float>(folder / "whole.npy", std::vector<std::uint64_t>{3, 2}, values).ok());
  auto writer = NpyWriter::create(folder / "rows.npy", ElementType::f32, {2});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->append(std::vector<double>{1, 2}).ok());
  ASSERT_TRUE(writer->append(std::vector<double>{3, 4, 5, 6}).ok());
  EXPECT_EQ(core::path_kind(folder / "rows.npy"), core::PathKind::absent)
      << "before commit nothing may be there";
  ASSERT_TRUE(writer->commit().ok());
  EXPECT_EQ(testing::file_bytes(folder / "rows.npy"), testing::file_bytes(folder / "whole.npy"));
}

TEST(Npy, HeadersAreAlignedAndLeaveRoomForAnyRowCount) {
  const std::uint64_t sizes[] = {0, 7, 1000000, 1ull << 62};
  for (ElementType type : {ElementType::u8, ElementType::f16, ElementType::f64}) {
    const std::size_t length = npy_header(type, std::vector<std::uint64_t>{0, 768}).size();
    EXPECT_EQ(length % 64, 0u);
    for (std::uint64_t rows : sizes) {
      EXPECT_EQ(npy_header(type, std::vector<std::uint64_t>{rows, 768}).size(), length);
    }
  }
}

TEST(Npy, AHalfThatOverflowsIsRefusedWithItsRow) {
  testing::TemporaryFolder folder;
  auto writer = NpyWriter::create(folder / "a.npy", ElementType::f16, {2});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->append(std::vector<double>{1, 2}).ok());
  const auto result = writer->append(std::vector<double>{1, 1e5});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("row 1"));
}

struct Lie {
  const char* what;
  const char* dictionary;
  const char* said;  // part of the message
};

class NpyLies : public ::testing::TestWithParam<Lie> {};

TEST_P(NpyLies, AreFoundOut) {
  const auto bytes = bytes_of(npy_with(GetParam().dictionary, std::string(24, '\1')));
  const auto array = parse<double>(bytes);
  ASSERT_FALSE(array.ok()) << GetParam().what;
  EXPECT_THAT(array.error().message, HasSubstr("made.npy"));
  EXPECT_THAT(array.error().message, HasSubstr(GetParam().said));
  EXPECT_FALSE(array.error().hint.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Npy, NpyLies,
    ::testing::Values(
        Lie{"2^60 rows",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1152921504606846976, 768), }",
            "larger than any file"},
        Lie{"too many rows", "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }",
            "needs 28 bytes, the file has 24"},
        Lie{"too few rows", "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }",
            "bytes follow"},
        Lie{"negative", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
            "shape is damaged"},
        Lie{"no tuple", "{'descr': '<f4', 'fortran_order': False, 'shape': (6), }",
            "shape is damaged"},
        Lie{"records", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }",
            "records"},
        Lie{"complex", "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }",
            "'<c8' is not supported"},
        Lie{"objects", "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "not supported"},
        Lie{"key twice",
            "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
            "unexpected key"},
        Lie{"no shape", "{'descr': '<f4', 'fortran_order': False, }", "lacks"},
        Lie{"not closed", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), ", "damaged"},
        Lie{"code", "{'descr': '<f4', 'fortran_order': exec(), 'shape': (6,), }",
            "fortran_order"}));

TEST(Npy, AStreamThatEndsEarlySaysWhere) {
  // The size of a pipe is not known, so the lie shows only at the end; nothing is allocated for it
  // before.
  const std::string dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387,), }";
  const auto bytes = bytes_of(npy_with(dictionary, std::string(20, '\1')));
  auto memory = ByteStream::from_bytes(bytes, "");
  ByteStream pipe(
      "standard input", [&](std::span<std::byte> out) { return memory.read(out); }, std::nullopt);
  const auto array = read_npy<double>(pipe);
  ASSERT_FALSE(array.ok());
  EXPECT_THAT(array.error().message,
              HasSubstr("promises 4611686018427387 elements, the data end after 5"));
}

TEST(Npy, AMaskIsNotTakenForNumbers) {
  const std::string text = npy_with("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }",
                                    std::string("\1\0\1", 3));
  const auto bytes = bytes_of(text);
  auto stream = ByteStream::from_bytes(bytes, "mask.npy");
  const auto numbers = read_npy<std::int64_t>(stream);
  ASSERT_FALSE(numbers.ok());
  EXPECT_THAT(numbers.error().message, HasSubstr("mask.npy: holds bool"));
  EXPECT_THAT(numbers.error().hint, HasSubstr("flatnonzero"));
}

}  // namespace
}  // namespace paco::io
