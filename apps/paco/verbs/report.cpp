// `paco report`: a finished stream as one self-contained HTML page.
#include "report/report.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/signals.hpp"
#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "report/gather.hpp"

namespace paco {
namespace {

struct ReportArguments {
  report::ReportFiles files;
  report::ReportOptions options;
  std::string out;
};

Result<void> run(Context& context, ReportArguments& settings) {
  PACO_TRY(check_outputs({{"--decisions", settings.files.decisions},
                          {"--trace", settings.files.trace},
                          {"--model", settings.files.model},
                          {"--truth", settings.files.truth},
                          {"--classes", settings.files.classes},
                          {"--closed", settings.files.closed},
                          {"--images", settings.files.images},
                          {"--images-index", settings.files.images_index}},
                         {{"--out", settings.out}}));
  const double start = context.clock();
  std::optional<NothingToLose> reading(context.json);
  PACO_ASSIGN(const report::GatheredReport report,
              report::gather_report(settings.files, context.stop));
  PACO_ASSIGN(const std::string page,
              report::render_report(report.input, settings.options, context.stop));
  reading.reset();
  PACO_TRY(core::write_file(settings.out, page));

  const report::ReportInput& input = report.input;
  Json parts = Json::array();
  for (const auto& [what, file] : input.sources) parts.push_back(what);
  const Json json = {{"out", settings.out},
                     {"bytes", page.size()},
                     {"samples", input.stream.size()},
                     {"known_classes", input.known_classes},
                     {"parts", parts},
                     {"seconds", context.clock() - start}};
  std::string text = fmt::format(
      "{}: {} {}, {:.2f} MB; open it in any browser\n", settings.out, input.stream.size(),
      input.stream.size() == 1 ? "sample" : "samples", static_cast<double>(page.size()) / 1e6);
  const auto suggest = [&](const std::string& given, const char* what) {
    if (given.empty()) text += fmt::format("  {}\n", what);
  };
  suggest(settings.files.trace,
          "with --trace it also shows eta, the birth boundary and the time per decision");
  suggest(settings.files.model,
          "with --model it also shows thresholds, their evidence and explanations");
  suggest(settings.files.truth, "with --truth it also shows how many decisions were right");
  return print_result(context, json, text);
}

}  // namespace

void add_report(Options& verb, Context& context) {
  verb.about(
      "A finished stream as one HTML page: numbers, plots, tables, pictures\n"
      "The page holds all it shows and loads nothing. Only the decisions are "
      "needed; whatever else is given adds "
      "to it.");
  auto settings = std::make_shared<ReportArguments>();
  report::ReportFiles& files = settings->files;
  report::ReportOptions& options = settings->options;
  const auto file = [&verb](const char* name, std::string& path, const char* text) -> Option& {
    return verb.add_text(name, path, text).type("FILE");
  };
  file("--decisions", files.decisions, "what 'paco discover --out' wrote (csv, jsonl)").required();
  file("--trace", files.trace, "what 'paco discover --trace' wrote, from the same run");
  file("--model", files.model, "model.paco of the run: thresholds and explanations");
  verb.add_text("--method", files.method,
                "that decided, where it is not the model's and its columns do not tell");
  file("--truth", files.truth, "true classes, of all samples or some, as for 'paco evaluate'");
  file("--classes", files.classes,
       "names of the true classes, one a line, the known ones first, then the novel ones");
  add_count(verb, "--known", files.known, 0, kMostKnown,
            "how many classes are known, where no model is given");
  file("--closed", files.closed,
       "decisions of 'paco discover --method closed' over the same stream, to compare with");
  add_choice<evaluate::Keep>(
      verb, "--keep", files.evaluation.keep,
      {{"top", evaluate::Keep::top}, {"all", evaluate::Keep::all}},
      "clusters that may be matched: 'top', as many of the largest as there are true "
      "classes, or 'all'");
  verb.add_text("--images", files.images,
                "pictures of the samples: folder:PATH, tar:PATH, idx:IMAGES, cifar10:PATH, "
                "cifar100:PATH or fashion-mnist")
      .type("SPEC");
  file("--images-index", files.images_index,
       "npy with the place of each sample among the pictures, in stream order; without it both "
       "have the same order");
  verb.add_text("--title", files.title,
                "heading of the page; without it the decisions file's name");
  file("--out", settings->out, "the page to write").required();
  add_count(verb, "--points", options.points, 100, 1'000'000,
            "most samples drawn as points of their own; first occurrences always are");
  add_count(verb, "--galleries", options.galleries, 0, 10'000,
            "most categories with pictures, half the newest, the others the largest");
  add_count(verb, "--class-galleries", options.class_galleries, 0, 10'000,
            "most known classes with pictures");
  add_count(verb, "--pictures", options.pictures, 1, 100, "most pictures for each of them");
  add_count(verb, "--thumbnail", options.thumbnail, 16, 512,
            "longer side of a picture in pixels, at most");
  finish_verb(verb, context, [&context, settings] { return run(context, *settings); });
}

}  // namespace paco
