#include "insight/series.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace paco::insight {

void SeriesStep::add(const SeriesStep& next) {
  count += next.count;
  for (std::size_t i = 0; i < verdicts.size(); ++i) verdicts[i] += next.verdicts[i];
  created_before_end = next.created_before_end;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] += next.sums[i];
    counted[i] += next.counted[i];
    for (std::size_t k = 0; k < choices[i].size(); ++k) choices[i][k] += next.choices[i][k];
  }
}

void Series::add(const Decision& decision) {
  const std::lock_guard lock(mutex_);
  if (samples_ == width_ * kSteps) halve();
  if (samples_ % width_ == 0) {
    SeriesStep& fresh = steps_.emplace_back();
    fresh.sums.resize(fields_.size());
    fresh.counted.resize(fields_.size());
    for (const EvidenceField& field : fields_) fresh.choices.emplace_back(field.choices.size());
  }
  ++samples_;
  SeriesStep& step = steps_.back();
  ++step.count;
  ++step.verdicts[static_cast<std::size_t>(decision.verdict)];
  created_ += decision.verdict == Verdict::created;
  step.created_before_end = created_;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const double value = decision.evidence[i];
    if (std::isnan(value)) continue;
    if (!fields_[i].choices.empty()) {
      const auto k = static_cast<std::size_t>(value);
      if (k < step.choices[i].size()) ++step.choices[i][k];
      continue;
    }
    step.sums[i] += value;
    ++step.counted[i];
  }
}

void Series::halve() {
  for (std::size_t i = 0; i < steps_.size() / 2; ++i) {
    if (i > 0) steps_[i] = std::move(steps_[2 * i]);
    steps_[i].add(steps_[2 * i + 1]);
  }
  steps_.resize(steps_.size() / 2);
  width_ *= 2;
}

std::vector<SeriesStep> Series::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

nlohmann::ordered_json Series::json() const {
  using Json = nlohmann::ordered_json;
  const std::lock_guard lock(mutex_);
  Json list = Json::array();
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const SeriesStep& step = steps_[s];
    Json verdicts, choices = Json::object(), means = Json::object();
    for (std::size_t v = 0; v < step.verdicts.size(); ++v)
      verdicts[std::string(verdict_name(static_cast<Verdict>(v)))] = step.verdicts[v];
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::string name(fields_[i].name);
      for (std::size_t k = 0; k < step.choices[i].size(); ++k)
        choices[name][std::string(fields_[i].choices[k])] = step.choices[i][k];
      if (step.counted[i] > 0) means[name] = step.sums[i] / static_cast<double>(step.counted[i]);
    }
    list.push_back({{"from", s * width_},
                    {"count", step.count},
                    {"verdicts", std::move(verdicts)},
                    {"choices", std::move(choices)},
                    {"categories", step.created_before_end},
                    {"means", std::move(means)}});
  }
  return {{"width", width_}, {"samples", samples_}, {"steps", std::move(list)}};
}

}  // namespace paco::insight
