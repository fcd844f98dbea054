// `paco study`: runs experiments by name, from embeddings or images to tables, pages and pictures.
#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/torch_parts.hpp"
#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"
#include "shared/image_set.hpp"
#include "shared/run_place.hpp"
#include "study/study_data.hpp"

namespace paco {
namespace {

struct StudyArguments {
  std::string name;
  std::vector<std::string> data;
  std::string methods;  // labels separated by commas
  std::string list, device = "cpu";
  study::StudyRequest study;
};

std::vector<std::string> words_between_commas(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

Result<std::vector<study::StudySet>> sets_of(const StudyArguments& r) {
  std::vector<study::StudySet> list;
  if (!r.list.empty()) {
    PACO_ASSIGN(list, study::read_set_list(r.list));
  }
  PACO_ASSIGN(std::vector<study::StudySet> sets, study::find_sets(r.data, list));
  for (study::StudySet& set : sets) {
    if (!set.recipe) continue;
    set.recipe->training.device = r.device;
    set.recipe->training.threads =
        r.study.threads == 0 ? core::available_threads() : r.study.threads;
    set.recipe->training.workers = set.recipe->training.threads;
  }
  return sets;
}

// Torch is needed to train a network and to embed on a GPU. run() reports errors in the sets.
bool needs_torch(const StudyArguments& r) {
  const auto sets = sets_of(r);
  const auto plans = study::plans_called(r.name);
  if (!sets.ok() || !plans.ok()) return false;
  const bool trains = std::any_of(plans->begin(), plans->end(), [](const study::Plan* plan) {
    return study::about_training(*plan);
  });
  return std::any_of(sets->begin(), sets->end(), [&](const study::StudySet& set) {
    return set.recipe && (trains || set.recipe->training.epochs > 0 || r.device != "cpu");
  });
}

study::SetMaker set_maker(Context& context) {
  return [&context](const train::ImageRecipe& recipe, const std::string& folder) -> Result<void> {
    const auto in = [&](const char* name) { return folder + "/" + name; };
    const Result<void> made =
        make_image_set(context, recipe,
                       {folder, in("run"), in("support.npy"), in("stream.npy"),
                        in("classifier.npy"), in("extraction_seconds.txt")},
                       true);
    if (made.ok() || made.error().code != ErrorCode::interrupted) return made;
    return Error{ErrorCode::interrupted, made.error().message,
                 "the same command goes on where it was"};
  };
}

Result<void> run(Context& context, StudyArguments& r) {
  PACO_ASSIGN(const std::vector<const study::Plan*> plans, study::plans_called(r.name));
  if (!r.methods.empty()) r.study.contenders = words_between_commas(r.methods);
  for (const std::string& label : r.study.contenders) PACO_TRY(study::contender_called(label));
  r.study.clock = context.clock;
  r.study.place = this_place();
  PACO_ASSIGN(const std::vector<study::StudySet> sets, sets_of(r));
  const bool only_embeddings = std::none_of(
      sets.begin(), sets.end(), [](const study::StudySet& set) { return set.recipe.has_value(); });
  Json json = {{"out", r.study.out}, {"studies", Json::array()}};
  std::string text;
  for (const study::Plan* plan : plans) {
    if (only_embeddings && plans.size() > 1 && study::about_training(*plan)) {
      print_note(fmt::format("{} is left out: it needs a set of images", plan->name));
      continue;
    }
    PACO_ASSIGN(const std::vector<study::DataSet> data,
                study::data_for(*plan, sets, r.study.seeds, r.study.out, set_maker(context)));
    PACO_TRY(core::make_folder(r.study.out));
    PACO_ASSIGN(const study::StudyOutcome outcome,
                study::run_study(*plan, data, r.study, *context.progress, context.stop));
    json["studies"].push_back(
        {{"name", std::string(plan->name)}, {"runs", outcome.runs}, {"files", outcome.files}});
    if (plans.size() == 1) text += outcome.text + "\n";
    text += fmt::format("{}: {} runs; open {}\n", plan->name, outcome.runs, outcome.files.back());
  }
  return print_result(context, json, text);
}

std::string list_of_studies() {
  std::string text;
  for (const study::Plan& plan : study::all_plans())
    text += fmt::format("\n  {:<23} {}", plan.name, plan.title);
  return text;
}

}  // namespace

void add_study(Options& verb, Context& context) {
  verb.about(
      "Compare methods on embeddings or images, in tables of one's own or in the paper's layout\n"
      "Writes NAME.json, .csv, .md, .tex and .html into the folder --out. Interrupted, the same "
      "command goes\non where it was. Images are split, trained on and embedded first, in "
      "OUT/sets. "
      "Studies ('all' carries out\nevery one, 'sensitivity' all of its kind):" +
      list_of_studies());
  auto r = std::make_shared<StudyArguments>();
  verb.add_text("name", r->name, "which study").required();
  verb.add_texts(
          "--data", r->data,
          "folder with support.npy, support_labels.npy, stream.npy, stream_labels.npy; a name of "
          "--sets; or fashion-mnist; may be given several times")
      .required()
      .one_each();
  verb.add_text("--sets", r->list,
                "a JSON list of data sets, of embeddings or images: docs/reference/comparison.md");
  verb.add_text("--methods", r->methods,
                fmt::format("instead of the study's own, with commas between them: {}",
                            fmt::join(study::contender_labels(), ", ")));
  add_count(verb, "--seeds", r->study.seeds, 1, 1000,
            "0, 1, ... of trainings, calibrations and draws");
  verb.add_text("--out", r->study.out, "the folder to write into").required();
  verb.add_text("--device", r->device, "cpu, cuda or cuda:N, to train and embed on");
  add_choice<evaluate::Keep>(
      verb, "--keep", r->study.matching.keep,
      {{"top", evaluate::Keep::top}, {"all", evaluate::Keep::all}},
      "clusters that may be matched: 'top', as many of the largest as there are true classes (the "
      "paper), or 'all' (released code)");
  add_choice<evaluate::MatchTable>(
      verb, "--match", r->study.matching.table,
      {{"rectangular", evaluate::MatchTable::rectangular},
       {"square", evaluate::MatchTable::square}},
      "the table that is matched; ties fall differently on a square one (released code)");
  add_threads(verb, r->study.threads, "runs at a time, and of a training");
  verb.set_needs_torch([r] { return built_with_torch() && needs_torch(*r); });
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
