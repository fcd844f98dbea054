#include "report/stream_totals.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

#include "report/report.hpp"

namespace paco::report {
namespace {

// True if the text is the usual decimal form of this number.
bool is_number(std::string_view text, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  return text == std::string_view(digits, static_cast<std::size_t>(end - digits));
}

}  // namespace

StreamTotals::StreamTotals(const std::vector<ReportField>& fields,
                           std::span<const std::string> listed)
    : evidence(fields.size()) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    evidence[f].chosen.resize(fields[f].choices.size());
    evidence[f].listed = std::find(listed.begin(), listed.end(), fields[f].name) != listed.end();
    if (fields[f].name != "branch" || branch_ >= 0) continue;
    branch_ = static_cast<int>(f);
    ways_known_ = fields[f].choices.size();
  }
}

void StreamTotals::expect(std::size_t samples) {
  categories.reserve(samples);
  ways.reserve(samples);
}

void StreamTotals::see(const ReportSample& sample) {
  const Decision& d = sample;
  const std::size_t place = size();
  if (place == 0) first = d.sequence;
  assert(d.sequence == sequence(place));
  categories.push_back(d.category);
  std::size_t way = static_cast<std::size_t>(d.verdict);
  if (branch_ >= 0) {
    const double branch = d.evidence[static_cast<std::size_t>(branch_)];
    const bool made = branch >= 0 && branch < static_cast<double>(ways_known_);
    way = made ? static_cast<std::size_t>(branch) : 0;
  }
  ways.push_back(static_cast<std::uint8_t>(way));
  take_time(sample.microseconds);
  if (d.verdict == Verdict::created) births.push_back(place);
  ++verdicts[static_cast<std::size_t>(d.verdict)];
  named = named || !is_number(sample.sample, d.sequence);
  if (d.verdict == Verdict::known) {
    above_known_ = std::max(above_known_, d.category + 1);
  } else {
    first_category_ = std::min(first_category_, d.category);
  }

  CategoryTotal& category = by_category[d.category];
  if (category.size == 0) {
    category.name = sample.name;
    category.first = d.sequence;
  }
  if (category.latest_name != sample.name) category.latest_name = sample.name;
  category.born |= d.verdict == Verdict::created;
  category.last = d.sequence;
  ++category.size;

  for (std::size_t f = 0; f < evidence.size(); ++f) {
    EvidenceTotal& total = evidence[f];
    const double value = d.evidence[f];
    total.last = value;
    if (value >= 0 && value < static_cast<double>(total.chosen.size()))
      ++total.chosen[static_cast<std::size_t>(value)];
    if (!std::isfinite(value)) continue;
    total.computed = true;
    total.lowest = std::min(total.lowest, value);
    if (total.listed) total.values.push_back(value);
  }
}

// Must be called after the sample was added to `categories`.
void StreamTotals::take_time(double microseconds_taken) {
  if (microseconds.empty()) {
    if (!std::isfinite(microseconds_taken)) return;
    microseconds.reserve(categories.capacity());
    microseconds.assign(size() - 1, kNotComputed);
  }
  microseconds.push_back(microseconds_taken);
}

std::size_t StreamTotals::known_classes() const {
  const bool any = first_category_ != std::numeric_limits<CategoryId>::max();
  return static_cast<std::size_t>(any ? first_category_ : above_known_);
}

}  // namespace paco::report
