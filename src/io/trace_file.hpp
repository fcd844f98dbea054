// The trace of a stream, one csv row per sample: evidence, state of the memory, and the time taken.
//
// Columns: sequence, category, every evidence number of the method (its choices by name, those of
// the memory after the sample too), categories, microseconds. Unlike decisions, a trace is not
// reproducible to the byte: its last column is measured.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/partial_file.hpp"
#include "io/csv.hpp"
#include "io/decision_file.hpp"
#include "paco/method.hpp"

namespace paco::io {

class TraceWriter {
 public:
  // `length`: continues after that many bytes of an earlier run.
  static Result<TraceWriter> create(const std::string& path, const MethodInfo& method,
                                    std::optional<std::uint64_t> length = std::nullopt);
  Result<void> write(std::span<const Decision> decisions, double microseconds_each);
  Result<std::uint64_t> sync();
  Result<void> finish() { return file_.finish(); }
  void discard() { file_.discard(); }

 private:
  TraceWriter(core::PartialFile file, const MethodInfo& method)
      : file_(std::move(file)), method_(&method) {}
  core::PartialFile file_;
  const MethodInfo* method_;
  std::string text_;
};

struct TraceRow {
  Decision decision;  // the fields that are columns
  double microseconds = 0;
};

// A trace row by row.
class TraceReader {
 public:
  static Result<TraceReader> open(const std::string& path);
  static Result<TraceReader> of(ByteStream stream);

  const std::vector<DecisionField>& fields() const { return fields_; }  // place i of the evidence
  Result<bool> next(TraceRow& row);                                     // false at the end
  // Skips a row, in a fraction of the time of next(). It may miss errors in the row.
  Result<bool> skip() { return reader_.skip(); }

 private:
  explicit TraceReader(ByteStream stream) : reader_(std::move(stream), false) {}
  Error bad(const std::string& what) const;

  CsvReader reader_;
  const MethodInfo* method_ = nullptr;
  std::vector<DecisionField> fields_;
  std::vector<std::string_view> cells_;
};

// A whole trace.
struct Trace {
  std::vector<DecisionTable::Field> fields;  // place i of Decision::evidence
  std::vector<Decision> decisions;           // the fields that are columns
  std::vector<double> microseconds;

  int field(std::string_view name) const;  // place, or -1
};

Result<Trace> read_trace(const std::string& path);
// From bytes; `name` stands for the path in error texts.
Result<Trace> parse_trace(std::span<const std::byte> bytes, const std::string& name);

}  // namespace paco::io
