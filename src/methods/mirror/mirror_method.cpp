// mirror, fast: the decisions of mirror_reference_method.cpp with screening in place of loops over
// all prototypes.
//
// Which stored samples are rehearsed at which step does not depend on decisions. So their products
// are computed together with those of the block.
#include "methods/mirror/mirror_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/try.hpp"
#include "math/prefilter_two.hpp"
#include "methods/common/prototype_method.hpp"
#include "methods/mirror/mirror_stream.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {
namespace {

// A product can be corrected once for every sample that is decided or rehearsed in its block. Each
// correction is a rounding, which the memory's error bounds must include.
constexpr std::size_t kMostRows = 192;
// So far below 0 that no cosine with its error reaches it.
constexpr float kOut = -8;

// The largest float32 that is not above x.
float round_down(double x) {
  const auto rounded = static_cast<float>(x);
  return static_cast<double>(rounded) > x
             ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
             : rounded;
}

// The largest number of new samples in a block. With their rehearsed samples they fill the rows of
// the block's table.
std::size_t most_new(const MirrorModel& model) {
  return kMostRows / (1 + static_cast<std::size_t>(model.options.rehearse));
}

class MirrorMethod final : public MirrorForm<PrototypeMethod> {
 public:
  MirrorMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
               const MethodOptions& options, std::shared_ptr<const MirrorModel> mirror)
      : MirrorForm(mirror, most_new(*mirror), info, model, options,
                   std::make_shared<const WhiteningTransform>(model, mirror), mirror->references,
                   kMostRows, PrototypeSet::Attach::never) {
    memory_changed();
  }

 private:
  std::size_t candidates() const override { return waiting_.size(); }

  // The rows of a block are multiplied with each other, so a small block is best. If there are so
  // many prototypes that they are read from slow memory for each block, a larger block is better.
  // In any case the table of products stays in cache.
  std::size_t block_rows() const override {
    constexpr std::size_t kTableFloats = std::size_t{1} << 20, kRows = 32, kRehearsedRows = 96;
    const std::size_t prototypes = memory().adapting().size(), each = stream_.rehearsals();
    const std::size_t most =
        std::clamp<std::size_t>(kTableFloats / (prototypes + 1), 16, kMostRows);
    const std::size_t good = std::max(prototypes / 8, each > 0 ? kRehearsedRows : kRows);
    return std::max<std::size_t>(1, std::min(good, most) / (1 + each));
  }

  // Plans which stored samples are rehearsed after each of the next samples, and which rows of the
  // block they are. Rows 0 .. block - 1 are the new samples themselves.
  void plan_rehearsal(std::size_t block) {
    plan_.clear();
    for (std::uint64_t t = samples(); t < samples() + block; ++t) {
      for (std::size_t r = 0; r < stream_.rehearsals() && t > 0; ++r)
        plan_.push_back(stream_.stored.next(t));
    }
    chosen_.clear();
    for (std::size_t i = 0; i < block; ++i) chosen_.push_back(stream_.stored.place(samples() + i));
    row_of_plan_.clear();
    for (const std::uint64_t sequence : plan_) {
      std::size_t row = sequence - samples();
      if (sequence < samples()) {
        const auto old = chosen_.begin() + static_cast<std::ptrdiff_t>(block);
        const std::size_t place = stream_.stored.place(sequence);
        row = static_cast<std::size_t>(std::find(old, chosen_.end(), place) - chosen_.begin());
        if (row == chosen_.size()) chosen_.push_back(place);
      }
      row_of_plan_.push_back(row);
    }
  }

