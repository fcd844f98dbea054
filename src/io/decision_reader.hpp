// Decisions from a file of any of the formats (decision_file.hpp), one row after the other: what a
// stream of millions is read with. Rows come in the order of the file, whatever their numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/byte_stream.hpp"
#include "paco/decision.hpp"
#include "paco/result.hpp"

namespace paco::io {

// One number of the evidence, as the file has it.
struct DecisionField {
  std::string name;
  std::vector<std::string> choices;  // names of the values, where it is a choice
};

struct DecisionRow {
  Decision decision;   // place i of its evidence is field i of the file
  std::string sample;  // id as the input gave it
  std::string name;    // of the category decided for
};

class DecisionReader {
 public:
  struct Rows;  // a format

  static Result<DecisionReader> open(const std::string& path);
  static Result<DecisionReader> of(ByteStream stream);
  explicit DecisionReader(std::unique_ptr<Rows> rows);
  DecisionReader(DecisionReader&&) noexcept;
  DecisionReader& operator=(DecisionReader&&) noexcept;
  ~DecisionReader();

  const std::vector<DecisionField>& fields() const;  // what evidence the file has
  bool detailed() const;  // false: from npy, only sequence and category are known
  // The next decision; false at the end.
  Result<bool> next(DecisionRow& row);
  // Passes over the next decision, in a fraction of the time; false at the end. What is wrong with
  // it may go unseen.
  Result<bool> skip();
  // Numbers of these fields are not computed from now on, whatever the file says: for who does not
  // need them.
  void leave_unread(std::vector<bool> fields);
  std::optional<std::uint64_t> left() const;  // bytes of the file, where that is known

 private:
  std::unique_ptr<Rows> rows_;
};

}  // namespace paco::io
