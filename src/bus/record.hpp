// The outcomes of events as a message on the bus: a group of consecutive records, and the position
// of the stream after it. Replicas that fold the same events make the same bytes for each record;
// if two differ, one replica is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/decided_sample.hpp"
#include "paco/result.hpp"

namespace paco::bus {

enum class RecordKind : std::uint8_t {
  decided,   // a sample; a repeated key has its earlier decision
  operated,  // an operation that was carried out
  refused,   // a sample, operation or foreign message that was refused
};

// The decision and the category name are set only if `kind` is `decided`.
struct Record : io::DecidedSample {
  RecordKind kind = RecordKind::refused;
  std::string text;           // operated: what it did; refused: why
  std::uint64_t session = 0;  // operated: its event number in the journal

  std::string bytes(std::size_t evidence) const;
  std::size_t max_bytes(std::size_t evidence) const;  // an upper bound, close to the exact size
  // Equal except for the text of a refusal, and for a category name that one of them lacks.
  bool same_as(const Record& other, std::size_t evidence) const;
  std::string describe() const;  // for people
};

struct Group {
  std::uint64_t first = 0;                 // event of the first record
  std::uint64_t samples = 0, journal = 0;  // totals after this group
  std::uint8_t evidence = 0;               // evidence numbers per decision
  std::uint64_t chain = 0;                 // of all events up to the last one
  std::uint64_t last_event = 0;            // checksum of the last event; 0: unknown
  std::string publisher;                   // name of the replica
  std::string digest;                      // of the state after it, if one was due
  std::vector<Record> records;

  std::uint64_t last() const { return first + records.size() - 1; }
};

std::string group_bytes(const Group& group);
// `name` begins the message of an error.
Result<Group> parse_group(std::string_view bytes, const std::string& name);

}  // namespace paco::bus
