// Labels as they are in files, before they are assigned to classes: the common part of labels.hpp
// and truth.hpp. Not for use outside this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/format.hpp"
#include "paco/result.hpp"

namespace paco::io {

struct LabelRows {
  // How a label identifies its sample.
  enum class Key : std::uint8_t { row, sequence, sample };
  Key key = Key::row;
  std::vector<std::string> keys;      // one per label; empty for Key::row
  std::vector<std::string> words;     // labels
  std::vector<std::int64_t> numbers;  // labels, if ...
  bool numbered = false;              // ... they are integers of an array
};

Result<LabelRows> read_npy_labels(ByteStream stream);
// A table, one label a line, or JSON.
Result<LabelRows> read_text_labels(ByteStream stream);
// With keys, if the file has them.
Result<LabelRows> read_csv_truth(ByteStream stream);
Result<LabelRows> read_json_truth(ByteStream stream);

// The labels of a file of any format; `member` names an array of it.
Result<LabelRows> read_label_rows(ByteStream stream, const std::string& member);
// The same with keys, if the file has them.
Result<LabelRows> read_truth_rows(ByteStream stream, const std::string& member);

}  // namespace paco::io
