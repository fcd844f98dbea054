// Memory that runs out at any moment is an error that comes back, not an exception and not an end.
// A program of its own, because it replaces the allocation functions of the whole program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "paco/session.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace {

// Counts allocations of at least so many bytes down; the one that meets zero fails. Below zero none
// does.
std::atomic<std::int64_t> allocations_left{-1};
std::atomic<std::size_t> smallest_counted{0};

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes >= smallest_counted && allocations_left.fetch_sub(1) == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
// Whoever asks in this way can do without; it counts for nothing.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
// GCC 12 does not see that these belong to the two above.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace paco::session {
namespace {

// Lets one allocation of `call` fail, a later one each time, until it has no more. It is called
// with what `prepare` gives, whose allocations do not count.
template <class Prepare, class Call>
void expect_reported(const std::string& what, std::size_t smallest, Prepare prepare, Call call) {
  smallest_counted = smallest;
  for (std::int64_t n = 0; n < 1000000; n += 1 + n / 50) {
    auto prepared = prepare();
    allocations_left = n;
    const auto result = call(prepared);
    const bool reached = allocations_left.exchange(-1) < 0;
    if (!reached) {
      EXPECT_TRUE(result.ok());
      EXPECT_GT(n, 1) << what << " allocates nothing";
      return;
    }
    ASSERT_FALSE(result.ok()) << what << " survived that allocation " << n << " failed";
    ASSERT_EQ(result.error().code, ErrorCode::out_of_memory)
        << what << ", allocation " << n << ": " << result.error().message;
  }
  ADD_FAILURE() << what << " never had enough";
}

template <class Call>
void expect_reported(const std::string& what, std::size_t smallest, Call call) {
  expect_reported(
      what, smallest, [] { return 0; }, [&](int) { return call(); });
}

TEST(OutOfMemory, WhicheverAllocationFailsThePublicFunctionsReportIt) {
  testing::MadePlan plan;
  plan.dimension = 1000;
  const testing::SyntheticData data = testing::make_data(plan, 3);
  const testing::TemporaryFolder folder;
  const std::string path = folder / "model.paco";
  expect_reported("calibrate", 0, [&] { return calibrate(data.support_set()); });
  const Model model = *calibrate(data.support_set());
  // The JSON library allocates a little in its destructors, which cannot fail in order.
  constexpr std::size_t kLarge = 4000;
  expect_reported("save_model", kLarge, [&] { return save_model(model, path); });
  ASSERT_TRUE(save_model(model, path).ok());
  expect_reported("load_model", kLarge, [&] { return load_model(path); });
}

TEST(OutOfMemory, ASessionReportsItAndThenRefusesToGoOn) {
  const testing::SyntheticData data = testing::make_data({}, 3);
  const auto model = std::make_shared<const Model>(*calibrate(data.support_set()));
  const auto started = [&] { return Session::start(model).value(); };
  expect_reported("start", 0, [&] { return Session::start(model); });
  std::vector<Decision> decisions(data.stream.rows());
  expect_reported("decide", 0, started, [&](Session& session) {
    const auto decided = session.decide(data.stream, decisions);
    if (!decided.ok()) {
      EXPECT_FALSE(session.decide(data.stream, decisions).ok());
    }
    return decided;
  });
  const auto decided = [&] {
    Session session = started();
    EXPECT_TRUE(session.decide(data.stream, decisions).ok());
    return session;
  };
  constexpr std::size_t kLarge = 1000;  // as above
  expect_reported("save", kLarge, decided, [](Session& session) { return session.save(); });
}

}  // namespace
}  // namespace paco::session
