// What a person might do about a stream, and what is unusual about it, from the method's own
// evidence. How each is computed, and the numbers it goes by, are written down in docs/serve.md.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "paco/operation.hpp"

namespace paco::server {

class Stream;

struct Suggestion {
  std::string id, kind, reason;  // kind: merge, split, look, drift
  double strength = 0;           // 0 .. 1
  std::optional<Operation> operation;
  std::vector<CategoryId> categories;
  std::vector<std::uint64_t> samples;
};

struct Warning {
  std::string id, kind, text;  // kind: births_rise, known_sinks, unlike_support
  std::optional<CategoryId> category;
  std::uint64_t since = 0;  // sequence number
};

struct Insight {
  std::uint64_t events = 0;
  std::vector<Suggestion> suggestions;  // the strongest first
  std::vector<Warning> warnings;
};

Insight insight_of(Stream& stream);
nlohmann::ordered_json insight_json(const Insight& insight);

}  // namespace paco::server
