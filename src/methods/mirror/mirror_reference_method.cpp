// mirror in plain loops over all prototypes and in double, one sample at a time: exactly the
// definition of the method.
//
// This file stays in the tree permanently. The fast method (mirror_method.cpp) must agree with it
// on every decision and every sum. Read this file to learn the method.
#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "math/matrix.hpp"
#include "math/plain.hpp"
#include "math/trmv_int16.hpp"
#include "methods/common/best_two.hpp"
#include "methods/common/standardise.hpp"
#include "methods/mirror/mirror_method.hpp"
#include "methods/mirror/mirror_stream.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {
namespace {

// Standardising, whitening and rounding, in plain loops.
class PlainWhitening final : public StandardTransform {
 public:
  PlainWhitening(std::shared_ptr<const Model> model, std::shared_ptr<const MirrorModel> mirror)
      : StandardTransform(std::move(model), mirror->embedding.mean, mirror->embedding.deviation),
        mirror_(std::move(mirror)) {}

  using StandardTransform::apply;
  bool apply(Rows<const double> embeddings, Rows<float> units) const override {
    if (!StandardTransform::apply(embeddings, units)) return false;
    for (std::size_t i = 0; i < units.rows; ++i) whiten(units[i]);
    return true;
  }

 private:
  void whiten(std::span<float> unit) const {
    const math::Matrix<float>& whitening = mirror_->embedding.whitening;
    if (whitening.rows() == 0) {
      for (float& x : unit) x = on_grid(static_cast<double>(x));
      return;
    }
    std::vector<float> v;
    if (unit.size() >= kWhitenedInShorts) {
      v = math::plain::multiply_short(whitening, unit.data());
    } else {
      for (std::size_t i = 0; i < unit.size(); ++i)
        v.push_back(math::plain::fused_dot(unit.data(), whitening[i].data(), unit.size()));
    }
    const double length = std::sqrt(math::plain::dot(v.data(), v.data(), v.size()));
    const double inverse = length > 0 ? 1 / length : 0.0;
    for (std::size_t i = 0; i < v.size(); ++i)
      unit[i] = on_grid(static_cast<double>(v[i]) * inverse);
  }

