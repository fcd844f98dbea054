#include "journal/faulty_disk.hpp"

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "core/file_operation.hpp"

namespace paco::journal {
namespace {

std::atomic<DiskWatch*> present_watch{nullptr};

struct WatchedFile {
  std::string path;
  const sqlite3_io_methods* real = nullptr;
};

// The files that SQLite has open, and its method tables with some entries replaced. Never
// destroyed: SQLite may close files while the program exits.
struct Registry {
  std::mutex mutex;
  std::map<sqlite3_file*, WatchedFile> files;
  std::map<const sqlite3_io_methods*, sqlite3_io_methods> tables;

  WatchedFile find(sqlite3_file* file) {
    const std::lock_guard lock(mutex);
    return files.at(file);
  }
};

Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

[[noreturn]] void end_process() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

DiskAnswer ask(DiskOperation operation, std::string_view path, sqlite3_int64 offset = 0,
               std::span<const std::byte> bytes = {}) {
  if (!core::files::operation_allowed()) return DiskAnswer::fail;
  DiskWatch* watch = present_watch.load(std::memory_order_acquire);
  if (watch == nullptr) return DiskAnswer::proceed;
  const DiskAnswer answer =
      watch->before({operation, path, static_cast<std::uint64_t>(offset), bytes});
  if (answer == DiskAnswer::kill) end_process();
  if (answer == DiskAnswer::tear && operation != DiskOperation::write) end_process();
  return answer;
}

int close_file(sqlite3_file* file) {
  Registry& all = registry();
  std::unique_lock lock(all.mutex);
  const auto node = all.files.extract(file);
  lock.unlock();
  return node.mapped().real->xClose(file);
}

int read(sqlite3_file* file, void* buffer, int size, sqlite3_int64 offset) {
  const WatchedFile watched = registry().find(file);
  if (ask(DiskOperation::read, watched.path, offset) != DiskAnswer::proceed)
    return SQLITE_IOERR_READ;
  return watched.real->xRead(file, buffer, size, offset);
}

int write(sqlite3_file* file, const void* buffer, int size, sqlite3_int64 offset) {
  const WatchedFile watched = registry().find(file);
  const std::span bytes(static_cast<const std::byte*>(buffer), static_cast<std::size_t>(size));
  switch (ask(DiskOperation::write, watched.path, offset, bytes)) {
    case DiskAnswer::proceed:
      return watched.real->xWrite(file, buffer, size, offset);
    case DiskAnswer::full:
      return SQLITE_FULL;
    case DiskAnswer::tear:
      (void)watched.real->xWrite(file, buffer, size / 2, offset);
      end_process();
    default:
      return SQLITE_IOERR_WRITE;
  }
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const WatchedFile watched = registry().find(file);
  if (ask(DiskOperation::truncate, watched.path, size) != DiskAnswer::proceed)
    return SQLITE_IOERR_TRUNCATE;
  return watched.real->xTruncate(file, size);
}

int sync(sqlite3_file* file, int flags) {
  const WatchedFile watched = registry().find(file);
  const DiskAnswer answer = ask(DiskOperation::sync, watched.path);
  if (answer == DiskAnswer::pretend) return SQLITE_OK;
  if (answer != DiskAnswer::proceed) return SQLITE_IOERR_FSYNC;
  return watched.real->xSync(file, flags);
}

sqlite3_vfs& unix_layer() {
  static sqlite3_vfs* const layer = sqlite3_vfs_find("unix");
  return *layer;
}

// The file object remains SQLite's own; only its method table is replaced.
int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  const std::string name = path == nullptr ? "" : path;
  if (ask(DiskOperation::open, name) != DiskAnswer::proceed) return SQLITE_CANTOPEN;
  const int status = unix_layer().xOpen(vfs, path, file, flags, out_flags);
  if (file->pMethods == nullptr) return status;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto [entry, is_new] = all.tables.try_emplace(file->pMethods, *file->pMethods);
  sqlite3_io_methods& table = entry->second;
  if (is_new) {
    table.xClose = close_file;
    table.xRead = read;
    table.xWrite = write;
    table.xTruncate = truncate;
    table.xSync = sync;
  }
  all.files[file] = {name, file->pMethods};
  file->pMethods = &table;
  return status;
}

int remove_file(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  if (ask(DiskOperation::remove, path) != DiskAnswer::proceed) return SQLITE_IOERR_DELETE;
  return unix_layer().xDelete(vfs, path, sync_folder);
}

void install() {
  static sqlite3_vfs layer = [] {
    sqlite3_vfs copy = unix_layer();
    copy.zName = "paco-faulty";
    copy.xOpen = open_file;
    copy.xDelete = remove_file;
    return copy;
  }();
  static const int status = sqlite3_vfs_register(&layer, 1);
  static_cast<void>(status);
}

}  // namespace

void watch_disk(DiskWatch* watch) {
  install();
  present_watch.store(watch, std::memory_order_release);
}

}  // namespace paco::journal
