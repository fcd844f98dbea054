// Fault injection for journals: every read, write, sync, truncation and removal that SQLite makes
// passes a watch, which lets it happen, makes it fail, or ends the process before it or in the
// middle of it.
//
// A library of its own (paco_faulty_disk) that tests link, and the program paco-faulty. The
// journal does not know of it: it becomes SQLite's default file layer when it is first used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace paco::journal {

enum class DiskOperation { open, read, write, sync, truncate, remove };

struct DiskStep {
  DiskOperation operation;
  std::string_view path;             // empty for temporary files
  std::uint64_t offset = 0;          // of a read or write; the new size of a truncation
  std::span<const std::byte> bytes;  // of a write
};

enum class DiskAnswer {
  proceed,
  pretend,  // a sync only: as if it had been done
  fail,     // as a broken device
  full,     // as a full disk; an operation other than a write fails
  kill,     // the process ends as by kill -9, before the operation
  tear,     // the same after half of the bytes of a write
};

class DiskWatch {
 public:
  virtual ~DiskWatch() = default;
  // Called by the thread that makes the step.
  virtual DiskAnswer before(const DiskStep& step) = 0;
};

// Sets the watch of this process, null for none. Files that were opened before the first call are
// not watched. A watch must outlive the operations that are in progress.
void watch_disk(DiskWatch* watch);

}  // namespace paco::journal
