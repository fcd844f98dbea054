#include "methods/mirror/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/try.hpp"
#include "math/prefilter_two.hpp"
#include "math/rerank.hpp"
#include "methods/common/standardise.hpp"

namespace paco::methods {
namespace {

constexpr float kOut = -8;

// The largest float32 that is not above x.
float round_down(double x) {
  const auto rounded = static_cast<float>(x);
  return static_cast<double>(rounded) > x
             ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
             : rounded;
}

std::size_t rehearsals(const MirrorModel& model) {
  return static_cast<std::size_t>(model.options.rehearse);
}

// New samples in a block: with those that are rehearsed, as many rows as a table takes.
std::size_t most_new(const MirrorModel& model) {
  return BlockTable::kMostRows / (1 + rehearsals(model));
}

}  // namespace

MirrorEngine::MirrorEngine(std::shared_ptr<const MirrorModel> model, unsigned threads)
    : model_(std::move(model)),
      known_(static_cast<std::int64_t>(model_->known())),
      pool_(threads),
      embedder_(model_->embedding),
      references_(model_->references, math::best_screen_format(model_->dimension())),
      memory_(model_->dimension(), BlockTable::kMostRows, changed_),
      stored_(rehearsals(*model_) > 0 ? static_cast<std::size_t>(model_->options.buffer) : 0,
              most_new(*model_), model_->dimension()) {
  const MirrorState state = first_state(*model_);
  next_prototype_ = state.next_prototype;
  next_category_ = state.next_category;
  answered_ = state.answered;
  reference_categories_ = state.reference_categories;
  reference_counted_ = state.reference_counted;
  reference_competing_ = state.reference_competing;
  for (std::int64_t k = 0; k < known_; ++k) changed_.note(k);
  follow_references(references_.format());
}

Result<void> MirrorEngine::embed_into(Rows<const double> embeddings, Rows<float> v) {
  constexpr std::size_t kRowsAtOnce = 64;
  std::atomic<bool> refused{false};
  pool_.parallel_for(v.rows, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    const std::size_t rows = last - first;
    if (!embedder_.embed(embeddings.slice(first, rows), v.slice(first, rows))) refused = true;
  });
  if (!refused) return {};
  // This says which row it was.
  return standardise_rows(embeddings, model_->embedding.mean, model_->embedding.deviation, v,
                          "stream", samples_, pool_);
}

Result<math::Matrix<float>> MirrorEngine::embed(Rows<const double> embeddings) {
  PACO_TRY(check_block_shape(embeddings, model_->dimension(), embeddings.rows));
  math::Matrix<float> v(embeddings.rows, model_->dimension());
  PACO_TRY(embed_into(embeddings, v.view()));
  return v;
}

Result<void> MirrorEngine::decide_block(Rows<const double> embeddings,
                                        std::span<MirrorDecision> decisions,
                                        std::vector<MirrorBirth>& births) {
  PACO_TRY(check_block_shape(embeddings, model_->dimension(), decisions.size()));
  units_.resize(std::max(units_.size(), embeddings.rows * model_->dimension()));
  const Rows<float> units{units_.data(), embeddings.rows, model_->dimension()};
  PACO_TRY(embed_into(embeddings, units));
  for (std::size_t start = 0; start < units.rows;) {
    const std::size_t rows = std::min(block_rows(), units.rows - start);
    decide_units(units.slice(start, rows), decisions.subspan(start, rows), births);
    start += rows;
  }
  return {};
}

// The rows of a block are multiplied with each other, so few are best; unless there are so many
// prototypes that they come from slow memory for each block. In any case the table of products
// stays in cache.
std::size_t MirrorEngine::block_rows() const {
  constexpr std::size_t kTableFloats = std::size_t{1} << 20, kRows = 32, kRehearsedRows = 96;
  const std::size_t slots = memory_.slots(), each = rehearsals(*model_);
  const std::size_t most =
      std::clamp<std::size_t>(kTableFloats / (slots + 1), 16, BlockTable::kMostRows);
  const std::size_t good = std::max(slots / 8, each > 0 ? kRehearsedRows : kRows);
  return std::max<std::size_t>(1, std::min(good, most) / (1 + each));
}

