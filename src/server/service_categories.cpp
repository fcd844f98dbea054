// Calls about categories: lists, members, the map, and statistics of the stream.
#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "insight/directions.hpp"
#include "insight/insight.hpp"
#include "server/compress.hpp"
#include "server/service.hpp"
#include "server/views.hpp"
#include "session/journal_rows.hpp"

namespace paco::server {
namespace {

constexpr std::size_t kMapPoints = 10'000;
constexpr std::uint64_t kMapSamples = 4000;
constexpr std::size_t kCompared = 1000;  // newest members compared, for middle and edge

Result<CategoryId> category_of(const Call& call, const MemoryView& view) {
  PACO_ASSIGN(const std::uint64_t id, number_of(call.places[1], "category"));
  if (view.categories.has(static_cast<CategoryId>(id))) return static_cast<CategoryId>(id);
  return Error{ErrorCode::not_found, fmt::format("there is no category {}", id),
               fmt::format("ids given so far end before {}", view.categories.next())};
}

// The sort key of a list; ties are sorted by id.
struct SortKey {
  double number = 0;
  std::string text;
  CategoryId id = 0;
};

struct ListRequest {
  std::uint64_t offset = 0, limit = 100, faces = 0;
  std::string sort, kind, retired, search;
  bool descending = false, merged = false;
};

Result<ListRequest> list_request(const Call& call) {
  ListRequest r;
  PACO_ASSIGN(r.offset, whole(call, "offset", 0, std::numeric_limits<std::int64_t>::max()));
  PACO_ASSIGN(r.limit, whole(call, "limit", 100, 1000));
  PACO_ASSIGN(r.faces, whole(call, "faces", 0, 8));
  PACO_ASSIGN(r.sort, choice(call, "sort", {"id", "name", "size", "answered", "birth", "newest"}));
  PACO_ASSIGN(const std::string order, choice(call, "order", {"asc", "desc"}));
  PACO_ASSIGN(r.kind, choice(call, "kind", {"all", "known", "discovered"}));
  PACO_ASSIGN(r.retired, choice(call, "retired", {"yes", "no", "only"}));
  PACO_ASSIGN(const std::string merged, choice(call, "merged", {"no", "yes"}));
  r.descending = order == "desc";
  r.merged = merged == "yes";
  r.search = lower(call.text("search"));
  return r;
}

std::vector<SortKey> matching(const ListRequest& r, const MemoryView& view,
                              const insight::MemberIndex& members) {
  std::vector<SortKey> keys;
  for (CategoryId id = 0; id < view.categories.next(); ++id) {
    if (!view.categories.has(id) || (!r.merged && !view.categories.is_live(id))) continue;
    const CategoryInfo info = view.info(id);
    if (r.kind != "all" && info.known != (r.kind == "known")) continue;
    if (r.retired != "yes" && info.retired != (r.retired == "only")) continue;
    if (!r.search.empty() && lower(info.name).find(r.search) == std::string::npos &&
        std::to_string(id) != r.search) {
      continue;
    }
    SortKey key;
    key.id = id;
    if (r.sort == "name") key.text = lower(info.name);
    if (r.sort == "size") key.number = static_cast<double>(info.size);
    if (r.sort == "answered") key.number = static_cast<double>(info.answered);
    if (r.sort == "birth") key.number = static_cast<double>(info.birth);
    if (r.sort == "newest") {
      const auto newest = members.page(info.prototypes, ~std::uint64_t{0}, 1, true);
      key.number = newest.empty() ? -1 : static_cast<double>(newest[0]);
    }
    keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end(), [&](const SortKey& a, const SortKey& b) {
    if (a.number != b.number) return (a.number < b.number) != r.descending;
    if (a.text != b.text) return (a.text < b.text) != r.descending;
    return r.sort == "id" && r.descending ? a.id > b.id : a.id < b.id;
  });
  return keys;
}

// A page of the members nearest to the category's nearest prototype, or farthest from it. `from` is
// the number of members on earlier pages.
Result<Json> members_by_cosine(Stream& stream, const MemoryView& view, CategoryId id, bool edge,
                               std::uint64_t from, std::size_t limit, Json& next) {
  const auto directions = stream.directions();
  const auto& prototypes = view.categories[id].prototypes;
  const auto newest = stream.members().page(prototypes, ~std::uint64_t{0}, kCompared, true);
  std::vector<std::pair<double, std::uint64_t>> order;
  for (const std::uint64_t sequence : newest) {
    const std::vector<float> unit = stream.unit_of(sequence);
    if (unit.empty()) continue;
    double best = -2;
    for (std::size_t i = 0; i < directions->size(); ++i) {
      if (directions->owners[i] == id) best = std::max(best, directions->cosine(i, unit));
    }
    if (best > -2) order.emplace_back(edge ? best : -best, sequence);
  }
  std::sort(order.begin(), order.end());
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(
                                                 std::min<std::uint64_t>(from, order.size())));
  if (order.size() > limit) {
    order.resize(limit);
    next = from + limit;
  }
  return stream.read([&](journal::JournalReader& journal) -> Result<Json> {
    Json list = Json::array();
    for (const auto& [key, sequence] : order) {
      PACO_ASSIGN(const auto sample, journal.sample(sequence));
      if (!sample) continue;
      Json json = sample_json(*sample, view, journal);
      json["cosine"] = edge ? key : -key;
      list.push_back(std::move(json));
    }
    return list;
  });
}

}  // namespace

