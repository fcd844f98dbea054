#include "journal/disk.hpp"

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "core/file_operation.hpp"
#include "journal/gathered_log.hpp"

namespace paco::journal {
namespace {

constexpr const char* kName = "paco";
// The lock that a writer holds in the shared memory of a write-ahead log; part of SQLite's format.
constexpr int kWriteLockSlot = 0;

std::atomic<DiskWatch*> present_watch{nullptr};

// What SQLite is handed as a file; the file of its own unix layer lies behind it in memory.
struct DiskFile {
  sqlite3_file base;
  const char* path;  // SQLite keeps it alive; null for temporary files
  GatheredLog* log;  // of a write-ahead log; null for other files
  bool keeps_lock;
  bool has_lock;
};
constexpr std::size_t kRealOffset =
    (sizeof(DiskFile) + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);

DiskFile* disk_file(sqlite3_file* file) { return reinterpret_cast<DiskFile*>(file); }
sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + kRealOffset);
}
sqlite3_vfs* real(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

[[noreturn]] void end_process() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

DiskAnswer ask(DiskOperation operation, const char* path, sqlite3_int64 offset = 0,
               std::span<const std::byte> bytes = {}) {
  if (!core::files::operation_allowed()) return DiskAnswer::fail;
  DiskWatch* watch = present_watch.load(std::memory_order_acquire);
  if (watch == nullptr) return DiskAnswer::proceed;
  const DiskAnswer answer = watch->before(
      {operation, path == nullptr ? "" : path, static_cast<std::uint64_t>(offset), bytes});
  if (answer == DiskAnswer::kill) end_process();
  if (answer == DiskAnswer::tear && operation != DiskOperation::write) end_process();
  return answer;
}

int put(sqlite3_file* file, std::span<const std::byte> bytes, sqlite3_int64 offset) {
  switch (ask(DiskOperation::write, disk_file(file)->path, offset, bytes)) {
    case DiskAnswer::proceed:
      return real(file)->pMethods->xWrite(real(file), bytes.data(), static_cast<int>(bytes.size()),
                                          offset);
    case DiskAnswer::full:
      return SQLITE_FULL;
    case DiskAnswer::tear:
      (void)real(file)->pMethods->xWrite(real(file), bytes.data(),
                                         static_cast<int>(bytes.size() / 2), offset);
      end_process();
    default:
      return SQLITE_IOERR_WRITE;
  }
}

// Before anything but a write that follows, what waits goes to the file.
int put_waiting(sqlite3_file* file) {
  GatheredLog* log = disk_file(file)->log;
  if (log == nullptr) return SQLITE_OK;
  const auto [bytes, offset] = log->waiting();
  if (bytes.empty()) return SQLITE_OK;
  const int status = put(file, bytes, offset);
  status == SQLITE_OK ? log->written() : log->failed();
  return status;
}

int write(sqlite3_file* file, const void* buffer, int size, sqlite3_int64 offset) {
  const std::span bytes(static_cast<const std::byte*>(buffer), static_cast<std::size_t>(size));
  GatheredLog* log = disk_file(file)->log;
  if (log == nullptr) return put(file, bytes, offset);
  if (log->take(bytes, offset)) return log->is_complete() ? put_waiting(file) : SQLITE_OK;
  if (const int status = put_waiting(file); status != SQLITE_OK) return status;
  const int status = put(file, bytes, offset);
  status == SQLITE_OK ? log->passed(bytes, offset) : log->failed();
  return status;
}

int close_file(sqlite3_file* file) {
  (void)put_waiting(file);  // of a transaction that did not commit
  delete disk_file(file)->log;
  return real(file)->pMethods->xClose(real(file));
}

int read(sqlite3_file* file, void* buffer, int size, sqlite3_int64 offset) {
  if (const int status = put_waiting(file); status != SQLITE_OK) return status;
  if (ask(DiskOperation::read, disk_file(file)->path, offset) != DiskAnswer::proceed)
    return SQLITE_IOERR_READ;
  return real(file)->pMethods->xRead(real(file), buffer, size, offset);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int status = put_waiting(file); status != SQLITE_OK) return status;
  if (ask(DiskOperation::truncate, disk_file(file)->path, size) != DiskAnswer::proceed)
    return SQLITE_IOERR_TRUNCATE;
  return real(file)->pMethods->xTruncate(real(file), size);
}

int sync(sqlite3_file* file, int flags) {
  if (const int status = put_waiting(file); status != SQLITE_OK) return status;
  const DiskAnswer answer = ask(DiskOperation::sync, disk_file(file)->path);
  if (answer == DiskAnswer::pretend) return SQLITE_OK;
  if (answer != DiskAnswer::proceed) return SQLITE_IOERR_FSYNC;
  return real(file)->pMethods->xSync(real(file), flags);
}

