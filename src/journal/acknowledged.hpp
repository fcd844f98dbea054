// What a writer acknowledged, kept outside the log: a small file beside the journal (`-tail`).
//
// A log that is damaged ends early, and SQLite takes what is before the damage for all there ever
// was. This record tells a torn tail, which nobody was told of, from one that was acknowledged and
// is lost. It is a lower bound: it may be older than the journal, and never newer.
//
// Two slots of one sector are written in turn, so that a torn write leaves the other one. The file
// is there as long as the log is; a closed journal is one file.
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
  std::uint64_t journal = 0;  // JournalHeader::chain_start, which no two journals share
  std::uint64_t events = 0;
  std::uint64_t chain = 0;  // after them
};

std::string acknowledged_path(const std::string& journal);

// Nothing if there is no record, or one without content; refuses a record that cannot be read.
Result<std::optional<Acknowledged>> read_acknowledged(const std::string& journal);

// Writes the record of one journal. One thread at a time.
class AcknowledgedFile {
 public:
  AcknowledgedFile() = default;
  AcknowledgedFile(const std::string& journal, std::uint64_t identity);

  bool is_kept() const { return !path_.empty(); }
  bool is_ready() const { return path_.empty() || file_.is_open(); }
  // Makes the file with what is there now, so that a full disk is noticed before an event is
  // written.
  Result<void> prepare(const JournalTail& tail);
  // After these events are on the disk. A failure is not reported: the events stand, and the record
  // stays an older one. Synced once a second, as the log has them already.
  void write(const JournalTail& tail);
  // The log is in the file, and the record has served.
  void remove();

 private:
  std::string path_;
  std::uint64_t identity_ = 0;
  core::OverwrittenFile file_;
  bool second_slot_ = false;
  std::chrono::steady_clock::time_point synced_{};
};

}  // namespace paco::journal
