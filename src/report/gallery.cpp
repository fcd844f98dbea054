// Pictures for the largest and the newest categories and for the known classes.
#include <algorithm>
#include <map>
#include <set>

#include "base/try.hpp"
#include "images/images.hpp"
#include "paco/method.hpp"
#include "report/sections.hpp"
#include "report/thumbnail.hpp"

namespace paco {

namespace {

// The first, the last and evenly spread ones between them.
std::vector<std::size_t> spread(const std::vector<std::size_t>& places, std::size_t count) {
  if (places.size() <= count) return places;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(places[count == 1 ? 0 : i * (places.size() - 1) / (count - 1)]);
  }
  return chosen;
}

Result<Json> picture(const ReportView& view, const ReportOptions& options, std::size_t place) {
  const ReportInput& input = view.input;
  const ReportSample& sample = input.samples[place];
  const auto index = input.image_index.empty() ? static_cast<std::int64_t>(sample.decision.sequence)
                                               : input.image_index[place];
  if (index < 0 || static_cast<std::size_t>(index) >= input.images->size()) {
    return Error{
        ErrorCode::mismatch,
        "sample " + std::to_string(sample.decision.sequence) + " points to picture " +
            std::to_string(index) + ", but the source holds " +
            std::to_string(input.images->size()),
        "give the pictures this stream was made from, or an index from stream order to picture"};
  }
  PACO_ASSIGN(const Image image, input.images->load(static_cast<std::size_t>(index)));
  PACO_ASSIGN(const Thumbnail small, make_thumbnail(image, options.thumbnail, options.quality));
  Json result = {{"sequence", sample.decision.sequence},
                 {view.has("branch") ? "branch" : "verdict", view.way(place)},
                 {"width", small.width},
                 {"height", small.height},
                 {"image", small.uri}};
  if (sample.id != std::to_string(sample.decision.sequence)) result["id"] = sample.id;
  if (!input.truth.empty() && input.truth[place] != kNoTruth) result["truth"] = input.truth[place];
  if (input.method != nullptr) result["explanation"] = input.method->explain(sample.decision);
  return result;
}

}  // namespace

Result<Json> gallery_section(const ReportView& view, const ReportOptions& options,
                             const std::stop_token& stop) {
  const ReportInput& input = view.input;
  std::map<CategoryId, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < input.samples.size(); ++i) {
    members[input.samples[i].decision.category].push_back(i);
  }
  std::vector<CategoryId> classes;
  std::vector<CategoryId> categories;
  for (const auto& [id, places] : members) {
    (id < static_cast<CategoryId>(input.known_classes) ? classes : categories).push_back(id);
  }
  const auto larger = [&](CategoryId a, CategoryId b) {
    return members[a].size() > members[b].size();
  };
  std::stable_sort(classes.begin(), classes.end(), larger);
  classes.resize(std::min(classes.size(), options.class_galleries));
  std::sort(classes.begin(), classes.end());

  // Half for the newest, which are the highest ids; the rest for the largest of the others.
  std::vector<CategoryId> by_size = categories;
  std::stable_sort(by_size.begin(), by_size.end(), larger);
  std::set<CategoryId> chosen;
  const std::size_t room = std::min(options.galleries, categories.size());
  for (std::size_t i = 0; i < room / 2; ++i) chosen.insert(categories[categories.size() - 1 - i]);
  for (std::size_t i = 0; i < by_size.size() && chosen.size() < room; ++i)
    chosen.insert(by_size[i]);

  const auto galleries = [&](const auto& ids) -> Result<Json> {
    Json list = Json::array();
    for (const CategoryId id : ids) {
      Json pictures = Json::array();
      for (const std::size_t place : spread(members[id], options.pictures)) {
        if (stop.stop_requested()) break;
        PACO_ASSIGN(Json one, picture(view, options, place));
        pictures.push_back(std::move(one));
      }
      list.push_back({{"id", id}, {"pictures", std::move(pictures)}});
    }
    return list;
  };
  PACO_ASSIGN(Json of_categories, galleries(chosen));
  PACO_ASSIGN(Json of_classes, galleries(classes));
  return Json{{"categories", std::move(of_categories)}, {"classes", std::move(of_classes)}};
}

}  // namespace paco
