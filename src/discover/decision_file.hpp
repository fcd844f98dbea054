// Decisions on disk: csv, JSON lines, or npy with the category ids alone.
//
// csv and JSON lines carry every field of a decision, so that it can be explained later; the
// columns are listed in kDecisionColumns. A value that was not computed is empty (csv) or null
// (JSON lines).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/decision.hpp"
#include "paco/model.hpp"

namespace paco {

inline constexpr std::string_view kDecisionColumns =
    "sequence,sample,verdict,category,name,branch,route,score,threshold,runner_up,assignment_score,"
    "runner_up_score,"
    "tau_birth,top_cosine,margin,birth_score,attach_score";

enum class DecisionFormat : std::uint8_t { csv, jsonl, npy };

// By extension: .csv, .jsonl or .npy.
Result<DecisionFormat> decision_format(const std::string& path);

// One decision as a line, with its newline. `sample` is the id the input gave it.
void append_csv(std::string& text, const Decision& decision, std::string_view sample,
                const Model& model);
void append_json(std::string& text, const Decision& decision, std::string_view sample,
                 const Model& model);

// Decisions as they come. A file appears under its name at commit(), whole; until then nothing is
// there.
class DecisionWriter {
 public:
  virtual ~DecisionWriter() = default;
  virtual Result<void> write(std::span<const Decision> decisions,
                             std::span<const std::string> samples) = 0;
  virtual Result<void> commit() = 0;
};
Result<std::unique_ptr<DecisionWriter>> make_decision_writer(const std::string& path,
                                                             const Model& model);
// JSON lines to a sink, e.g. standard output.
std::unique_ptr<DecisionWriter> make_json_line_writer(
    std::function<Result<void>(std::string_view)> sink, const Model& model);

struct DecisionTable {
  std::vector<Decision> decisions;
  std::vector<std::string> samples;  // ids as the input gave them
  std::vector<std::string> names;    // of the categories decided for
  bool detailed = true;              // false: from npy, only sequence and category are known
};

Result<DecisionTable> read_decisions(const std::string& path);
// From bytes; `name` stands for the path in error texts.
Result<DecisionTable> parse_decisions(std::span<const std::byte> bytes, const std::string& name);

}  // namespace paco
