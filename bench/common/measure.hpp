// How speed is measured here, for `paco bench` and for the programs in bench/ alike: the machine's
// own limits first, then a median over repeated runs, given as a share of those limits. Shares
// survive a change of machine and a busy neighbour; bare seconds do not.
//
// Everything is on one thread unless it says otherwise. Not thread-safe: it sets BLAS to one
// thread while it measures.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/progress.hpp"
#include "paco/result.hpp"

namespace paco {

struct MachinePeak {
  double sgemm_gflops = 0;          // best product of 1024 x 1024 matrices
  double memory_gb_per_second = 0;  // best reading of a buffer far larger than the caches
};

Result<MachinePeak> measure_peak(const core::Clock& clock);

// Median seconds to read `bytes` once when they were read just before: from cache, if they fit.
Result<double> reread_seconds(std::size_t bytes, const core::Clock& clock);

// Seconds, over all runs or all samples.
struct Timing {
  double median = 0;
  double low = 0;
  double p99 = 0;
  std::size_t runs = 0;
};

Timing timing_of(std::vector<double> seconds);

// Runs `body` until it has taken `least_seconds` in all, at least three times; `prepare` runs
// before each and is not timed.
Timing time_runs(const core::Clock& clock, double least_seconds, const std::function<void()>& body,
                 const std::function<void()>& prepare = {});

// One figure: what was done, by whom, how long it took, and how much work that was.
struct Measurement {
  std::string question;   // "decide_block"
  std::string contender;  // "paco", "reference", "faiss_flat"
  std::string shape;      // "cars"
  Timing time;
  double items = 1;  // samples (or calls) in one run; figures are given per item
  double flops = 0;  // arithmetic of one run by definition; 0 where that is not the measure
  double bytes = 0;  // bytes of one run by definition; 0 likewise
  nlohmann::ordered_json more = nlohmann::ordered_json::object();  // whatever else is worth keeping

  double microseconds_per_item() const { return time.median / items * 1e6; }
  double share_of_sgemm(const MachinePeak& peak) const;
  double share_of_memory(const MachinePeak& peak) const;
};

nlohmann::ordered_json to_json(const MachinePeak& peak);
nlohmann::ordered_json to_json(const Measurement& measurement, const MachinePeak& peak);
// One line for people.
std::string to_text(const Measurement& measurement, const MachinePeak& peak);

}  // namespace paco
