// What became of events, as a message on the bus: a group of records without gap, and how far the
// stream is after it. Replicas that fold the same events make the same bytes of each record; if two
// differ, one of them is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/decided_sample.hpp"
#include "paco/result.hpp"

namespace paco::bus {

enum class RecordKind : std::uint8_t {
  decided,   // a sample; one whose key was seen before has the decision that it had then
  operated,  // an operation that was carried out
  refused,   // a sample, an operation or a foreign message that could not be
};

// The decision and the name of its category are those of a decided sample.
struct Record : io::DecidedSample {
  RecordKind kind = RecordKind::refused;
  std::string text;           // operated: what it did; refused: why
  std::uint64_t session = 0;  // operated: its event number in the journal

  std::string bytes(std::size_t evidence) const;
  std::size_t max_bytes(std::size_t evidence) const;  // as many, or a few more
  // Equal but for the text of a refusal, and for a name of a category that is not known.
  bool same_as(const Record& other, std::size_t evidence) const;
  std::string describe() const;  // for people
};

struct Group {
  std::uint64_t first = 0;                 // event of the first record
  std::uint64_t samples = 0, journal = 0;  // after it: samples, and events of the journal
  std::uint8_t evidence = 0;               // numbers of each decision
  std::uint64_t chain = 0;                 // of all events up to the last one (folding.hpp)
  std::uint64_t last_event = 0;            // checksum of the last one alone; 0: not known
  std::string publisher;                   // the replica
  std::string digest;                      // of the state after it; empty: none was due
  std::vector<Record> records;

  std::uint64_t last() const { return first + records.size() - 1; }
};

std::string group_bytes(const Group& group);
// `name` begins the message of an error.
Result<Group> parse_group(std::string_view bytes, const std::string& name);

}  // namespace paco::bus