Response Service::list_categories(Call& call) {
  const Result<ListRequest> request = list_request(call);
  if (!request.ok()) return failure(request.error());
  Stream& stream = *call.stream;
  const auto now = stream.worker().published();
  const std::vector<SortKey> keys = matching(*request, *now->view, stream.members());
  const auto directions = stream.directions();
  const auto keywords = stream.keywords();
  Json list = Json::array();
  const std::uint64_t first = std::min<std::uint64_t>(request->offset, keys.size());
  const std::uint64_t last = std::min<std::uint64_t>(first + request->limit, keys.size());
  for (std::uint64_t i = first; i < last; ++i) {
    const CategoryId id = keys[i].id;
    Json json = category_view(*now->view, stream, id);
    json.update(insight::category_notes_json(*now->view, id, *directions, *keywords));
    if (request->faces > 0) {
      const auto faces = stream.members().page(now->view->categories[id].prototypes,
                                               ~std::uint64_t{0}, request->faces, true);
      Json shown = Json::array();
      stream.read([&](journal::JournalReader& journal) {
        for (const std::uint64_t sequence : faces) shown.push_back(face_json(sequence, journal));
      });
      json["faces"] = std::move(shown);
    }
    list.push_back(std::move(json));
  }
  return answer(Json{{"total", keys.size()},
                     {"offset", first},
                     {"event", now->events},
                     {"categories", std::move(list)}});
}

Response Service::show_category(Call& call) {
  Stream& stream = *call.stream;
  const auto view = stream.worker().published()->view;
  const Result<CategoryId> id = category_of(call, *view);
  if (!id.ok()) return failure(id.error());
  Json json = category_view(*view, stream, *id);
  const auto directions = stream.directions();
  json.update(insight::category_notes_json(*view, *id, *directions, *stream.keywords()));
  Json parts = Json::array();
  for (const PrototypeId p : view->categories[*id].prototypes) {
    const Prototype& prototype = view->prototypes[static_cast<std::size_t>(p)];
    parts.push_back({{"prototype", p},
                     {"size", prototype.size()},
                     {"birth", prototype.birth},
                     {"resultant_length", number_json(prototype.resultant_length)},
                     {"reference", prototype.reference},
                     {"competing", prototype.competing}});
  }
  json["parts"] = std::move(parts);
  Json near = Json::array();
  std::size_t largest = directions->size();
  for (std::size_t i = 0; i < directions->size(); ++i) {
    if (directions->owners[i] != *id) continue;
    if (largest == directions->size() || directions->sizes[i] > directions->sizes[largest])
      largest = i;
  }
  if (largest < directions->size()) {
    const std::span<const float> row(directions->row(largest), directions->dimension);
    for (const insight::NearCategory& one : insight::nearest_categories(*directions, row, 8, *id)) {
      near.push_back({{"category", one.category},
                      {"name", view->categories.name(one.category)},
                      {"cosine", one.cosine}});
    }
  }
  json["nearest"] = std::move(near);
  return answer(json);
}

Response Service::list_members(Call& call) {
  const auto work = [&]() -> Result<Json> {
    Stream& stream = *call.stream;
    const auto view = stream.worker().published()->view;
    PACO_ASSIGN(const CategoryId id, category_of(call, *view));
    PACO_ASSIGN(const std::uint64_t limit, whole(call, "limit", 100, 1000));
    PACO_ASSIGN(const std::string order,
                choice(call, "order", {"newest", "oldest", "middle", "edge"}));
    const auto& prototypes = view->categories[id].prototypes;
    const std::uint64_t total = stream.members().count(prototypes);
    if (order == "middle" || order == "edge") {
      PACO_ASSIGN(const std::uint64_t from, whole(call, "from", 0, kCompared));
      Json next;
      PACO_ASSIGN(Json list,
                  members_by_cosine(stream, *view, id, order == "edge", from, limit, next));
      return Json{{"total", total}, {"members", std::move(list)}, {"next", next}};
    }
    const bool newest = order == "newest";
    PACO_ASSIGN(const std::uint64_t from, whole(call, "from", newest ? ~std::uint64_t{0} : 0,
                                                std::numeric_limits<std::int64_t>::max()));
    auto page = stream.members().page(prototypes, from, limit + 1, newest);
    Json next;
    if (page.size() > limit) {
      next = page.back();
      page.pop_back();
    }
    return stream.read([&](journal::JournalReader& journal) -> Result<Json> {
      Json list = Json::array();
      for (const std::uint64_t sequence : page) {
        PACO_ASSIGN(const auto sample, journal.sample(sequence));
        if (sample) list.push_back(sample_json(*sample, *view, journal));
      }
      return Json{{"total", total}, {"members", std::move(list)}, {"next", next}};
    });
  };
  const Result<Json> json = work();
  return json.ok() ? answer(*json) : failure(json.error());
}

