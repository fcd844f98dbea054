// One run of a study: one method with one set of options on one data set, decided from the first
// sample to the last, and evaluated. Its result is a small file, so that an interrupted study
// continues, and studies share the runs that they have in common.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/progress.hpp"
#include "evaluate/evaluation.hpp"
#include "paco/method.hpp"
#include "study/data_set.hpp"

namespace paco::study {

// A method as studies name it: "smile-head-16", "phe-head+ssc".
struct Contender {
  std::string label;
  std::string method;
  Settings calibrating, deciding;
  ReferenceChoice reference = ReferenceChoice::automatic;
  bool needs_class_vectors = false;  // runs on data with class_vectors.npy alone
  std::string asking = {};  // what a person is asked in the middle of the stream: questions.hpp
};

// What a run keeps of every step of the stream, besides its scores.
enum class TrackKind : std::uint8_t { none, birth, regions, latency };

// Rows of numbers along the stream.
struct Track {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

struct Run {
  std::size_t data = 0;  // which data set
  Contender contender;
  std::uint64_t seed = 0;  // of the calibration, if the method has one
  DataShape shape;
  std::size_t answers = 0;  // that the person gives
  double false_new = 0;     // the rate that is promised; 0: none
  bool timed = false;       // one sample at a time, with a clock
  TrackKind track = TrackKind::none;
  // What the study varies, for its tables: {"support_share", "0.25"}.
  std::vector<std::pair<std::string, std::string>> factors;
};

struct Shares {
  std::optional<double> all, old, novel;
  std::optional<evaluate::Interval>
      all_interval;  // from resampled samples, the matching held fixed
  // Ends of the old and the new share over all matchings as good as Strict's.
  std::optional<evaluate::Interval> old_ties, novel_ties;
};

// How clusters are matched to classes.
struct Matching {
  evaluate::Keep keep = evaluate::Keep::top;
  evaluate::MatchTable table = evaluate::MatchTable::rectangular;
  bool operator==(const Matching&) const = default;
};
inline constexpr Matching kMatchings[] = {{evaluate::Keep::top, evaluate::MatchTable::rectangular},
                                          {evaluate::Keep::top, evaluate::MatchTable::square},
                                          {evaluate::Keep::all, evaluate::MatchTable::rectangular},
                                          {evaluate::Keep::all, evaluate::MatchTable::square}};
struct ScoresByProtocol {
  Shares strict, greedy;
};

// Scores that a threshold was chosen from, counted in equal steps from `low` to `high`.
struct Region {
  std::string name;
  double value = 0, low = 0, high = 0;
  std::vector<std::int64_t> positives, negatives;
};

struct RunResult {
  std::vector<ScoresByProtocol> scores;  // one for each of kMatchings
  Shares strict, greedy;                 // of the matching that the study asks for
  void choose(const Matching& matching);
  std::optional<double> called_new;  // share of the samples of known classes
  std::int64_t categories = 0;       // different answers over the whole stream
  std::int64_t memory = 0;           // categories that the method holds at the end
  std::int64_t classes = 0;          // true ones
  std::vector<std::array<std::int64_t, 3>>
      births;                   // sample, categories so far, novel classes so far
  std::vector<Region> regions;  // one for each calibrated threshold
  double calibrate_seconds = 0, decide_seconds = 0;
  double median_microseconds = 0, p99_microseconds = 0;  // of a timed run
  Track track;
};

// Identifies a run by everything that its result depends on but the machine.
std::string run_key(const Run& run, const DataSet& data);
// What runs share that need the same calibration.
std::string calibration_key(const Run& run, const DataSet& data);

// How much time a run takes against others, roughly: heads are expensive, most of all those with
// prototypes to train.
double expected_work(const Run& run, const DataSet& data);

// How the model of a run is made.
CalibrationOptions calibration_options(const Run& run, const DataSet& data);
// A model for a run, of the shaped data; and the run with it.
Result<Model> calibrate_run(const Run& run, const DataSet& data, std::stop_token stop);
Result<RunResult> execute_run(const Run& run, const DataSet& data,
                              std::shared_ptr<const Model> model, const core::Clock& clock,
                              std::stop_token stop);

std::string result_to_text(const RunResult& result, const std::string& key);
// Nothing if the text is not the result of this key.
std::optional<RunResult> result_from_text(std::string_view text, const std::string& key);

}  // namespace paco::study