  void decide_units(Rows<const float> units, std::span<Decision> decisions) override {
    const std::size_t each = stream_.rehearsals();
    RehearsalBuffer& stored = stream_.stored;
    new_.assign(units, memory().format());
    multiply_references(new_);
    if (each > 0) {
      for (std::size_t i = 0; i < units.rows; ++i) stored.put(samples() + i, units[i]);
      plan_rehearsal(units.rows);
      all_.assign(stored.embeddings(), chosen_, memory().format());
    }
    math::SampleBlock& rows = each > 0 ? all_ : new_;
    memory().begin_block(rows, products_, units.rows,
                         each > 0 ? BlockProducts::Visits::any : BlockProducts::Visits::in_order,
                         pool());
    watch(rows.rows(),
          units.rows * memory().references() + rows.rows() * memory().adapting().size());
    std::size_t planned = 0;
    for (std::size_t i = 0; i < units.rows; ++i) {
      Decision& d = decisions[i];
      d = Decision{};
      BestTwo known;
      const double threshold = choose(i, units[i].data(), known, d);
      if (each > 0) {
        const std::uint64_t t = samples();
        stored.entry(t) = {d.prototype, d.counted, known.first, known.score, references_version_};
        for (std::size_t r = 0; r < each && t > 0; ++r, ++planned)
          rehearse(row_of_plan_[planned], plan_[planned], threshold);
      }
      d.evidence[kCandidates] = static_cast<double>(waiting_.size());
      conclude(d);
      stream_.add(d);
    }
  }

  // Returns the threshold. The samples that are rehearsed with this sample use it too.
  double choose(std::size_t row, const float* unit, BestTwo& known, Decision& d) {
    stream_.begin(d);
    const double threshold = d.threshold;
    BestTwo visible;
    nearest(row, unit, visible, known);
    // A candidate matters only if its cosine is higher than that of every visible prototype.
    BestTwo best;
    if (visible.first != kNoId) best.offer(visible.first, visible.score);
    if (!waiting_.empty()) {
      const float bar = visible.first == kNoId ? kOut / 2 : round_down(visible.score);
      math::screen_reaching(screened(row, hidden_mask_), bar, candidates_);
      offer_adapting(unit, kOut, best);
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
      if (d.evidence[kAtOnce] != 0 || visible.first == kNoId) {
        open_category(d.prototype);
        d.verdict = Verdict::created;
        answering = d.prototype;
      } else {
        waiting_.insert(d.prototype);
        d.verdict = Verdict::tentative;
        answering = visible.first;
        answering_cosine = visible.score;
      }
      found(row, d.prototype, unit);
      while (waiting_.size() > static_cast<std::size_t>(stream_.model().options.candidates))
        drop(*waiting_.begin());
      d.category = table()[answering].owner;
    } else {
      d.prototype = answering;
      d.counted = table()[answering].reference();
      const bool born = take(row, answering, unit);
      d.category = table()[answering].owner;
      d.verdict = born                   ? Verdict::created
                  : is_known(d.category) ? Verdict::known
                                         : Verdict::existing;
    }
    const bool first_answers = answering == visible.first;
    d.runner_up = first_answers ? visible.second : visible.first;
    d.evidence[kRunnerUpCosine] = first_answers ? visible.second_score : visible.score;
    stream_.answer(d.category, answering_cosine);
    return threshold;
  }

  // Finds the two closest visible prototypes and the closest fixed one.
  void nearest(std::size_t row, const float* unit, BestTwo& visible, BestTwo& known) {
    const std::size_t fixed = memory().references();
    const math::PrefilterRow products = reference_products(row, products_.row(row).error);
    math::prefilter_two(memory().reference_bank().screened_cosines(products),
                        screened(row, visible_mask_), candidates_);
    math::rerank_best(
        candidates_, [&] { return bar_of(visible, 2); },
        [&](std::size_t i) {
          if (i >= fixed) {
            // Screening can return places outside the group if the group is empty.
            if (visible_mask_[i - fixed] != 0) return;
            visible.offer(memory().adapting_ids()[i - fixed], adapting_cosine(i - fixed, unit));
          } else {
            const double cosine = reference_cosine(i, unit);
            visible.offer(memory().reference_ids()[i], cosine);
            known.offer(memory().reference_ids()[i], cosine);
          }
        });
    // The remaining candidates are not among the two closest, but can be the closest fixed one.
    std::erase_if(candidates_, [&](const math::Candidate& c) { return c.index >= fixed; });
    offer_references(unit, known);
  }

