// Fault injection for journals: a watch function is called for every read, write, sync, truncation
// and removal that SQLite makes. It lets the operation proceed, makes it fail, or ends the process
// before it or in the middle of it.
//
// This is a separate library (paco_faulty_disk), linked by tests and by the program paco-faulty.
// The journal has no code for it: it becomes SQLite's default file layer on first use.
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
  pretend,  // a sync only: report success without syncing
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
