#include "discover/prototype_method.hpp"

#include <algorithm>
#include <cmath>

#include "base/try.hpp"
#include "discover/methods.hpp"
#include "sphere/standardise.hpp"

namespace paco {

void BestTwo::offer(CategoryId k, double s) {
  if (first < 0 || s > score || (s == score && k < first)) {
    second = first;
    second_score = score;
    first = k;
    score = s;
  } else if (second < 0 || s > second_score || (s == second_score && k < second)) {
    second = k;
    second_score = s;
  }
}

PrototypeMethod::PrototypeMethod(std::shared_ptr<const Model> model, const MethodOptions& options)
    : model_(std::move(model)),
      pool_(static_cast<unsigned>(options.threads)),
      memory_(*model_),
      references_(reference_rows(), best_screen_format(model_->dimension)) {
  stats_.lowest_tau_birth = model_->tau_birth_sup;
}

Result<Decision> PrototypeMethod::decide(std::span<const double> embedding) {
  Decision decision;
  PACO_TRY(decide_block({embedding.data(), 1, embedding.size()}, {&decision, 1}));
  return decision;
}

Result<void> PrototypeMethod::decide_block(Rows<const double> embeddings,
                                           std::span<Decision> decisions) {
  PACO_TRY(check_block(embeddings, decisions, *model_));
  const std::size_t d = model_->dimension;
  units_.resize(embeddings.rows * d);
  const Rows<float> units{units_.data(), embeddings.rows, d};
  PACO_TRY(standardise_rows(embeddings, model_->mean, model_->deviation, units, "stream",
                            stats_.samples, pool_));
  for (std::size_t start = 0; start < units.rows;) {
    const std::size_t rows =
        std::min(BlockProducts::good_rows(memory_.categories()), units.rows - start);
    decide_units(units.slice(start, rows), decisions.subspan(start, rows));
    start += rows;
  }
  return {};
}

void PrototypeMethod::decide_units(Rows<const float> units, std::span<Decision> decisions) {
  const std::size_t known = memory_.known();
  samples_.assign(units, references_.format());
  class_products_.resize(units.rows * known);
  references_.multiply(samples_, class_products_.data(), known, pool_);
  look_at_classes(units);
  if (!indices_.empty()) {
    unsettled_.assign(samples_, indices_);
    memory_.begin_block(unsettled_, products_, pool_);
  }
  for (std::size_t i = 0; i < units.rows; ++i) {
    const Look& look = looks_[i];
    const Sample sample{units[i].data(), class_row(i),
                        look.needs_categories ? products_.row(look.row) : ScreenedRow{},
                        look.nearest};
    cosines_.clear();
    const auto remember = [&](CategoryId k, double value) {
      if (k >= 0) cosines_.push_back({static_cast<std::size_t>(k), value});
    };
    remember(look.nearest.first, look.nearest.score);
    remember(look.nearest.second, look.nearest.second_score);
    Decision& decision = decisions[i];
    decision = Decision{};
    decision.sequence = stats_.samples;
    decision.tau_birth = memory_.boundary().tau_birth;
    judge(sample, decision);
    update(sample, decision, look.row);
  }
  watched_.samples += units.rows;
  watched_.products += units.rows * known + indices_.size() * memory_.categories();
  reconsider_format();
}

Rows<const float> PrototypeMethod::reference_rows() const {
  return {model_->references.data(), model_->known_classes(), model_->dimension};
}

// Bytes pay while they leave few candidates. Where all directions are alike, as in a stream from
// another domain than the support set, they leave nearly everybody, and float32 is faster from then
// on. A float32 product takes as long as 5 of bytes; a cosine in double, its sum in no near cache,
// as long as 60: so they break even where that is asked for by one in 15.
void PrototypeMethod::reconsider_format() {
  constexpr std::size_t kSamples = 256, kOneIn = 15;
  constexpr std::size_t kAlways = 8;  // cosines of a sample that float32 would need too
  if (references_.format() == ScreenFormat::float32 || watched_.samples < kSamples) return;
  if (kOneIn * watched_.scored > watched_.products + kOneIn * kAlways * watched_.samples) {
    references_ = ScreenBank(reference_rows(), ScreenFormat::float32);
    memory_.change_format(ScreenFormat::float32);
  }
  watched_ = {};
}

ScreenedRow PrototypeMethod::class_row(std::size_t i) const {
  return {class_products_.data() + i * memory_.known(), samples_.error(i)};
}

// The known references never move, so what they say of a sample can be had for the whole block
// before any of it is decided. Many samples need nothing else; only the others are multiplied with
// the categories and with each other.
void PrototypeMethod::look_at_classes(Rows<const float> units) {
  looks_.assign(units.rows, {});
  indices_.clear();
  for (std::size_t i = 0; i < units.rows; ++i) {
    Look& look = looks_[i];
    const Sample sample{units[i].data(), class_row(i), {}, {}};
    cosines_.clear();
    offer_best(
        screened_classes(sample), 2, 0, 0, [&](std::size_t k) { return cosine(sample, k); },
        look.nearest);
    look.needs_categories = needs_categories(look.nearest);
    if (!look.needs_categories) continue;
    look.row = indices_.size();
    indices_.push_back(i);
  }
}

void PrototypeMethod::update(const Sample& sample, Decision& decision, std::size_t row) {
  const auto k = static_cast<std::size_t>(decision.category);
  if (decision.verdict == Verdict::known) {
    memory_.add_to_class(k);
  } else {
    const std::size_t c = k - memory_.known();
    if (decision.verdict == Verdict::created) {
      memory_.create(sample.unit, decision.sequence, sample.categories.error);
    } else {
      memory_.add_to_category(c, sample.unit, sample.categories.error);
    }
    products_.added(row, c);
  }
  decision.tau_birth_after = memory_.boundary().tau_birth;
  decision.eta_after = memory_.boundary().eta;
  decision.categories_after = memory_.categories();
  decision.mature_after = memory_.mature();
  count(stats_, decision);
  if (needed_double(decision)) ++stats_.settled;
}

// Does the winner lead by less than the error of two scores made of float32 products?
bool PrototypeMethod::needed_double(const Decision& decision) const {
  if (decision.verdict == Verdict::created || decision.runner_up == decision.category) return false;
  const double score = decision.assignment_score;
  // What a cosine is multiplied with; in an attach score, at least what that comes to.
  const double scale = decision.branch == Branch::attach ? std::abs(score + model_->log_p0)
                                                         : 1 / model_->options.temperature;
  return score - decision.runner_up_score < 2 * screen_error(model_->dimension) * scale;
}

double PrototypeMethod::cosine(const Sample& sample, std::size_t k) {
  for (const KnownCosine& known : cosines_) {
    if (known.prototype == k) return known.cosine;
  }
  ++watched_.scored;
  const std::size_t d = model_->dimension;
  const double value = k < memory_.known()
                           ? dot(model_->references.data() + k * d, sample.unit, d)
                           : memory_.prototypes().cosine(k - memory_.known(), sample.unit);
  constexpr std::size_t kWorthSearching = 16;
  if (cosines_.size() < kWorthSearching) cosines_.push_back({k, value});
  return value;
}

ScreenedScores PrototypeMethod::screened_classes(const Sample& sample) const {
  return references_.screened_cosines(sample.classes);
}

ScreenedScores PrototypeMethod::screened_categories(const Sample& sample) const {
  return memory_.prototypes().screened_cosines(sample.categories);
}

void PrototypeMethod::assign(const BestTwo& best, Branch branch, Decision& decision) const {
  decision.branch = branch;
  decision.category = best.first;
  decision.verdict =
      best.first < static_cast<CategoryId>(memory_.known()) ? Verdict::known : Verdict::existing;
  decision.assignment_score = best.score;
  decision.runner_up = best.second < 0 ? best.first : best.second;
  decision.runner_up_score = best.second_score;
}

void PrototypeMethod::create(double score, double threshold, const BestTwo& closest,
                             Decision& decision) const {
  decision.branch = Branch::create;
  decision.verdict = Verdict::created;
  decision.category = static_cast<CategoryId>(memory_.known() + memory_.categories());
  decision.score = score;
  decision.threshold = threshold;
  decision.runner_up = closest.first < 0 ? decision.category : closest.first;
  decision.runner_up_score = closest.score;
}

MethodStats PrototypeMethod::stats() const { return stats_; }

std::shared_ptr<const MemoryView> PrototypeMethod::published() const {
  return std::make_shared<MemoryView>(memory_.view(stats_));
}

Result<std::vector<std::byte>> PrototypeMethod::save() const {
  Snapshot snapshot = memory_.snapshot();
  snapshot.method = name();
  snapshot.stats = stats_;
  return snapshot_to_bytes(snapshot, model_->dimension);
}

Result<void> PrototypeMethod::restore(const std::string& path) {
  PACO_TRY(check_unused(stats_));
  PACO_ASSIGN(const Snapshot snapshot, load_snapshot(path, name(), *model_));
  stats_ = snapshot.stats;
  memory_.restore(snapshot);
  return {};
}

}  // namespace paco
