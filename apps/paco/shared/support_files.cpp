#include "shared/support_files.hpp"

#include <fmt/format.h>

#include "core/try.hpp"
#include "io/embedding_record.hpp"
#include "io/embeddings.hpp"
#include "io/labels.hpp"

namespace paco {

SupportFileOptions add_support_files(Options& verb, SupportFiles& files) {
  Option& embeddings =
      verb.add_text("--support", files.embeddings, "labelled embeddings, one row a sample");
  Option& labels = verb.add_text("--labels", files.labels, "their labels, numbers or names");
  verb.add_text("--classifier", files.classifier, "trained class weights, one row a class");
  verb.add_text("--classes", files.classes,
                "class names, one a line; the line is the class number");
  return {embeddings, labels};
}

std::vector<NamedFile> named_files(const SupportFiles& files) {
  return {{"--support", files.embeddings},
          {"--labels", files.labels},
          {"--classifier", files.classifier},
          {"--classes", files.classes}};
}

Result<Model> calibrate_files(const SupportFiles& files, const CalibrationOptions& options,
                              std::stop_token stop, core::Progress& progress) {
  PACO_ASSIGN(const auto source, io::open_embeddings(files.embeddings));
  for (const std::string& note : source->notes()) print_note(note);
  std::vector<std::string> names;
  if (!files.classes.empty()) {
    PACO_ASSIGN(names, io::read_class_names(files.classes));
  }
  PACO_ASSIGN(const io::Labels labels, io::read_labels(files.labels, names));
  PACO_ASSIGN(const math::Matrix<double> embeddings,
              io::read_embeddings(*source, labels.ids.size(), files.labels));
  math::Matrix<double> classifier;
  if (!files.classifier.empty()) {
    PACO_ASSIGN(classifier, io::read_embeddings(files.classifier));
  }
  CalibrationOptions reporting = options;
  constexpr std::uint64_t kQuick = 200'000'000;  // a second or less of the paper's method
  const bool quick = embeddings.rows() * labels.names.size() < kQuick;
  bool started = false;
  if (!quick || options.method == "mirror") {
    reporting.progress = [&](std::uint64_t done, std::uint64_t total) {
      if (!started) progress.start("calibrate", "steps", total);
      started = true;
      progress.update(done);
    };
  }
  auto model = calibrate({embeddings, labels.ids, labels.names, classifier}, reporting, stop);
  if (started) progress.finish();
  if (model.ok()) {
    PACO_ASSIGN(model->embedding, io::find_embedding_record(files.embeddings));
  }
  return model;
}

}  // namespace paco
