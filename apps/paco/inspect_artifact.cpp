#include "inspect_artifact.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.hpp"
#include "calibration_summary.hpp"
#include "data/artifact.hpp"
#include "discover/decision_file.hpp"
#include "paco/method.hpp"

namespace paco {
namespace {

Result<Inspection> inspect_model(const std::string& path) {
  PACO_ASSIGN(const Model model, load_model(path));
  Inspection out;
  out.json["kind"] = "model";
  out.json.update(calibration_json(model));
  for (std::size_t k = 0; k < model.known_classes(); ++k) {
    out.json["classes"].push_back(
        {{"name", model.class_names[k]}, {"support", model.class_sizes[k]}});
  }
  const auto [least, most] =
      std::minmax_element(model.class_sizes.begin(), model.class_sizes.end());
  out.text =
      fmt::format("{}: model {}, {} known classes of {} to {} samples, dimension {}\n", path,
                  model.fingerprint(), model.known_classes(), *least, *most, model.dimension) +
      calibration_text(model);
  return out;
}

// Read without its model, so the sums are not interpreted.
Result<Inspection> inspect_state(const SafetensorsFile& file) {
  PACO_ASSIGN(const std::string method, artifact_entry(file, "method"));
  PACO_ASSIGN(const std::string model, artifact_entry(file, "model"));
  PACO_ASSIGN(const std::vector<std::int64_t> counters, file.read<std::int64_t>("counters"));
  PACO_ASSIGN(std::vector<std::int64_t> sizes, file.read<std::int64_t>("category_sizes"));
  if (counters.empty()) {
    return Error{ErrorCode::bad_format, fmt::format("{}: it has no counters", file.name()),
                 "the file is damaged"};
  }
  std::sort(sizes.rbegin(), sizes.rend());
  Inspection out;
  out.json = {{"kind", "state"},
              {"method", method},
              {"model", model},
              {"samples", counters[0]},
              {"categories", sizes.size()},
              {"singletons", std::count(sizes.begin(), sizes.end(), 1)}};
  if (sizes.size() > 10) sizes.resize(10);
  out.json["largest"] = sizes;
  out.text = fmt::format(
      "{}: state of method '{}' after {} samples\nmodel       {}\ncategories  {}, the largest hold "
      "{}\n",
      file.name(), method, counters[0], model, out.json["categories"].get<std::size_t>(),
      sizes.empty() ? "nothing" : fmt::format("{}", fmt::join(sizes, ", ")));
  return out;
}

}  // namespace

Result<Inspection> inspect_artifact(const std::string& path) {
  PACO_ASSIGN(const SafetensorsFile file, SafetensorsFile::open(path));
  if (artifact_kind(file) == "model") return inspect_model(path);
  PACO_ASSIGN(const SafetensorsFile state, open_artifact(path, "state", 1));
  return inspect_state(state);
}

Result<Inspection> explain_decision(const std::string& decisions, const std::string& model_path,
                                    std::uint64_t sequence) {
  PACO_ASSIGN(const Model model, load_model(model_path));
  PACO_ASSIGN(const DecisionTable table, read_decisions(decisions));
  if (!table.detailed) {
    return Error{ErrorCode::unsupported, fmt::format("{}: it holds category ids alone", decisions),
                 "write decisions as .csv or .jsonl to have them explained"};
  }
  const auto found = std::find_if(table.decisions.begin(), table.decisions.end(),
                                  [&](const Decision& d) { return d.sequence == sequence; });
  if (found == table.decisions.end()) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: no decision has sequence number {}; there are {}", decisions,
                             sequence, table.decisions.size()),
                 "sequence numbers count from 0"};
  }
  Inspection out;
  const std::string sentence = explain(*found, model);
  out.json = {{"sequence", sequence},
              {"sample", table.samples[static_cast<std::size_t>(found - table.decisions.begin())]},
              {"category", found->category},
              {"name", category_name(found->category, model)},
              {"explanation", sentence}};
  out.text = sentence + "\n";
  return out;
}

}  // namespace paco
