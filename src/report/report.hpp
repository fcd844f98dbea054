// A finished stream as one self-contained HTML page: what was decided, why, and how well.
//
// Takes what the decisions and the trace come to (stream_totals.hpp), the model, the evaluation and
// the pictures, and returns bytes; it knows no file and no option names. Whatever is missing, or is
// nothing that the method of the stream has, is left out of the page. The look of the page lives in
// web/, is built by npm at build time and embedded into the library (page.hpp). Deterministic: the
// same input gives the same bytes. Pure: any number of threads may call it.
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

// One number of the evidence: what the method of the stream says of it, as far as it is known.
struct ReportField {
  std::string name;
  std::string unit;
  std::string meaning;
  std::vector<std::string> choices;  // names of the values 0, 1, ... if it is a choice
};

// One sample of the stream with all that is known of it. Its evidence is by the place of
// ReportInput::fields; what the memory was after it is from the trace.
struct ReportSample : io::DecidedSample {
  double microseconds = kNotComputed;  // that deciding took, from the trace
};

// The samples of the stream once more. A page shows all that is known of a few thousand of them,
// and which ones those are is known at the end of the stream only.
class ReportSamples {
 public:
  virtual ~ReportSamples() = default;
  // Those at these places in the stream; the places rise.
  virtual Result<std::vector<ReportSample>> pick(std::span<const std::size_t> places) const = 0;
};

// In memory: for streams that cannot be read twice.
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
  std::vector<ReportField> fields;         // what the samples' evidence is
  StreamTotals stream;                     // all samples, in stream order
  const ReportSamples* samples = nullptr;  // the same; may be absent if the stream is empty
  bool has_trace = false;  // the state after each sample and the time it took are there
  std::size_t known_classes = 0;
  const Model* model = nullptr;    // thresholds and histograms
  const Method* method = nullptr;  // explanations; `fields` are then its evidence
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

// All that the page shows, as the JSON object that is embedded in it. Numbers that other verbs
// print have the same names here: `stream` as in `paco discover --json`, `evaluation` as in `paco
// evaluate --json`.
Result<nlohmann::ordered_json> report_document(const ReportInput& input,
                                               const ReportOptions& options = {},
                                               std::stop_token stop = {});

// The page. Fails if the program was built without it, and if a picture cannot be read.
Result<std::string> render_report(const ReportInput& input, const ReportOptions& options = {},
                                  std::stop_token stop = {});

}  // namespace paco::report
