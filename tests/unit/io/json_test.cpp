// JSON is read to a limited depth, and mistakes are named with their place.
#include "io/json.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "data_files.hpp"
#include "io/artifact.hpp"
#include "io/embeddings.hpp"
#include "io/flat_json.hpp"
#include "io/labels.hpp"
#include "io/safetensors.hpp"
#include "io/split_list.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::HasSubstr;

std::string brackets(std::size_t depth, const std::string& inside) {
  return std::string(depth, '[') + inside + std::string(depth, ']');
}

TEST(Json, ValuesAreReadAndMistakesNamedWithTheirPlace) {
  EXPECT_EQ((*parse_json(R"({"a": [1, "b"]})", "made"))["a"][1], "b");
  const auto broken = parse_json("[1,", "made: line 7");
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().message, ::testing::StartsWith("made: line 7 is not JSON"));
  EXPECT_FALSE(parse_json("1e999", "made").ok());
}

TEST(Json, DepthIsCountedInBracketsOutsideOfText) {
  EXPECT_FALSE(json_nests_deeper(brackets(kMaxJsonDepth, "")));
  EXPECT_TRUE(json_nests_deeper(brackets(kMaxJsonDepth + 1, "")));
  EXPECT_TRUE(json_nests_deeper(std::string(kMaxJsonDepth + 1, '{')));
  EXPECT_FALSE(json_nests_deeper("[\"\\\"" + std::string(1000, '[') + "\"]"));
  EXPECT_FALSE(json_nests_deeper("]]]]" + brackets(kMaxJsonDepth, "")));
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "[],";
  EXPECT_FALSE(json_nests_deeper(wide + "[]]"));
}

// Everywhere where JSON of users is read, a hundred thousand brackets are an error in words.
TEST(Json, DeepNestingIsRefusedByEveryReader) {
  testing::TemporaryFolder folder;
  const std::string deep = brackets(100'000, "1");
  const auto bytes = testing::bytes_of(deep);
  EXPECT_THAT(parse_json(deep, "made").error().message, HasSubstr("nests deeper than 64"));
  EXPECT_THAT(open_embeddings(bytes, "made").error().message, HasSubstr("nests deeper"));
  EXPECT_FALSE(
      open_embeddings(testing::bytes_of("{\"id\":" + deep + ",\"embedding\":[1]}"), "made").ok());
  EXPECT_THAT(parse_labels(bytes, "made").error().message, HasSubstr("nests deeper"));
  ASSERT_TRUE(core::write_file(folder / "list.json", "{\"known\":" + deep + ",\"novel\":[]}").ok());
  EXPECT_THAT(read_class_split(folder / "list.json", {"a", "b"}).error().message,
              HasSubstr("nests deeper"));
  ASSERT_TRUE(core::write_file(folder / "names.json", deep).ok());
  EXPECT_THAT(read_class_names(folder / "names.json").error().message, HasSubstr("nests deeper"));

  const std::string header = "{\"a\":" + deep + "}";
  const std::uint64_t length = header.size();
  const std::string file(reinterpret_cast<const char*>(&length), 8);
  EXPECT_THAT(SafetensorsFile::from_bytes(testing::bytes_of(file + header), "made").error().message,
              HasSubstr("nests too deep"));

  ArtifactWriter writer("model", 1);
  writer.set("model", deep);
  EXPECT_THAT(artifact_from_bytes(*writer.to_bytes(), "made", "model", 1).error().message,
              HasSubstr("nests too deep"));
}

// What is read is what the parser says; what is not read is left to it.
TEST(FlatJson, ReadsALineAsTheParserDoesOrNotAtAll) {
  const std::pair<const char*, bool> lines[] = {
      {R"({"a":1,"b":"x y","c":null,"d":-2.5e-3})", true},
      {R"({"a":-0,"b":-0.0,"c":0})", true},
      {R"({"a":12345678901234567890,"b":0.12345678901234567})", true},
      {R"({"a":1e400})", false},
      {R"({"a":01})", false},
      {R"({"a":.5})", false},
      {R"({"a": 1})", false},
      {R"({"a":true})", false},
      {R"({"a":[1]})", false},
      {R"({"a":"\n"})", false},
      {"{\"a\":\"caf\xc3\xa9\"}", false},
      {R"({"a":1)", false},
      {R"({"a":1}x)", false},
      {R"({"a")", false},
      {R"({"a":nul})", false},
      {"{}", false},
      {"", false}};
  for (const auto& [line, is_read] : lines) {
    SCOPED_TRACE(line);
    std::vector<FlatValue> values;
    ASSERT_EQ(read_flat_object(line, values), is_read);
    if (!is_read) continue;
    const auto object = nlohmann::json::parse(line);
    ASSERT_EQ(values.size(), object.size());
    for (const FlatValue& value : values) {
      const auto& same = object.at(std::string(value.key));
      EXPECT_EQ(value.text.has_value(), same.is_string());
      EXPECT_EQ(value.number.has_value(), same.is_number());
      if (value.text) {
        EXPECT_EQ(*value.text, same.get<std::string>());
      }
      if (!value.number) continue;
      EXPECT_EQ(*value.number, same.get<double>());
      EXPECT_EQ(std::signbit(*value.number), std::signbit(same.get<double>()));
    }
  }
}

}  // namespace
}  // namespace paco::io
