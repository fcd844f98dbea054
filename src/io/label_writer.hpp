// Labels into a file, by the names of their classes; the counterpart of labels.hpp.
//
// An npy file has text ("<U7"), or int64 if every name is a number; a .txt file has one name a
// line. A row without a class has an empty name: "" or an empty line, -1 among numbers.
#pragma once

#include <span>
#include <string>

#include "paco/result.hpp"

namespace paco::io {

// ErrorCode::bad_argument if no label file with this name can be written. It is cheap; call it
// before the work.
Result<void> check_label_file(const std::string& path);
Result<void> write_labels(const std::string& path, std::span<const std::string> names);

// One function for each format, for the table.
Result<void> write_npy_labels(const std::string& path, std::span<const std::string> names);
Result<void> write_text_labels(const std::string& path, std::span<const std::string> names);

}  // namespace paco::io
