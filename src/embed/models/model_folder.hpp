// Finds the files of published encoders on this machine and checks that they are intact. It does
// not download anything.
//
// Each encoder has a folder with its name in $XDG_CACHE_HOME/paco/models, or ~/.cache/paco/models.
// Files that a user puts there by hand are equivalent to downloaded ones.
#pragma once

#include <string>
#include <vector>

#include "embed/models/model_table.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// ErrorCode::not_found if neither variable is set.
Result<std::string> models_folder();
Result<std::string> model_folder(const PublishedModel& model);

struct FileState {
  std::string name, path;
  bool there = false;
  std::string sha256;  // of the file that is there
  std::string fault;   // why it is not the published one; empty: nothing speaks against it
};
// Reads every file that is there.
Result<std::vector<FileState>> check_files(const PublishedModel& model);
// Checks the file against its published size and hash, as far as these are known.
Result<FileState> check_file(const PublishedFile& file, const std::string& path);

// The folder of a published model, if its files exist; otherwise an error that says how to get
// them. Does not read the files.
Result<std::string> find_model(const std::string& name);

// The command to type, and the steps to do it by hand.
std::string how_to_get(const PublishedModel& model);

}  // namespace paco::embed
