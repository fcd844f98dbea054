// `paco calibrate`: labelled embeddings in, a model file out.
#include <fmt/format.h>

#include <charconv>

#include "core/try.hpp"
#include "session/summary.hpp"
#include "shared/method_options.hpp"
#include "shared/support_files.hpp"

namespace paco {
namespace {

struct CalibrateArguments {
  SupportFiles support;
  std::string out, method;
  CalibrationOptions options;
  std::string false_new;
  std::vector<std::string> set;
  Settings own;  // PACO's settings given by their own options
  bool no_routing = false, static_birth = false;
};

// --temperature 0.07 is equivalent to --set temperature=0.07.
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

// "1%" or "0.01".
Result<double> share_of(const std::string& text) {
  if (text.empty()) return 0.0;
  const bool percent = text.ends_with('%');
  const char* const end = text.data() + text.size() - (percent ? 1 : 0);
  double value = 0;
  const auto parsed = std::from_chars(text.data(), end, value);
  if (percent) value /= 100;
  if (parsed.ec == std::errc{} && parsed.ptr == end && value > 0 && value < 1) return value;
  return Error{ErrorCode::bad_argument, fmt::format("--false-new {}: not a rate", text),
               "give it in percent or as a fraction between 0 and 1: 1% or 0.01"};
}

Result<void> run(Context& context, CalibrateArguments& r) {
  PACO_TRY(check_outputs(named_files(r.support), {{"--out", r.out}}));
  PACO_ASSIGN(r.options.settings, all_settings(r));
  PACO_ASSIGN(r.options.false_new, share_of(r.false_new));
  if (!r.method.empty()) r.options.method = r.method;
  if (r.method.empty()) {
    print_note(
        "no --method was named, so this is the paper's rule, 'paco'; 'mirror' is recommended: "
        "Strict "
        "All is 7.7 points higher on the mean of 18 cases (docs/how-to/choose-a-method.md)");
  }
  const double start = context.clock();
  const Result<Model> model =
      calibrate_files(r.support, r.options, context.stop, *context.progress);
  if (!model.ok()) return model.error();
  const double seconds = context.clock() - start;
  PACO_TRY(save_model(*model, r.out));
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

void add_own_option(Options& verb, const MethodOption& described, Settings& own) {
  if (described.kind == MethodOption::Kind::flag) return;  // --no-routing, --static-birth
  const std::string name(described.name), flag = "--" + name, text(described.meaning);
  Option option;
  if (described.kind == MethodOption::Kind::whole) {
    option = whole_number(flag, static_cast<std::int64_t>(described.low),
                          static_cast<std::int64_t>(described.high), text);
  } else if (described.kind == MethodOption::Kind::choice) {
    option = text_option(flag, text);
    option.one_of({described.choices.begin(), described.choices.end()});
  } else {
    option = any_number(flag, text);
  }
  option.take = [&own, name](const auto& given) { own[name] = given.back(); };
  option.preset = std::string(described.preset);
  verb.add(std::move(option));
}

}  // namespace

void add_calibrate(Options& verb, Context& context) {
  verb.about(
      "Learn known classes and all thresholds from labelled "
      "embeddings\nand write them as a model file.");
  auto r = std::make_shared<CalibrateArguments>();
  const SupportFileOptions support = add_support_files(verb, r->support);
  support.embeddings.required();
  support.labels.required();
  verb.add_text("--journal", r->support.journal,
                "a journal whose verified samples are added to the support set");
  verb.add_text("--out", r->out, "the model file to write").required();
  verb.add_text("--method", r->method,
                fmt::format("whom for: one of {}", fmt::join(method_names(), ", ")))
      .shown_default("paco");
  verb.add_text(
      "--head", r->support.head,
      "head of smile, phe, ltc or talon: head.safetensors of 'paco train --objective', or "
      "a checkpoint of the method's released code");
  add_set_option(verb, r->set, "calibration");
  verb.add_text("--false-new", r->false_new,
                "the most samples of known classes that may be called new: 1% or 0.01; see "
                "docs/how-to/false-new.md")
      .type("RATE")
      .shown_default("no promise");
  verb.add_text("--held-out", r->support.held_out,
                "embeddings of known classes that were kept apart, to prove that rate by; else it "
                "is cross-validated")
      .needs("--held-out-labels");
  verb.add_text("--held-out-labels", r->support.held_out_labels, "their labels")
      .needs("--held-out");
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
