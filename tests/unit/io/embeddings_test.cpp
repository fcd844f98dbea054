// Embeddings of every format give the same rows; wrong files are refused with file, row and value.
#include "io/embeddings.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "data_files.hpp"
#include "io/npy.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::npy_with;

std::vector<double> numbers(const math::Matrix<double>& matrix) {
  return {matrix.data(), matrix.data() + matrix.rows() * matrix.columns()};
}

// Reads from memory in blocks of `rows`; the last row may make it fail.
Result<std::vector<double>> read_text(const std::string& text,
                                      std::vector<std::string>* ids = nullptr) {
  const auto bytes = bytes_of(text);
  auto source = open_embeddings(bytes, "made");
  if (!source.ok()) return source.error();
  math::Matrix<double> block(2, (*source)->dimension());
  std::vector<double> all;
  while (true) {
    std::vector<std::string> some;
    const auto count = (*source)->read(block.view(), &some);
    if (!count.ok()) return count.error();
    const std::size_t row = all.size() / block.columns();
    const auto finite = check_finite(block.view().slice(0, *count), "made", row);
    if (!finite.ok()) return finite.error();
    all.insert(all.end(), block.data(), block.data() + *count * block.columns());
    if (ids) ids->insert(ids->end(), some.begin(), some.end());
    if (*count < block.rows()) return all;
  }
}

TEST(Embeddings, EveryFormatOfTheCorpusGivesTheSameNumbers) {
  for (const char* folder : {"npy", "npz", "safetensors", "csv", "jsonl", "fvecs"}) {
    for (const std::string& path : testing::corpus_files(folder)) {
      const auto matrix = read_embeddings(path);
      ASSERT_TRUE(matrix.ok()) << matrix.error().message;
      EXPECT_EQ(matrix->columns(), 2u) << path;
      EXPECT_THAT(numbers(*matrix), ElementsAre(1, 2, -0.5, 0.25, 3, 1024)) << path;
    }
  }
}

TEST(Embeddings, RowsKeepTheirNames) {
  std::vector<std::string> ids;
  ASSERT_TRUE(
      read_text("id,x0,x1,label\na,1,2,kiwi\n\"b, \"\"c\"\"\",3,4,kiwi\nd,5,6,kiwi\n", &ids).ok());
  EXPECT_THAT(ids, ElementsAre("a", "b, \"c\"", "d"));
  ids.clear();
  ASSERT_TRUE(
      read_text("{\"id\":\"a\",\"embedding\":[1]}\n{\"id\":7,\"embedding\":[2]}\n", &ids).ok());
  EXPECT_THAT(ids, ElementsAre("a", "7"));
  ids.clear();
  ASSERT_TRUE(read_text("one 1 2\ntwo 3 4\n", &ids).ok());
  EXPECT_THAT(ids, ElementsAre("one", "two"));
  ids.clear();
  ASSERT_TRUE(read_text("1,2\n3,4\n", &ids).ok());
  EXPECT_TRUE(ids.empty());
}

TEST(Embeddings, GzipIsUnpackedOnTheWay) {
  testing::TemporaryFolder folder;
  const std::string path = folder / "a.csv.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "1,2\n3,4\n");
  gzclose(file);
  const auto matrix = read_embeddings(path);
  ASSERT_TRUE(matrix.ok()) << matrix.error().message;
  EXPECT_THAT(numbers(*matrix), ElementsAre(1, 2, 3, 4));
}

TEST(Embeddings, AnArrayOfSeveralIsChosenByName) {
  const std::string path = testing::corpus("npz/stored.npz");
  EXPECT_TRUE(read_embeddings(path + "#embeddings").ok());
  const auto vector = read_embeddings(path + "#labels");
  ASSERT_FALSE(vector.ok());
  EXPECT_THAT(vector.error().message, HasSubstr("shape (3,)"));
  const auto missing = read_embeddings(path + "#nothing");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().hint, HasSubstr("embeddings, labels"));
}

struct Bad {
  const char* what;
  std::string content;
  const char* said;
};

class BadEmbeddings : public ::testing::TestWithParam<Bad> {};

TEST_P(BadEmbeddings, AreRefusedWithFilePlaceAndRemedy) {
  const auto result = read_text(GetParam().content);
  ASSERT_FALSE(result.ok()) << GetParam().what;
  EXPECT_THAT(result.error().message, ::testing::StartsWith("made"));
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().said));
  EXPECT_FALSE(result.error().hint.empty()) << GetParam().what;
}

std::string floats(std::initializer_list<float> values) {
  return {reinterpret_cast<const char*>(values.begin()), 4 * values.size()};
}

