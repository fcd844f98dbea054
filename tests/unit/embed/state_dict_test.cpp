// Weights of every known file format are read without executing anything in them.
#include "embed/weights/state_dict.hpp"

#include <gmock/gmock.h>

#include "unit/embed/pickle_builder.hpp"

namespace paco::embed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<StateDict> parse(const std::string& bytes) {
  return parse_torch_file(std::as_bytes(std::span(bytes)), "weights.pth");
}

const std::vector<Storage> kSix = {{"a", {1, 2, 3, 4, 5, 6}}};

// {"model": {"module.w": (2, 3), "t": its transpose, "epoch": 3}} with training options beside it.
std::string wrapped() {
  PickleBuilder p;
  p.raw("}(").text("args").global("argparse", "Namespace").raw(")\x81}b");
  p.text("model").global("collections", "OrderedDict").raw(")R(");
  p.text("module.w").tensor("a", 6, 0, {2, 3}, {3, 1});
  p.text("t").tensor("a", 6, 0, {3, 2}, {1, 3});
  p.text("epoch").integer(3).raw("u");
  return legacy_file(p.raw("u").finish(), kSix);
}

TEST(StateDict, ReadsTensorsOfEveryStrideAndOpensWrappers) {
  const auto dictionary = parse(wrapped());
  ASSERT_TRUE(dictionary.ok()) << dictionary.error().message;
  ASSERT_EQ(dictionary->size(), 2u);
  EXPECT_EQ((*dictionary)[0].name, "module.w");
  EXPECT_THAT((*dictionary)[0].shape, ElementsAre(2, 3));
  EXPECT_THAT((*dictionary)[0].values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT((*dictionary)[1].shape, ElementsAre(3, 2));
  EXPECT_THAT((*dictionary)[1].values, ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(StateDict, TakesTheTeacherBeforeTheStudent) {
  PickleBuilder p;
  p.raw("}(");
  for (const char* who : {"student", "teacher"}) {
    const bool teacher = std::string(who) == "teacher";
    p.text(who).raw("}(").text("w").tensor("a", 6, teacher ? 4 : 0, {2}, {1}).raw("u");
  }
  const auto dictionary = parse(legacy_file(p.raw("u").finish(), kSix));
  ASSERT_TRUE(dictionary.ok()) << dictionary.error().message;
  EXPECT_THAT(dictionary->at(0).values, ElementsAre(5, 6));
}

TEST(StateDict, RefusesAnyOtherGlobalByNameWithoutRunningIt) {
  PickleBuilder p;
  p.global("os", "system").text("touch owned").raw("\x85R");
  const auto dictionary = parse(legacy_file(p.finish(), {}));
  ASSERT_FALSE(dictionary.ok());
  EXPECT_EQ(dictionary.error().code, ErrorCode::unsupported);
  EXPECT_THAT(dictionary.error().message, HasSubstr("os.system"));
}

TEST(StateDict, RefusesOpcodesThatNoStateDictHas) {
  const auto dictionary =
      parse(legacy_file(PickleBuilder().raw("i").finish(), {}));  // INST makes an object
  ASSERT_FALSE(dictionary.ok());
  EXPECT_THAT(dictionary.error().message, HasSubstr("0x69"));
}

TEST(StateDict, NamesATensorThatReachesOutsideItsStorage) {
  const std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>> shapes = {
      {{7}, {1}}, {{2, 3}, {4, 1}}, {{-1}, {1}}, {{2}, {-1}}, {{6, 6}, {0, 1}}, {{2, 3}, {1}}};
  for (const auto& [shape, stride] : shapes) {
    PickleBuilder p;
    p.raw("}(").text("w").tensor("a", 6, 0, shape, stride).raw("u");
    const auto dictionary = parse(legacy_file(p.finish(), kSix));
    ASSERT_FALSE(dictionary.ok()) << ::testing::PrintToString(shape);
    EXPECT_THAT(dictionary.error().message, HasSubstr("tensor w"));
  }
}

TEST(StateDict, EveryShorterFileIsAnError) {
  const std::string whole = wrapped();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(parse(whole.substr(0, length)).ok()) << length;
}

TEST(StateDict, ADictionaryThatContainsItselfEnds) {
  PickleBuilder p;
  p.raw("}q")
      .raw(std::string(1, '\0'))
      .raw("(")
      .text("model")
      .raw("h")
      .raw(std::string(1, '\0'))
      .raw("u");
  const auto dictionary = parse(legacy_file(p.finish(), {}));
  ASSERT_FALSE(dictionary.ok());
  EXPECT_THAT(dictionary.error().message, HasSubstr("no dictionary of tensors"));
}

TEST(StateDict, StripsTheNamesOfTrainingWrappers) {
  EXPECT_EQ(plain_name("module.backbone.blocks.0.norm1.weight"), "blocks.0.norm1.weight");
  EXPECT_EQ(plain_name("backbone.module.cls_token"), "cls_token");
  EXPECT_EQ(plain_name("cls_token"), "cls_token");
}

}  // namespace
}  // namespace paco::embed
