// The contents of a journal as plain structs: the settings of a stream, decided samples,
// operations, categories, memberships of moved samples, snapshots. See schema.hpp for how they are
// stored.
//
// Events (samples and operations) are numbered from 0 in one order without gaps; samples are
// numbered likewise by `sequence`. So event = sequence + number of earlier operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/decided_sample.hpp"

namespace paco::journal {

// One evidence number of a method: a column of the tables `samples` and `decisions`. If it is a
// choice, the number is an index into `choices`, and `decisions` shows the word.
struct JournalColumn {
  std::string name;
  std::string meaning;
  bool is_choice = false;
  std::vector<std::string> choices;

  bool operator==(const JournalColumn&) const = default;
};

// How much a journal keeps. Compaction can change only this part of the settings.
struct Retention {
  std::optional<std::uint64_t> embeddings;  // of the last so many samples; 0: none; unset: all
  std::uint64_t snapshot_samples = 0;       // distance between snapshots in samples; 0: never
  std::uint64_t snapshots = 2;              // how many snapshots are kept, the newest ones

  bool operator==(const Retention&) const = default;
};

// Fixed when the journal is made, except `retention`.
struct JournalSettings {
  std::string method;
  std::string options;  // of the method, as JSON
  std::string model;    // its fingerprint
  double created = 0;   // seconds since 1970
  std::size_t dimension = 0;
  std::vector<std::string> verdicts;  // the words that Decision::verdict indexes
  std::vector<JournalColumn> evidence;
  Retention retention;

  bool operator==(const JournalSettings&) const = default;
};

// A sample to be written. The views must be valid during the call only.
struct SampleRow : io::DecidedSample {
  std::span<const double> embedding;  // raw, as given; may be empty
  std::string_view attributes;        // a JSON object for people to see, or empty
  std::string_view picture;           // bytes of a small image file, or empty
};

// Additional data of a sample, for display; decisions do not depend on it.
struct Extras {
  std::uint64_t sequence = 0;
  std::string attributes;  // a JSON object, or empty
  std::string picture;     // also empty if it was not requested
  bool has_picture = false;

  bool empty() const { return attributes.empty() && !has_picture; }
};

// The arrival time of this sample, and of those after it up to the next row.
struct Arrival {
  std::uint64_t first_sequence = 0;
  std::int64_t time = 0;  // seconds since 1970
};

// One of the pictures shown as examples of a known class.
struct SupportPicture {
  std::int64_t category = 0;
  std::uint64_t position = 0;  // 0, 1, 2, ... of its category
  std::string picture;         // bytes of a small image file
};

struct OperationRow {
  std::uint64_t event = 0;
  std::uint64_t sequence = 0;  // samples before it
  double time = 0;             // seconds since 1970
  std::string actor;
  std::string kind;
  std::string request;  // JSON
  std::string outcome;  // JSON
  std::optional<std::uint64_t> undoes;

  bool operator==(const OperationRow&) const = default;
};

using StoredEvent = std::variant<io::DecidedSample, OperationRow>;

// The present state of a category. Ids are 0, 1, 2, ... without gaps. Each prototype has one owner:
// if the owner changes, the row of the new owner is enough.
struct CategoryRow {
  std::int64_t id = 0;
  std::string name;
  std::string kind;      // "known" or "discovered"
  std::int64_t now = 0;  // itself, or the category it forwards to
  bool retired = false;
  std::uint64_t born = 0;                // event
  std::vector<std::int64_t> prototypes;  // ascending

  bool operator==(const CategoryRow&) const = default;
};

// The prototype that a sample belongs to.
struct Membership {
  std::uint64_t sequence = 0;
  std::int64_t prototype = 0;
  bool counted = false;

  bool operator==(const Membership&) const = default;
};

struct SnapshotInfo {
  std::uint64_t event = 0;     // events before it
  std::uint64_t sequence = 0;  // samples before it
  std::string digest;
  std::uint64_t size = 0;  // bytes
};

struct Snapshot : SnapshotInfo {
  std::vector<std::byte> bytes;
};

// A file that samples were read from, and how far. Stored together with the samples.
struct SourceRow {
  std::uint64_t identity = 0;  // differs for each file, and changes if the file does
  std::uint64_t first = 0;     // first row that was read
  std::string name;            // name at the time of reading
  std::uint64_t consumed = 0;  // rows from the beginning of the file to the last sample
  std::uint64_t digest = 0;    // chain of the checksums of its samples' embeddings

  bool operator==(const SourceRow&) const = default;
};

// Where a journal ends.
struct JournalTail {
  std::uint64_t events = 0;
  std::uint64_t samples = 0;
  std::uint64_t operations = 0;
  std::uint64_t chain = 0;  // checksum of the last event and of all events before it

  bool operator==(const JournalTail&) const = default;
};

// Where the checked part of a journal ends: events up to there are as they were written.
struct CheckedTail {
  JournalTail tail;
  std::uint64_t keys = 0;  // the sum of key_sum() over its samples, in any order

  bool operator==(const CheckedTail&) const = default;
};

struct JournalInfo {
  JournalTail tail;
  std::uint64_t categories = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t embeddings = 0;       // number kept
  std::uint64_t first_embedding = 0;  // sequence of the first one kept
  std::uint64_t file_bytes = 0;
  std::uint64_t log_bytes = 0;   // beside it, not yet moved into the file
  std::uint64_t free_bytes = 0;  // inside the file, to be used again
  double created = 0;
  std::optional<double> last_operation;  // seconds since 1970
};

}  // namespace paco::journal
