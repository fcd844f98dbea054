// `paco study`: experiments by name, from folders of embeddings to tables, pages and pictures.
#include <fmt/format.h>

#include "base/files.hpp"
#include "base/try.hpp"
#include "study/study.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct Request {
  std::string name;
  std::vector<std::string> data;
  std::string methods;  // labels with commas between them
  std::string list;
  StudyRequest study;
};

Result<void> run(Context& context, Request& r) {
  PACO_ASSIGN(const std::vector<const Plan*> plans, plans_called(r.name));
  if (!r.methods.empty()) r.study.contenders = CLI::detail::split(r.methods, ',');
  for (const std::string& label : r.study.contenders) PACO_TRY(contender_called(label));
  r.study.clock = context.clock;
  std::vector<DataEntry> list;
  if (!r.list.empty()) {
    PACO_ASSIGN(list, read_data_list(r.list));
  }
  PACO_ASSIGN(const std::vector<DataSet> data, read_data_sets(r.data, list));
  PACO_TRY(make_folder(r.study.out));
  Json json = {{"out", r.study.out}, {"studies", Json::array()}};
  std::string text;
  for (const Plan* plan : plans) {
    PACO_ASSIGN(const StudyOutcome outcome,
                run_study(*plan, data, r.study, *context.progress, context.stop));
    json["studies"].push_back(
        {{"name", std::string(plan->name)}, {"runs", outcome.runs}, {"files", outcome.files}});
    if (plans.size() == 1) text += outcome.text + "\n";
    text += fmt::format("{}: {} runs; open {}\n", plan->name, outcome.runs, outcome.files.back());
  }
  return print_result(context, json, text);
}

std::string list_of_studies() {
  std::string text;
  for (const Plan& plan : all_plans()) text += fmt::format("\n  {:<20} {}", plan.name, plan.title);
  return text;
}

}  // namespace

void add_study(CLI::App& app, Context& context) {
  CLI::App& verb = *app.add_subcommand(
      "study",
      "Compare methods and rebuild the paper's experiments on folders of embeddings\n"
      "Writes NAME.json, .csv, .md, .tex and .html into the folder --out. Interrupted, the same "
      "command goes\non where it was. Studies ('all' carries out every one, 'sensitivity' both of "
      "its kind):" +
          list_of_studies());
  auto r = std::make_shared<Request>();
  verb.add_option("name", r->name, "which study")->required();
  verb.add_option(
          "--data", r->data,
          "folder with support.npy, support_labels.npy, stream.npy, stream_labels.npy, or a "
          "name of --sets; may be given several times")
      ->required()
      ->allow_extra_args(false);
  verb.add_option("--sets", r->list,
                  "a JSON list of data sets with name, folder and how to get it");
  verb.add_option("--methods", r->methods,
                  fmt::format("instead of the study's own, with commas between them: {}",
                              fmt::join(contender_labels(), ", ")));
  add_count(verb, "--seeds", r->study.seeds, 1, 1000, "0, 1, ... of calibrations and draws");
  verb.add_option("--out", r->study.out, "the folder to write into")->required();
  add_threads(verb, r->study.threads, "runs at a time");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
