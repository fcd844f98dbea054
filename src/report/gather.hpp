// Reads all inputs of a report and combines them: the files of discover, the model, truth and
// pictures.
//
// Files that do not belong together (a trace of another run, truth of another length) are refused,
// and the error names both. Decisions and trace are read row by row, and a second time for the
// samples that the page shows. They are kept in memory completely only if they come through a pipe
// or out of order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "report/report.hpp"

namespace paco::report {

struct ReportFiles {
  std::string title;      // empty: the name of the decisions file
  std::string decisions;  // csv or JSON lines
  std::string trace;      // the rest may be empty
  std::string model;
  std::string method;  // that decided; else the model's, or the only one with such evidence
  std::string truth;
  std::string classes;  // names of all true classes, one a line, the known ones first
  std::string closed;   // decisions of the closed-set method, to compare with if there is truth
  std::string images;   // specification of an image source, e.g. "tar:birds.tar"
  std::string images_index;  // npy: for each sample in stream order, its place in the image source
  std::optional<std::int64_t> known;  // number of known classes; the model knows it too
  evaluate::EvaluationOptions evaluation;
};

// Owns the objects that input points to.
struct GatheredReport {
  std::shared_ptr<const Model> model;
  std::unique_ptr<Method> method;
  std::unique_ptr<evaluate::Evaluation> evaluation;
  std::unique_ptr<embed::ImageSource> images;
  std::unique_ptr<ReportSamples> samples;
  ReportInput input;

  GatheredReport();
  GatheredReport(GatheredReport&&) noexcept;
  ~GatheredReport();
};

Result<GatheredReport> gather_report(const ReportFiles& files, std::stop_token stop = {});

}  // namespace paco::report
