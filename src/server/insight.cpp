#include "server/insight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "methods/common/standardise.hpp"
#include "server/directions.hpp"
#include "server/stream.hpp"
#include "session/operations/operation_json.hpp"

namespace paco::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kEnough = 5;         // members of a category that is judged
constexpr std::size_t kMostOfAKind = 10;    // suggestions
constexpr std::size_t kSplitMembers = 200;  // newest, that a split is looked for in
constexpr std::size_t kSplitCategories = 16;
constexpr double kSplitShare = 0.2;     // the smaller side has at least this share
constexpr double kSplitDistance = 0.5;  // centres as far apart as this part of the sides' spread
constexpr std::uint64_t kJudgedSamples = 2000;
constexpr std::size_t kSideMembers = 100;  // first and newest of a known class
constexpr double kSurely = 6;              // standard errors
constexpr double kSunk = 0.1;              // of the mean evidence
constexpr std::uint64_t kManyBirths = 20;
constexpr double kRise = 3;
constexpr std::uint64_t kManySamples = 200;
constexpr double kForeignShare = 0.5;

class Judge {
 public:
  Judge(Stream& stream, Insight& out)
      : stream_(stream),
        out_(out),
        view_(stream.worker().published()->view),
        directions_(stream.directions()) {}

  void run() {
    pairs();
    splits();
    looks();
    std::stable_sort(
        out_.suggestions.begin(), out_.suggestions.end(),
        [](const Suggestion& a, const Suggestion& b) { return a.strength > b.strength; });
    births();
    sinking();
  }

 private:
  std::string name(CategoryId id) const { return view_->categories.name(id); }
  double resultant(std::size_t i) const {
    const auto p = static_cast<std::size_t>(directions_->prototypes[i]);
    return p < view_->prototypes.size() ? view_->prototypes[p].resultant_length : kNotComputed;
  }
  // A discovered prototype with members enough to have a direction and a spread.
  bool is_settled(std::size_t i) const {
    return !directions_->known[i] && directions_->sizes[i] >= kEnough &&
           std::isfinite(resultant(i));
  }

  // Two that are closer to each other than their members are to them; the same with a known class.
  void pairs() {
    std::size_t merges = 0, drifts = 0;
    for (std::size_t a = 0; a < directions_->size(); ++a) {
      if (!is_settled(a)) continue;
      const std::span<const float> row(directions_->row(a), directions_->dimension);
      std::size_t best = directions_->size();
      double best_cosine = -1;
      for (std::size_t b = 0; b < directions_->size(); ++b) {
        if (directions_->owners[b] == directions_->owners[a]) continue;
        if (!directions_->known[b] && (!is_settled(b) || b < a)) continue;
        const double cosine = directions_->cosine(b, row);
        if (cosine > best_cosine) {
          best = b;
          best_cosine = cosine;
        }
      }
      if (best == directions_->size() || best_cosine <= resultant(a)) continue;
      const CategoryId from = directions_->owners[a], to = directions_->owners[best];
      const bool known = directions_->known[best];
      if (!known && best_cosine <= resultant(best)) continue;
      if ((known ? drifts : merges)++ >= kMostOfAKind) continue;
      Suggestion s;
      s.kind = known ? "drift" : "merge";
      s.id = fmt::format("{}-{}-{}", s.kind, from, to);
      s.strength = std::clamp(best_cosine, 0.0, 1.0);
      s.reason = fmt::format(
          "'{}' and {}'{}' have cosine {:.2f}; members of '{}' have {:.2f} with "
          "their own middle{}",
          name(from), known ? "the known class " : "", name(to), best_cosine, name(from),
          resultant(a), known ? ", so it may be that class as it looks now" : "");
      Operation operation;
      operation.kind = OperationKind::merge;
      operation.categories = {from};
      operation.category = to;
      s.operation = operation;
      s.categories = {from, to};
      out_.suggestions.push_back(std::move(s));
    }
  }

  // The newest members in two groups by their nearest of two middles, begun from the two that are
  // farthest from each other.
  void splits() {
    std::vector<std::size_t> largest;
    for (std::size_t i = 0; i < directions_->size(); ++i) {
      if (is_settled(i) && directions_->sizes[i] >= 4 * kEnough) largest.push_back(i);
    }
    std::stable_sort(largest.begin(), largest.end(), [&](std::size_t a, std::size_t b) {
      return directions_->sizes[a] > directions_->sizes[b];
    });
    if (largest.size() > kSplitCategories) largest.resize(kSplitCategories);
    for (const std::size_t i : largest) split(i);
  }

