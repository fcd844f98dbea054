// The support set in the form that calibrations use: standardised, with the references of the known
// classes and the scores of every sample. It is made once and shared by all methods that calibrate
// on it. Results that several methods need (the replay) are computed once.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "math/matrix.hpp"
#include "methods/common/references.hpp"
#include "methods/common/work_done.hpp"
#include "methods/paco/replay.hpp"
#include "paco/given_head.hpp"

namespace paco::methods {

class SupportView {
 public:
  static constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 31;

  // Checks the support set and fills in the part of the model that all methods share.
  static Result<std::unique_ptr<SupportView>> make(const SupportSet& support,
                                                   const CalibrationOptions& options,
                                                   std::stop_token stop,
                                                   std::uint64_t most_pairs = kMostPairs);

  const Model& model() const { return model_; }
  Model& model() { return model_; }
  Rows<const double> raw() const { return raw_; }
  const math::Matrix<float>& units() const { return units_; }
  std::span<const std::int64_t> labels() const { return labels_; }
  // Samples of known classes that are not part of the support set; may have no rows.
  Rows<const double> held_out() const { return held_out_; }
  double false_new() const { return false_new_; }  // the promised rate; 0: no promise
  // Scores of the support samples with the chosen references, or of the part that is scored.
  std::span<const BankView> views() const { return views_; }
  // Number of samples that are scored against all classes, here and in the replay. All samples are
  // scored, unless that needs more than kMostPairs comparisons; then a random part is scored that
  // needs about so many. Thresholds are read from distributions, and tens of thousands of samples
  // show those as well as millions. Without this limit the cost would grow with the square of the
  // number of classes.
  std::size_t scored() const { return scored_; }
  double base_median() const;
  // Only set for a method that takes a trained head; empty for all others.
  const GivenHead& given_head() const { return given_head_; }
  void give_head(const GivenHead& head) { given_head_ = head; }
  core::ThreadPool& pool() { return pool_; }
  std::stop_token stop() const { return stop_; }
  const CalibrationProgress& progress() const { return progress_; }

  Result<const ReplayScores*> replay(int replays, std::uint32_t seed);

 private:
  SupportView(const SupportSet& support, const CalibrationOptions& options, std::stop_token stop);
  void draw_scored(std::uint64_t most_pairs);
  std::vector<BankView> look_at(const math::Matrix<float>& bank);
  Result<void> choose_references(const SupportSet& support, ReferenceChoice wanted);

  Model model_;
  Rows<const double> raw_, held_out_;
  double false_new_;
  std::span<const std::int64_t> labels_;
  math::Matrix<float> units_;
  std::size_t scored_ = 0;
  math::Matrix<float> drawn_units_;  // the scored samples, if not all are scored
  std::vector<std::int64_t> drawn_labels_;
  std::vector<BankView> views_;
  core::ThreadPool pool_;
  std::stop_token stop_;
  CalibrationProgress progress_;
  GivenHead given_head_;
  WorkDone work_;
  std::map<std::pair<int, std::uint32_t>, ReplayScores> replays_;
};

}  // namespace paco::methods
