// `paco models`: lists published encoders and their location on this machine, and fetches them.
#include <fmt/format.h>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/models/model_folder.hpp"
#include "shared/encoder.hpp"
#include "shared/fetch_model.hpp"

namespace paco {
namespace {

struct ModelsArguments {
  std::string name, from;
};

Result<const embed::PublishedModel*> published(const std::string& name) {
  if (const embed::PublishedModel* model = embed::find_published(name)) return model;
  std::string names;
  for (const embed::PublishedModel& model : embed::published_models())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", model.name);
  return Error{ErrorCode::not_found, fmt::format("there is no model '{}'", name),
               "there are " + names};
}

Result<void> list(Context& context, const ModelsArguments&) {
  Json json = {{"models", Json::array()}};
  std::string text;
  for (const embed::PublishedModel& model : embed::published_models()) {
    const bool here = embed::find_model(std::string(model.name)).ok();
    Json files = Json::array();
    for (const embed::PublishedFile& file : model.files) {
      files.push_back({{"name", file.name},
                       {"sha256", file.sha256.empty() ? Json() : Json(file.sha256)},
                       {"bytes", file.bytes == 0 ? Json() : Json(file.bytes)}});
    }
    json["models"].push_back({{"name", model.name},
                              {"kind", model.kind},
                              {"about", model.about},
                              {"licence", model.licence},
                              {"page", model.page},
                              {"package", model.package.empty() ? Json() : Json(model.package)},
                              {"megabytes", model.megabytes},
                              {"here", here},
                              {"files", std::move(files)}});
    text += fmt::format("{:<11} {:<7} {:>4} MB  {:<11} {:<5} {}\n", model.name, model.kind,
                        model.megabytes, model.licence, here ? "here" : "", model.about);
  }
  return print_result(context, json, text + "'paco models get NAME' fetches one\n");
}

Result<void> path(Context& context, const ModelsArguments& r) {
  PACO_TRY(published(r.name));
  PACO_ASSIGN(const std::string folder, embed::find_model(r.name));
  return print_result(context, {{"name", r.name}, {"path", folder}}, folder + "\n");
}

// Whether the network opens; an error says why not.
Result<void> opens(const std::string& folder) {
  EncoderOptions options;
  options.encoder = folder;
  options.settings.threads = 1;
  PACO_TRY(open_encoder(options));
  return {};
}

struct Checked {
  std::string name, state, why;  // state: absent, damaged, verified, unverified
};

Result<Checked> check_model(const embed::PublishedModel& model) {
  Checked out{std::string(model.name), "absent", ""};
  PACO_ASSIGN(const std::vector<embed::FileState> files, embed::check_files(model));
  bool any = false, all_known = true;
  for (std::size_t i = 0; i < files.size(); ++i) {
    any = any || files[i].there;
    all_known = all_known && !model.files[i].sha256.empty();
    if (!files[i].fault.empty() && out.why.empty())
      out.why = fmt::format("{} {}", files[i].path, files[i].fault);
  }
  if (!any) {
    out.why = embed::how_to_get(model);
    return out;
  }
  out.state = "damaged";
  if (!out.why.empty()) return out;
  PACO_ASSIGN(const std::string folder, embed::model_folder(model));
  if (const auto opened = opens(folder); !opened.ok()) {
    out.why = opened.error().message;
    return out;
  }
  out.state = all_known ? "verified" : "unverified";
  if (!all_known) out.why = "it opens; nobody has verified a SHA-256 of its published files";
  return out;
}

Result<void> check_all(Context& context, const ModelsArguments& r) {
  std::vector<const embed::PublishedModel*> models;
  if (r.name.empty()) {
    for (const embed::PublishedModel& model : embed::published_models()) models.push_back(&model);
  } else {
    PACO_ASSIGN(const embed::PublishedModel* one, published(r.name));
    models.push_back(one);
  }
  Json json = {{"models", Json::array()}};
  std::string text;
  for (const embed::PublishedModel* model : models) {
    PACO_ASSIGN(const Checked checked, check_model(*model));
    const bool bad = checked.state == "damaged" || (!r.name.empty() && checked.state == "absent");
    if (bad) context.exit_code = 1;
    json["models"].push_back(
        {{"name", checked.name}, {"state", checked.state}, {"why", checked.why}});
    text += fmt::format("{:<11} {:<11} {}\n", checked.name, checked.state, checked.why);
  }
  return print_result(context, json, text);
}

Result<void> get(Context& context, const ModelsArguments& r) {
  PACO_ASSIGN(const embed::PublishedModel* model, published(r.name));
  PACO_TRY(fetch_model(context, *model, r.from));
  PACO_ASSIGN(const std::string folder, embed::model_folder(*model));
  PACO_TRY(opens(folder));
  PACO_ASSIGN(const std::vector<embed::FileState> files, embed::check_files(*model));
  Json json = {{"name", model->name}, {"path", folder}, {"verified", true}};
  json["files"] = Json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    json["files"].push_back({{"name", files[i].name}, {"sha256", files[i].sha256}});
    if (!model->files[i].sha256.empty()) continue;
    json["verified"] = false;
    print_note(
        fmt::format("{} was not verified: nobody has compared its SHA-256 ({}) with the "
                    "published file",
                    files[i].name, files[i].sha256));
  }
  return print_result(
      context, json,
      fmt::format("{}: in {}; use it with --encoder {}\n", model->name, folder, model->name));
}

using ModelsBody = Result<void> (*)(Context&, const ModelsArguments&);

Options& add_models_part(Options& verb, Context& context, const std::shared_ptr<ModelsArguments>& r,
                         const char* name, const char* text, ModelsBody body) {
  Options& part = verb.add_part(name, text);
  finish_verb(part, context, [&context, r, body] { return body(context, *r); });
  return part;
}

}  // namespace

void add_models(Options& verb, Context& context) {
  verb.about(
      "Encoders of images and texts by name: list, fetch and check them.\nThey lie in "
      "$XDG_CACHE_HOME/paco/models, or ~/.cache/paco/models; a folder that you have downloaded "
      "yourself works as well: --encoder FOLDER.");
  auto r = std::make_shared<ModelsArguments>();
  add_models_part(verb, context, r, "list", "Which there are, and which of them are here.", list);
  Options& one = add_models_part(verb, context, r, "get",
                                 "Fetch one, with npm or libcurl; nothing of it is executed.", get);
  one.add_text("name", r->name, "one of 'paco models list'").required();
  one.add_text("--from", r->from, "another address that has its files: a mirror, a local server");
  Options& where = add_models_part(verb, context, r, "path", "Print the folder of one.", path);
  where.add_text("name", r->name, "one of 'paco models list'").required();
  Options& sound =
      add_models_part(verb, context, r, "check",
                      "Are the files whole, and do they open? Exit code 1 if not.", check_all);
  sound.add_text("name", r->name, "one of them; without it all");
}

}  // namespace paco