Response Service::get_map(Call& call) {
  const auto directions = call.stream->directions();
  const auto view = call.stream->worker().published()->view;
  const insight::PrototypeMap map = insight::principal_map(*directions, kMapPoints);
  Json points = Json::array();
  for (const insight::MapPoint& point : map.points) {
    points.push_back({{"prototype", directions->prototypes[point.prototype]},
                      {"category", directions->owners[point.prototype]},
                      {"name", view->categories.name(directions->owners[point.prototype])},
                      {"x", point.x},
                      {"y", point.y},
                      {"size", directions->sizes[point.prototype]},
                      {"known", directions->known[point.prototype] != 0}});
  }
  return answer(Json{{"event", directions->events},
                     {"points", std::move(points)},
                     {"explained", {map.explained[0], map.explained[1]}}});
}

Response Service::get_centroids(Call& call) {
  const auto directions = call.stream->directions();
  if (directions->transform == nullptr) {
    return failure(Error{ErrorCode::unsupported, "the method of this stream has no directions",
                         "methods with directions are paco, mirror and the baselines"});
  }
  const auto view = call.stream->worker().published()->view;
  const insight::Centroids found = insight::centroids_of(*directions);
  Json list = Json::array();
  for (std::size_t i = 0; i < found.categories.size(); ++i) {
    const float* row = found.rows.data() + i * directions->dimension;
    list.push_back({{"category", found.categories[i]},
                    {"name", view->categories.name(found.categories[i])},
                    {"direction", std::vector<float>(row, row + directions->dimension)}});
  }
  return answer(Json{{"event", directions->events}, {"centroids", std::move(list)}});
}

Response Service::get_sample_map(Call& call) {
  const auto limit = whole(call, "limit", 1000, kMapSamples);
  if (!limit.ok()) return failure(limit.error());
  const auto map = call.stream->sample_map(static_cast<std::size_t>(*limit));
  const auto view = call.stream->worker().published()->view;
  const auto points = call.stream->read([&](journal::JournalReader& journal) -> Result<Json> {
    Json list = Json::array();
    for (std::size_t i = 0; i < map->sequences.size(); ++i) {
      PACO_ASSIGN(const auto sample, journal.sample(map->sequences[i]));
      if (!sample) continue;
      Json point = face_json(map->sequences[i], journal);
      const CategoryId now = category_now(*sample, *view, journal);
      point["x"] = map->places[i].x;
      point["y"] = map->places[i].y;
      point["category"] = now;
      point["name"] = view->categories.name(now);
      point["verdict"] = verdict_name(sample->verdict);
      point["verified"] = view->is_verified(map->sequences[i]);
      list.push_back(std::move(point));
    }
    return list;
  });
  if (!points.ok()) return failure(points.error());
  return answer(Json{{"samples", map->samples}, {"points", *points}});
}

Response Service::get_support_picture(Call& call) {
  const auto id = number_of(call.places[1], "category");
  const auto position = number_of(call.places[2], "picture");
  if (!id.ok() || !position.ok()) return failure(id.ok() ? position.error() : id.error());
  const auto picture = call.stream->read([&](journal::JournalReader& journal) {
    return journal.support_picture(static_cast<CategoryId>(*id), *position);
  });
  if (!picture.ok()) return failure(picture.error());
  return picture_answer(*picture, fmt::format("category {} has no picture {}", *id, *position));
}

Response Service::get_series(Call& call) { return answer(call.stream->series().json()); }

Response Service::get_recent_hour(Call& call) {
  const double now = session::time_of_day();
  Json list = Json::array();
  for (const RecentHour::Step& step :
       call.stream->recent_hour().steps(static_cast<std::int64_t>(now))) {
    list.push_back({{"time", step.time},
                    {"samples", step.samples},
                    {"births", step.births},
                    {"p50_ms", number_json(step.p50_ms)},
                    {"p99_ms", number_json(step.p99_ms)}});
  }
  return answer(Json{{"now", now}, {"width", RecentHour::kStep}, {"steps", std::move(list)}});
}

void Service::get_suggestions(Call call) {
  const auto exchange = call.exchange;
  const std::uint64_t events = call.stream->worker().published()->events;
  const auto after = whole(call, "after", 0, std::numeric_limits<std::int64_t>::max());
  if (!after.ok() || *after > events) {
    const Error error =
        after.ok() ? Error{ErrorCode::mismatch, fmt::format("event {} is not there yet", *after),
                           fmt::format("the stream has {} events", events)}
                   : after.error();
    return exchange->answer([error] { return failure(error); });
  }
  // An answer always includes the last operation, whatever `after` is.
  const std::uint64_t needed = std::max(*after, call.stream->advised_events());
  call.stream->advice().ask(needed, [exchange](const Advice::Found& found) {
    exchange->answer([exchange, found] {
      if (found == nullptr)
        return failure(503, "unavailable", "the stream is being closed", "ask again in a moment");
      Response response = answer(insight::insight_json(found->insight, *found->view));
      compress(response, exchange->request);
      return response;
    });
  });
}

}  // namespace paco::server