// Which stored samples come up with each of the next samples, and the rows that they are. Rows 0 ..
// block - 1 are the new samples themselves.
void MirrorEngine::plan_rehearsal(std::size_t block) {
  const auto buffer = static_cast<std::uint64_t>(model_->options.buffer);
  plan_.clear();
  for (std::uint64_t t = samples_; t < samples_ + block; ++t) {
    const std::uint64_t low = t > buffer ? t - buffer : 0;
    for (std::size_t r = 0; r < rehearsals(*model_) && t > 0; ++r) {
      if (cursor_ < low || cursor_ >= t) cursor_ = low;
      plan_.push_back(cursor_++);
    }
  }
  chosen_.clear();
  for (std::size_t i = 0; i < block; ++i) chosen_.push_back(stored_.place(samples_ + i));
  row_of_plan_.clear();
  for (const std::uint64_t sequence : plan_) {
    std::size_t row = sequence - samples_;
    if (sequence < samples_) {
      const auto old = chosen_.begin() + static_cast<std::ptrdiff_t>(block);
      row = static_cast<std::size_t>(std::find(old, chosen_.end(), stored_.place(sequence)) -
                                     chosen_.begin());
      if (row == chosen_.size()) chosen_.push_back(stored_.place(sequence));
    }
    row_of_plan_.push_back(row);
  }
}

void MirrorEngine::decide_units(Rows<const float> units, std::span<MirrorDecision> decisions,
                                std::vector<MirrorBirth>& births) {
  const std::size_t fixed = fixed_numbers_.size(), each = rehearsals(*model_);
  class_products_.resize(units.rows * fixed);
  if (each == 0) {
    samples_block_.assign(units, references_.format());
    references_.multiply(samples_block_, class_products_.data(), fixed, pool_);
  } else {
    for (std::size_t i = 0; i < units.rows; ++i) stored_.put(samples_ + i, units[i]);
    new_block_.assign(units, references_.format());
    references_.multiply(new_block_, class_products_.data(), fixed, pool_);
    plan_rehearsal(units.rows);
    samples_block_.assign(stored_.embeddings(), chosen_, references_.format());
  }
  table_.begin(samples_block_, memory_, units.rows,
               each == 0 ? BlockTable::Visits::in_order : BlockTable::Visits::any, pool_);
  watched_.samples += samples_block_.rows();
  watched_.products += units.rows * fixed + samples_block_.rows() * memory_.slots();

  std::size_t planned = 0;
  for (std::size_t i = 0; i < units.rows; ++i) {
    const float* v = units[i].data();
    NearestTwo known;
    MirrorDecision& d = decisions[i];
    d = decide(i, v, known, births);
    if (each > 0) {
      Stored::Entry& entry = stored_.entry(samples_);
      entry = {d.prototype, d.counted, known.first, known.cosine, references_version_};
      for (std::size_t r = 0; r < each && samples_ > 0; ++r, ++planned)
        rehearse(row_of_plan_[planned], plan_[planned], d.threshold, births);
    }
    d.candidates = memory_.candidates();
    ++samples_;
  }
  reconsider_format();
}

namespace {

// What a candidate has to reach to be among the `places` best.
double bar_of(const NearestTwo& best, int places) {
  const std::int64_t last = places == 1 ? best.first : best.second;
  if (last == kNoPrototype) return -std::numeric_limits<double>::infinity();
  return places == 1 ? best.cosine : best.second_cosine;
}

}  // namespace

// Screened cosines with the fixed ones.
math::PrefilterScores MirrorEngine::screened_fixed(const math::PrefilterRow& products) const {
  math::PrefilterScores scores = references_.screened_cosines(products);
  scores.offset = fixed_out_.data();
  return scores;
}

// Those of candidates_ that may be the closest of the fixed ones, all of which come before `fixed`.
void MirrorEngine::offer_fixed(const float* v, NearestTwo& best) {
  math::rerank_best(
      candidates_, [&] { return bar_of(best, 1); },
      [&](std::size_t k) {
        if (fixed_out_[k] != 0) return;
        ++watched_.scored;
        best.offer(fixed_numbers_[k], fixed_cosine(k, v));
      });
}

