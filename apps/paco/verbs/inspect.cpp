// `paco inspect`: shows what a file of any kind contains. Nothing is written.
#include "cli/signals.hpp"
#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "io/artifact.hpp"
#include "io/format.hpp"
#include "shared/inspect_artifact.hpp"
#include "shared/inspect_data.hpp"

namespace paco {
namespace {

struct InspectArguments {
  std::string file, model;
  std::int64_t explain = -1;
};

// Whether the metadata says that paco wrote the file for its own use.
bool is_artifact(const std::string& path) {
  if (core::path_kind(path) != core::PathKind::file) return false;
  const auto stream = io::ByteStream::open(path);
  if (!stream.ok()) return false;
  io::ByteStream bytes = *stream;
  const auto head = bytes.peek(io::kDetectBytes);
  if (!head.ok() || io::detect_format(*head).name != "safetensors") return false;
  const auto file = io::SafetensorsFile::open(path);
  return file.ok() && !io::artifact_kind(*file).empty();
}

Result<Inspection> inspect(const Context& context, const InspectArguments& s) {
  const NothingToLose reading(context.json);
  if (s.explain >= 0)
    return explain_decision(s.file, s.model, static_cast<std::uint64_t>(s.explain));
  return is_artifact(s.file) ? inspect_artifact(s.file) : inspect_data(s.file);
}

}  // namespace

void add_inspect(Options& verb, Context& context) {
  verb.about(
      "Show what is in a file: kind, shape, type, metadata, first values.\nReads models, states, "
      "decisions, arrays, tables and data sets of images.");
  auto s = std::make_shared<InspectArguments>();
  verb.add_text("file", s->file,
                "the file, FILE#NAME for one of its arrays, a folder of images, or a data set")
      .required();
  verb.add_text("--model", s->model, "the model that made the decisions, for --explain");
  add_count(verb, "--explain", s->explain, 0, kNoLimit,
            "say in one sentence why the decision with this sequence number was made")
      .needs("--model")
      .shown_default("");
  finish_verb(verb, context, [&context, s]() -> Result<void> {
    PACO_ASSIGN(const Inspection found, inspect(context, *s));
    return print_result(context, found.json, found.text);
  });
}

}  // namespace paco