int size_of(sqlite3_file* file, sqlite3_int64* size) {
  if (const int status = put_waiting(file); status != SQLITE_OK) return status;
  return real(file)->pMethods->xFileSize(real(file), size);
}
int lock(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
int check_reserved(sqlite3_file* file, int* out) {
  return real(file)->pMethods->xCheckReservedLock(real(file), out);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
void barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }

void drop_lock(sqlite3_file* file) {
  DiskFile* mine = disk_file(file);
  mine->keeps_lock = false;
  if (!std::exchange(mine->has_lock, false)) return;
  (void)real(file)->pMethods->xShmLock(real(file), kWriteLockSlot, 1,
                                       SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
}

// A kept write lock is given back in appearance only.
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  DiskFile* mine = disk_file(file);
  const bool is_write_lock = mine->keeps_lock && offset == kWriteLockSlot && count == 1;
  if (is_write_lock && mine->has_lock) return SQLITE_OK;
  const int status = real(file)->pMethods->xShmLock(real(file), offset, count, flags);
  if (is_write_lock && status == SQLITE_OK && (flags & SQLITE_SHM_LOCK) != 0) mine->has_lock = true;
  return status;
}

int unmap_shared(sqlite3_file* file, int remove) {
  drop_lock(file);
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

int control(sqlite3_file* file, int code, void* argument) {
  if (code == kKeepWriteLock) {
    disk_file(file)->keeps_lock = true;
    return SQLITE_OK;
  }
  if (code == kDropWriteLock) {
    drop_lock(file);
    return SQLITE_OK;
  }
  return real(file)->pMethods->xFileControl(real(file), code, argument);
}

// Version 2: shared memory, but no mapped reading, which a file that shrinks turns into a crash.
const sqlite3_io_methods kMethods = {2,
                                     close_file,
                                     read,
                                     write,
                                     truncate,
                                     sync,
                                     size_of,
                                     lock,
                                     unlock,
                                     check_reserved,
                                     control,
                                     sector_size,
                                     characteristics,
                                     map_shared,
                                     lock_shared,
                                     barrier,
                                     unmap_shared,
                                     nullptr,
                                     nullptr};

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  auto* mine = new (file) DiskFile{};
  mine->path = path;
  if (ask(DiskOperation::open, path) != DiskAnswer::proceed) return SQLITE_CANTOPEN;
  const int status = real(vfs)->xOpen(real(vfs), path, real(file), flags, out_flags);
  if (status != SQLITE_OK) return status;
  mine->base.pMethods = &kMethods;
  // Without memory for it, writes do not wait.
  if ((flags & SQLITE_OPEN_WAL) != 0) mine->log = new (std::nothrow) GatheredLog;
  return status;
}

int remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  if (ask(DiskOperation::remove, path) != DiskAnswer::proceed) return SQLITE_IOERR_DELETE;
  return real(vfs)->xDelete(real(vfs), path, sync_folder);
}

int access(sqlite3_vfs* vfs, const char* path, int flags, int* out) {
  return real(vfs)->xAccess(real(vfs), path, flags, out);
}
int full_path(sqlite3_vfs* vfs, const char* path, int size, char* out) {
  return real(vfs)->xFullPathname(real(vfs), path, size, out);
}
int randomness(sqlite3_vfs* vfs, int size, char* out) {
  return real(vfs)->xRandomness(real(vfs), size, out);
}
int sleep_for(sqlite3_vfs* vfs, int microseconds) {
  return real(vfs)->xSleep(real(vfs), microseconds);
}
int current_time(sqlite3_vfs* vfs, double* out) { return real(vfs)->xCurrentTime(real(vfs), out); }
int last_error(sqlite3_vfs* vfs, int size, char* out) {
  return real(vfs)->xGetLastError(real(vfs), size, out);
}
int current_time_64(sqlite3_vfs* vfs, sqlite3_int64* out) {
  return real(vfs)->xCurrentTimeInt64(real(vfs), out);
}

// The fault that the environment asks for.
class EnvironmentFault final : public DiskWatch {
 public:
  // False where the text does not read KIND:NUMBER.
  bool parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view kind = text.substr(0, colon);
    answer_ = kind == "kill"   ? DiskAnswer::kill
              : kind == "tear" ? DiskAnswer::tear
              : kind == "fail" ? DiskAnswer::fail
                               : DiskAnswer::full;
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, number);
    left_ = number;
    return parsed.ec == std::errc{} && parsed.ptr == end && number > 0;
  }
  DiskAnswer before(const DiskStep& step) override {
    if (step.operation == DiskOperation::open || step.operation == DiskOperation::read)
      return DiskAnswer::proceed;
    const std::int64_t left = left_.fetch_sub(1);
    const bool now = left == 1 || (left < 1 && answer_ == DiskAnswer::full);
    return now ? answer_ : DiskAnswer::proceed;
  }

 private:
  DiskAnswer answer_ = DiskAnswer::proceed;
  std::atomic<std::int64_t> left_{0};
};

const char* make_known() {
  sqlite3_vfs* unix_layer = sqlite3_vfs_find("unix");
  if (unix_layer == nullptr) return nullptr;  // SQLite then says that there is no such way
  static sqlite3_vfs vfs{};
  vfs.iVersion = 2;
  vfs.szOsFile = static_cast<int>(kRealOffset) + unix_layer->szOsFile;
  vfs.mxPathname = unix_layer->mxPathname;
  vfs.zName = kName;
  vfs.pAppData = unix_layer;
  vfs.xOpen = open_file;
  vfs.xDelete = remove;
  vfs.xAccess = access;
  vfs.xFullPathname = full_path;
  vfs.xRandomness = randomness;
  vfs.xSleep = sleep_for;
  vfs.xCurrentTime = current_time;
  vfs.xGetLastError = last_error;
  vfs.xCurrentTimeInt64 = current_time_64;
  sqlite3_vfs_register(&vfs, 0);

  static EnvironmentFault fault;
  if (const char* text = std::getenv("PACO_JOURNAL_FAULT"); text != nullptr && fault.parse(text))
    watch_disk(&fault);
  return kName;
}

}  // namespace

void watch_disk(DiskWatch* watch) { present_watch.store(watch, std::memory_order_release); }

const char* disk_name() {
  static const char* const name = make_known();
  return name;
}

}  // namespace paco::journal
