// The events that a writer acknowledged, recorded outside the log in a small file beside the
// journal (`-tail`).
//
// If a log is damaged, SQLite silently ends it before the damage. This record distinguishes a torn
// tail of events that were never acknowledged from the loss of acknowledged events. It is a lower
// bound: it may be older than the journal, but never newer.
//
// Two slots of one sector each are written in turn, so a torn write leaves the other slot intact.
// The file exists as long as the log does; a closed journal is one file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/overwritten_file.hpp"
#include "journal/rows.hpp"
#include "paco/result.hpp"

namespace paco::journal {

struct Acknowledged {
  std::uint64_t journal = 0;  // JournalHeader::chain_start, unique to each journal
  std::uint64_t events = 0;
  std::uint64_t chain = 0;  // checksum after these events
};

std::string acknowledged_path(const std::string& journal);

// Returns nothing if there is no record or if it is empty; fails if it cannot be read.
Result<std::optional<Acknowledged>> read_acknowledged(const std::string& journal);

// Writes the record of one journal. One thread at a time.
class AcknowledgedFile {
 public:
  AcknowledgedFile() = default;
  AcknowledgedFile(const std::string& journal, std::uint64_t identity);

  bool is_kept() const { return !path_.empty(); }
  bool is_ready() const { return path_.empty() || file_.is_open(); }
  // Creates the file with the present tail, so that a full disk is noticed before an event is
  // written.
  Result<void> prepare(const JournalTail& tail);
  // Called when these events are on the disk. A failure is not reported: the events are stored, and
  // the older record remains. The record is synced once a second only, because the log already has
  // the events.
  void write(const JournalTail& tail);
  // Called when the log has been moved into the journal, so the record is no longer needed.
  void remove();

 private:
  std::string path_;
  std::uint64_t identity_ = 0;
  core::OverwrittenFile file_;
  bool second_slot_ = false;
  std::chrono::steady_clock::time_point synced_{};
};

}  // namespace paco::journal
