// The rule of `mirror`, fast: blocks of samples, matrix products for screening, threads, and the
// decisions of plain.hpp to the last bit for any block size, number of threads and instruction set.
//
// Approximate products with an error bound narrow the prototypes down to those that can win a
// comparison; those are scored in double, in a fixed order of summation, and only doubles are
// compared. Which stored samples are rehearsed when does not depend on decisions, so their products
// are made together with those of the block.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/threads.hpp"
#include "methods/mirror/block_table.hpp"
#include "methods/mirror/decider.hpp"
#include "methods/mirror/embedding.hpp"
#include "methods/mirror/memory.hpp"
#include "methods/mirror/rule.hpp"
#include "methods/mirror/stored.hpp"

namespace paco::methods {

class MirrorEngine final : public MirrorDecider {
 public:
  explicit MirrorEngine(std::shared_ptr<const MirrorModel> model, unsigned threads = 1);
  MirrorEngine(const MirrorEngine&) = delete;
  MirrorEngine& operator=(const MirrorEngine&) = delete;

  Result<void> decide_block(Rows<const double> embeddings, std::span<MirrorDecision> decisions,
                            std::vector<MirrorBirth>& births) override;
  Result<math::Matrix<float>> embed(Rows<const double> embeddings) override;

  std::uint64_t samples() const override { return samples_; }
  std::int64_t next_prototype() const override { return next_prototype_; }
  std::size_t candidates() const override { return memory_.candidates(); }
  MirrorState save() const override;
  Result<void> restore(const MirrorState& state) override;

  std::optional<Facts> facts(std::int64_t prototype) const override;
  std::vector<std::int64_t> take_changed() override { return changed_.take(); }
  double cosine(std::int64_t prototype, std::span<const float> v) const override;
  std::vector<float> direction(std::int64_t prototype) const override;
  std::vector<float> row(std::int64_t prototype) const override;
  std::optional<MirrorPlace> place(std::uint64_t sequence) const override;
  Result<void> set_competing(std::int64_t prototype, bool competing) override;
  Result<void> set_category(std::int64_t prototype, std::int64_t category) override;
  Result<void> move(std::uint64_t sequence, std::span<const float> v, const MirrorPlace& from,
                    const MirrorPlace& to, const Home& home) override;
  Result<void> fix(std::int64_t prototype, std::span<const float> row, const Home& home) override;
  Result<void> loosen(std::int64_t prototype) override;
  void reserve(std::int64_t next_prototype, std::int64_t next_category) override;

  math::PrefilterFormat prefilter_format() const { return references_.format(); }

 private:
  Result<void> embed_into(Rows<const double> embeddings, Rows<float> v);
  void decide_units(Rows<const float> units, std::span<MirrorDecision> decisions,
                    std::vector<MirrorBirth>& births);
  std::size_t block_rows() const;
  void plan_rehearsal(std::size_t block);
  MirrorDecision decide(std::size_t row, const float* v, NearestTwo& known,
                        std::vector<MirrorBirth>& births);
  void rehearse(std::size_t row, std::uint64_t sequence, double threshold,
                std::vector<MirrorBirth>& births);
  void join(std::size_t row, std::size_t slot, const float* v, std::vector<MirrorBirth>& births);
  void nearest(std::size_t row, const float* v, NearestTwo& visible, NearestTwo& known);
  NearestTwo known_of_stored(Stored::Entry& entry, const float* v);
  math::PrefilterScores screened_fixed(const math::PrefilterRow& products) const;
  void offer_fixed(const float* v, NearestTwo& best);
  double fixed_cosine(std::size_t k, const float* v) const {
    return math::dot(fixed_rows()[k].data(), v, model_->dimension());
  }
  std::int64_t category_of(std::int64_t number) const;
  bool is_support(std::int64_t number) const { return number < known_; }
  // Of the support set or promoted: it compares by a row that does not change.
  bool is_fixed(std::int64_t number) const;
  bool exists(std::int64_t number) const;
  void count(std::int64_t number, std::int64_t more);
  Rows<const float> fixed_rows() const {
    return fixed_rows_.rows() > 0 ? Rows<const float>(fixed_rows_) : model_->references;
  }
  // The fixed ones are others, or compete or not.
  void follow_references(math::PrefilterFormat format);
  void reconsider_format();

  std::shared_ptr<const MirrorModel> model_;
  std::int64_t known_;
  core::ThreadPool pool_;
  StreamEmbedder embedder_;
  // The rows of all that are fixed, those of the support set first; who they are, ascending; 0, or
  // far below any cosine for one that does not compete.
  math::Prefilter references_;
  math::Matrix<float> fixed_rows_;  // empty while they are just the model's
  std::vector<std::int64_t> fixed_numbers_;
  std::vector<float> fixed_out_;
  ChangedNumbers changed_;
  MirrorMemory memory_;
  Stored stored_;
  std::vector<MirrorMoved> moved_;

  std::uint64_t samples_ = 0, cursor_ = 0, confident_ = 0;
  std::int64_t next_prototype_, next_category_;
  std::vector<std::uint8_t> answered_;
  std::size_t classes_answered_ = 0;
  std::vector<std::int64_t> reference_categories_, reference_counted_;
  std::vector<std::uint8_t> reference_competing_;
  std::uint64_t references_version_ = 0;  // changes with what is fixed and competes
  // Since the format was last reconsidered.
  struct Watched {
    std::size_t samples = 0;
    std::size_t products = 0;
    std::size_t scored = 0;
  } watched_;

  // Scratch, kept between calls.
  std::vector<float> units_, class_products_, one_row_;
  math::SampleBlock samples_block_, new_block_, single_;
  BlockTable table_;
  std::vector<std::size_t> chosen_;       // places in stored_ of the rows of a block
  std::vector<std::uint64_t> plan_;       // sequence numbers, `rehearse` for each new sample
  std::vector<std::size_t> row_of_plan_;  // the row of each
  std::vector<math::Candidate> candidates_;
};

}  // namespace paco::methods
