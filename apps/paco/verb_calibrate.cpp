// `paco calibrate`: labelled embeddings in, a model file out.
#include <fmt/format.h>

#include "base/try.hpp"
#include "calibration_summary.hpp"
#include "support_files.hpp"

namespace paco {
namespace {

struct Settings {
  SupportFiles support;
  std::string out;
  CalibrationOptions options;
  bool no_routing = false, static_birth = false;
};

Result<void> run(Context& context, Settings& s) {
  s.options.routing = !s.no_routing;
  s.options.adaptive_birth = !s.static_birth;
  const double start = context.clock();
  PACO_ASSIGN(const Model model, calibrate_files(s.support, s.options, context.stop));
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
  const SupportFileOptions support = add_support_files(verb, s->support);
  support.embeddings->required();
  support.labels->required();
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
