// A whole file of decisions, and the method that wrote it. decision_reader.hpp reads row by row,
// decision_writer.hpp writes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/decision_reader.hpp"
#include "io/decision_writer.hpp"
#include "paco/method.hpp"

namespace paco::io {

// The contents of a whole file.
struct DecisionTable {
  using Field = DecisionField;
  std::vector<Field> fields;  // the evidence in the file; index i of Decision::evidence
  std::vector<Decision> decisions;
  std::vector<std::string> samples;  // ids as the input gave them
  std::vector<std::string> names;    // of the categories decided for
  bool detailed = true;              // false: from npy, only sequence and category are known

  // Index of a field, or -1.
  int field(std::string_view name) const;
  // A decision with its evidence in the order of this method's fields.
  Decision as_of(const MethodInfo& method, std::size_t row) const;
};

// The method that wrote a file, found by its evidence: the model's own method if the evidence
// matches, otherwise another method that the model was calibrated for.
Result<std::string> method_of(const DecisionTable& table, const Model& model);

Result<DecisionTable> read_decisions(const std::string& path);
// From bytes; `name` stands for the path in error texts.
Result<DecisionTable> parse_decisions(std::span<const std::byte> bytes, const std::string& name);

}  // namespace paco::io
