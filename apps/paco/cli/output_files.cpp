#include "cli/output_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/partial_file.hpp"

namespace paco {
namespace {

// Two paths refer to the same file if their places are the same.
struct Place {
  bool exists = false;
  bool plain = true;  // of what exists
  dev_t device = 0;
  ino_t inode = 0;
  std::filesystem::path path;  // without links and dots

  bool same(const Place& other) const {
    if (!plain || !other.plain || exists != other.exists) return false;
    if (exists) return device == other.device && inode == other.inode;
    return path == other.path;
  }
};

Place place_of(const std::string& path) {
  Place place;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    place.exists = true;
    place.plain = S_ISREG(status.st_mode);
    place.device = status.st_dev;
    place.inode = status.st_ino;
  }
  std::error_code ignored;  // a missing folder is reported when the file is opened
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored);
  place.path = std::filesystem::weakly_canonical(absolute, ignored);
  if (ignored) place.path = absolute;
  return place;
}

// The files that an input may refer to: itself, the archive of FILE#NAME, the files of
// KIND:FILE,FILE.
std::vector<std::string> files_of(const std::string& path) {
  std::vector<std::string> files = {path};
  if (const std::size_t mark = path.rfind('#'); mark != std::string::npos) {
    files.push_back(path.substr(0, mark));
  }
  if (const std::size_t colon = path.find(':'); colon != std::string::npos) {
    for (std::size_t first = colon + 1; first <= path.size();) {
      const std::size_t comma = std::min(path.find(',', first), path.size());
      files.push_back(path.substr(first, comma - first));
      first = comma + 1;
    }
  }
  return files;
}

// The names in use beside a file: the files of SQLite and of a journal, and while it is written
// also its unfinished file.
std::vector<std::string> files_beside(const std::string& path, bool is_written) {
  const Place place = place_of(path);
  if (!place.plain) return {};
  const std::string name = place.path.string();
  std::vector<std::string> files;
  for (const char* ending : {"-wal", "-shm", "-journal", "-tail"}) files.push_back(name + ending);
  if (is_written) files.push_back(core::PartialFile::partial_name(name));
  return files;
}

// Whether `file` is one of the files beside `owner`.
bool is_beside(const Place& file, const std::string& owner, bool is_written) {
  const std::vector<std::string> beside = files_beside(owner, is_written);
  return std::any_of(beside.begin(), beside.end(),
                     [&](const std::string& path) { return file.same(place_of(path)); });
}

Error reserved(const NamedFile& file, const NamedFile& owner) {
  return Error{ErrorCode::bad_argument,
               fmt::format("{} {}: this name is needed while {} {} is in use", file.option,
                           file.path, owner.option, owner.path),
               "give one of them another name"};
}

Error twice(const NamedFile& a, const NamedFile& b) {
  return Error{ErrorCode::bad_argument,
               fmt::format("{} and {} are the same file: {}", a.option, b.option, b.path),
               "give each file that is written a name of its own"};
}

}  // namespace

Result<void> check_outputs(const std::vector<NamedFile>& inputs,
                           const std::vector<NamedFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    if (output.path.empty()) continue;
    if (output.path == "-") {
      return Error{ErrorCode::bad_argument,
                   fmt::format("{} -: this cannot go to standard output", output.option),
                   "name a file; one that is called - is ./-"};
    }
    const Place place = place_of(output.path);
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[j].path.empty()) continue;
      if (place.same(place_of(outputs[j].path))) return twice(outputs[j], output);
      if (is_beside(place, outputs[j].path, true)) return reserved(output, outputs[j]);
      if (is_beside(place_of(outputs[j].path), output.path, true))
        return reserved(outputs[j], output);
    }
    for (const NamedFile& input : inputs) {
      for (const std::string& file : files_of(input.path)) {
        if (file.empty()) continue;
        const Place read = place_of(file);
        if (place.same(read)) return twice(input, output);
        if (is_beside(read, output.path, true)) return reserved(input, output);
        if (is_beside(place, file, false)) return reserved(output, input);
      }
    }
  }
  return {};
}

std::string unless_stdout(const std::string& path) { return path == "-" ? "" : path; }

}  // namespace paco
