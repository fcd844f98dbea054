#include "methods/common/prototype_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "methods/common/standardise.hpp"

namespace paco::methods {

PrototypeMethod::PrototypeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                                 const MethodOptions& options)
    : MethodBase(info, std::move(model), options.settings),
      pool_(static_cast<unsigned>(options.threads)),
      memory_(this->model(), table()) {}

Result<void> PrototypeMethod::decide_block(Rows<const double> embeddings,
                                           std::span<Decision> decisions) {
  PACO_TRY(check_block_shape(embeddings, model().dimension, decisions.size()));
  const std::size_t d = model().dimension;
  units_.resize(embeddings.rows * d);
  const Rows<float> units{units_.data(), embeddings.rows, d};
  PACO_TRY(standardise_rows(embeddings, model().mean, model().deviation, units, "stream", samples(),
                            pool_));
  for (std::size_t start = 0; start < units.rows;) {
    const std::size_t rows =
        std::min(BlockProducts::good_rows(memory_.adapting().size()), units.rows - start);
    decide_units(units.slice(start, rows), decisions.subspan(start, rows));
    start += rows;
  }
  return {};
}

void PrototypeMethod::decide_units(Rows<const float> units, std::span<Decision> decisions) {
  const std::size_t references = memory_.references();
  samples_.assign(units, memory_.format());
  reference_products_.resize(units.rows * references);
  memory_.reference_bank().multiply(samples_, reference_products_.data(), references, pool_);
  look_at_references(units);
  if (!indices_.empty()) {
    unsettled_.assign(samples_, indices_);
    memory_.begin_block(unsettled_, products_, pool_);
  }
  for (std::size_t i = 0; i < units.rows; ++i) {
    const Look& look = looks_[i];
    const Sample sample{units[i].data(), reference_products(i),
                        look.needs_adapting ? products_.row(look.row) : math::PrefilterRow{},
                        look.nearest};
    cosines_.clear();
    const auto remember = [&](PrototypeId k, double value) {
      if (k != kNoId) cosines_.push_back({k, value});
    };
    remember(look.nearest.first, look.nearest.score);
    remember(look.nearest.second, look.nearest.second_score);
    Decision& decision = decisions[i];
    decision = Decision{};
    judge(sample, decision);
    update(sample, decision, look.row);
  }
  watched_.samples += units.rows;
  watched_.products += units.rows * references + indices_.size() * memory_.adapting().size();
  reconsider_format();
}

// Bytes pay while they leave few candidates. Where all directions are alike, as in a stream from
// another domain than the support set, they leave nearly everybody, and float32 is faster from then
// on. A float32 product takes as long as 5 of bytes; a cosine in double, its sum in no near cache,
// as long as 60: so they break even where that is asked for by one in 15.
void PrototypeMethod::reconsider_format() {
  constexpr std::size_t kSamples = 256, kOneIn = 15;
  constexpr std::size_t kAlways = 8;  // cosines of a sample that float32 would need too
  if (memory_.format() == math::PrefilterFormat::float32 || watched_.samples < kSamples) return;
  if (kOneIn * watched_.scored > watched_.products + kOneIn * kAlways * watched_.samples)
    memory_.change_format(math::PrefilterFormat::float32);
  watched_ = {};
}

math::PrefilterRow PrototypeMethod::reference_products(std::size_t i) const {
  return {reference_products_.data() + i * memory_.references(), samples_.error(i)};
}

// The references never move, so what they say of a sample can be had for the whole block before any
// of it is decided. Many samples need nothing else; only the others are multiplied with the
// adapting prototypes and with each other.
void PrototypeMethod::look_at_references(Rows<const float> units) {
  looks_.assign(units.rows, {});
  indices_.clear();
  for (std::size_t i = 0; i < units.rows; ++i) {
    Look& look = looks_[i];
    const Sample sample{units[i].data(), reference_products(i), {}, {}};
    cosines_.clear();
    look.nearest = nearest_references(sample);
    look.needs_adapting = needs_adapting(look.nearest);
    if (!look.needs_adapting) continue;
    look.row = indices_.size();
    indices_.push_back(i);
  }
}

