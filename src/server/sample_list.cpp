#include "server/sample_list.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "paco/decision.hpp"
#include "server/http.hpp"

namespace paco::server {
namespace {

constexpr std::size_t kScannedAtOnce = 4096;
constexpr std::size_t kMostLists = 4;

bool has_attribute(const nlohmann::json& attributes, const std::string& name,
                   const std::string& value) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return false;
  return (found->is_string() ? found->get<std::string>() : found->dump()) == value;
}

}  // namespace

SamplePage page_by_sequence(const std::vector<std::uint64_t>& fitting,
                            std::optional<std::uint64_t> from, std::size_t limit, bool newest) {
  SamplePage out;
  out.total = fitting.size();
  auto first = fitting.begin(), last = fitting.end();
  if (newest) {
    if (from) last = std::upper_bound(first, last, *from);
    const auto count = std::min<std::ptrdiff_t>(last - first, static_cast<std::ptrdiff_t>(limit));
    out.sequences.assign(std::make_reverse_iterator(last),
                         std::make_reverse_iterator(last - count));
    if (last - first > count) out.next = *(last - count - 1);
    return out;
  }
  if (from) first = std::lower_bound(first, last, *from);
  const auto count = std::min<std::ptrdiff_t>(last - first, static_cast<std::ptrdiff_t>(limit));
  out.sequences.assign(first, first + count);
  if (last - first > count) out.next = *(first + count);
  return out;
}

Result<bool> SampleLists::fits(const SampleFilter& filter, const io::DecidedSample& sample) {
  if (!filter.verdict.empty() && verdict_name(sample.verdict) != filter.verdict) {
    return false;
  }
  if (filter.score_from && !(sample.score >= *filter.score_from)) return false;
  if (filter.score_to && !(sample.score <= *filter.score_to)) return false;
  const auto found = [&](const std::string& text) {
    return lower(text).find(filter.search) != std::string::npos;
  };
  const bool is_found = found(sample.key) || found(sample.sample);
  if (is_found && filter.attributes.empty()) return true;
  PACO_ASSIGN(const journal::Extras extras, journal_.extras(sample.sequence, false));
  if (!is_found && !found(extras.attributes)) return false;
  if (filter.attributes.empty()) return true;
  const auto parsed = nlohmann::json::parse(extras.attributes, nullptr, false);
  return parsed.is_object() &&
         std::all_of(filter.attributes.begin(), filter.attributes.end(),
                     [&](const auto& one) { return has_attribute(parsed, one.first, one.second); });
}

Result<void> SampleLists::go_on(List& list, std::uint64_t samples) {
  while (list.looked_at < samples) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kScannedAtOnce, samples - list.looked_at));
    PACO_ASSIGN(const std::vector<io::DecidedSample> page, journal_.samples(list.looked_at, count));
    if (page.empty()) return {};
    for (const io::DecidedSample& sample : page) {
      PACO_ASSIGN(const bool is_match, fits(list.filter, sample));
      if (is_match) list.matches.push_back({sample.sequence, sample.score});
      list.looked_at = sample.sequence + 1;
    }
  }
  return {};
}

Result<std::vector<SampleLists::Match>> SampleLists::matches(
    const SampleFilter& filter, SampleRange range, const std::vector<std::uint64_t>* members) {
  SampleFilter wanted = filter;
  wanted.search = lower(std::move(wanted.search));
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(lists_.begin(), lists_.end(),
                                  [&](const List& list) { return list.filter == wanted; });
  if (found != lists_.end()) {
    lists_.splice(lists_.begin(), lists_, found);
  } else {
    lists_.emplace_front().filter = std::move(wanted);
    if (lists_.size() > kMostLists) lists_.pop_back();
  }
  PACO_TRY(go_on(lists_.front(), range.end));
  std::vector<Match> out;
  for (const Match& match : lists_.front().matches) {
    const bool is_member =
        members == nullptr || std::binary_search(members->begin(), members->end(), match.sequence);
    if (is_member && match.sequence >= range.first && match.sequence < range.end)
      out.push_back(match);
  }
  return out;
}

Result<std::vector<std::uint64_t>> SampleLists::fitting(const SampleFilter& filter,
                                                        SampleRange range,
                                                        const std::vector<std::uint64_t>* members) {
  PACO_ASSIGN(const std::vector<Match> found, matches(filter, range, members));
  std::vector<std::uint64_t> out;
  out.reserve(found.size());
  for (const Match& match : found) out.push_back(match.sequence);
  return out;
}

Result<SamplePage> SampleLists::page_by_score(const SampleFilter& filter, SampleRange range,
                                              const std::vector<std::uint64_t>* members,
                                              std::uint64_t from, std::size_t limit,
                                              bool descending) {
  PACO_ASSIGN(std::vector<Match> found, matches(filter, range, members));
  SamplePage out;
  out.total = found.size();
  const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(from, found.size()));
  const std::size_t last = std::min(first + limit, found.size());
  const auto before = [descending](const Match& a, const Match& b) {
    const bool a_has = !std::isnan(a.score), b_has = !std::isnan(b.score);
    if (a_has != b_has) return a_has;
    if (a_has && a.score != b.score) return (a.score < b.score) != descending;
    return a.sequence < b.sequence;
  };
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(last), found.end(),
                    before);
  for (std::size_t i = first; i < last; ++i) out.sequences.push_back(found[i].sequence);
  if (last < found.size()) out.next = last;
  return out;
}

}  // namespace paco::server
