// SQLite's way to the disk, with a place where a test can stand: every read, write, sync,
// truncation and removal of a journal's files passes a watch, which may let it happen, make it
// fail, or end the process before it or half-way through it. The rest is SQLite's own.
//
// The many small writes of a transaction to the log become few on the way (gathered_log.hpp). It
// also keeps the write lock of a journal between transactions: one writer for as long as it
// lives, and the system frees the lock when it dies.
//
// Without a watch an operation costs two loads more than plain SQLite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace paco::journal {

enum class DiskOperation { open, read, write, sync, truncate, remove };

struct DiskStep {
  DiskOperation operation;
  std::string_view path;
  std::uint64_t offset = 0;          // of a read or write; the new size of a truncation
  std::span<const std::byte> bytes;  // of a write
};

enum class DiskAnswer {
  proceed,
  pretend,  // a sync only: as if it had been done
  fail,     // as a broken device
  full,     // as a full disk; what is not a write fails
  kill,     // the process ends as by kill -9, before the operation
  tear,     // ... after half of the bytes of a write
};

class DiskWatch {
 public:
  virtual ~DiskWatch() = default;
  // Called by whichever thread makes the step.
  virtual DiskAnswer before(const DiskStep& step) = 0;
};

// Sets the watch of this process, null for none. Set and removed while no journal is in use, or
// where the watch outlives the journals that are.
//
// For whole programs: PACO_JOURNAL_FAULT=kill:17 (or tear, fail, full) in the environment does that
// to the 17th write, sync, truncation or removal. `full` lasts to the end of the process.
void watch_disk(DiskWatch* watch);

// The name by which SQLite knows this way; it is made known on the first call.
const char* disk_name();

// Codes for sqlite3_file_control on the main file.
constexpr int kKeepWriteLock = 0x7061'6301;  // from now on a write lock once taken is kept
constexpr int kDropWriteLock = 0x7061'6302;  // given back, and no longer kept

}  // namespace paco::journal
