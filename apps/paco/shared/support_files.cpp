#include "shared/support_files.hpp"

#include <fmt/format.h>

#include "core/try.hpp"
#include "embed/weights/state_dict.hpp"
#include "io/embedding_record.hpp"
#include "io/embeddings.hpp"
#include "io/labels.hpp"
#include "paco/given_head.hpp"
#include "session/verified_support.hpp"

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
  return {{"--support", files.embeddings},    {"--labels", files.labels},
          {"--classifier", files.classifier}, {"--classes", files.classes},
          {"--held-out", files.held_out},     {"--held-out-labels", files.held_out_labels},
          {"--journal", files.journal},       {"--head", files.head}};
}

namespace {

// Appends verified samples to the support set.
Result<void> add_verified(const SupportFiles& files, io::Labels& labels,
                          math::Matrix<double>& embeddings, const std::stop_token& stop) {
  const std::string& path = files.journal;
  PACO_ASSIGN(Session session, Session::open_read_only(path, 1, stop));
  PACO_ASSIGN(const std::optional<EmbeddingRecord> record,
              io::find_embedding_record(files.embeddings));
  if (record) PACO_TRY(check_embedding(session.model(), *record, files.embeddings));
  PACO_ASSIGN(const session::VerifiedSupport verified,
              session::verified_support(session, labels.names));
  for (const std::string& line : verified.left_out) print_note(line);
  if (verified.labels.empty()) {
    return Error{ErrorCode::bad_value, fmt::format("{}: no verified sample can be used", path),
                 "'paco category verify' marks samples"};
  }
  if (verified.embeddings.columns() != embeddings.columns()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: embeddings of {} numbers, the support set has {}", path,
                             verified.embeddings.columns(), embeddings.columns()),
                 "give the support set that the stream's model was calibrated on"};
  }
  const std::size_t before = embeddings.rows();
  math::Matrix<double> all(before + verified.labels.size(), embeddings.columns());
  for (std::size_t i = 0; i < all.rows(); ++i) {
    const auto from = i < before ? embeddings[i] : verified.embeddings[i - before];
    std::copy(from.begin(), from.end(), all[i].begin());
  }
  embeddings = std::move(all);
  labels.ids.insert(labels.ids.end(), verified.labels.begin(), verified.labels.end());
  labels.names.insert(labels.names.end(), verified.new_classes.begin(), verified.new_classes.end());
  print_note(fmt::format("{} verified samples are added to the support set; new classes: {}",
                         verified.labels.size(), verified.new_classes.size()));
  return {};
}

// The tensors of a head by name, from `paco train` or released code. A checkpoint may contain its
// backbone too, which is left out.
Result<GivenHead> read_head(const std::string& path) {
  PACO_ASSIGN(const embed::StateDict tensors, embed::read_state_dict(path));
  GivenHead head;
  for (const embed::NamedTensor& tensor : tensors) {
    std::string_view name = tensor.name;
    if (name.starts_with("module.")) name.remove_prefix(std::string_view("module.").size());
    if (!name.starts_with("features.") && !name.starts_with("backbone."))
      head[std::string(name)] = {tensor.shape, tensor.values};
  }
  return head;
}

}  // namespace

Result<Model> calibrate_files(const SupportFiles& files, const CalibrationOptions& options,
                              std::stop_token stop, core::Progress& progress) {
  std::vector<std::string> names;
  if (!files.classes.empty()) {
    PACO_ASSIGN(names, io::read_class_names(files.classes));
  }
  PACO_ASSIGN(io::Labels labels, io::read_labels(files.labels, names));
  return calibrate_labelled(files, std::move(labels), options, std::move(stop), progress);
}

Result<Model> calibrate_labelled(const SupportFiles& files, io::Labels labels,
                                 const CalibrationOptions& options, std::stop_token stop,
                                 core::Progress& progress) {
  PACO_ASSIGN(const auto source, io::open_embeddings(files.embeddings));
  for (const std::string& note : source->notes()) print_note(note);
  PACO_ASSIGN(math::Matrix<double> embeddings,
              io::read_embeddings(*source, labels.ids.size(), files.labels));
  if (!files.journal.empty()) PACO_TRY(add_verified(files, labels, embeddings, stop));
  math::Matrix<double> classifier;
  if (!files.classifier.empty()) {
    PACO_ASSIGN(classifier, io::read_embeddings(files.classifier));
  }
  math::Matrix<double> held_out;
  io::Labels held_out_labels;
  if (!files.held_out.empty()) {
    PACO_ASSIGN(held_out_labels, io::read_labels(files.held_out_labels, labels.names));
    if (held_out_labels.names.size() > labels.names.size()) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: '{}' is no class of {}", files.held_out_labels,
                               held_out_labels.names[labels.names.size()], files.labels),
                   "hold out samples of known classes alone"};
    }
    PACO_ASSIGN(const auto apart, io::open_embeddings(files.held_out));
    PACO_ASSIGN(held_out,
                io::read_embeddings(*apart, held_out_labels.ids.size(), files.held_out_labels));
  }
  GivenHead head;
  if (!files.head.empty()) {
    PACO_ASSIGN(head, read_head(files.head));
  }
  CalibrationOptions reporting = options;
  constexpr std::uint64_t kQuick = 200'000'000;  // about a second of the paper's method
  const bool quick = embeddings.rows() * labels.names.size() < kQuick;
  std::uint64_t started = 0;  // total of the part being shown; a method may have several parts
  if (!quick || options.method == "mirror") {
    reporting.progress = [&](std::uint64_t done, std::uint64_t total) {
      if (started != total) progress.start("calibrate", "steps", total);
      started = total;
      progress.update(done);
    };
  }
  auto model =
      calibrate({embeddings, labels.ids, labels.names, classifier, held_out, held_out_labels.ids},
                reporting, head, stop);
  if (started > 0) progress.finish();
  if (model.ok()) {
    PACO_ASSIGN(model->embedding, io::find_embedding_record(files.embeddings));
  }
  return model;
}

}  // namespace paco
