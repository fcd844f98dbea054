// A finished stream as one self-contained HTML page: what was decided, why, and how well.
//
// The input is the totals of the decisions and the trace (stream_totals.hpp), the model, the
// evaluation and the pictures. The output is bytes. Files and options are handled elsewhere.
// Anything that is missing, or that the method of the stream does not have, is left out of the
// page. The layout of the page is in web/; npm builds it at build time, and it is embedded in the
// library (page.hpp). Deterministic: the same input gives the same bytes. Pure: any number of
// threads may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/evaluation.hpp"
#include "io/decided_sample.hpp"
#include "paco/method.hpp"
#include "paco/model.hpp"
#include "paco/result.hpp"
#include "report/stream_totals.hpp"

namespace paco::embed {
class ImageSource;
}  // namespace paco::embed

namespace paco::report {

// Description of one number of the evidence, from the method of the stream as far as that is known.
struct ReportField {
  std::string name;
  std::string unit;
  std::string meaning;
  std::vector<std::string> choices;  // names of the values 0, 1, ... if it is a choice
};

// One sample of the stream with all its known data. Its evidence is in the order of
// ReportInput::fields. The state of the memory after it comes from the trace.
struct ReportSample : io::DecidedSample {
  double microseconds = kNotComputed;  // time of the decision, from the trace
};

// Reads the samples of the stream a second time. A page shows the full data of a few thousand
// samples, and which ones is known only at the end of the stream.
class ReportSamples {
 public:
  virtual ~ReportSamples() = default;
  // Returns the samples at these places in the stream; the places must be ascending.
  virtual Result<std::vector<ReportSample>> pick(std::span<const std::size_t> places) const = 0;
};

// Keeps the samples in memory, for streams that cannot be read twice.
class KeptSamples final : public ReportSamples {
 public:
  explicit KeptSamples(std::vector<ReportSample> samples) : samples_(std::move(samples)) {}
  Result<std::vector<ReportSample>> pick(std::span<const std::size_t> places) const override;

 private:
  std::vector<ReportSample> samples_;
};

struct ReportInput {
  std::string title;
  // What the page was made from, as (what, file) pairs for the reader: ("decisions",
  // "decisions.csv").
  std::vector<std::pair<std::string, std::string>> sources;
  std::vector<ReportField> fields;         // describes the evidence of the samples
  StreamTotals stream;                     // all samples, in stream order
  const ReportSamples* samples = nullptr;  // the same samples; can be null if the stream is empty
  bool has_trace = false;                  // there is the state after each sample and its time
  std::size_t known_classes = 0;
  const Model* model = nullptr;    // thresholds and histograms
  const Method* method = nullptr;  // explanations; `fields` then describe its evidence
  std::string decided_by;          // the name of the method, if it is known without `method`
  const evaluate::Evaluation* evaluation = nullptr;  // accuracy tables
  std::vector<std::int64_t> truth;                   // per sample, kNoTruth if unknown; or empty
  std::vector<std::string> truth_names;  // by true class id; may be short or empty, ids stand in
  const embed::ImageSource* images = nullptr;  // pictures of the samples
  std::vector<std::int64_t> image_index;       // sample -> picture; empty: by arrival number
};

struct ReportOptions {
  std::size_t points = 6000;   // most samples drawn as points of their own
  std::size_t galleries = 40;  // most categories with pictures: half the largest, half the newest
  std::size_t class_galleries = 20;  // most known classes with pictures, largest first
  std::size_t pictures = 6;          // most pictures for each of them
  std::size_t thumbnail = 96;        // longer side of a picture in pixels, at most
  int quality = 80;                  // of the JPEG thumbnails, 1 to 100
};

// All data that the page shows, as the JSON object embedded in it. Numbers that other commands
// print have the same names here: `stream` as in `paco discover --json`, `evaluation` as in `paco
// evaluate --json`.
Result<nlohmann::ordered_json> report_document(const ReportInput& input,
                                               const ReportOptions& options = {},
                                               std::stop_token stop = {});

// The page. Fails if the program was built without it, and if a picture cannot be read.
Result<std::string> render_report(const ReportInput& input, const ReportOptions& options = {},
                                  std::stop_token stop = {});

}  // namespace paco::report