INSTANTIATE_TEST_SUITE_P(
    Embeddings, BadEmbeddings,
    ::testing::Values(
        Bad{"empty file", "", "is empty"}, Bad{"blank lines", "\n\n", "no samples"},
        Bad{"only a header", "x0,x1\n", "no samples"},
        Bad{"ragged csv", "1,2\n3,4\n5\n", "line 3 (row 2) has 1 fields, the first has 2"},
        Bad{"ragged csv, longer", "1,2\n3,4,5\n", "line 2 (row 1) has 3 fields"},
        Bad{"header of another length", "a,b,c\n1,2\n", "has 2 fields, the first has 3"},
        Bad{"word in csv", "1,2\n3,four\n", "line 2 (row 1), column 2: 'four' is not a number"},
        Bad{"missing value", "1,2\n3,\n", "column 2: '' is not a number"},
        Bad{"decimal comma", "1,5;2,5\n3,5;4,5\n", "decimal comma"},
        Bad{"NaN in csv", "1,2\n3,nan\n", "row 1, value 1 is NaN"},
        Bad{"infinity in csv", "1,2\n-inf,1\n", "row 1, value 0 is infinite"},
        Bad{"overflow in csv", "1,2\n1e999,1\n", "row 1, value 0 is infinite"},
        Bad{"open quote", "1,2\n\"3,4\n", "quoted field"},
        Bad{"text only", "hello\nworld\n", "no numbers"},
        Bad{"broken json", "[1,2]\n[3,\n", "line 2 is not JSON"},
        Bad{"json of words", "[1,2]\n[3,\"x\"]\n", "value 1 is not a number"},
        Bad{"a blank behind a quoted number", "1,2\n\"3 \",4\n", "column 1: '3 ' is not a number"},
        Bad{"ragged jsonl", "[1,2]\n[3]\n", "line 2 (row 1) has 1 values, the first has 2"},
        Bad{"json without embedding", "{\"id\":1}\n", "no key \"embedding\""},
        Bad{"json too large", "[1,2]\n[3,1e999]\n", "line 2 is not JSON"},
        Bad{"empty list", "[]\n", "empty"},
        Bad{"some with id", "{\"id\":1,\"embedding\":[1]}\n[2]\n[3]\n", "has an id"},
        Bad{"fvecs of two dimensions",
            std::string("\2\0\0\0", 4) + floats({1, 2}) + std::string("\3\0\0\0", 4) +
                floats({1, 2}),
            "row 1 says it has 3"},
        Bad{"fvecs cut", std::string("\2\0\0\0", 4) + floats({1, 2}) + "abc", "no multiple of 12"},
        Bad{"fvecs with infinity", std::string("\2\0\0\0", 4) + floats({1, HUGE_VALF}),
            "row 0, value 1 is infinite"},
        Bad{"vector",
            npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", floats({1, 2})),
            "two dimensions"},
        Bad{"no columns",
            npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }", ""),
            "samples without a value"},
        Bad{"NaN in npy",
            npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
                     floats({1, 2, 3, NAN})),
            "row 1, value 1 is NaN"},
        Bad{"NaN, column-major",
            npy_with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }",
                     floats({1, NAN, 3, 4})),
            "row 1, value 0 is NaN"},
        Bad{"infinite half",
            npy_with("{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1), }",
                     std::string("\0\x7c", 2)),
            "row 0, value 0 is infinite"},
        Bad{"foreign bytes", std::string("\xff\xfe\xfd\xfc\0\0\0\0\0\0\0\0", 12),
            "not a file of embeddings"},
        Bad{"an image", std::string("\x89PNG\r\n\x1a\n\0\0\0\0", 12), "kind png"}));

TEST(Embeddings, AnArrayWithoutRowsIsAStreamThatEndsAtOnceButNoSupportSet) {
  const std::string text =
      npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }", "");
  const auto bytes = bytes_of(text);
  auto source = open_embeddings(bytes, "made");
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->rows(), 0u);
  math::Matrix<double> block(2, 2);
  const auto count = (*source)->read(block.view());
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(*count, 0u);
  const auto all = read_embeddings(**source);
  ASSERT_FALSE(all.ok());
  EXPECT_NE(all.error().message.find("holds no samples"), std::string::npos);
}

