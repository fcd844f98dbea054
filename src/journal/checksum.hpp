// The checksums of a journal: of bytes, of the fields of a row, and the chain through all events.
//
// They find damage, not forgery. All are XXH3 of 64 bits over a fixed little-endian encoding, so a
// journal is checked alike on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "journal/rows.hpp"

namespace paco::journal {

std::uint64_t checksum_of(std::span<const std::byte> bytes);

// Of an embedding as the doubles it was given as, whatever type it is stored in.
inline std::uint64_t embedding_checksum(std::span<const double> embedding) {
  return checksum_of(std::as_bytes(embedding));
}

// Gathers the fields of a row; the memory is used again.
class FieldSum {
 public:
  void clear() { bytes_.clear(); }
  void add(std::uint64_t value) { append(&value, sizeof value); }
  void add(std::int64_t value) { append(&value, sizeof value); }
  void add(std::string_view text);
  // All NaN are one: SQLite has none and keeps NULL for them.
  void add(double value);
  std::uint64_t sum() const;

 private:
  void append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

// The link of the chain that an event makes: from the link before it and all its fields.
// `embedding` is the checksum of the sample's embedding, absent where it had none.
std::uint64_t sample_link(FieldSum& fields, std::uint64_t before, const SampleCore& core,
                          std::span<const double> evidence, std::optional<std::string_view> key,
                          std::string_view sample, std::optional<std::uint64_t> embedding);
std::uint64_t operation_link(FieldSum& fields, std::uint64_t before, const OperationRow& row);

// Of rows outside the chain.
std::uint64_t category_sum(FieldSum& fields, const CategoryRow& row);  // without prototypes
std::uint64_t prototype_sum(FieldSum& fields, std::int64_t id, std::int64_t owner);
std::uint64_t membership_sum(FieldSum& fields, const Membership& row);
std::uint64_t extras_sum(FieldSum& fields, std::uint64_t sequence, std::string_view attributes,
                         std::string_view picture);
std::uint64_t snapshot_sum(FieldSum& fields, const SnapshotInfo& info, std::uint64_t bytes);
std::uint64_t retention_sum(FieldSum& fields, const Retention& retention);
// Of everything in the settings that never changes; the chain starts with it.
std::uint64_t settings_sum(FieldSum& fields, const JournalSettings& settings, std::uint64_t model);

// A checksum of bytes that come in parts.
class PartsSum {
 public:
  PartsSum();
  ~PartsSum();
  PartsSum(const PartsSum&) = delete;
  PartsSum& operator=(const PartsSum&) = delete;
  void add(std::span<const std::byte> bytes);
  std::uint64_t sum() const;  // equals checksum_of() over all parts

 private:
  void* state_;
};

}  // namespace paco::journal
