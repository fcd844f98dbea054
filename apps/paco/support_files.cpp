#include "support_files.hpp"

#include <fmt/format.h>

#include "base/try.hpp"
#include "data/embeddings.hpp"
#include "data/labels.hpp"

namespace paco {

SupportFileOptions add_support_files(CLI::App& verb, SupportFiles& files) {
  SupportFileOptions options;
  options.embeddings =
      verb.add_option("--support", files.embeddings, "labelled embeddings, one row a sample");
  options.labels = verb.add_option("--labels", files.labels, "their labels, numbers or names");
  verb.add_option("--classifier", files.classifier, "trained class weights, one row a class");
  verb.add_option("--classes", files.classes,
                  "class names, one a line; the line is the class number");
  return options;
}

Result<Model> calibrate_files(const SupportFiles& files, const CalibrationOptions& options,
                              std::stop_token stop) {
  PACO_ASSIGN(const Matrix<double> embeddings, read_embeddings(files.embeddings));
  std::vector<std::string> names;
  if (!files.classes.empty()) {
    PACO_ASSIGN(names, read_class_names(files.classes));
  }
  PACO_ASSIGN(const Labels labels, read_labels(files.labels, names));
  if (embeddings.rows() != labels.ids.size()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{} has {} rows, {} has {} labels", files.embeddings,
                             embeddings.rows(), files.labels, labels.ids.size()),
                 "give one label for every row, in the same order"};
  }
  Matrix<double> classifier;
  if (!files.classifier.empty()) {
    PACO_ASSIGN(classifier, read_embeddings(files.classifier));
  }
  return calibrate({embeddings, labels.ids, labels.names, classifier}, options, stop);
}

}  // namespace paco
