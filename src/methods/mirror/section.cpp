#include "methods/mirror/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/try.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {
namespace {

using Json = nlohmann::ordered_json;

Error damaged(const std::string& what, const std::string& why) {
  return {ErrorCode::bad_format, fmt::format("{}: {}", what, why),
          "the file is damaged; restore it from a copy, or calibrate again"};
}

template <class T>
void add(MirrorSection& section, const std::string& name, std::vector<std::uint64_t> shape,
         std::vector<T> values) {
  section.tensors[name] = {std::move(shape), std::move(values)};
}

template <class T>
Result<std::vector<T>> take(const MirrorSection& section, const std::string& name,
                            const std::vector<std::uint64_t>& shape, const std::string& what) {
  const auto found = section.tensors.find(name);
  if (found == section.tensors.end())
    return damaged(what, fmt::format("it has no tensor '{}'", name));
  const SectionTensor& tensor = found->second;
  const auto* values = std::get_if<std::vector<T>>(&tensor.values);
  if (values == nullptr) return damaged(what, fmt::format("tensor '{}' is of another type", name));
  const std::uint64_t size =
      std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
  if (tensor.shape != shape || values->size() != size)
    return damaged(what, fmt::format("tensor '{}' has another shape", name));
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::all_of(values->begin(), values->end(), [](T x) { return std::isfinite(x); }))
      return damaged(what, fmt::format("tensor '{}' has a value that is not finite", name));
  }
  return *values;
}

// Calls read(json); what it throws becomes an Error.
template <class Read>
Result<void> read_settings(const MirrorSection& section, const std::string& what, Read read) {
  try {
    read(Json::parse(section.settings));
    return {};
  } catch (const nlohmann::json::exception& e) {
    return damaged(what, fmt::format("its settings cannot be read: {}", e.what()));
  }
}

std::vector<float> packed_lower(const math::Matrix<float>& matrix) {
  std::vector<float> out;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix[i];
    out.insert(out.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return out;
}

template <class T>
math::Matrix<T> matrix_of(std::size_t rows, std::size_t columns, const std::vector<T>& values) {
  math::Matrix<T> out(rows, columns);
  std::copy(values.begin(), values.end(), out.data());
  return out;
}

template <class T>
std::vector<T> values_of(const math::Matrix<T>& matrix) {
  return {matrix.data(), matrix.data() + matrix.rows() * matrix.columns()};
}

Result<void> check_model(const MirrorModel& m, const std::string& what) {
  const auto& o = m.options;
  if (o.rehearse < 0 || o.rehearse > 64 || o.buffer < 1 || o.buffer > 1000000 || o.candidates < 1 ||
      !(o.odds >= 0))
    return damaged(what, "its options are out of range");
  const auto in = [](double x, double low, double high) { return x >= low && x <= high; };
  if (!in(m.embedding.alpha, 0, 1) || !in(m.rho, 0, 1.001) || !in(m.sure, -1.001, 1.001) ||
      !in(m.slope, 0, 1e9) || !in(m.start, -10, 10) || !in(m.tau, 0, 10))
    return damaged(what, "its thresholds are out of range");
  const auto& deviation = m.embedding.deviation;
  if (*std::min_element(deviation.begin(), deviation.end()) <= 0)
    return damaged(what, "a deviation is not positive");
  for (const float x : values_of(m.references)) {
    if (!(std::abs(x) <= 1.001f)) return damaged(what, "a reference is not on the unit sphere");
  }
  const MirrorEvidence& e = m.evidence;
  if (e.best >= e.taus.size() || e.low > e.best || e.high < e.best || e.high >= e.taus.size())
    return damaged(what, "its plateau lies outside of the thresholds tried");
  return {};
}

}  // namespace

