#include "embed/models/model_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/weights/file_hash.hpp"

namespace paco::embed {

Result<std::string> models_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/paco/models";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/paco/models";
  return Error{ErrorCode::not_found,
               "there is no cache folder: HOME and XDG_CACHE_HOME are not set",
               "set XDG_CACHE_HOME, or give the encoder's folder: --encoder FOLDER"};
}

Result<std::string> model_folder(const PublishedModel& model) {
  PACO_ASSIGN(const std::string folder, models_folder());
  return fmt::format("{}/{}", folder, model.name);
}

Result<FileState> check_file(const PublishedFile& file, const std::string& path) {
  FileState state;
  state.name = file.name;
  state.path = path;
  state.there = core::path_kind(path) == core::PathKind::file;
  if (!state.there) {
    state.fault = "is missing";
    return state;
  }
  PACO_ASSIGN(const std::uint64_t bytes, core::file_size(path));
  if (bytes == 0) state.fault = "is empty";
  if (file.bytes > 0 && bytes != file.bytes)
    state.fault = fmt::format("has {} bytes, the published file {}", bytes, file.bytes);
  PACO_ASSIGN(state.sha256, file_sha256(path));
  if (state.fault.empty() && !file.sha256.empty() && state.sha256 != file.sha256)
    state.fault =
        fmt::format("has the SHA-256 {}, the published file {}", state.sha256, file.sha256);
  return state;
}

Result<std::vector<FileState>> check_files(const PublishedModel& model) {
  PACO_ASSIGN(const std::string folder, model_folder(model));
  std::vector<FileState> states;
  for (const PublishedFile& file : model.files) {
    PACO_ASSIGN(FileState state, check_file(file, fmt::format("{}/{}", folder, file.name)));
    states.push_back(std::move(state));
  }
  return states;
}

std::string how_to_get(const PublishedModel& model) {
  std::string files;
  for (const PublishedFile& file : model.files)
    files += fmt::format("{}{}", files.empty() ? "" : ", ", file.name);
  return fmt::format(
      "type 'paco models get {}' (about {} MB); or download {} from {} with a browser, and give "
      "their folder: --encoder FOLDER",
      model.name, model.megabytes, files, model.page);
}

Result<std::string> find_model(const std::string& name) {
  const PublishedModel* model = find_published(name);
  if (model == nullptr)
    return Error{ErrorCode::not_found, fmt::format("there is no model '{}'", name),
                 "'paco models list' has their names"};
  PACO_ASSIGN(const std::string folder, model_folder(*model));
  for (const PublishedFile& file : model->files) {
    if (core::path_kind(fmt::format("{}/{}", folder, file.name)) == core::PathKind::file) continue;
    return Error{
        ErrorCode::not_found,
        fmt::format("{} is not on this machine: {}/{} is missing", name, folder, file.name),
        how_to_get(*model)};
  }
  return folder;
}

}  // namespace paco::embed
