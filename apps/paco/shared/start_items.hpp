// Scans the folder of `paco start` for labelled samples and the stream.
//
// Photos or texts (.txt, one per file) in a subfolder are samples of a known class with the name of
// the subfolder; those directly in the folder and in its subfolder "stream" are the stream.
// Alternatively, tables (.csv, .tsv, .jsonl) directly in the folder have a column "text", or "path"
// of an image; rows with a "label" are known, rows without one are the stream. Hidden files and
// folders are ignored, including .paco, where the program stores its files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco {

struct StartItem {
  std::string key;    // relative path; for a row: table and hash of its text
  std::string label;  // class; empty: part of the stream
  std::string path;   // of an image; empty: a text
  std::string text;
};

struct StartFolder {
  bool images = false;             // false: texts
  std::vector<StartItem> items;    // in order of their keys
  std::vector<std::string> notes;  // what was left out, with the reason
};

// Fails if there is nothing, or if there are both images and texts.
Result<StartFolder> scan_start_folder(const std::string& folder);

// Removes all labels; returns the number of labelled samples.
std::size_t drop_labels(StartFolder& found);

// Counts the samples of each class; the error says what a calibration lacks.
Result<void> check_classes(const std::vector<std::string>& labels, const std::string& folder);

}  // namespace paco