MirrorSection to_section(const MirrorModel& model) {
  const std::uint64_t d = model.dimension(), k = model.known();
  const MirrorEvidence& e = model.evidence;
  const std::uint64_t taus = e.taus.size(), splits = e.scores.rows();
  Json json;
  json["options"] = {{"rehearse", model.options.rehearse}, {"buffer", model.options.buffer},
                     {"splits", model.options.splits},     {"seed", model.options.seed},
                     {"odds", model.options.odds},         {"candidates", model.options.candidates},
                     {"prior", model.options.prior}};
  json["dimension"] = d;
  json["known"] = k;
  json["whitened"] = model.embedding.whitening.rows() > 0;
  json["alpha"] = model.embedding.alpha;
  json["rank"] = model.embedding.rank;
  json["rho"] = model.rho;
  json["sure"] = model.sure;
  json["slope"] = model.slope;
  json["tau"] = model.tau;
  json["start"] = model.start;
  json["taus"] = taus;
  json["plateau"] = {{"best", e.best}, {"low", e.low}, {"high", e.high}};
  MirrorSection section;
  section.settings = json.dump();
  add(section, "mean", {d}, model.embedding.mean);
  add(section, "deviation", {d}, model.embedding.deviation);
  if (model.embedding.whitening.rows() > 0)
    add(section, "whitening", {d * (d + 1) / 2}, packed_lower(model.embedding.whitening));
  add(section, "references", {k, d}, values_of(model.references));
  add(section, "evidence.taus", {taus}, e.taus);
  add(section, "evidence.scores", {splits, taus}, values_of(e.scores));
  add(section, "evidence.means", {taus}, e.means);
  add(section, "evidence.errors", {taus}, e.errors);
  return section;
}

Result<MirrorModel> model_from_section(const MirrorSection& section, const std::string& what) {
  MirrorModel m;
  MirrorEvidence& e = m.evidence;
  std::uint64_t d = 0, k = 0, taus = 0;
  bool whitened = false;
  PACO_TRY(read_settings(section, what, [&](const Json& json) {
    const Json& o = json.at("options");
    m.options = {o.at("rehearse").get<int>(), o.at("buffer").get<int>(),
                 o.at("splits").get<int>(),   o.at("seed").get<std::uint32_t>(),
                 o.at("odds").get<double>(),  o.at("candidates").get<int>(),
                 o.value("prior", false)};  // files from before it was there lack it
    d = json.at("dimension").get<std::uint64_t>();
    k = json.at("known").get<std::uint64_t>();
    whitened = json.at("whitened").get<bool>();
    m.embedding.alpha = json.at("alpha").get<double>();
    m.embedding.rank = json.at("rank").get<std::size_t>();
    m.rho = json.at("rho").get<double>();
    m.sure = json.at("sure").get<double>();
    m.slope = json.at("slope").get<double>();
    m.tau = json.at("tau").get<double>();
    m.start = json.at("start").get<double>();
    taus = json.at("taus").get<std::uint64_t>();
    const Json& plateau = json.at("plateau");
    e.best = plateau.at("best").get<std::size_t>();
    e.low = plateau.at("low").get<std::size_t>();
    e.high = plateau.at("high").get<std::size_t>();
  }));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  // so that no product overflows
  if (d < 2 || d > kMost || k < 3 || k > kMost || taus < 1 || taus > kMost ||
      m.options.splits < 2 || m.options.splits > 10000)
    return damaged(what, fmt::format("{} classes of dimension {} are impossible", k, d));
  PACO_ASSIGN(m.embedding.mean, take<double>(section, "mean", {d}, what));
  PACO_ASSIGN(m.embedding.deviation, take<double>(section, "deviation", {d}, what));
  if (whitened) {
    PACO_ASSIGN(const auto packed, take<float>(section, "whitening", {d * (d + 1) / 2}, what));
    m.embedding.whitening = math::Matrix<float>(d, d);
    const float* from = packed.data();
    for (std::size_t i = 0; i < d; from += ++i)
      std::copy_n(from, i + 1, m.embedding.whitening[i].data());
  }
  PACO_ASSIGN(const auto references, take<float>(section, "references", {k, d}, what));
  m.references = matrix_of(k, d, references);
  PACO_ASSIGN(e.taus, take<double>(section, "evidence.taus", {taus}, what));
  const auto splits = static_cast<std::uint64_t>(m.options.splits);
  PACO_ASSIGN(const auto scores, take<double>(section, "evidence.scores", {splits, taus}, what));
  e.scores = matrix_of(splits, taus, scores);
  PACO_ASSIGN(e.means, take<double>(section, "evidence.means", {taus}, what));
  PACO_ASSIGN(e.errors, take<double>(section, "evidence.errors", {taus}, what));
  PACO_TRY(check_model(m, what));
  return m;
}

