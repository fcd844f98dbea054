// safetensors files go both ways; overlapping, short and foreign ones are refused.
#include "io/safetensors.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "data_files.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> file_with(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::string text(reinterpret_cast<const char*>(&length), 8);
  return testing::bytes_of(text + header + std::string(data, '\0'));
}

TEST(Safetensors, TensorsAndMetadataReadBack) {
  testing::TemporaryFolder folder;
  const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> counts = {7, -8};
  SafetensorsWriter writer;
  writer.set_metadata("kind", "a \"quoted\" word, ä");
  writer.add<float>("matrix", {2, 3}, matrix);
  writer.add_copy<std::int64_t>("counts", {2}, counts);
  ASSERT_TRUE(writer.write(folder / "a.safetensors").ok());
  const auto file = SafetensorsFile::open(folder / "a.safetensors");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->metadata().at("kind"), "a \"quoted\" word, ä");
  const auto back = file->read_matrix<double>("matrix");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->rows(), 2u);
  EXPECT_EQ((*back)[1][2], 6.0);
  EXPECT_THAT(*file->read<std::int64_t>("counts"), ElementsAre(7, -8));
}

TEST(Safetensors, TheOrderOfCallsDoesNotChangeTheBytes) {
  const std::vector<float> a = {1};
  const std::vector<double> b = {2};
  const std::vector<std::uint8_t> c = {3};
  SafetensorsWriter one, two;
  one.set_metadata("x", "1");
  one.set_metadata("y", "2");
  one.add<float>("a", {1}, a);
  one.add<double>("b", {1}, b);
  one.add<std::uint8_t>("c", {1}, c);
  two.add<std::uint8_t>("c", {1}, c);
  two.add<double>("b", {1}, b);
  two.add<float>("a", {1}, a);
  two.set_metadata("y", "2");
  two.set_metadata("x", "1");
  EXPECT_EQ(*one.to_bytes(), *two.to_bytes());
}

TEST(Safetensors, EveryWrittenTensorIsAlignedToItsType) {
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  const std::vector<double> wide = {1};
  SafetensorsWriter writer;
  writer.add<std::uint8_t>("a", {3}, bytes);
  writer.add<double>("b", {1}, wide);
  const auto file = SafetensorsFile::from_bytes(*writer.to_bytes(), "made");
  ASSERT_TRUE(file.ok());
  const auto all = *writer.to_bytes();
  for (const TensorView& tensor : file->tensors()) {
    const auto offset = tensor.offset - file->tensors()[0].offset;
    EXPECT_EQ(offset % element_size(tensor.type), 0u) << tensor.name;
  }
  std::uint64_t header;
  std::memcpy(&header, all.data(), 8);
  EXPECT_EQ(header % 8, 0u);
}

TEST(Safetensors, FilesOfOtherProgramsAreRead) {
  for (const char* name : {"f32", "bf16", "f16"}) {
    const auto file =
        SafetensorsFile::open(testing::corpus(std::string("safetensors/") + name + ".safetensors"));
    ASSERT_TRUE(file.ok()) << file.error().message;
    const auto values = file->read<double>(file->tensors()[0].name);
    EXPECT_THAT(*values, ElementsAre(1, 2, -0.5, 0.25, 3, 1024)) << name;
  }
}

TEST(Safetensors, AMissingTensorIsNamedTogetherWithThoseThatAreThere) {
  const auto file = SafetensorsFile::open(testing::corpus("safetensors/bf16.safetensors"));
  const auto missing = file->tensor("weights");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("no tensor 'weights'"));
  EXPECT_THAT(missing.error().hint, HasSubstr("embeddings, labels"));
}

struct FalseClaim {
  const char* header;
  std::size_t data;
  const char* said;
};

class SafetensorsLies : public ::testing::TestWithParam<FalseClaim> {};

TEST_P(SafetensorsLies, AreFoundOut) {
  const auto file =
      SafetensorsFile::from_bytes(file_with(GetParam().header, GetParam().data), "made.st");
  ASSERT_FALSE(file.ok()) << GetParam().header;
  EXPECT_THAT(file.error().message, HasSubstr("made.st"));
  EXPECT_THAT(file.error().message, HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    Safetensors, SafetensorsLies,
    ::testing::Values(
        FalseClaim{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7,
                   "lies at bytes 0 to 8, the file holds 7"},
        FalseClaim{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9,
                   "belong to no tensor"},
        FalseClaim{R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8, "does not fill"},
        FalseClaim{R"({"a":{"dtype":"F32","shape":[1152921504606846976,32],"data_offsets":[0,8]}})",
                   8, "does not fill"},
        FalseClaim{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8,
                   "lies at bytes 8 to 0"},
        FalseClaim{R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8,
                   "damaged shape"},
        FalseClaim{R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", 8,
                   "unsupported type 'F99'"},
        FalseClaim{
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
            12, "overlaps"},
        FalseClaim{
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
            12, "leaves a gap"},
        FalseClaim{
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
            8, "'a' stands twice"},
        FalseClaim{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"extra":1}})", 4,
                   "exactly dtype"},
        FalseClaim{R"({"__metadata__":{"n":1}})", 0, "metadata 'n' is not a string"},
        FalseClaim{R"({"a":[[[[[[[[1]]]]]]]]})", 0, "nests too deep"},
        FalseClaim{R"([1,2])", 0, "not a JSON object"},
        FalseClaim{R"({"a":)", 0, "not a JSON object"}));

TEST(Safetensors, AHeaderLargerThanTheFileIsRefused) {
  auto bytes = file_with("{}", 0);
  bytes[6] = std::byte{0x10};  // 2^52 bytes
  const auto file = SafetensorsFile::from_bytes(bytes, "made.st");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().message, HasSubstr("claims"));
}

TEST(Safetensors, NamesThatAreNoTextAreRefusedNotThrown) {
  const std::vector<float> one = {1};
  SafetensorsWriter writer;
  writer.add<float>("\xff\xfe", {1}, one);
  EXPECT_FALSE(writer.to_bytes().ok());
}

}  // namespace
}  // namespace paco::io
