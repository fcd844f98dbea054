// `paco calibrate`: labelled embeddings in, a model file out.
#include <fmt/format.h>

#include "base/try.hpp"
#include "calibration_summary.hpp"
#include "data/embeddings.hpp"
#include "data/labels.hpp"
#include "paco/model.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct Settings {
  std::string support, labels, classifier, classes, out;
  CalibrationOptions options;
  bool no_routing = false, static_birth = false;
};

Result<void> run(Context& context, Settings& s) {
  s.options.routing = !s.no_routing;
  s.options.adaptive_birth = !s.static_birth;
  PACO_ASSIGN(const Matrix<double> support, read_embeddings(s.support));
  std::vector<std::string> names;
  if (!s.classes.empty()) {
    PACO_ASSIGN(names, read_class_names(s.classes));
  }
  PACO_ASSIGN(const Labels labels, read_labels(s.labels, names));
  if (support.rows() != labels.ids.size()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{} has {} rows, {} has {} labels", s.support, support.rows(),
                             s.labels, labels.ids.size()),
                 "give one label for every row, in the same order"};
  }
  Matrix<double> classifier;
  if (!s.classifier.empty()) {
    PACO_ASSIGN(classifier, read_embeddings(s.classifier));
  }
  const double start = context.clock();
  PACO_ASSIGN(const Model model,
              calibrate({support, labels.ids, labels.names, classifier}, s.options, context.stop));
  const double seconds = context.clock() - start;
  PACO_TRY(save_model(model, s.out));
  Json json = calibration_json(model);
  json["seconds"] = seconds;
  const std::string text = fmt::format("{}: {} known classes, dimension {}, {:.2f} s\n", s.out,
                                       model.known_classes(), model.dimension, seconds);
  return print_result(context, json, text + calibration_text(model));
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  CLI::App& verb = *app.add_subcommand("calibrate",
                                       "Learn known classes and all thresholds from labelled "
                                       "embeddings\nand write them as a model file.");
  auto s = std::make_shared<Settings>();
  CalibrationOptions& o = s->options;
  verb.add_option("--support", s->support, "labelled embeddings, one row a sample")->required();
  verb.add_option("--labels", s->labels, "their labels, numbers or names")->required();
  verb.add_option("--classifier", s->classifier, "trained class weights, one row a class");
  verb.add_option("--classes", s->classes, "class names, one a line; the line is the class number");
  verb.add_option("--out", s->out, "the model file to write")->required();
  verb.add_option("--seed", o.seed, "of the replay order");
  verb.add_option("--tie", o.tie, "where to stand among equally good thresholds")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Tie>{{"mid", Tie::mid}, {"low", Tie::low}, {"high", Tie::high}}))
      ->default_str("mid");
  verb.add_option("--reference", o.reference, "what stands for a known class")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, ReferenceChoice>{{"auto", ReferenceChoice::automatic},
                                                 {"prototype", ReferenceChoice::prototype},
                                                 {"classifier", ReferenceChoice::classifier}}))
      ->default_str("auto");
  verb.add_flag("--no-routing", s->no_routing, "let every prototype compete for every sample");
  verb.add_flag("--static-birth", s->static_birth,
                "keep the birth boundary where the support set puts it");
  verb.add_option("--temperature", o.temperature, "divides every cosine (T)");
  verb.add_option("--alpha", o.alpha, "smoothing of the size prior");
  verb.add_option("--beta", o.beta,
                  "a category is mature from median support size ^ beta samples on");
  verb.add_option("--spread", o.spread,
                  "standard deviations by which the birth boundary is lowered");
  verb.add_option("--epsilon", o.epsilon, "added to each coordinate's variance");
  verb.add_option("--replays", o.replays, "passes of the replay");
  verb.add_option("--threads", o.threads, "speed only; no answer depends on it");
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
