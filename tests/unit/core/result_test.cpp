// A Result carries its value or its first error.
#include "paco/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "core/try.hpp"

namespace paco::core {
namespace {

Result<std::unique_ptr<int>> positive(int value) {
  if (value <= 0) return Error{ErrorCode::bad_value, "not positive", "give more"};
  return std::make_unique<int>(value);
}

Result<int> sum(int a, int b) {
  PACO_ASSIGN(const auto x, positive(a));
  PACO_ASSIGN(const auto y, positive(b));
  return *x + *y;
}

Result<void> check(int a) {
  PACO_TRY(positive(a));
  return {};
}

TEST(Result, CarriesAValueThatCanOnlyBeMoved) {
  auto result = positive(3);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> owned = std::move(result).value();
  EXPECT_EQ(*owned, 3);
}

TEST(Result, TheFirstErrorLeavesTheFunctionAsItIs) {
  EXPECT_EQ(sum(1, 2).value(), 3);
  EXPECT_EQ(sum(1, -2).error().code, ErrorCode::bad_value);
  EXPECT_EQ(sum(0, 1).error().hint, "give more");
  EXPECT_TRUE(check(1).ok());
  EXPECT_EQ(check(0).error().message, "not positive");
}

TEST(Result, EveryErrorCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::out_of_memory); ++code) {
    names.insert(error_code_name(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::out_of_memory) + 1);
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace paco::core
