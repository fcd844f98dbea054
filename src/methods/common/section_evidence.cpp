#include "methods/common/section_evidence.hpp"

#include <fmt/format.h>

#include "core/try.hpp"

namespace paco::methods {
namespace {

Result<std::vector<float>> scores(const Section& section, const std::string& name) {
  const auto found = section.tensors.find(name);
  if (found != section.tensors.end()) {
    if (const auto* values = std::get_if<std::vector<float>>(&found->second.values)) return *values;
  }
  return Error{ErrorCode::bad_format, fmt::format("its section has no scores '{}'", name),
               "the file is damaged; calibrate again"};
}

}  // namespace

void put_threshold(Section& section, std::string_view name, ThresholdEvidence evidence) {
  section.numbers[std::string(name)] = evidence.value;
  section.numbers[fmt::format("{}.balanced_accuracy", name)] = evidence.balanced_accuracy;
  section.numbers[fmt::format("{}.interval_low", name)] = evidence.interval_low;
  section.numbers[fmt::format("{}.interval_high", name)] = evidence.interval_high;
  const auto put = [&](const char* what, std::vector<float>& values) {
    const std::uint64_t count = values.size();
    section.tensors[fmt::format("{}.{}", name, what)] = {{count}, std::move(values)};
  };
  put("positives", evidence.positives);
  put("negatives", evidence.negatives);
}

Result<ThresholdEvidence> get_threshold(const Section& section, std::string_view name) {
  ThresholdEvidence evidence;
  PACO_ASSIGN(evidence.value, section.number(name));
  PACO_ASSIGN(evidence.balanced_accuracy,
              section.number(fmt::format("{}.balanced_accuracy", name)));
  PACO_ASSIGN(evidence.interval_low, section.number(fmt::format("{}.interval_low", name)));
  PACO_ASSIGN(evidence.interval_high, section.number(fmt::format("{}.interval_high", name)));
  PACO_ASSIGN(evidence.positives, scores(section, fmt::format("{}.positives", name)));
  PACO_ASSIGN(evidence.negatives, scores(section, fmt::format("{}.negatives", name)));
  return evidence;
}

}  // namespace paco::methods