// A row may be passed over, so only who uses it judges its numbers.
TEST(Embeddings, RowsThatAreNotUsedMayHoldAnything) {
  const auto bytes = bytes_of("1,2\nnan,inf\n3,4\n");
  auto source = open_embeddings(bytes, "made");
  ASSERT_TRUE(source.ok()) << source.error().message;
  math::Matrix<double> block(3, 2);
  ASSERT_EQ(*(*source)->read(block.view()), 3u);
  EXPECT_TRUE(check_finite(block.view().slice(0, 1), "made", 0).ok());
  EXPECT_TRUE(check_finite(block.view().slice(2, 1), "made", 2).ok());
  EXPECT_THAT(check_finite(block.view().slice(1, 2), "made", 1).error().message,
              HasSubstr("made: row 1, value 0 is NaN"));
  EXPECT_FALSE(read_embeddings(**open_embeddings(bytes, "made")).ok()) << "a support set is used";
}

TEST(Embeddings, ABlockIsNoLargerThanItsRowsNeed) {
  const std::string wide =
      npy_with("{'descr': '|u1', 'fortran_order': False, 'shape': (12, 1000000), }", "");
  const auto bytes = bytes_of(wide + std::string(12'000'000, '\1'));
  const auto source = open_embeddings(bytes, "made");
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->block_rows(256), 4u);
  const auto few =
      bytes_of(npy_with("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }", "abcdef"));
  EXPECT_EQ((*open_embeddings(few, "made"))->block_rows(256), 3u);
  EXPECT_EQ((*open_embeddings(few, "made"))->block_rows(2), 2u);
  const auto unknown = bytes_of("1,2\n");
  EXPECT_EQ((*open_embeddings(unknown, "made"))->block_rows(256), 256u);
  const auto none =
      bytes_of(npy_with("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2), }", ""));
  EXPECT_EQ((*open_embeddings(none, "made"))->block_rows(256), 1u);
}

TEST(Embeddings, AnotherNumberOfRowsThanLabelsIsFoundBeforeTheRowsAreRead) {
  // The rows that the header promises are not there: whoever read them would fail otherwise.
  const std::string path = testing::corpus("npz/stored.npz");
  auto source = open_embeddings(path);
  ASSERT_TRUE(source.ok());
  EXPECT_THAT(read_embeddings(**source, 126, "labels.txt").error().message,
              HasSubstr("has 3 rows, labels.txt has 126 labels"));
  EXPECT_TRUE(read_embeddings(**open_embeddings(path), 3, "labels.txt").ok());
  // Where the file does not say, one row too many is enough: the line behind it is not looked at.
  const auto bytes = bytes_of("1,2\n3,4\n5,six\n");
  EXPECT_THAT(read_embeddings(**open_embeddings(bytes, "made"), 1, "labels.txt").error().message,
              HasSubstr("made has more rows, labels.txt has 1 labels"));
  EXPECT_THAT(read_embeddings(**open_embeddings(bytes_of("1,2\n"), "made"), 2, "l").error().message,
              HasSubstr("made has 1 rows, l has 2 labels"));
}

// Mapped files would end the program here.
TEST(Embeddings, AFileThatShrinksWhileItIsReadIsAnError) {
  testing::TemporaryFolder folder;
  const std::string data(40'000'000, '\0');
  const auto npy = [&](const char* order) {
    return npy_with(
        std::string("{'descr': '<f4', 'fortran_order': ") + order + ", 'shape': (10000, 1000), }",
        data);
  };
  const std::string header =
      R"({"embeddings":{"dtype":"F32","shape":[10000,1000],"data_offsets":[0,40000000]}})";
  const std::uint64_t length = header.size();
  const std::pair<std::string, std::string> files[] = {
      {"rows.npy", npy("False")},
      {"columns.npy", npy("True")},
      {"a.safetensors", std::string(reinterpret_cast<const char*>(&length), 8) + header + data}};
  for (const auto& [name, content] : files) {
    std::ofstream(folder / name, std::ios::binary) << content;
    auto source = open_embeddings(folder / name);
    ASSERT_TRUE(source.ok()) << source.error().message;
    math::Matrix<double> block(10, 1000);
    ASSERT_EQ(*(*source)->read(block.view()), 10u) << name;
    std::filesystem::resize_file(folder / name, 5000);
    Result<std::size_t> count = std::size_t{1};
    while (count.ok() && *count > 0) count = (*source)->read(block.view());
    ASSERT_FALSE(count.ok()) << name;
    EXPECT_THAT(count.error().message, HasSubstr(name));
  }
}

TEST(Embeddings, AMissingFileIsNamed) {
  const auto result = open_embeddings("/nowhere/x.npy");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("/nowhere/x.npy"));
}

