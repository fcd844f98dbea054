// In paco-faulty alone: PACO_JOURNAL_FAULT=KIND:N in the environment makes
// the N-th write, sync, truncation or removal of a journal's files end the process (kill; tear: in
// the middle of a write) or fail (fail; full: that one and all later ones).
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "journal/faulty_disk.hpp"

namespace {

using namespace paco::journal;

class EnvironmentFault final : public DiskWatch {
 public:
  // False if the text does not have the form KIND:N.
  bool parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view kind = text.substr(0, colon);
    answer_ = kind == "kill"   ? DiskAnswer::kill
              : kind == "tear" ? DiskAnswer::tear
              : kind == "fail" ? DiskAnswer::fail
                               : DiskAnswer::full;
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, number);
    left_ = number;
    return parsed.ec == std::errc{} && parsed.ptr == end && number > 0;
  }
  DiskAnswer before(const DiskStep& step) override {
    if (step.operation == DiskOperation::open || step.operation == DiskOperation::read)
      return DiskAnswer::proceed;
    const std::int64_t left = left_.fetch_sub(1);
    const bool now = left == 1 || (left < 1 && answer_ == DiskAnswer::full);
    return now ? answer_ : DiskAnswer::proceed;
  }

 private:
  DiskAnswer answer_ = DiskAnswer::proceed;
  std::atomic<std::int64_t> left_{0};
};

EnvironmentFault fault;

[[maybe_unused]] const bool kInjected = [] {
  const char* text = std::getenv("PACO_JOURNAL_FAULT");
  if (text == nullptr || !fault.parse(text)) return false;
  watch_disk(&fault);
  return true;
}();

}  // namespace
