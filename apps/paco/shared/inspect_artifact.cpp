#include "shared/inspect_artifact.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "evaluate/stream_outline.hpp"
#include "io/artifact.hpp"
#include "methods/common/state_file.hpp"
#include "paco/method.hpp"
#include "session/summary.hpp"

namespace paco {
namespace {

Result<Inspection> inspect_model(const std::string& path) {
  PACO_ASSIGN(const Model model, load_model(path));
  Inspection out;
  out.json["kind"] = "model";
  out.json.update(session::calibration_json(model));
  for (std::size_t k = 0; k < model.known_classes(); ++k) {
    out.json["classes"].push_back(
        {{"name", model.class_names[k]}, {"support", model.class_sizes[k]}});
  }
  const auto [least, most] =
      std::minmax_element(model.class_sizes.begin(), model.class_sizes.end());
  out.text =
      fmt::format("{}: model {}, {} known classes of {} to {} samples, dimension {}\n", path,
                  model.fingerprint(), model.known_classes(), *least, *most, model.dimension) +
      session::calibration_text(model);
  return out;
}

// Read without its model, so the sums are not interpreted.
Result<Inspection> inspect_state(const io::SafetensorsFile& file) {
  PACO_ASSIGN(const std::string method, io::artifact_entry(file, "method"));
  PACO_ASSIGN(const std::string model, io::artifact_entry(file, "model"));
  PACO_ASSIGN(const std::string text, io::artifact_entry(file, "state"));
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("samples") || !json["samples"].is_number_unsigned()) {
    return Error{ErrorCode::bad_format, fmt::format("{}: it has no counters", file.name()),
                 "the file is damaged"};
  }
  const auto samples = json["samples"].get<std::uint64_t>();
  PACO_ASSIGN(std::vector<std::int64_t> sizes, file.read<std::int64_t>("prototype.members"));
  PACO_ASSIGN(const auto sums, file.tensor("own/sums"));
  // The support classes come first and have no sum.
  const std::size_t discovered = sums->shape.empty() ? 0 : static_cast<std::size_t>(sums->shape[0]);
  if (discovered < sizes.size())
    sizes.erase(sizes.begin(), sizes.end() - static_cast<std::ptrdiff_t>(discovered));
  std::sort(sizes.rbegin(), sizes.rend());
  Inspection out;
  out.json = {{"kind", "state"},
              {"method", method},
              {"model", model},
              {"samples", samples},
              {"categories", sizes.size()},
              {"singletons", std::count(sizes.begin(), sizes.end(), 1)}};
  if (sizes.size() > 10) sizes.resize(10);
  out.json["largest"] = sizes;
  out.text = fmt::format(
      "{}: state of method '{}' after {} samples\nmodel       {}\ncategories  {}, the largest hold "
      "{}\n",
      file.name(), method, samples, model, out.json["categories"].get<std::size_t>(),
      sizes.empty() ? "nothing" : fmt::format("{}", fmt::join(sizes, ", ")));
  return out;
}

}  // namespace

Result<Inspection> inspect_artifact(const std::string& path) {
  PACO_ASSIGN(const io::SafetensorsFile file, io::SafetensorsFile::open(path));
  if (io::artifact_kind(file) == "model") return inspect_model(path);
  PACO_ASSIGN(const io::SafetensorsFile state,
              io::open_artifact(path, methods::kStateKind, methods::kStateVersion));
  return inspect_state(state);
}

Result<Inspection> explain_decision(const std::string& decisions, const std::string& model_path,
                                    std::uint64_t sequence) {
  PACO_ASSIGN(Model loaded, load_model(model_path));
  const auto shared = std::make_shared<const Model>(std::move(loaded));
  const Model& model = *shared;
  PACO_ASSIGN(io::DecisionReader reader, io::DecisionReader::open(decisions));
  if (!reader.detailed()) {
    return Error{ErrorCode::unsupported, fmt::format("{}: it holds category ids alone", decisions),
                 "write decisions as .csv or .jsonl to have them explained"};
  }
  evaluate::KnownCheck check({model.known_classes(), model.class_names, model_path}, decisions);
  io::DecisionTable found;  // that one alone
  found.fields = reader.fields();
  io::DecidedSample row;
  std::uint64_t rows = 0;
  for (;; ++rows) {
    PACO_ASSIGN(const bool more, reader.next(row));
    if (!more) break;
    PACO_TRY(check.see(row, row.name));
    if (row.sequence != sequence || !found.decisions.empty()) continue;
    found.decisions = {row};
    found.samples = {row.sample};
    found.names = {row.name};
  }
  PACO_TRY(check.conclude());
  if (found.decisions.empty()) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: no decision has sequence number {}; there are {}", decisions,
                             sequence, rows),
                 "sequence numbers count from 0"};
  }
  Inspection out;
  PACO_ASSIGN(const std::string name, io::method_of(found, model));
  PACO_ASSIGN(const std::unique_ptr<Method> method, make_method(name, shared));
  const std::string sentence = method->explain(found.as_of(method->info(), 0));
  out.json = {{"sequence", sequence},
              {"sample", found.samples[0]},
              {"category", found.decisions[0].category},
              {"name", found.names[0]},
              {"explanation", sentence}};
  out.text = sentence + "\n";
  return out;
}

}  // namespace paco
