// `paco data check`: checks that a data set of the literature is complete and in its published
// form.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/published_sets.hpp"
#include "io/literature_sets.hpp"

namespace paco {
namespace {

struct DataArguments {
  std::string name, path;
};

std::vector<std::string> set_names() {
  std::vector<std::string> names;
  for (const io::LiteratureSet& set : io::literature_sets()) {
    if (set.name != "fashion-mnist") names.emplace_back(set.name);
  }
  return names;
}

std::string described(const embed::PublishedPart& part) {
  if (!part.found.empty()) return part.found;
  return part.needed ? "missing" : "not there; classes are named by their images or numbers";
}

Result<void> check(Context& context, const DataArguments& r) {
  const io::LiteratureSet& set = *io::literature_set(r.name);
  if (core::path_kind(r.path) != core::PathKind::folder) {
    return Error{
        ErrorCode::not_found, fmt::format("{} is no folder", r.path),
        fmt::format("{} is published at {}; unpack it and give the folder", set.title, set.home)};
  }
  PACO_ASSIGN(const embed::SetCheck found, embed::check_published_set(r.name, r.path));
  const std::size_t support = found.split.support.size(), stream = found.split.stream.size();
  const bool counts = support == set.support && stream == set.stream;
  const bool complete = counts && found.missing_images == 0;
  Json parts = Json::array();
  std::string text = fmt::format("{} in {}\n", set.title, r.path);
  for (const embed::PublishedPart& part : found.parts) {
    parts.push_back({{"part", part.forms.front()},
                     {"needed", part.needed},
                     {"found", part.found.empty() ? Json() : Json(part.found)}});
    text += fmt::format("  {:<40} {}\n", part.forms.front(), described(part));
  }
  if (found.images > 0) {
    text +=
        fmt::format("  {:<40} {} of {} classes\n", "training images", found.images, found.classes);
    if (found.missing_images > 0)
      text += fmt::format("  {:<40} {}, the first is {}\n", "images not on the disk",
                          found.missing_images, found.first_missing);
    text +=
        fmt::format("  {:<40} {} support and {} stream samples, {}\n", "split", support, stream,
                    counts ? "as in the literature"
                           : fmt::format("the literature has {} and {}", set.support, set.stream));
    text += fmt::format("  {:<40} {}\n", "digest", io::split_digest(found.split));
  }
  text += complete ? fmt::format("complete: --data {}:{}\n", r.name, r.path)
                   : fmt::format("not complete; published at: {}\n", set.home);
  if (!complete) context.exit_code = 1;
  const Json json = {
      {"name", r.name},
      {"path", r.path},
      {"complete", complete},
      {"parts", parts},
      {"images", found.images},
      {"classes", found.classes},
      {"missing_images", found.missing_images},
      {"support", support},
      {"stream", stream},
      {"expected", {{"classes", set.classes}, {"support", set.support}, {"stream", set.stream}}},
      {"digest", found.images > 0 ? Json(io::split_digest(found.split)) : Json()},
      {"home", std::string(set.home)}};
  return print_result(context, json, text);
}

}  // namespace

void add_data(Options& verb, Context& context) {
  verb.about(
      "Look whether a data set of the literature is there as it is published.\nIts images are "
      "read with --data NAME:PATH of split, train and embed.");
  auto r = std::make_shared<DataArguments>();
  Options& part = verb.add_part(
      "check",
      "What is there, what is missing and where it is published; exit code 1 unless all is "
      "there.");
  part.add_text("name", r->name, "which set: " + fmt::format("{}", fmt::join(set_names(), ", ")))
      .one_of(set_names())
      .required();
  part.add_text("path", r->path, "the folder that it was unpacked to").required();
  finish_verb(part, context, [&context, r] { return check(context, *r); });
}

}  // namespace paco
