#include "methods/common/joining_method.hpp"

#include <limits>

namespace paco::methods {

void JoiningMethod::decide_units(Rows<const float> units, std::span<Decision> decisions) {
  samples_.assign(units, memory().format());
  multiply_references(samples_);
  look_at_references(units);
  if (indices_.size() == units.rows) {
    memory().begin_block(samples_, products_, pool());
  } else if (!indices_.empty()) {
    open_.assign(samples_, indices_);
    memory().begin_block(open_, products_, pool());
  }
  watch(units.rows,
        units.rows * memory().references() + indices_.size() * memory().adapting().size());
  for (std::size_t i = 0; i < units.rows; ++i) {
    const Look& look = looks_[i];
    const Sample sample{units[i].data(), reference_products(i, samples_.error(i)),
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
    if (passes_gate(look.nearest)) {
      answer_by_gate(look.nearest, decision);
      note_gated(sample, decision);
    } else {
      choose(sample, decision);
    }
    update(sample, decision, look.row);
  }
}

void JoiningMethod::look_at_references(Rows<const float> units) {
  looks_.assign(units.rows, {});
  indices_.clear();
  for (std::size_t i = 0; i < units.rows; ++i) {
    Look& look = looks_[i];
    const Sample sample{units[i].data(), reference_products(i, samples_.error(i)), {}, {}};
    cosines_.clear();
    look.nearest = nearest_references(sample);
    look.needs_adapting = !passes_gate(look.nearest) && needs_adapting(look.nearest);
    if (!look.needs_adapting) continue;
    look.row = indices_.size();
    indices_.push_back(i);
  }
}

BestTwo JoiningMethod::nearest_references(const Sample& sample) {
  const auto exact = [&](PrototypeId k) { return cosine(sample, k); };
  const PrototypeId* ids = memory().reference_ids();
  BestTwo nearest;
  math::PrefilterScores scores = screened_references(sample);
  if (!memory().shares_references()) {
    offer_best(scores, 2, ids, 0, exact, nearest);
    return nearest;
  }
  // The second best must belong to another category. The search runs again without the references
  // of the first category: their products are set so low that they cannot win.
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

void JoiningMethod::update(const Sample& sample, Decision& decision, std::size_t row) {
  const bool born = decision.prototype == kNoId;
  std::int64_t size = 0;
  double length = 0;
  complete(decision);
  if (!decision.counted) {
    if (born) {
      memory().create(decision.prototype, sample.unit, sample.adapting.error);
    } else {
      const std::size_t place = memory().place(decision.prototype);
      size = memory().adapting().members(place);
      length = memory().adapting().resultant(place);
      memory().join(decision.prototype, sample.unit, sample.adapting.error);
    }
    products_.added(row, memory().place(decision.prototype));
  }
  joined(decision, size, length);
}

double JoiningMethod::cosine(const Sample& sample, PrototypeId id) {
  for (const KnownCosine& known : cosines_) {
    if (known.prototype == id) return known.cosine;
  }
  const std::size_t place = memory().place(id);
  const double value = table()[id].reference() ? reference_cosine(place, sample.unit)
                                               : adapting_cosine(place, sample.unit);
  constexpr std::size_t kWorthSearching = 16;
  if (cosines_.size() < kWorthSearching) cosines_.push_back({id, value});
  return value;
}

}  // namespace paco::methods