// A deflated member of zeros unpacks a thousandfold; it is read through a window, and a false size
// is found out.
TEST(Embeddings, AZipBombNeedsNoMemoryAndIsFoundOut) {
  testing::TemporaryFolder folder;
  const std::string npy =
      npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (250000, 16), }", "");
  std::vector<char> packed(1 << 20);
  z_stream deflater{};
  ASSERT_EQ(deflateInit2(&deflater, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  deflater.next_out = reinterpret_cast<Bytef*>(packed.data());
  deflater.avail_out = static_cast<uInt>(packed.size());
  std::string zeros(1 << 20, '\0');
  uLong crc = crc32(0, reinterpret_cast<const Bytef*>(npy.data()), static_cast<uInt>(npy.size()));
  deflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(npy.data()));
  deflater.avail_in = static_cast<uInt>(npy.size());
  deflate(&deflater, Z_NO_FLUSH);
  const std::size_t data = 16'000'000;
  for (std::size_t left = data; left > 0;) {
    const std::size_t part = std::min(left, zeros.size());
    deflater.next_in = reinterpret_cast<Bytef*>(zeros.data());
    deflater.avail_in = static_cast<uInt>(part);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(zeros.data()), static_cast<uInt>(part));
    deflate(&deflater, (left -= part) == 0 ? Z_FINISH : Z_NO_FLUSH);
  }
  packed.resize(deflater.total_out);
  deflateEnd(&deflater);
  const auto zip = [&](std::uint32_t size) {
    const auto put = [](std::string& out, auto value) {
      out.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    std::string common;
    for (std::uint16_t field : {20, 0, 8, 0, 33}) put(common, field);
    put(common, static_cast<std::uint32_t>(crc));
    put(common, static_cast<std::uint32_t>(packed.size()));
    put(common, size);
    put(common, std::uint32_t{5});
    std::string file("PK\3\4");
    file.append(common).append("x.npy").append(packed.begin(), packed.end());
    const auto offset = static_cast<std::uint32_t>(file.size());
    std::string entry("PK\1\2\24\0", 6);
    entry += common + std::string(14, '\0') + "x.npy";
    file += entry + std::string("PK\5\6\0\0\0\0\1\0\1\0", 12);
    put(file, static_cast<std::uint32_t>(entry.size()));
    put(file, offset);
    return file + std::string(2, '\0');
  };
  const auto true_size = static_cast<std::uint32_t>(npy.size() + data);
  const auto honest = bytes_of(zip(true_size));
  auto source = open_embeddings(honest, "honest.npz");
  ASSERT_TRUE(source.ok()) << source.error().message;
  math::Matrix<double> block(1000, 16);
  std::uint64_t rows = 0;
  while (true) {
    const auto count = (*source)->read(block.view());
    ASSERT_TRUE(count.ok()) << count.error().message;
    if (*count == 0) break;
    rows += *count;
  }
  EXPECT_EQ(rows, 250'000u);

  const auto modest = bytes_of(zip(1000));  // unpacks to more than it says
  EXPECT_FALSE(open_embeddings(modest, "bomb.npz").ok());
  const auto boastful = bytes_of(zip(0xfffffff0));  // claims more than deflate can pack
  const auto refused = open_embeddings(boastful, "bomb.npz");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("claims"));
}

std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

// A file with holes takes no disk. Its 4 GiB of zeros pass through while the peak stays where it
// was.
TEST(Embeddings, AFileLargerThanAllowedMemoryIsReadBlockByBlock) {
  testing::TemporaryFolder folder;
  const std::uint64_t rows = 1 << 23, columns = 128;  // of float32
  for (const bool column_major : {false, true}) {
    const std::string path = folder / (column_major ? "columns.npy" : "rows.npy");
    const std::string header = npy_with(
        "{'descr': '<f4', 'fortran_order': " + std::string(column_major ? "True" : "False") +
            ", 'shape': (8388608, 128), }",
        "");
    std::ofstream(path, std::ios::binary) << header;
    std::filesystem::resize_file(path, header.size() + rows * columns * 4);
    auto source = open_embeddings(path);
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_EQ((*source)->rows(), rows);
    math::Matrix<double> block(256, columns);
    // A part is enough to see whether memory grows: 128 MiB would show.
    const std::size_t before = peak_memory();
    for (std::uint64_t done = 0; done < rows / 32; done += 256) {
      const auto count = (*source)->read(block.view());
      ASSERT_TRUE(count.ok() && *count == 256);
    }
    EXPECT_LT(peak_memory() - before, 64u << 20) << (column_major ? "column-major" : "row-major");
  }
}

}  // namespace
}  // namespace paco::io