  void split(std::size_t place) {
    const std::size_t d = directions_->dimension;
    const PrototypeId prototype = directions_->prototypes[place];
    const auto members =
        stream_.members().page({&prototype, 1}, ~std::uint64_t{0}, kSplitMembers, true);
    std::vector<std::vector<float>> units;
    std::vector<std::uint64_t> sequences;
    for (const std::uint64_t sequence : members) {
      std::vector<float> unit = unit_of(stream_, sequence);
      if (unit.empty()) return;
      units.push_back(std::move(unit));
      sequences.push_back(sequence);
    }
    if (units.size() < 4 * static_cast<std::size_t>(kEnough)) return;
    const auto dot = [&](const auto& a, const auto& b) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j) sum += static_cast<double>(a[j]) * b[j];
      return sum;
    };
    const auto farthest = [&](const std::vector<float>& from) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < units.size(); ++i) {
        if (dot(units[i], from) < dot(units[best], from)) best = i;
      }
      return best;
    };
    const std::size_t one = farthest(units[0]), other = farthest(units[one]);
    std::vector<double> middle[2] = {{units[one].begin(), units[one].end()},
                                     {units[other].begin(), units[other].end()}};
    std::vector<char> side(units.size());
    double length[2] = {1, 1};
    std::size_t count[2] = {0, 0};
    for (int round = 0; round < 8; ++round) {
      count[0] = count[1] = 0;
      for (std::size_t i = 0; i < units.size(); ++i) {
        side[i] = dot(units[i], middle[1]) / length[1] > dot(units[i], middle[0]) / length[0];
        ++count[static_cast<int>(side[i])];
      }
      if (count[0] == 0 || count[1] == 0) return;
      for (auto& m : middle) m.assign(d, 0.0);
      for (std::size_t i = 0; i < units.size(); ++i) {
        for (std::size_t j = 0; j < d; ++j) middle[static_cast<int>(side[i])][j] += units[i][j];
      }
      for (int k = 0; k < 2; ++k) length[k] = std::sqrt(dot(middle[k], middle[k]));
      if (!(length[0] > 0) || !(length[1] > 0)) return;
    }
    const std::size_t smaller = std::min(count[0], count[1]);
    const double apart = dot(middle[0], middle[1]) / (length[0] * length[1]);
    const double tight = std::min(length[0] / static_cast<double>(count[0]),
                                  length[1] / static_cast<double>(count[1]));
    if (static_cast<double>(smaller) < kSplitShare * static_cast<double>(units.size()) ||
        apart > kSplitDistance * tight) {
      return;
    }
    const CategoryId category = directions_->owners[place];
    Suggestion s;
    s.kind = "split";
    s.id = fmt::format("split-{}", prototype);
    s.strength = std::clamp(1 - apart, 0.0, 1.0);
    s.reason = fmt::format(
        "the newest {} members of '{}' fall into two groups of {} and {} whose "
        "middles have cosine {:.2f}, while members have {:.2f} with theirs",
        units.size(), name(category), count[0], count[1], apart, tight);
    const char small_side = count[1] < count[0] ? 1 : 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (side[i] == small_side) s.samples.push_back(sequences[i]);
    }
    std::sort(s.samples.begin(), s.samples.end());
    Operation operation;
    operation.kind = OperationKind::move;
    operation.samples = s.samples;
    s.operation = operation;
    s.categories = {category};
    out_.suggestions.push_back(std::move(s));
  }

  // Those of the newest samples whose score came nearest to the threshold that it was compared
  // with.
  void looks() {
    const std::uint64_t from = view_->samples - std::min(view_->samples, kJudgedSamples);
    const auto page = stream_.read([&](journal::JournalReader& journal) {
      return journal.samples(from, static_cast<std::size_t>(kJudgedSamples));
    });
    if (!page.ok()) return;
    std::vector<std::pair<double, const journal::StoredSample*>> near;
    double sum = 0;
    for (const journal::StoredSample& sample : *page) {
      const double distance = std::abs(sample.score - sample.threshold);
      if (!std::isfinite(distance)) continue;
      near.emplace_back(distance, &sample);
      sum += distance;
    }
    if (near.size() < kSideMembers || !(sum > 0)) return;
    const double mean = sum / static_cast<double>(near.size());
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    near.resize(kMostOfAKind);
    for (const auto& [distance, sample] : near) {
      Suggestion s;
      s.kind = "look";
      s.id = fmt::format("look-{}", sample->sequence);
      s.strength = std::clamp(1 - distance / mean, 0.0, 1.0) / 2;
      s.reason = fmt::format("sample {} met its threshold by {:.4f} only: {:.4f} against {:.4f}",
                             sample->sequence, distance, sample->score, sample->threshold);
      s.categories = {sample->category};
      if (sample->runner_up != sample->category) s.categories.push_back(sample->runner_up);
      s.samples = {sample->sequence};
      out_.suggestions.push_back(std::move(s));
    }
  }

  // The newest eighth of the stream against the quarter before it.
  void births() {
    const std::vector<SeriesStep> steps = stream_.series().steps();
    if (steps.size() < 16) return;
    const std::size_t eighth = steps.size() / 8;
    std::uint64_t count[2] = {0, 0}, born[2] = {0, 0};
    for (std::size_t i = steps.size() - 3 * eighth; i < steps.size(); ++i) {
      const int newest = i >= steps.size() - eighth;
      count[newest] += steps[i].count;
      born[newest] += steps[i].verdicts[static_cast<std::size_t>(Verdict::created)];
    }
    const double share = static_cast<double>(born[1]) / static_cast<double>(count[1]);
    const double before = static_cast<double>(born[0]) / static_cast<double>(count[0]);
    const std::uint64_t since = view_->samples - std::min(view_->samples, count[1]);
    if (born[1] >= kManyBirths && share > kRise * before) {
      out_.warnings.push_back(
          {"births", "births_rise",
           fmt::format("{:.1f} % of the newest {} samples started a category, {:.1f} % of those "
                       "before them",
                       100 * share, count[1], 100 * before),
           std::nullopt, since});
    }
    if (count[1] >= kManySamples && share > kForeignShare) {
      out_.warnings.push_back(
          {"unlike", "unlike_support",
           fmt::format(
               "{:.1f} % of the newest {} samples started a category: this stream is unlike "
               "the support set",
               100 * share, count[1]),
           std::nullopt, since});
    }
  }

  struct Side {
    double mean = 0, error = 0;  // of the mean, squared
  };
  std::optional<Side> evidence_of(const std::vector<std::uint64_t>& members, std::size_t field) {
    std::vector<double> values;
    stream_.read([&](journal::JournalReader& journal) {
      for (const std::uint64_t sequence : members) {
        const auto sample = journal.sample(sequence);
        if (sample.ok() && *sample && field < (*sample)->evidence.size() &&
            std::isfinite((*sample)->evidence[field])) {
          values.push_back((*sample)->evidence[field]);
        }
      }
    });
    if (values.size() < kSideMembers / 2) return std::nullopt;
    Side out;
    const auto n = static_cast<double>(values.size());
    for (const double value : values) out.mean += value / n;
    for (const double value : values) out.error += (value - out.mean) * (value - out.mean);
    out.error /= n * (n - 1);
    return out;
  }

  // The first and the newest samples of each known class, by the method's cosine with known
  // classes.
  void sinking() {
    const std::vector<EvidenceField>& fields = stream_.method().evidence;
    const auto cosine = std::find_if(fields.begin(), fields.end(),
                                     [](const EvidenceField& f) { return f.unit == "cosine"; });
    if (cosine == fields.end()) return;
    const auto field = static_cast<std::size_t>(cosine - fields.begin());
    for (CategoryId id = 0; id < static_cast<CategoryId>(view_->categories.known_classes()); ++id) {
      if (!view_->categories.is_live(id)) continue;
      const auto& prototypes = view_->categories[id].prototypes;
      if (stream_.members().count(prototypes) < 4 * kSideMembers) continue;
      const auto first = stream_.members().page(prototypes, 0, kSideMembers, false);
      const auto newest = stream_.members().page(prototypes, ~std::uint64_t{0}, kSideMembers, true);
      const auto then = evidence_of(first, field), now = evidence_of(newest, field);
      if (!then || !now) continue;
      const double drop = then->mean - now->mean;
      if (drop < kSunk * std::abs(then->mean) ||
          drop < kSurely * std::sqrt(then->error + now->error)) {
        continue;
      }
      out_.warnings.push_back(
          {fmt::format("sinks-{}", id), "known_sinks",
           fmt::format("{} of the known class '{}' has sunk from {:.3f} to {:.3f}", cosine->name,
                       name(id), then->mean, now->mean),
           id, newest.back()});
    }
  }

  Stream& stream_;
  Insight& out_;
  std::shared_ptr<const MemoryView> view_;
  std::shared_ptr<const Directions> directions_;
};

}  // namespace

Insight insight_of(Stream& stream) {
  Insight out;
  out.events = stream.worker().published()->events;
  Judge(stream, out).run();
  return out;
}

Json insight_json(const Insight& insight) {
  Json suggestions = Json::array(), warnings = Json::array();
  for (const Suggestion& s : insight.suggestions) {
    suggestions.push_back(
        {{"id", s.id},
         {"kind", s.kind},
         {"reason", s.reason},
         {"strength", s.strength},
         {"operation", s.operation ? session::operation_json(*s.operation) : Json()},
         {"categories", s.categories},
         {"samples", s.samples}});
  }
  for (const Warning& w : insight.warnings) {
    warnings.push_back({{"id", w.id},
                        {"kind", w.kind},
                        {"text", w.text},
                        {"category", w.category ? Json(*w.category) : Json()},
                        {"since", w.since}});
  }
  return {{"event", insight.events},
          {"suggestions", std::move(suggestions)},
          {"warnings", std::move(warnings)}};
}

}  // namespace paco::server
