// Names of enumerations go both ways and are complete where a test can see it.
#include "core/enum_names.hpp"

#include <gmock/gmock.h>

namespace paco::core {
namespace {

enum class Fruit { apple, pear, plum };

constexpr auto kFruits =
    enum_names<Fruit>({{Fruit::pear, "pear"}, {Fruit::apple, "apple"}, {Fruit::plum, "plum"}});

TEST(EnumNames, GoBothWays) {
  for (const Fruit fruit : {Fruit::apple, Fruit::pear, Fruit::plum})
    EXPECT_EQ(kFruits.value(kFruits.name(fruit)), fruit);
  static_assert(kFruits.name(Fruit::plum) == "plum");
  static_assert(kFruits.value("apple") == Fruit::apple);
}

TEST(EnumNames, AForeignNameHasNoValueAndAForeignNumberNoName) {
  EXPECT_EQ(kFruits.value("cherry"), std::nullopt);
  EXPECT_EQ(kFruits.value(""), std::nullopt);
  EXPECT_EQ(kFruits.value("app"), std::nullopt);
  EXPECT_EQ(kFruits.name(static_cast<Fruit>(9)), "unknown");
}

TEST(EnumNames, AreListedInTheOrderOfTheTable) {
  EXPECT_THAT(kFruits.names(), ::testing::ElementsAre("pear", "apple", "plum"));
}

}  // namespace
}  // namespace paco::core
