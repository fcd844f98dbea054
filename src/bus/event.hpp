// An event of a stream as a message on the bus: a sample with its embedding, or an operation.
//
// The bytes: "paco", a version, a kind; then for a sample: key, id, attributes, picture, the
// element size (4 or 8) and the numbers; for an operation: its JSON. Any other message on the
// subject is foreign: it is an event too, and every replica refuses it with the same text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "paco/result.hpp"

namespace paco::bus {

inline constexpr std::size_t kMostKey = 256, kMostId = 1024;  // bytes

struct SampleEvent {
  std::string key;         // unique in the stream; never empty
  std::string id;          // name in the input; empty: its sequence number is used
  std::string attributes;  // a JSON object, or empty
  std::string picture;     // the bytes of a small image file, or empty
  std::vector<double> embedding;
};

struct OperationEvent {
  std::string json;  // in the format of session::operation_json()
};

using Event = std::variant<SampleEvent, OperationEvent>;

// `narrow`: every number is representable as float32, so four bytes are enough.
std::string event_bytes(const SampleEvent& sample, bool narrow);
std::string event_bytes(const OperationEvent& operation);

// The message of an error omits the subject: "is 12 bytes that no paco wrote".
Result<Event> parse_event(std::string_view bytes);

}  // namespace paco::bus