  double bonus(double threshold) override {
    return live_.now(threshold, [&](std::size_t place, const float* unit) {
      return any_mask_[place] == 0 ? memory().adapting().cosine(place, unit) : LiveBonus::kOut;
    });
  }

  // Scores those of candidates_ that can be the closest fixed prototype.
  void offer_references(const float* unit, BestTwo& best) {
    math::rerank_best(
        candidates_, [&] { return bar_of(best, 1); },
        [&](std::size_t k) { best.offer(memory().reference_ids()[k], reference_cosine(k, unit)); });
  }

  // Scores those of candidates_ that can be better than `best` and reach `bar`.
  void offer_adapting(const float* unit, double bar, BestTwo& best) {
    math::rerank_best(
        candidates_, [&] { return best.first == kNoId ? bar : std::max(bar, best.score); },
        [&](std::size_t place) {
          best.offer(memory().adapting_ids()[place], adapting_cosine(place, unit));
        });
  }

  // The fixed prototype that is closest to a stored sample.
  BestTwo known_of(RehearsalBuffer::Entry& entry, const float* unit) {
    BestTwo best;
    if (entry.version != references_version_) {
      one_row_.resize(memory().references());
      single_.assign(Rows<const float>{unit, 1, model().dimension}, memory().format());
      memory().reference_bank().multiply(single_, one_row_.data(), one_row_.size(), pool());
      math::prefilter_best(
          memory().reference_bank().screened_cosines({one_row_.data(), single_.error(0)}), 1,
          candidates_);
      offer_references(unit, best);
      entry.known = best.first;
      entry.known_cosine = best.score;
      entry.version = references_version_;
    }
    best = {};
    best.first = entry.known;
    best.score = entry.known_cosine;
    return best;
  }

  // A stored sample moves to the prototype that fits it best. Its own contribution to its present
  // prototype is not counted.
  void rehearse(std::size_t row, std::uint64_t sequence, double threshold) {
    // A sample stays if the user has moved it, or has retired or fixed its prototype.
    if (stream_.stored.was_moved(sequence)) return;
    RehearsalBuffer::Entry& entry = stream_.stored.entry(sequence);
    const float* unit = stream_.stored.embedding(sequence);
    const PrototypeId own = entry.prototype;
    const PrototypeRecord& filed = table()[own];
    if (filed.retired || (filed.promoted && !entry.counted)) return;
    const bool shares = !entry.counted && !filed.gone();
    BestTwo best = known_of(entry, unit);
    if (passes_gate(best)) return;
    const BestTwo known = best;
    const std::size_t own_place = shares ? memory().place(own) : 0;
    if (shares && filed.members > 1) best.offer(own, cosine_without_own(own_place, unit));
    // Only prototypes above both scores and above the threshold can change the decision.
    double bar = threshold;
    if (best.first != kNoId) bar = std::max(bar, best.score);
    if (shares) any_mask_[own_place] = kOut;
    math::screen_reaching(screened(row, any_mask_), std::max(round_down(bar), kOut / 2),
                          candidates_);
    if (shares) any_mask_[own_place] = 0;
    offer_adapting(unit, bar, best);
    if (best.first == kNoId || best.first == own || best.score < threshold) return;
    if (known.first != kNoId && known.score >= gate_for(known, best, threshold)) return;
    if (shares) {
      give_up(row, own, unit);
    } else if (entry.counted) {
      leave(own, true);
    }
    entry.prototype = best.first;
    entry.counted = table()[best.first].reference();
    take(row, best.first, unit);
  }

  double cosine_without_own(std::size_t place, const float* unit) const {
    const PrototypeSet& prototypes = memory().adapting();
    const std::size_t d = model().dimension;
    return cosine_without(math::dot(prototypes.sum(place).data(), unit, d),
                          prototypes.squared(place), math::dot(unit, unit, d));
  }

