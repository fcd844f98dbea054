// Settings that must be the same for all replicas, workers and publishers of a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace paco::bus {

struct StreamSettings {
  std::string name;
  std::string method;                       // empty: that of the model
  std::string model;                        // its fingerprint
  std::uint64_t dimension = 0, known = 0;   // of the model
  std::uint64_t digest_every = 4096;        // events between two digests of the state
  std::uint64_t snapshot_every = 100'000;   // events between two snapshots; 0: none
  std::optional<std::uint64_t> embeddings;  // number kept by journals; unset: all
};

}  // namespace paco::bus
