// `paco report`: a finished stream as one HTML page that needs nothing else.
#include <fmt/format.h>

#include "base/files.hpp"
#include "base/try.hpp"
#include "report/gather.hpp"
#include "report/report.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct Settings {
  ReportFiles files;
  ReportOptions options;
  std::string keep = "top";
  std::string out;
};

Result<void> run(Context& context, Settings& settings) {
  const double start = context.clock();
  settings.files.evaluation.keep = settings.keep == "all" ? Keep::all : Keep::top;
  PACO_ASSIGN(const GatheredReport report, gather_report(settings.files));
  if (context.stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
  PACO_ASSIGN(const std::string page, render_report(report.input, settings.options));
  PACO_TRY(write_file(settings.out, page));

  const ReportInput& input = report.input;
  Json parts = Json::array();
  for (const auto& [what, file] : input.sources) parts.push_back(what);
  const Json json = {{"out", settings.out},
                     {"bytes", page.size()},
                     {"samples", input.samples.size()},
                     {"known_classes", input.known_classes},
                     {"parts", parts},
                     {"seconds", context.clock() - start}};
  std::string text =
      fmt::format("{}: {} samples, {:.2f} MB; open it in any browser\n", settings.out,
                  input.samples.size(), static_cast<double>(page.size()) / 1e6);
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

void add_report(CLI::App& app, Context& context) {
  CLI::App& verb =
      *app.add_subcommand("report",
                          "A finished stream as one HTML page: numbers, plots, tables, pictures\n"
                          "The page holds all it shows and loads nothing. Only the decisions are "
                          "needed; whatever else is given adds "
                          "to it.");
  auto settings = std::make_shared<Settings>();
  ReportFiles& files = settings->files;
  ReportOptions& options = settings->options;
  verb.add_option("--decisions", files.decisions, "what paco discover --out wrote (csv or jsonl)")
      ->required();
  verb.add_option("--trace", files.trace, "what paco discover --trace wrote, from the same run");
  verb.add_option("--model", files.model, "the model that decided: thresholds and explanations");
  verb.add_option("--truth", files.truth, "true classes of the samples, all or some of them");
  verb.add_option("--known", files.known, "number of known classes, where no model is given")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--keep", settings->keep, "clusters that may be matched: top or all")
      ->check(CLI::IsMember({"top", "all"}));
  verb.add_option("--images", files.images,
                  "pictures of the samples: folder:PATH, tar:PATH, idx:IMAGES, cifar10:PATH, "
                  "cifar100:PATH or fashion-mnist");
  verb.add_option(
      "--images-index", files.images_index,
      "npy: the place of each sample among the pictures, in stream order (else: the same order)");
  verb.add_option("--title", files.title,
                  "heading of the page (else: the name of the decisions file)");
  verb.add_option("--out", settings->out, "the page to write")->required();
  verb.add_option("--points", options.points,
                  "most samples drawn as points; first occurrences are always drawn")
      ->check(CLI::Range(100, 1'000'000));
  verb.add_option("--galleries", options.galleries,
                  "most categories with pictures, half the largest, half the newest");
  verb.add_option("--class-galleries", options.class_galleries, "most known classes with pictures");
  verb.add_option("--pictures", options.pictures, "most pictures for each of them")
      ->check(CLI::Range(1, 100));
  verb.add_option("--thumbnail", options.thumbnail, "longer side of a picture in pixels, at most")
      ->check(CLI::Range(16, 512));
  finish_verb(verb, context, [&context, settings] { return run(context, *settings); });
}

}  // namespace paco