MirrorSection to_section(const MirrorState& state, const MirrorModel& model) {
  const std::uint64_t d = model.dimension(), k = model.known(), p = state.prototypes.size(),
                      m = state.stored_prototype.size();
  Json json;
  json["samples"] = state.samples;
  json["cursor"] = state.cursor;
  json["confident"] = state.confident;
  json["next_prototype"] = state.next_prototype;
  json["next_category"] = state.next_category;
  json["prototypes"] = p;
  json["stored"] = m;
  json["fixed"] = std::count_if(state.prototypes.begin(), state.prototypes.end(),
                                [](const MirrorPrototype& one) { return one.fixed(); });
  json["moved"] = state.moved.size();
  std::size_t steps_of_all = 0;
  for (const MirrorMoved& one : state.moved) steps_of_all += 1 + one.trail.size();
  json["moved_places"] = steps_of_all;
  MirrorSection section;
  section.settings = json.dump();
  const auto integers = [](const auto& values) {
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  add(section, "answered", {k}, integers(state.answered));
  add(section, "reference_categories", {k}, state.reference_categories);
  add(section, "reference_competing", {k}, integers(state.reference_competing));
  add(section, "reference_counted", {k}, state.reference_counted);
  std::vector<std::int64_t> numbers, categories, members, competing, counted, fixed;
  std::vector<double> sums;
  std::vector<float> rows;
  for (const MirrorPrototype& prototype : state.prototypes) {
    numbers.push_back(prototype.number);
    categories.push_back(prototype.category);
    members.push_back(prototype.members);
    competing.push_back(prototype.competing ? 1 : 0);
    counted.push_back(prototype.counted);
    if (prototype.fixed()) fixed.push_back(prototype.number);
    rows.insert(rows.end(), prototype.row.begin(), prototype.row.end());
    sums.insert(sums.end(), prototype.sum.begin(), prototype.sum.end());
  }
  add(section, "prototype_numbers", {p}, std::move(numbers));
  add(section, "prototype_categories", {p}, std::move(categories));
  add(section, "prototype_members", {p}, std::move(members));
  add(section, "prototype_competing", {p}, std::move(competing));
  add(section, "prototype_sums", {p, d}, std::move(sums));
  add(section, "prototype_counted", {p}, std::move(counted));
  const std::uint64_t promoted = fixed.size();
  add(section, "fixed_numbers", {promoted}, std::move(fixed));
  add(section, "fixed_rows", {promoted, d}, std::move(rows));
  add(section, "stored", {m, d}, state.stored);
  add(section, "stored_prototype", {m}, state.stored_prototype);
  add(section, "stored_counted", {m}, integers(state.stored_counted));
  // Places are pairs: prototype, counted. Of each moved sample that where it is, then its trail.
  std::vector<std::int64_t> moved, places;
  for (const MirrorMoved& one : state.moved) {
    moved.push_back(static_cast<std::int64_t>(one.sequence));
    moved.push_back(static_cast<std::int64_t>(one.trail.size()));
    places.insert(places.end(), {one.place.prototype, one.place.counted ? 1 : 0});
    for (const MirrorPlace& place : one.trail)
      places.insert(places.end(), {place.prototype, place.counted ? 1 : 0});
  }
  const std::uint64_t samples = moved.size() / 2, steps = places.size() / 2;
  add(section, "moved", {samples, 2}, std::move(moved));
  add(section, "moved_places", {steps, 2}, std::move(places));
  return section;
}

namespace {

// Pairs of sequence number and length of the trail, and the places of all of them, one after the
// other.
Result<void> read_moves(MirrorState& state, std::span<const std::int64_t> who,
                        std::span<const std::int64_t> places, const std::string& what) {
  std::size_t at = 0;
  const auto next = [&] {
    const MirrorPlace place{places[2 * at], places[2 * at + 1] != 0};
    ++at;
    return place;
  };
  const std::size_t steps = places.size() / 2;
  for (std::size_t i = 0; i + 1 < who.size(); i += 2) {
    if (who[i] < 0 || who[i + 1] < 0 || at + 1 > steps ||
        static_cast<std::uint64_t>(who[i + 1]) > steps - at - 1)
      return damaged(what, "its moved samples are impossible");
    MirrorMoved one{static_cast<std::uint64_t>(who[i]), next(), {}};
    for (std::int64_t step = 0; step < who[i + 1]; ++step) one.trail.push_back(next());
    state.moved.push_back(std::move(one));
  }
  if (at != steps) return damaged(what, "its moved samples are impossible");
  return {};
}

}  // namespace

Result<MirrorState> state_from_section(const MirrorSection& section, const MirrorModel& model,
                                       const std::string& what) {
  MirrorState s;
  const std::uint64_t d = model.dimension(), k = model.known();
  std::uint64_t p = 0, m = 0, promoted = 0, moved = 0, steps = 0;
  PACO_TRY(read_settings(section, what, [&](const Json& json) {
    s.samples = json.at("samples").get<std::uint64_t>();
    s.cursor = json.at("cursor").get<std::uint64_t>();
    s.confident = json.at("confident").get<std::uint64_t>();
    s.next_prototype = json.at("next_prototype").get<std::int64_t>();
    s.next_category = json.at("next_category").get<std::int64_t>();
    p = json.at("prototypes").get<std::uint64_t>();
    m = json.at("stored").get<std::uint64_t>();
    promoted = json.at("fixed").get<std::uint64_t>();
    moved = json.at("moved").get<std::uint64_t>();
    steps = json.at("moved_places").get<std::uint64_t>();
  }));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 36;
  if (p > kMost || m > kMost || promoted > p || moved > kMost || steps > kMost)
    return damaged(what, "its counts are impossible");
  const auto flags = [](const std::vector<std::int64_t>& values) {
    std::vector<std::uint8_t> out;
    for (const std::int64_t x : values) out.push_back(x != 0 ? 1 : 0);
    return out;
  };
  PACO_ASSIGN(const auto answered, take<std::int64_t>(section, "answered", {k}, what));
  s.answered = flags(answered);
  PACO_ASSIGN(s.reference_categories,
              take<std::int64_t>(section, "reference_categories", {k}, what));
  PACO_ASSIGN(const auto competing, take<std::int64_t>(section, "reference_competing", {k}, what));
  s.reference_competing = flags(competing);
  PACO_ASSIGN(s.reference_counted, take<std::int64_t>(section, "reference_counted", {k}, what));
  PACO_ASSIGN(const auto numbers, take<std::int64_t>(section, "prototype_numbers", {p}, what));
  PACO_ASSIGN(const auto categories,
              take<std::int64_t>(section, "prototype_categories", {p}, what));
  PACO_ASSIGN(const auto members, take<std::int64_t>(section, "prototype_members", {p}, what));
  PACO_ASSIGN(const auto compete, take<std::int64_t>(section, "prototype_competing", {p}, what));
  PACO_ASSIGN(const auto sums, take<double>(section, "prototype_sums", {p, d}, what));
  PACO_ASSIGN(const auto counted, take<std::int64_t>(section, "prototype_counted", {p}, what));
  PACO_ASSIGN(const auto fixed, take<std::int64_t>(section, "fixed_numbers", {promoted}, what));
  PACO_ASSIGN(const auto rows, take<float>(section, "fixed_rows", {promoted, d}, what));
  std::size_t next_fixed = 0;  // they are in the same order
  for (std::size_t i = 0; i < p; ++i) {
    const double* sum = sums.data() + i * d;
    const float* row = rows.data() + next_fixed * d;
    const bool is_fixed = next_fixed < promoted && fixed[next_fixed] == numbers[i];
    s.prototypes.push_back({numbers[i], categories[i], members[i], compete[i] != 0,
                            std::vector<double>(sum, sum + d), counted[i],
                            is_fixed ? std::vector<float>(row, row + d) : std::vector<float>()});
    next_fixed += is_fixed ? 1 : 0;
  }
  if (next_fixed < promoted)
    return damaged(what, fmt::format("there is no prototype {} to be fixed", fixed[next_fixed]));
  PACO_ASSIGN(s.stored, take<float>(section, "stored", {m, d}, what));
  PACO_ASSIGN(s.stored_prototype, take<std::int64_t>(section, "stored_prototype", {m}, what));
  PACO_ASSIGN(const auto without_share, take<std::int64_t>(section, "stored_counted", {m}, what));
  s.stored_counted = flags(without_share);
  PACO_ASSIGN(const auto who, take<std::int64_t>(section, "moved", {moved, 2}, what));
  PACO_ASSIGN(const auto places, take<std::int64_t>(section, "moved_places", {steps, 2}, what));
  PACO_TRY(read_moves(s, who, places, what));
  PACO_TRY(check_mirror_state(s, model, what));
  return s;
}

}  // namespace paco::methods
