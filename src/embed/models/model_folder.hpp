// Where published encoders lie on this machine, and whether their files are whole. Fetches nothing.
//
// Each has a folder of its name in $XDG_CACHE_HOME/paco/models, or ~/.cache/paco/models. Files that
// somebody has put there by hand are as good as fetched ones.
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
// The file, whatever is known of it: size and hash as published.
Result<FileState> check_file(const PublishedFile& file, const std::string& path);

// The folder of a name of the table, if its files are there; an error that says how to get them
// otherwise. Does not read them.
Result<std::string> find_model(const std::string& name);

// What to type, and what to do by hand.
std::string how_to_get(const PublishedModel& model);

}  // namespace paco::embed
