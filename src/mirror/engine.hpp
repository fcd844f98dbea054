// The rule of `mirror`, fast: blocks of samples, matrix products for screening, threads, and the
// decisions of plain.hpp to the last bit for any block size, number of threads and instruction set.
//
// Approximate products with an error bound narrow the prototypes down to those that can win a
// comparison; those are scored in double, in a fixed order of summation, and only doubles are
// compared. Which stored samples are rehearsed when does not depend on decisions, so their products
// are made together with those of the block.
//
// Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "mirror/block_table.hpp"
#include "mirror/embedding.hpp"
#include "mirror/memory.hpp"
#include "mirror/rule.hpp"
#include "mirror/stored.hpp"
#include "paco/result.hpp"

namespace paco {

class MirrorEngine {
 public:
  explicit MirrorEngine(std::shared_ptr<const MirrorModel> model, unsigned threads = 1);
  MirrorEngine(const MirrorEngine&) = delete;
  MirrorEngine& operator=(const MirrorEngine&) = delete;

  const MirrorModel& model() const { return *model_; }
  std::uint64_t samples() const { return samples_; }

  // Decides raw embeddings in order; births are added to `births`. Where a row is refused nothing
  // of the block is decided.
  Result<void> decide_block(Rows<const double> embeddings, std::span<MirrorDecision> decisions,
                            std::vector<MirrorBirth>& births);
  // The embeddings v of raw rows as decisions see them, (rows, d).
  Result<Matrix<float>> embed(Rows<const double> embeddings);

  MirrorState save() const;
  // Goes on from a state of this model. What the engine knew is forgotten.
  Result<void> restore(const MirrorState& state);

  // Operations from outside, between two blocks. A number that does not exist is refused.
  //
  // What does not compete answers nothing and takes no sample; its members stay, also when they are
  // rehearsed.
  Result<void> set_competing(std::int64_t prototype, bool competing);
  // What a prototype answers with from now on; a candidate becomes visible by it. The category is
  // an id given before, or the next one.
  Result<void> set_category(std::int64_t prototype, std::int64_t category);
  // Moves a sample with embedding v (d) from one prototype to another; a reference only stops or
  // starts to count as its place. `to` may be next_prototype(): a new one with `category`. The
  // prototype left by its last member is gone.
  Result<void> move(std::uint64_t sequence, std::span<const float> v, std::int64_t from,
                    std::int64_t to, std::int64_t category = kNoCategory);
  // What views show of a prototype other than a reference; nothing where it is gone.
  struct Facts {
    std::int64_t category = kNoCategory;
    std::int64_t members = 0;
    bool competing = true;
    double length = 0;  // of its sum
  };
  std::optional<Facts> facts(std::int64_t prototype) const;
  bool reference_competes(std::int64_t prototype) const {
    return reference_out_[static_cast<std::size_t>(prototype)] == 0;
  }
  // A prototype as it is, and back again bit for bit: how an operation is undone.
  Result<MirrorPrototype> prototype(std::int64_t number) const;
  Result<void> put_back(const MirrorPrototype& prototype);
  // Where a sample is filed, without a change of any sum; one that is not stored is left alone.
  Result<void> refile(std::uint64_t sequence, std::int64_t prototype);
  // Takes a prototype out for good: undoes a move that made it.
  Result<void> remove(std::int64_t prototype);
  std::int64_t next_prototype() const { return next_prototype_; }
  std::int64_t next_category() const { return next_category_; }
  std::size_t candidates() const { return memory_.candidates(); }

  ScreenFormat screen_format() const { return references_.format(); }

 private:
  Result<void> embed_into(Rows<const double> embeddings, Rows<float> v);
  void decide_units(Rows<const float> units, std::span<MirrorDecision> decisions,
                    std::vector<MirrorBirth>& births);
  std::size_t block_rows() const;
  void plan_rehearsal(std::size_t block);
  MirrorDecision decide(std::size_t row, const float* v, const NearestTwo& known,
                        std::vector<MirrorBirth>& births);
  void rehearse(std::size_t row, std::uint64_t sequence, double threshold,
                std::vector<MirrorBirth>& births);
  void join(std::size_t row, std::size_t slot, const float* v, std::vector<MirrorBirth>& births);
  NearestTwo best_known(const float* v, const ScreenedRow& products);
  NearestTwo known_of_stored(Stored::Entry& entry, const float* v);
  template <class Exact>
  void offer(const ScreenedScores& scores, int places, NearestTwo& best, Exact exact);
  std::int64_t category_of(std::int64_t number) const;
  Result<void> check_number(std::int64_t prototype) const;
  bool is_reference(std::int64_t number) const { return number < known_; }
  void reconsider_format();

  std::shared_ptr<const MirrorModel> model_;
  std::int64_t known_;
  ThreadPool pool_;
  Embedder embedder_;
  ScreenBank references_;
  MirrorMemory memory_;
  Stored stored_;

  std::uint64_t samples_ = 0, cursor_ = 0, confident_ = 0;
  std::int64_t next_prototype_, next_category_;
  std::vector<std::uint8_t> answered_;
  std::size_t classes_answered_ = 0;
  std::vector<std::int64_t> reference_categories_;
  std::vector<float> reference_out_;  // 0, or far below any cosine for one that does not compete
  std::uint64_t references_version_ = 0;  // changes when one starts or stops competing
  // Since the format was last reconsidered.
  struct Watched {
    std::size_t samples = 0;
    std::size_t products = 0;
    std::size_t scored = 0;
  } watched_;

  // Scratch, kept between calls.
  std::vector<float> units_, class_products_, one_row_;
  SampleBlock samples_block_, new_block_, single_;
  BlockTable table_;
  std::vector<std::size_t> chosen_;       // places in stored_ of the rows of a block
  std::vector<std::uint64_t> plan_;       // sequence numbers, `rehearse` for each new sample
  std::vector<std::size_t> row_of_plan_;  // the row of each
  std::vector<Candidate> candidates_;
};

}  // namespace paco