BestTwo PrototypeMethod::nearest_references(const Sample& sample) {
  const auto exact = [&](PrototypeId k) { return cosine(sample, k); };
  const PrototypeId* ids = memory_.reference_ids();
  BestTwo nearest;
  math::PrefilterScores scores = screened_references(sample);
  if (!memory_.shares_references()) {
    offer_best(scores, 2, ids, 0, exact, nearest);
    return nearest;
  }
  // The second must be of another category: look again without those of the first's. Their products
  // are made so small that they cannot compete.
  offer_best(scores, 1, ids, 0, exact, nearest);
  const CategoryId owner = table()[nearest.first].owner;
  masked_.assign(sample.references.products, sample.references.products + scores.count);
  constexpr float kOut = -1e30f;
  for (std::size_t i = 0; i < scores.count; ++i) {
    if (table()[ids[i]].owner == owner) masked_[i] = kOut;
  }
  scores.products = masked_.data();
  BestTwo other;
  offer_best(
      scores, 1, ids, 0,
      [&](PrototypeId k) {
        return table()[k].owner == owner ? -std::numeric_limits<double>::infinity() : exact(k);
      },
      other);
  nearest.second = other.first;
  nearest.second_score = other.score;
  return nearest;
}

void PrototypeMethod::update(const Sample& sample, Decision& decision, std::size_t row) {
  const bool born = decision.prototype == kNoId;
  std::int64_t size = 0;
  double length = 0;
  settle(decision);
  if (!decision.counted) {
    if (born) {
      memory_.create(decision.prototype, sample.unit, sample.adapting.error);
    } else {
      const std::size_t place = memory_.place(decision.prototype);
      size = memory_.adapting().members(place);
      length = memory_.adapting().resultant(place);
      memory_.join(decision.prototype, sample.unit, sample.adapting.error);
    }
    products_.added(row, memory_.place(decision.prototype));
  }
  joined(decision, size, length);
}

double PrototypeMethod::cosine(const Sample& sample, PrototypeId id) {
  for (const KnownCosine& known : cosines_) {
    if (known.prototype == id) return known.cosine;
  }
  ++watched_.scored;
  const std::size_t place = memory_.place(id);
  const double value = table()[id].reference()
                           ? math::dot(memory_.reference_row(place), sample.unit, model().dimension)
                           : memory_.adapting().cosine(place, sample.unit);
  constexpr std::size_t kWorthSearching = 16;
  if (cosines_.size() < kWorthSearching) cosines_.push_back({id, value});
  return value;
}

math::PrefilterScores PrototypeMethod::screened_references(const Sample& sample) const {
  return memory_.reference_bank().screened_cosines(sample.references);
}

math::PrefilterScores PrototypeMethod::screened_adapting(const Sample& sample) const {
  return memory_.adapting().screened_cosines(sample.adapting);
}

std::vector<double> PrototypeMethod::sum(PrototypeId id) const {
  const auto values = memory_.sum(id);
  return {values.begin(), values.end()};
}

void PrototypeMethod::edited(std::vector<NewSum> sums) {
  for (NewSum& changed : sums) memory_.set_sum(changed.prototype, std::move(changed.sum));
  const std::size_t d = model().dimension;
  memory_.follow([&](PrototypeId id) {
    const float* fixed = model().references.data() + static_cast<std::size_t>(id) * d;
    return table()[id].support ? std::vector<float>(fixed, fixed + d) : row(id);
  });
  memory_changed();
}

void PrototypeMethod::save_own(Section& own) const { put_sums(own); }

Result<void> PrototypeMethod::restore_own(const Section& own, const std::string& name) {
  PACO_ASSIGN(std::vector<NewSum> sums, sums_of(own, name));
  edited(std::move(sums));
  return {};
}

}  // namespace paco::methods
