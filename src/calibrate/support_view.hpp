// The support set as calibrations look at it: standardised, with the references of the known
// classes and what they say of every sample. Made once and shared by all methods that calibrate on
// it; what several of them need (the replay) is computed once.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "calibrate/references.hpp"
#include "calibrate/replay.hpp"
#include "calibrate/work_done.hpp"
#include "linalg/matrix.hpp"
#include "paco/model.hpp"

namespace paco {

class SupportView {
 public:
  // Checks the support set and fills in the part of the model that all methods share.
  static Result<std::unique_ptr<SupportView>> make(const SupportSet& support,
                                                   const CalibrationOptions& options,
                                                   std::stop_token stop);

  const Model& model() const { return model_; }
  Model& model() { return model_; }
  Rows<const double> raw() const { return raw_; }
  const Matrix<float>& units() const { return units_; }
  std::span<const std::int64_t> labels() const { return labels_; }
  // What the chosen references say of every support sample.
  std::span<const BankView> views() const { return views_; }
  double base_median() const;
  ThreadPool& pool() { return pool_; }
  std::stop_token stop() const { return stop_; }
  const CalibrationProgress& progress() const { return progress_; }

  Result<const ReplayScores*> replay(int replays, std::uint32_t seed);

 private:
  SupportView(const SupportSet& support, const CalibrationOptions& options, std::stop_token stop);
  Result<void> choose_references(const SupportSet& support, ReferenceChoice wanted);

  Model model_;
  Rows<const double> raw_;
  std::span<const std::int64_t> labels_;
  Matrix<float> units_;
  std::vector<BankView> views_;
  ThreadPool pool_;
  std::stop_token stop_;
  CalibrationProgress progress_;
  WorkDone work_;
  std::map<std::pair<int, std::uint32_t>, ReplayScores> replays_;
};

}  // namespace paco