  std::shared_ptr<const MirrorModel> mirror_;
};

class MirrorReferenceMethod final : public MirrorForm<MethodBase> {
 public:
  MirrorReferenceMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                        const MethodOptions& options, std::shared_ptr<const MirrorModel> mirror)
      : MirrorForm(mirror, 1, info, model, options.settings,
                   std::make_shared<const PlainWhitening>(model, mirror), mirror->references),
        sums_(mirror->known()) {}

  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) override {
    core::ThreadPool here;
    math::Matrix<float> units(decisions.size(), model().dimension);
    PACO_TRY(space().apply(embeddings, units.view(), samples(), here));
    for (std::size_t i = 0; i < units.rows(); ++i) decide(units[i], decisions[i]);
    return {};
  }

 private:
  PrototypeId all() const { return next_prototype(); }
  std::vector<double>& sum_of(PrototypeId id) { return sums_[static_cast<std::size_t>(id)]; }
  std::vector<double> sum(PrototypeId id) const override {
    const std::vector<double>& values = sums_[static_cast<std::size_t>(id)];
    return values.empty() ? std::vector<double>(model().dimension, 0.0) : values;
  }
  double product(std::span<const double> a, std::span<const float> b) const {
    return math::plain::dot(a.data(), b.data(), b.size());
  }
  double resultant(PrototypeId id) const override {
    const std::vector<double> r = sum(id);
    return std::sqrt(math::plain::dot(r.data(), r.data(), r.size()));
  }
  std::size_t candidates() const override {
    std::size_t count = 0;
    for (PrototypeId id = 0; id < all(); ++id) count += table()[id].candidate();
    return count;
  }

  // Cosine with a competing prototype.
  double cosine_with(PrototypeId id, std::span<const float> unit) const {
    if (table()[id].reference()) {
      const std::vector<float> row = direction(id);
      return math::plain::dot(row.data(), unit.data(), unit.size());
    }
    const double length = resultant(id);
    return length > 0 ? product(sum(id), unit) / length : 0.0;
  }

  void decide(std::span<const float> unit, Decision& d) {
    d = Decision{};
    stream_.begin(d);
    const double threshold = d.threshold;
    BestTwo known, visible, best;
    for (PrototypeId id = 0; id < all(); ++id) {
      const PrototypeRecord& record = table()[id];
      if (!record.competing()) continue;
      const double cosine = cosine_with(id, unit);
      if (record.reference()) known.offer(id, cosine);
      if (record.owner != kNoId) visible.offer(id, cosine);
      best.offer(id, cosine);
    }
    d.score = best.score;
    d.evidence[kKnownCosine] = known.score;
    d.evidence[kVisibleCosine] = visible.score;

    PrototypeId answering = best.first;  // its category is the answer
    double answering_cosine = best.score;
    const double gate = gate_for(known, best, threshold);
    if (known.first != kNoId && known.score >= gate) {
      answer_by_gate(known, gate, d);
      answering = known.first;
      answering_cosine = known.score;
      d.counted = true;
      join(answering);
      d.category = table()[answering].owner;
    } else if (best.first == kNoId || best.score < threshold) {
      d.prototype = begin_prototype();
      sums_.emplace_back(unit.size(), 0.0);
      add(unit, 1, sums_.back());
      if (d.evidence[kAtOnce] != 0 || visible.first == kNoId) {
        open_category(d.prototype);
        d.verdict = Verdict::created;
        answering = d.prototype;
      } else {
        d.verdict = Verdict::tentative;
        answering = visible.first;
        answering_cosine = visible.score;
      }
      drop_candidates();
      d.category = table()[answering].owner;
    } else {
      d.prototype = answering;
      d.counted = table()[answering].reference();
      const bool born = take(answering, unit);
      d.category = table()[answering].owner;
      d.verdict = born                   ? Verdict::created
                  : is_known(d.category) ? Verdict::known
                                         : Verdict::existing;
    }
    const bool first_answers = answering == visible.first;
    d.runner_up = first_answers ? visible.second : visible.first;
    d.evidence[kRunnerUpCosine] = first_answers ? visible.second_score : visible.score;
    stream_.answer(d.category, answering_cosine);

    const std::uint64_t t = samples();
    if (stream_.rehearsals() > 0) {
      stream_.stored.put(t, unit);
      stream_.stored.entry(t) = {d.prototype, d.counted};
    }
    for (std::size_t r = 0; r < stream_.rehearsals() && t > 0; ++r)
      rehearse(stream_.stored.next(t), threshold);
    d.evidence[kCandidates] = static_cast<double>(candidates());
    conclude(d);
    stream_.add(d);
  }

  // Computes everything anew in every call.
  double bonus(double threshold) override {
    live_.touch_all(static_cast<std::size_t>(all()));
    return live_.now(threshold, [&](std::size_t place, const float* unit) {
      const auto id = static_cast<PrototypeId>(place);
      const PrototypeRecord& record = table()[id];
      return record.competing() && !record.reference() ? cosine_with(id, {unit, model().dimension})
                                                       : LiveBonus::kOut;
    });
  }

  // Drops the oldest candidates first: they have had the most time to get a second sample.
  void drop_candidates() {
    const auto most = static_cast<std::size_t>(stream_.model().options.candidates);
    for (PrototypeId id = 0; candidates() > most; ++id) {
      if (!table()[id].candidate()) continue;
      leave(id, false);
      sum_of(id).clear();
    }
  }

  // A stored sample moves to the prototype that fits it best. Its own contribution to its present
  // prototype is not counted.
  void rehearse(std::uint64_t sequence, double threshold) {
    RehearsalBuffer::Entry& entry = stream_.stored.entry(sequence);
    const std::span<const float> unit(stream_.stored.embedding(sequence), model().dimension);
    const PrototypeId own = entry.prototype;
    const PrototypeRecord& filed = table()[own];
    // A sample stays if the user has moved it, or has retired or fixed its prototype.
    if (stream_.stored.was_moved(sequence) || filed.retired || (filed.promoted && !entry.counted))
      return;
    BestTwo best, known;
    for (PrototypeId id = 0; id < all(); ++id) {
      if (!table()[id].competing()) continue;
      if (table()[id].reference()) known.offer(id, cosine_with(id, unit));
      if (id != own || entry.counted) {
        best.offer(id, cosine_with(id, unit));
      } else if (table()[id].members > 1) {
        const std::vector<double> r = sum(id);
        best.offer(id,
                   cosine_without(product(r, unit), math::plain::dot(r.data(), r.data(), r.size()),
                                  math::plain::dot(unit.data(), unit.data(), unit.size())));
      }
    }
    if (best.first == kNoId || best.first == own || best.score < threshold) return;
    if (known.first != kNoId && known.score >= gate_for(known, best, threshold)) return;
    if (entry.counted) {
      leave(own, true);
    } else if (!filed.gone()) {
      leave(own, false);
      add(unit, -1, sum_of(own));
    }
    entry.prototype = best.first;
    entry.counted = table()[best.first].reference();
    take(best.first, unit);
  }

  static void add(std::span<const float> unit, double sign, std::vector<double>& sum) {
    for (std::size_t j = 0; j < unit.size(); ++j) sum[j] += sign * static_cast<double>(unit[j]);
  }

  // A sample joins a prototype. Returns true if the prototype becomes a category by that.
  bool take(PrototypeId id, std::span<const float> unit) {
    join(id);
    if (table()[id].reference()) return false;
    add(unit, 1, sum_of(id));
    if (table()[id].owner != kNoId) return false;
    open_category(id);
    return true;
  }

  void edited(std::vector<NewSum> sums) override {
    sums_.resize(table().size());
    for (NewSum& changed : sums) sum_of(changed.prototype) = std::move(changed.sum);
  }

  std::vector<std::vector<double>> sums_;  // by prototype; empty for support classes and lost ones
};

}  // namespace

Result<std::unique_ptr<Method>> make_mirror_reference_method(const MethodInfo& info,
                                                             std::shared_ptr<const Model> model,
                                                             const MethodOptions& options) {
  PACO_ASSIGN(std::shared_ptr<const MirrorModel> mirror, mirror_model(*model));
  return std::unique_ptr<Method>(
      std::make_unique<MirrorReferenceMethod>(info, std::move(model), options, std::move(mirror)));
}

}  // namespace paco::methods
