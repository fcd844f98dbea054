// `paco calibrate`: labelled embeddings in, a model file out.
#include <fmt/format.h>

#include "core/try.hpp"
#include "method_options.hpp"
#include "session/summary.hpp"
#include "support_files.hpp"

namespace paco {
namespace {

struct CalibrateArguments {
  SupportFiles support;
  std::string out;
  CalibrationOptions options;
  std::vector<std::string> set;
  Settings own;  // of PACO, given as options of their own
  bool no_routing = false, static_birth = false;
};

// --temperature 0.07 is short for --set temperature=0.07.
Result<Settings> all_settings(const CalibrateArguments& r) {
  PACO_ASSIGN(Settings settings, parse_settings(r.set));
  Settings own = r.own;
  if (r.no_routing) own["routing"] = "off";
  if (r.static_birth) own["adaptive_birth"] = "off";
  for (const auto& [name, value] : own) {
    if (settings.contains(name)) {
      return Error{ErrorCode::bad_argument, fmt::format("{} is given twice", name),
                   fmt::format("give --{} or --set {}=VALUE", name, name)};
    }
    settings.emplace(name, value);
  }
  return settings;
}

Result<void> run(Context& context, CalibrateArguments& r) {
  PACO_TRY(check_outputs(named_files(r.support), {{"--out", r.out}}));
  PACO_ASSIGN(r.options.settings, all_settings(r));
  const double start = context.clock();
  const Result<Model> model =
      calibrate_files(r.support, r.options, context.stop, *context.progress);
  if (!model.ok()) return model.error();
  const double seconds = context.clock() - start;
  PACO_TRY(save_model(*model, r.out));
  constexpr std::size_t kFew = 20;
  if (model->method == "paco" && model->known_classes() < kFew) {
    print_note(
        fmt::format("with {} known classes the paper's rule is known to discover little; "
                    "'paco calibrate --method mirror' is made for few",
                    model->known_classes()));
  }
  Json json = session::calibration_json(*model);
  json["seconds"] = seconds;
  if (const auto section = model->section(model->method); section.ok()) {
    if (const auto scored = (*section)->numbers.find("scored_samples");
        scored != (*section)->numbers.end()) {
      json["scored_samples"] = scored->second;
      print_note(
          fmt::format("with {} classes, thresholds are read off {:.0f} samples drawn at "
                      "random, not off all",
                      model->known_classes(), scored->second));
    }
  }
  const std::string text = fmt::format("{}: {} known classes, dimension {}, {:.2f} s\n", r.out,
                                       model->known_classes(), model->dimension, seconds);
  return print_result(context, json, text + session::calibration_text(*model));
}

void add_own_option(CLI::App& verb, const MethodOption& option, Settings& own) {
  const std::string name(option.name);
  if (option.kind == MethodOption::Kind::flag) return;  // --no-routing, --static-birth
  auto* added = verb.add_option_function<std::string>(
      "--" + name, [&own, name](const std::string& value) { own[name] = value; },
      std::string(option.meaning));
  added->default_str(std::string(option.preset));
  switch (option.kind) {
    case MethodOption::Kind::choice:
      added->check(
          CLI::IsMember(std::vector<std::string>(option.choices.begin(), option.choices.end())));
      break;
    case MethodOption::Kind::whole:
      added->check(whole_number(static_cast<std::int64_t>(option.low),
                                static_cast<std::int64_t>(option.high)));
      added->type_name("N");
      break;
    default:
      added->check(any_number());
      added->type_name("NUMBER");
  }
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  CLI::App& verb = *app.add_subcommand("calibrate",
                                       "Learn known classes and all thresholds from labelled "
                                       "embeddings\nand write them as a model file.");
  auto r = std::make_shared<CalibrateArguments>();
  const SupportFileOptions support = add_support_files(verb, r->support);
  support.embeddings->required();
  support.labels->required();
  verb.add_option("--out", r->out, "the model file to write")->required();
  verb.add_option("--method", r->options.method,
                  fmt::format("whom for: one of {}", fmt::join(method_names(), ", ")));
  add_set_option(verb, r->set, "calibration");
  add_choice<ReferenceChoice>(verb, "--reference", r->options.reference,
                              {{"auto", ReferenceChoice::automatic},
                               {"prototype", ReferenceChoice::prototype},
                               {"classifier", ReferenceChoice::classifier}},
                              "what stands for a known class");
  add_number(verb, "--epsilon", r->options.epsilon, "added to each coordinate's variance");
  add_threads(verb, r->options.threads, "speed only, no answer depends on it");
  const auto paco = method_info("paco");
  if (paco.ok()) {
    for (const MethodOption& option : (*paco)->options) add_own_option(verb, option, r->own);
  }
  verb.add_flag("--no-routing", r->no_routing, "let every prototype compete for every sample");
  verb.add_flag("--static-birth", r->static_birth,
                "keep the birth boundary where the support set puts it");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
