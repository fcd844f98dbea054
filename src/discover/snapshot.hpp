// The state of a method as a file: what has been seen, and every category with its sum, size and
// birth.
//
// Only what decisions depend on is stored; the rest is derived again. So equal states have equal
// bytes, however they came about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paco/method.hpp"

namespace paco {

struct Snapshot {
  std::string method;
  std::string model;                      // its fingerprint
  MethodStats stats;                      // `settled` is not stored
  std::vector<std::int64_t> class_sizes;  // (K) support and stream samples
  std::vector<std::int64_t> sizes;        // (categories)
  std::vector<std::int64_t> births;       // (categories) sequence numbers
  std::vector<double> sums;               // (categories, d)
};

Result<std::vector<std::byte>> snapshot_to_bytes(const Snapshot& snapshot, std::size_t dimension);

// Refuses the state of another method or model, and one whose numbers contradict each other.
Result<Snapshot> load_snapshot(const std::string& path, std::string_view method,
                               const Model& model);

}  // namespace paco
