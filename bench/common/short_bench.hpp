// The questions that `paco bench` and bench/ both ask: how fast are decisions, one by one and in
// blocks, and how fast is calibration? Answers are compared with the plain reference before
// anything is timed, and a disagreement is an error.
#pragma once

#include <stop_token>
#include <vector>

#include "bench/common/measure.hpp"
#include "bench/common/synthetic_shapes.hpp"
#include "core/progress.hpp"
#include "paco/method.hpp"

namespace paco {

// Do two methods decide alike on these samples? An error names the first sample where they do not.
Result<void> same_decisions(const std::string& one, const std::string& other,
                            std::shared_ptr<const Model> model, Rows<const double> stream);

// The arithmetic that deciding takes by definition: each sample's products with all prototypes
// there were at its turn. A method that finds out with less shows a larger share of the peak.
double decision_flops(const Model& model, std::span<const Decision> decisions);
// Likewise of a calibration: each sample with the references, and once a replay with the
// episodic memory.
double calibration_flops(const Model& model, std::size_t samples);

// The whole stream through a fresh method, `block` samples at a time.
Result<Measurement> time_blocks(const std::string& method, std::shared_ptr<const Model> model,
                                const io::SyntheticShape& shape, Rows<const double> stream,
                                std::size_t block, int threads, const core::Clock& clock,
                                double least_seconds);
// One sample at a time; the timing is over samples. `more` says how long the prototypes' bytes take
// to read once from cache.
Result<Measurement> time_singles(const std::string& method, std::shared_ptr<const Model> model,
                                 const io::SyntheticShape& shape, Rows<const double> stream,
                                 const core::Clock& clock);
Result<Measurement> time_calibration(const io::SyntheticData& data, int threads,
                                     const core::Clock& clock, double least_seconds);

struct ShortBench {
  MachinePeak peak;
  std::vector<Measurement> measurements;
};

// Under 20 seconds on the machines we know.
Result<ShortBench> run_short_bench(const core::Clock& clock, core::Progress& progress,
                                   std::stop_token stop);

}  // namespace paco
