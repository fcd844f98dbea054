// The writes of a transaction to a write-ahead log, gathered into few. SQLite writes a log page by
// page, and each page as a header and its bytes: two calls to the system for 8 KiB. What follows
// directly on what was written before waits here and goes to the file as one write, at the latest
// with the page that commits, for from then on others may read it.
//
// Only when bytes go to the file is decided here, not how: disk.cpp writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace paco::journal {

class GatheredLog {
 public:
  struct Waiting {
    std::span<const std::byte> bytes;
    std::int64_t offset;
  };

  // Takes a write where it can wait. False: what waits goes to the file first, then this write too,
  // which passed() is told.
  bool take(std::span<const std::byte> bytes, std::int64_t offset);
  void passed(std::span<const std::byte> bytes, std::int64_t offset);
  // Whether what waits ends with a page that commits.
  bool is_complete() const { return is_complete_; }
  Waiting waiting() const { return {{buffer_.get(), size_}, end_ - std::int64_t(size_)}; }
  // What waited is in the file.
  void written();
  // A write failed: its transaction will be given up, and what waited with it.
  void failed();

 private:
  void look_at(std::span<const std::byte> bytes);

  struct Release {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Release> buffer_;  // made by the first write that waits
  std::size_t size_ = 0;
  std::int64_t end_ = -1;  // of the last write, waiting or not
  bool commits_ = false;   // the last write is the header of a page that commits
  bool is_complete_ = false;
};

}  // namespace paco::journal
