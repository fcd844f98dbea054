// Pictures for the largest and the newest categories and for the known classes.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/try.hpp"
#include "embed/images/images.hpp"
#include "paco/method.hpp"
#include "report/sections.hpp"
#include "report/thumbnail.hpp"

namespace paco::report {

namespace {

// Which of a category's `size` samples are shown: the first, the last and evenly spaced ones
// between them.
std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  std::vector<std::size_t> chosen(std::min(size, count));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = size <= count ? i : count == 1 ? 0 : i * (size - 1) / (count - 1);
  return chosen;
}

Result<Json> picture(const ReportView& view, const ReportOptions& options, std::size_t place) {
  const ReportInput& input = view.input;
  const ReportSample& sample = view.sample(place);
  const auto index = input.image_index.empty() ? static_cast<std::int64_t>(sample.sequence)
                                               : input.image_index[place];
  if (index < 0 || static_cast<std::size_t>(index) >= input.images->size()) {
    return Error{
        ErrorCode::mismatch,
        "sample " + std::to_string(sample.sequence) + " points to picture " +
            std::to_string(index) + ", but the source holds " +
            std::to_string(input.images->size()),
        "give the pictures this stream was made from, or an index from stream order to picture"};
  }
  PACO_ASSIGN(const embed::Image image, input.images->load(static_cast<std::size_t>(index)));
  PACO_ASSIGN(const Thumbnail small, make_thumbnail(image, options.thumbnail, options.quality));
  Json result = {{"sequence", sample.sequence},
                 {view.has("branch") ? "branch" : "verdict", view.stream.ways[place]},
                 {"width", small.width},
                 {"height", small.height},
                 {"image", small.uri}};
  if (sample.sample != std::to_string(sample.sequence)) result["id"] = sample.sample;
  if (!input.truth.empty() && input.truth[place] != io::kNoTruth)
    result["truth"] = input.truth[place];
  if (input.method != nullptr) result["explanation"] = input.method->explain(sample);
  return result;
}

}  // namespace

void choose_galleries(ReportView& view, const ReportOptions& options) {
  const StreamTotals& stream = view.stream;
  std::vector<CategoryId> classes;
  std::vector<CategoryId> categories;
  for (const auto& [id, entry] : stream.by_category) {
    (id < static_cast<CategoryId>(view.input.known_classes) ? classes : categories).push_back(id);
  }
  const auto larger = [&](CategoryId a, CategoryId b) {
    const std::int64_t size_a = stream.by_category.at(a).size;
    const std::int64_t size_b = stream.by_category.at(b).size;
    return size_a != size_b ? size_a > size_b : a < b;
  };
  std::sort(classes.begin(), classes.end(), larger);
  classes.resize(std::min(classes.size(), options.class_galleries));
  std::sort(classes.begin(), classes.end());

  // Half of the galleries show the newest categories, which have the highest ids. The rest show the
  // largest of the others.
  std::sort(categories.begin(), categories.end());
  std::set<CategoryId> chosen;
  const std::size_t room = std::min(options.galleries, categories.size());
  for (std::size_t i = 0; i < room / 2; ++i) chosen.insert(categories[categories.size() - 1 - i]);
  std::sort(categories.begin(), categories.end(), larger);
  for (std::size_t i = 0; i < categories.size() && chosen.size() < room; ++i)
    chosen.insert(categories[i]);

  // The ranks of the shown members are known in advance. One pass over the stream finds the
  // samples.
  struct Wanted {
    std::vector<std::size_t> ranks;  // among the members, rising
    std::size_t met = 0;             // members so far
    std::vector<std::size_t>* places = nullptr;
  };
  std::unordered_map<CategoryId, Wanted> wanted;
  const auto start = [&](const auto& ids, Gallery& gallery) {
    gallery.reserve(ids.size());
    for (const CategoryId id : ids) {
      gallery.emplace_back(id, std::vector<std::size_t>());
      const auto size = static_cast<std::size_t>(stream.by_category.at(id).size);
      wanted[id] = {spread(size, options.pictures), 0, &gallery.back().second};
    }
  };
  start(chosen, view.categories);
  start(classes, view.classes);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const auto found = wanted.find(stream.categories[i]);
    if (found == wanted.end()) continue;
    Wanted& one = found->second;
    const std::size_t shown = one.places->size();
    if (shown < one.ranks.size() && one.ranks[shown] == one.met) one.places->push_back(i);
    ++one.met;
  }
}

Result<Json> gallery_section(const ReportView& view, const ReportOptions& options,
                             const std::stop_token& stop) {
  const auto pictures_of = [&](const Gallery& gallery) -> Result<Json> {
    Json list = Json::array();
    for (const auto& [id, places] : gallery) {
      Json pictures = Json::array();
      for (const std::size_t place : places) {
        if (stop.stop_requested()) break;
        PACO_ASSIGN(Json one, picture(view, options, place));
        pictures.push_back(std::move(one));
      }
      list.push_back({{"id", id}, {"pictures", std::move(pictures)}});
    }
    return list;
  };
  PACO_ASSIGN(Json of_categories, pictures_of(view.categories));
  PACO_ASSIGN(Json of_classes, pictures_of(view.classes));
  return Json{{"categories", std::move(of_categories)}, {"classes", std::move(of_classes)}};
}

}  // namespace paco::report