// The two closest of all that are visible, and the closest of those that are fixed.
void MirrorEngine::nearest(std::size_t row, const float* v, NearestTwo& visible,
                           NearestTwo& known) {
  using Group = MirrorMemory::Group;
  const std::size_t fixed = fixed_numbers_.size();
  const math::PrefilterRow products = table_.row(row);
  math::prefilter_two(screened_fixed({class_products_.data() + row * fixed, products.error}),
                      memory_.screened(products, Group::visible), candidates_);
  math::rerank_best(
      candidates_, [&] { return bar_of(visible, 2); },
      [&](std::size_t i) {
        if (i < fixed ? fixed_out_[i] != 0 : !memory_.in_group(i - fixed, Group::visible)) return;
        ++watched_.scored;
        if (i >= fixed)
          return visible.offer(memory_.number(i - fixed), memory_.cosine(i - fixed, v));
        const double cosine = fixed_cosine(i, v);
        visible.offer(fixed_numbers_[i], cosine);
        known.offer(fixed_numbers_[i], cosine);
      });
  // Who is left is none of the two, but may be the closest of the fixed ones.
  std::erase_if(candidates_, [&](const math::Candidate& c) { return c.index >= fixed; });
  offer_fixed(v, known);
}

NearestTwo MirrorEngine::known_of_stored(Stored::Entry& entry, const float* v) {
  NearestTwo best;
  if (entry.version != references_version_) {
    one_row_.resize(fixed_numbers_.size());
    single_.assign(Rows<const float>{v, 1, model_->dimension()}, references_.format());
    references_.multiply(single_, one_row_.data(), fixed_numbers_.size(), pool_);
    math::prefilter_best(screened_fixed({one_row_.data(), single_.error(0)}), 1, candidates_);
    offer_fixed(v, best);
    entry.known = best.first;
    entry.known_cosine = best.cosine;
    entry.version = references_version_;
  }
  best.first = entry.known;
  best.cosine = entry.known_cosine;
  best.second = kNoPrototype;
  best.second_cosine = kNoCosine;
  return best;
}

MirrorDecision MirrorEngine::decide(std::size_t row, const float* v, NearestTwo& known,
                                    std::vector<MirrorBirth>& births) {
  MirrorDecision d;
  d.sequence = samples_;
  d.confident = confident_;
  d.length = stream_length(*model_, confident_);
  d.threshold = threshold_at(*model_, d.length);
  d.at_once = 2 * classes_answered_ < model_->known();
  NearestTwo visible;
  nearest(row, v, visible, known);
  d.known_cosine = known.cosine;
  d.visible_cosine = visible.cosine;
  // A candidate matters only where it is better than all that is visible.
  const math::PrefilterRow products = table_.row(row);
  NearestTwo all;
  if (visible.first != kNoPrototype) all.offer(visible.first, visible.cosine);
  if (memory_.candidates() > 0) {
    const float bar = visible.first == kNoPrototype ? kOut / 2 : round_down(visible.cosine);
    math::screen_reaching(memory_.screened(products, MirrorMemory::Group::hidden), bar,
                          candidates_);
    math::rerank_best(
        candidates_, [&] { return all.first == kNoPrototype ? kOut : all.cosine; },
        [&](std::size_t slot) {
          ++watched_.scored;
          all.offer(memory_.number(slot), memory_.cosine(slot, v));
        });
  }
  d.cosine = all.cosine;

  double answered_cosine = all.cosine;
  std::int64_t answering = all.first;  // the prototype whose category is the answer
  if (all.first == kNoPrototype || all.cosine < d.threshold) {
    d.prototype = next_prototype_++;
    const bool at_once = d.at_once || visible.first == kNoPrototype;
    if (at_once) {
      d.verdict = MirrorVerdict::created;
      d.category = next_category_++;
      answering = d.prototype;
      births.push_back({samples_, d.prototype, d.category});
    } else {
      d.verdict = MirrorVerdict::tentative;
      answering = visible.first;
      answered_cosine = visible.cosine;
      d.category = category_of(answering);
    }
    const std::size_t slot =
        memory_.create(d.prototype, at_once ? d.category : kNoCategory, v, products.error);
    table_.founded(row, slot);
    while (memory_.candidates() > static_cast<std::size_t>(model_->options.candidates))
      memory_.drop_oldest_candidate();
  } else {
    d.prototype = answering;
    const std::size_t before = births.size();
    d.counted = is_fixed(answering);
    if (d.counted) {
      count(answering, 1);
    } else {
      join(row, *memory_.slot_of(answering), v, births);
    }
    d.category = category_of(answering);
    d.verdict = births.size() > before ? MirrorVerdict::created
                : d.category < known_  ? MirrorVerdict::known
                                       : MirrorVerdict::existing;
  }
  const bool first_answers = answering == visible.first;
  const std::int64_t runner_up = first_answers ? visible.second : visible.first;
  d.runner_up_cosine = first_answers ? visible.second_cosine : visible.cosine;
  if (runner_up != kNoPrototype) d.runner_up = category_of(runner_up);
  if (d.category < known_) {
    std::uint8_t& answered = answered_[static_cast<std::size_t>(d.category)];
    if (answered == 0) ++classes_answered_;
    answered = 1;
    if (answered_cosine >= model_->sure) ++confident_;
  }
  return d;
}

