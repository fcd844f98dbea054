// The call that lists samples: by category, verdict, attribute, score, time or text, in stream
// order or by score.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/try.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

namespace paco::server {
namespace {

Result<std::optional<double>> score_of(const Call& call, std::string_view name) {
  if (!call.has(name)) return std::optional<double>();
  const std::string text = call.text(name);
  double value = 0;
  const auto [next, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc{} && next == text.data() + text.size() && std::isfinite(value))
    return std::optional<double>(value);
  return Error{ErrorCode::bad_argument, fmt::format("{}={}", name, text), "a number"};
}

Result<SampleFilter> filter_of(const Call& call) {
  SampleFilter filter;
  if (call.has("verdict")) {
    PACO_ASSIGN(filter.verdict,
                choice(call, "verdict", {"known", "existing", "created", "tentative"}));
  }
  filter.search = call.text("search");
  PACO_ASSIGN(filter.score_from, score_of(call, "score_from"));
  PACO_ASSIGN(filter.score_to, score_of(call, "score_to"));
  for (const auto& [name, value] : call.request().query) {
    if (name != "attribute") continue;
    const std::size_t sign = value.find('=');
    if (sign == std::string::npos) {
      return Error{ErrorCode::bad_argument, fmt::format("attribute={}", value),
                   "a name and a value: attribute=camera=north"};
    }
    filter.attributes.emplace_back(value.substr(0, sign), value.substr(sign + 1));
  }
  return filter;
}

// A page of all numbers of the range, without building a list of them.
SamplePage page_of_all(SampleRange range, std::optional<std::uint64_t> from, std::size_t limit,
                       bool newest) {
  SamplePage out;
  out.total = range.end - range.first;
  if (newest) {
    std::uint64_t end = from ? std::clamp(*from + 1, range.first, range.end) : range.end;
    for (; end > range.first && out.sequences.size() < limit; --end)
      out.sequences.push_back(end - 1);
    if (end > range.first) out.next = end - 1;
  } else {
    std::uint64_t at = std::max(from.value_or(0), range.first);
    for (; at < range.end && out.sequences.size() < limit; ++at) out.sequences.push_back(at);
    if (at < range.end) out.next = at;
  }
  return out;
}

// The samples that came between time_from and time_to, in seconds since 1970.
Result<SampleRange> range_of(const Call& call, std::uint64_t samples) {
  constexpr std::uint64_t kLast = 1'000'000'000'000;
  SampleRange range{0, samples};
  if (!call.has("time_from") && !call.has("time_to")) return range;
  PACO_ASSIGN(const std::uint64_t from, whole(call, "time_from", 0, kLast));
  PACO_ASSIGN(const std::uint64_t to, whole(call, "time_to", kLast, kLast));
  return call.stream->read([&](journal::JournalReader& journal) -> Result<SampleRange> {
    PACO_ASSIGN(const auto first, journal.first_since(static_cast<std::int64_t>(from)));
    PACO_ASSIGN(const auto after, journal.first_since(static_cast<std::int64_t>(to) + 1));
    range.end = std::min(samples, after.value_or(samples));
    range.first = std::min(range.end, first.value_or(samples));
    return range;
  });
}

Result<std::vector<std::uint64_t>> members_of(const Call& call, const MemoryView& view,
                                              SampleRange range) {
  PACO_ASSIGN(const std::uint64_t id, number_of(call.text("category"), "category"));
  const auto category = static_cast<CategoryId>(id);
  if (!view.categories.has(category))
    return Error{ErrorCode::not_found, fmt::format("there is no category {}", id), ""};
  auto members = call.stream->members().page(view.categories[category].prototypes, range.first,
                                             std::numeric_limits<std::int32_t>::max(), false);
  while (!members.empty() && members.back() >= range.end) members.pop_back();
  return members;
}

Result<SamplePage> page_of(const Call& call, const MemoryView& view) {
  PACO_ASSIGN(const std::uint64_t limit, whole(call, "limit", 100, 1000));
  PACO_ASSIGN(const std::string sort, choice(call, "sort", {"sequence", "score"}));
  PACO_ASSIGN(const std::string order, choice(call, "order", {"oldest", "newest", "asc", "desc"}));
  const bool down = order == "newest" || order == "desc";
  std::optional<std::uint64_t> from;
  if (call.has("from")) {
    PACO_ASSIGN(from, whole(call, "from", 0, std::numeric_limits<std::int64_t>::max()));
  }
  PACO_ASSIGN(const SampleFilter filter, filter_of(call));
  PACO_ASSIGN(const SampleRange range, range_of(call, view.samples));
  std::vector<std::uint64_t> members;
  if (call.has("category")) {
    PACO_ASSIGN(members, members_of(call, view, range));
  }
  const auto* const among = call.has("category") ? &members : nullptr;
  SampleLists& lists = call.stream->sample_lists();
  if (sort == "score")
    return lists.page_by_score(filter, range, among, from.value_or(0), limit, down);
  if (filter.empty() && among == nullptr) return page_of_all(range, from, limit, down);
  if (filter.empty()) return page_by_sequence(members, from, limit, down);
  PACO_ASSIGN(const auto fitting, lists.fitting(filter, range, among));
  return page_by_sequence(fitting, from, limit, down);
}

Result<Json> page_json(const Call& call) {
  const auto view = call.stream->worker().published()->view;
  SamplePage page;
  if (!call.has("key")) {
    PACO_ASSIGN(page, page_of(call, *view));
  }
  return call.stream->read([&](journal::JournalReader& journal) -> Result<Json> {
    Json list = Json::array();
    if (call.has("key")) {
      PACO_ASSIGN(const auto found, journal.find_key(call.text("key")));
      if (found) list.push_back(sample_json(*found, *view, journal));
      page.total = list.size();
    }
    for (const std::uint64_t sequence : page.sequences) {
      PACO_ASSIGN(const auto sample, journal.sample(sequence));
      if (sample) list.push_back(sample_json(*sample, *view, journal));
    }
    return Json{{"total", page.total},
                {"samples", std::move(list)},
                {"next", page.next ? Json(*page.next) : Json()}};
  });
}

}  // namespace

Response Service::list_samples(Call& call) {
  const Result<Json> json = page_json(call);
  return json.ok() ? answer(*json) : failure(json.error());
}

}  // namespace paco::server
