// What `paco start` finds in a folder: labelled samples, and the stream.
//
// Photos or texts (.txt, one a file) in a subfolder are samples of a known class, which is called
// as the subfolder; those directly in the folder, and in its subfolder "stream", are the stream. Or
// tables (.csv, .tsv, .jsonl) directly in the folder with a column "text", or "path" of an image;
// rows with a "label" are known, rows without are the stream. Hidden files and folders are passed
// over, so is .paco, where the program keeps what it makes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco {

struct StartItem {
  std::string key;    // relative path; of a row the table's and a hash of what it says
  std::string label;  // class; empty: of the stream
  std::string path;   // of an image; empty: a text
  std::string text;
};

struct StartFolder {
  bool images = false;             // else texts
  std::vector<StartItem> items;    // in order of their keys
  std::vector<std::string> notes;  // what was left out, and why
};

// An error if there is nothing, or images and texts together.
Result<StartFolder> scan_start_folder(const std::string& folder);

// As if nothing was labelled; how many samples were.
std::size_t drop_labels(StartFolder& found);

// Samples of each class; an error that says what is missing for a calibration.
Result<void> check_classes(const std::vector<std::string>& labels, const std::string& folder);

}  // namespace paco