  // A row of the block starts a prototype.
  void found(std::size_t row, PrototypeId id, const float* unit) {
    memory().create(id, unit, products_.row(row).error);
    const std::size_t place = memory().place(id);
    if (place == any_mask_.size()) {
      for (std::vector<float>* mask : {&visible_mask_, &hidden_mask_, &any_mask_})
        mask->push_back(0);
    }
    set_masks(place);
    live_.touch(place);
    products_.founded(row, place);
  }

  // A row of the block joins a prototype. Returns true if the prototype becomes a category by that.
  bool take(std::size_t row, PrototypeId id, const float* unit) {
    join(id);
    if (table()[id].reference()) return false;
    const std::size_t place = memory().place(id);
    memory().join(id, unit, products_.row(row).error);
    live_.touch(place);
    products_.joined(row, place);
    if (table()[id].owner != kNoId) return false;
    waiting_.erase(id);
    open_category(id);
    set_masks(place);
    return true;
  }

  // A row of the block leaves a prototype of which it is a member.
  void give_up(std::size_t row, PrototypeId id, const float* unit) {
    const std::size_t place = memory().place(id);
    leave(id, false);
    live_.touch(place);
    if (!memory().leave(id, unit, products_.row(row).error)) return products_.left(row, place);
    waiting_.erase(id);
    set_masks(place);
  }

  void drop(PrototypeId id) {
    const std::size_t place = memory().place(id);
    leave(id, false);
    memory().drop(id);
    live_.touch(place);
    waiting_.erase(id);
    set_masks(place);
  }

  // Sets the masks of a place: 0 if it takes part in the comparison, kOut if not.
  void set_masks(std::size_t place) {
    const PrototypeId id = memory().adapting_ids()[place];
    const bool hidden = id != kNoId && table()[id].owner == kNoId;
    visible_mask_[place] = id == kNoId || hidden ? kOut : 0;
    hidden_mask_[place] = hidden ? 0 : kOut;
    any_mask_[place] = id == kNoId ? kOut : 0;
  }

  math::PrefilterScores screened(std::size_t row, const std::vector<float>& mask) const {
    math::PrefilterScores scores = memory().adapting().screened_cosines(products_.row(row));
    scores.offset = mask.data();
    return scores;
  }

  void memory_changed() override {
    ++references_version_;
    waiting_.clear();
    for (PrototypeId id = 0; id < next_prototype(); ++id) {
      if (table()[id].candidate()) waiting_.insert(waiting_.end(), id);
    }
    const std::size_t places = memory().adapting().size();
    for (std::vector<float>* mask : {&visible_mask_, &hidden_mask_, &any_mask_})
      mask->resize(places);
    for (std::size_t place = 0; place < places; ++place) set_masks(place);
    live_.touch_all(places);
  }

  std::set<PrototypeId> waiting_;  // candidates, the oldest first
  // Offsets of screened cosines, by place. They select prototypes with a category, without one, and
  // all.
  std::vector<float> visible_mask_, hidden_mask_, any_mask_;
  std::uint64_t references_version_ = 0;  // changes with the set of fixed, competing prototypes

  // Scratch, kept between calls.
  std::vector<float> one_row_;
  math::SampleBlock new_, all_, single_;
  std::vector<std::size_t> chosen_;       // stored samples that are rows of the block, by place
  std::vector<std::uint64_t> plan_;       // sequence numbers to rehearse, by new sample
  std::vector<std::size_t> row_of_plan_;  // the row of each of them
};

}  // namespace

Result<std::unique_ptr<Method>> make_mirror_method(const MethodInfo& info,
                                                   std::shared_ptr<const Model> model,
                                                   const MethodOptions& options) {
  PACO_ASSIGN(std::shared_ptr<const MirrorModel> mirror, mirror_model(*model));
  return std::unique_ptr<Method>(
      std::make_unique<MirrorMethod>(info, std::move(model), options, std::move(mirror)));
}

}  // namespace paco::methods
