// Reads decisions from a file of any of the formats (decision_file.hpp), one row after another;
// suitable for streams of millions of samples. Rows come in the order of the file, whatever their
// numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/decided_sample.hpp"
#include "paco/result.hpp"

namespace paco::io {

// One number of the evidence, as the file has it.
struct DecisionField {
  std::string name;
  std::vector<std::string> choices;  // names of the values, where it is a choice
};

// One format of decisions, which the table has (format.hpp).
class DecisionRows {
 public:
  std::vector<DecisionField> fields;  // what evidence the file has
  std::vector<bool> unread;           // by field; empty: all are read
  bool detailed = true;               // false: only sequence and category are known

  virtual ~DecisionRows() = default;
  // Element i of the row's evidence is field i of the file.
  virtual Result<bool> next(DecidedSample& row) = 0;
  virtual Result<bool> skip() = 0;
  virtual std::optional<std::uint64_t> left() const { return std::nullopt; }
};

class DecisionReader {
 public:
  static Result<DecisionReader> open(const std::string& path);
  static Result<DecisionReader> of(ByteStream stream);

  const std::vector<DecisionField>& fields() const { return rows_->fields; }
  bool detailed() const { return rows_->detailed; }
  // The next decision; false at the end.
  Result<bool> next(DecidedSample& row) { return rows_->next(row); }
  // Skips the next decision, in a fraction of the time of next(); false at the end. It may miss
  // errors in the row.
  Result<bool> skip() { return rows_->skip(); }
  // From now on the numbers of these fields are not converted.
  void leave_unread(std::vector<bool> fields) { rows_->unread = std::move(fields); }
  std::optional<std::uint64_t> left() const { return rows_->left(); }  // bytes, if known

 private:
  explicit DecisionReader(std::unique_ptr<DecisionRows> rows) : rows_(std::move(rows)) {}
  std::unique_ptr<DecisionRows> rows_;
};

}  // namespace paco::io