void MirrorEngine::rehearse(std::size_t row, std::uint64_t sequence, double threshold,
                            std::vector<MirrorBirth>& births) {
  Stored::Entry& entry = stored_.entry(sequence);
  const float* v = stored_.embedding(sequence);
  const std::int64_t own = entry.prototype;
  // What a person has put somewhere, taken out of competition or fixed stays as it is.
  if (find_moved(moved_, sequence) != nullptr) return;
  const auto filed = is_support(own) ? std::nullopt : memory_.slot_of(own);
  if (is_support(own)
          ? reference_competing_[static_cast<std::size_t>(own)] == 0
          : filed && (!memory_.competing(*filed) || (memory_.fixed(*filed) && !entry.counted)))
    return;
  const auto own_slot = entry.counted ? std::nullopt : filed;  // where it has a share
  NearestTwo best = known_of_stored(entry, v);
  if (own_slot && memory_.members(*own_slot) > 1)
    best.offer(own, memory_.cosine_without(*own_slot, v));
  // Only who is better than those two, and good enough, can change anything.
  double bar = threshold;
  if (best.first != kNoPrototype) bar = std::max(bar, best.cosine);
  const math::PrefilterRow products = table_.row(row);
  {
    const MirrorMemory::WithoutSlot without(memory_, own_slot);
    math::screen_reaching(memory_.screened(products, MirrorMemory::Group::all),
                          std::max(round_down(bar), kOut / 2), candidates_);
  }
  math::rerank_best(
      candidates_, [&] { return best.first == kNoPrototype ? bar : std::max(bar, best.cosine); },
      [&](std::size_t slot) {
        ++watched_.scored;
        best.offer(memory_.number(slot), memory_.cosine(slot, v));
      });
  if (best.first == kNoPrototype || best.first == own || best.cosine < threshold) return;
  if (own_slot) {
    if (!memory_.leave(*own_slot, v, products.error)) table_.left(row, *own_slot);
  } else if (entry.counted) {
    count(own, -1);
  }
  entry.prototype = best.first;
  entry.counted = is_fixed(best.first);
  if (entry.counted) return count(best.first, 1);
  join(row, *memory_.slot_of(best.first), v, births);
}

void MirrorEngine::join(std::size_t row, std::size_t slot, const float* v,
                        std::vector<MirrorBirth>& births) {
  memory_.join(slot, v, table_.row(row).error);
  table_.joined(row, slot);
  if (memory_.category(slot) != kNoCategory) return;
  memory_.set_category(slot, next_category_);
  births.push_back({samples_, memory_.number(slot), next_category_++});
}

std::int64_t MirrorEngine::category_of(std::int64_t number) const {
  return is_support(number) ? reference_categories_[static_cast<std::size_t>(number)]
                            : memory_.category(*memory_.slot_of(number));
}

// Bytes pay while they leave few candidates; see PACO's engine, which weighs the same costs.
void MirrorEngine::reconsider_format() {
  constexpr std::size_t kSamples = 256, kOneIn = 15, kAlways = 8;
  if (references_.format() == math::PrefilterFormat::float32 || watched_.samples < kSamples) return;
  if (kOneIn * watched_.scored > watched_.products + kOneIn * kAlways * watched_.samples) {
    follow_references(math::PrefilterFormat::float32);
    memory_.change_format(math::PrefilterFormat::float32);
  }
  watched_ = {};
}

}  // namespace paco::methods
