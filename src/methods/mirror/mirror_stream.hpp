// The data that both forms of mirror keep besides prototypes (counters, the samples for rehearsal),
// and the code that they share as methods.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/try.hpp"
#include "methods/common/method_base.hpp"
#include "methods/mirror/embedding.hpp"
#include "methods/mirror/live_bonus.hpp"
#include "methods/mirror/mirror_evidence.hpp"
#include "methods/mirror/model.hpp"
#include "methods/mirror/rehearsal.hpp"

namespace paco::methods {

// Standardising, then whitening.
class WhiteningTransform final : public StandardTransform {
 public:
  WhiteningTransform(std::shared_ptr<const Model> model, std::shared_ptr<const MirrorModel> mirror);
  using StandardTransform::apply;
  bool apply(Rows<const double> embeddings, Rows<float> units) const override;

 private:
  std::shared_ptr<const MirrorModel> mirror_;
  StreamEmbedder embedder_;
};

class MirrorStream {
 public:
  // `block`: the largest number of samples in a block.
  MirrorStream(std::shared_ptr<const MirrorModel> model, std::size_t block);

  const MirrorModel& model() const { return *model_; }
  std::size_t rehearsals() const { return static_cast<std::size_t>(model_->options.rehearse); }
  // The threshold of the next sample, and evidence that does not depend on the sample.
  void begin(Decision& decision) const;
  // Call this when the sample is answered; `cosine` is the cosine with the answering prototype.
  void answer(CategoryId category, double cosine);
  // After rehearsal and MethodBase::conclude.
  void add(const Decision& decision);

  std::vector<Statistic> figures(std::size_t candidates) const;
  // Implements Editor::place. A sample whose prototype was removed belongs to no sum.
  Result<std::pair<PrototypeId, bool>> place(std::uint64_t sequence, PrototypeId prototype,
                                             bool counted, std::uint64_t samples,
                                             const PrototypeTable& table) const;

  void save(Section& own, std::uint64_t samples) const;
  Result<void> restore(const Section& own, std::uint64_t samples, PrototypeId next_prototype,
                       const std::string& name);

  RehearsalBuffer stored;

 private:
  std::shared_ptr<const MirrorModel> model_;
  std::uint64_t confident_ = 0;         // answers with a known class at a cosine >= `sure`
  std::vector<std::uint8_t> answered_;  // (K) 1 if this known class has been answered
  std::size_t classes_answered_ = 0;
  std::array<std::uint64_t, 4> verdicts_{};
  double length_ = 1;  // of the last sample
};

// The part of mirror on top of PrototypeMethod (fast) or MethodBase (plain loops).
template <class Base>
class MirrorForm : public Base {
 public:
  template <class... Arguments>
  MirrorForm(std::shared_ptr<const MirrorModel> mirror, std::size_t block, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...),
        live_(mirror),
        stream_(std::move(mirror), block) {}

  std::vector<Statistic> statistics() const override { return stream_.figures(candidates()); }
  std::string explain_rule(const Decision& decision) const override {
    return explain_mirror(decision, this->categories());
  }

 protected:
  virtual std::size_t candidates() const = 0;
  // The bonus on known cosines, with the current prototypes.
  virtual double bonus(double threshold) = 0;

  // The known cosine from which a sample stays with its known class, for the false-new promise. If
  // the sample is assigned to that class anyway, there is no gate.
  double gate_for(const BestTwo& known, const BestTwo& best, double threshold) {
    if (!live_.on()) return this->gate();
    if (known.first == kNoId || !live_.applies(known.score) ||
        (best.first == known.first && best.score >= threshold))
      return kNoGate;
    return std::max(threshold, best.score) - bonus(threshold);
  }
  static constexpr double kNoGate = std::numeric_limits<double>::infinity();

  bool exact_sums() const final { return true; }
  bool keeps_candidates() const final { return true; }
  void sample_moved(const Edit& edit) final {
    stream_.stored.note_move(static_cast<std::uint64_t>(edit.id), {edit.from, edit.from_counted},
                             {edit.to, edit.to_counted}, !this->table()[edit.to].gone(),
                             this->samples());
  }
  Result<std::pair<PrototypeId, bool>> place(std::uint64_t sequence, PrototypeId prototype,
                                             bool counted) const final {
    return stream_.place(sequence, prototype, counted, this->samples(), this->table());
  }
  void save_own(Section& own) const final {
    Base::save_own(own);
    stream_.save(own, this->samples());
  }
  Result<void> restore_own(const Section& own, const std::string& name) final {
    MirrorStream stream = stream_;
    PACO_TRY(stream.restore(own, this->samples(), this->next_prototype(), name));
    PACO_TRY(Base::restore_own(own, name));
    stream_ = std::move(stream);
    return {};
  }

  LiveBonus live_;
  MirrorStream stream_;
};

}  // namespace paco::methods
