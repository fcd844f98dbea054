// The checksums of a journal: of bytes, of the fields of a row, and the chain through all events.
//
// They find damage, not forgery. All are XXH3 of 64 bits over a fixed little-endian encoding, the
// same on every machine.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/rows.hpp"

namespace paco::journal {

std::uint64_t checksum_of(std::span<const std::byte> bytes);

// Of an embedding as doubles, whatever type it is stored in.
inline std::uint64_t embedding_checksum(std::span<const double> embedding) {
  return checksum_of(std::as_bytes(embedding));
}

// The digest of a source after one more sample with this embedding.
std::uint64_t source_digest(std::uint64_t before, std::span<const double> embedding);

// The checksum of the fields of a row. It is a class only so that its memory can be reused.
class FieldSum {
 public:
  // Integers, doubles, texts, and lists and optionals of them.
  template <class... Fields>
  std::uint64_t of(const Fields&... fields) {
    bytes_.clear();
    (add(fields), ...);
    return checksum_of(std::as_bytes(std::span(bytes_)));
  }

 private:
  template <std::integral Integer>
  void add(Integer value) {
    append(static_cast<std::uint64_t>(value));
  }
  // All NaN count as equal: SQLite stores NULL for them.
  void add(double value) {
    append(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  void add(std::string_view text) {
    append(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void add(std::span<const double> values) {  // a fixed number of them
    for (const double value : values) add(value);
  }
  void add(const std::vector<std::string>& texts) {
    append(std::uint64_t{texts.size()});
    for (const std::string& text : texts) add(std::string_view(text));
  }
  void add(const std::vector<JournalColumn>& columns);
  template <class Value>
  void add(const std::optional<Value>& value) {
    append(std::uint64_t{value.has_value()});
    add(value.value_or(Value{}));
  }
  template <class Number>
  void append(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string bytes_;
};

// The chain after an event: a checksum of the chain before it and all its fields. `embedding` is
// the checksum of the sample's embedding, absent if it had none.
// `evidence`: the number of evidence values of each sample in this journal.
std::uint64_t sample_link(FieldSum& fields, std::uint64_t before, const io::DecidedSample& sample,
                          std::size_t evidence, std::optional<std::uint64_t> embedding);
std::optional<std::string_view> key_of(const io::DecidedSample& sample);
std::uint64_t operation_link(FieldSum& fields, std::uint64_t before, const OperationRow& row);

// Checksums of rows outside the chain.
std::uint64_t category_sum(FieldSum& fields, const CategoryRow& row);  // without prototypes
std::uint64_t prototype_sum(FieldSum& fields, std::int64_t id, std::int64_t owner);
std::uint64_t membership_sum(FieldSum& fields, const Membership& row);
std::uint64_t extras_sum(FieldSum& fields, std::uint64_t sequence, std::string_view attributes,
                         std::string_view picture);
std::uint64_t arrival_sum(FieldSum& fields, const Arrival& row);
std::uint64_t support_picture_sum(FieldSum& fields, const SupportPicture& row);
std::uint64_t source_sum(FieldSum& fields, const SourceRow& row);
std::uint64_t snapshot_sum(FieldSum& fields, const SnapshotInfo& info, std::uint64_t bytes);
// The checksum of a key and its sample. The sum over all keys is compared with the index of keys.
std::uint64_t key_sum(FieldSum& fields, std::string_view key, std::uint64_t sequence);
std::uint64_t checked_sum(FieldSum& fields, const CheckedTail& checked, bool needs_log);
std::uint64_t retention_sum(FieldSum& fields, const Retention& retention);
// The checksum of all settings that never change; the chain starts with it.
std::uint64_t settings_sum(FieldSum& fields, const JournalSettings& settings, std::uint64_t model);

}  // namespace paco::journal
