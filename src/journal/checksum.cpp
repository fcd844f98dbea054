#include "journal/checksum.hpp"

#include <cmath>
#include <limits>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace paco::journal {
namespace {

// The kind of row comes first, so that no row passes for one of another kind.
enum RowKind : std::uint64_t {
  sample,
  operation,
  category,
  prototype,
  membership,
  snapshot,
  retention,
  fixed,
  extras
};

void add_optional(FieldSum& fields, const std::optional<std::uint64_t>& value) {
  fields.add(std::uint64_t{value.has_value()});
  fields.add(value.value_or(0));
}

}  // namespace

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void FieldSum::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  append(text.data(), text.size());
}

void FieldSum::add(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  append(&value, sizeof value);
}

std::uint64_t FieldSum::sum() const { return XXH3_64bits(bytes_.data(), bytes_.size()); }

std::uint64_t sample_link(FieldSum& fields, std::uint64_t before, const SampleCore& core,
                          std::span<const double> evidence, std::optional<std::string_view> key,
                          std::string_view name, std::optional<std::uint64_t> embedding) {
  fields.clear();
  fields.add(std::uint64_t{sample});
  fields.add(before);
  fields.add(core.event);
  fields.add(core.sequence);
  fields.add(core.category);
  fields.add(core.prototype);
  fields.add(core.runner_up);
  fields.add(std::uint64_t{core.verdict} << 1 | std::uint64_t{core.counted});
  fields.add(core.score);
  fields.add(core.threshold);
  for (const double value : evidence) fields.add(value);
  fields.add(std::uint64_t{key.has_value()});
  fields.add(key.value_or(""));
  fields.add(name);
  add_optional(fields, embedding);
  return fields.sum();
}

std::uint64_t operation_link(FieldSum& fields, std::uint64_t before, const OperationRow& row) {
  fields.clear();
  fields.add(std::uint64_t{operation});
  fields.add(before);
  fields.add(row.event);
  fields.add(row.sequence);
  fields.add(row.time);
  fields.add(row.actor);
  fields.add(row.kind);
  fields.add(row.request);
  fields.add(row.outcome);
  add_optional(fields, row.undoes);
  return fields.sum();
}

std::uint64_t category_sum(FieldSum& fields, const CategoryRow& row) {
  fields.clear();
  fields.add(std::uint64_t{category});
  fields.add(row.id);
  fields.add(row.name);
  fields.add(row.kind);
  fields.add(row.now);
  fields.add(std::uint64_t{row.retired});
  fields.add(row.born);
  return fields.sum();
}

std::uint64_t prototype_sum(FieldSum& fields, std::int64_t id, std::int64_t owner) {
  fields.clear();
  fields.add(std::uint64_t{prototype});
  fields.add(id);
  fields.add(owner);
  return fields.sum();
}

std::uint64_t membership_sum(FieldSum& fields, const Membership& row) {
  fields.clear();
  fields.add(std::uint64_t{membership});
  fields.add(row.sequence);
  fields.add(row.prototype);
  fields.add(std::uint64_t{row.counted});
  return fields.sum();
}

std::uint64_t extras_sum(FieldSum& fields, std::uint64_t sequence, std::string_view attributes,
                         std::string_view picture) {
  fields.clear();
  fields.add(std::uint64_t{extras});
  fields.add(sequence);
  fields.add(attributes);
  fields.add(checksum_of(std::as_bytes(std::span(picture))));
  return fields.sum();
}

std::uint64_t snapshot_sum(FieldSum& fields, const SnapshotInfo& info, std::uint64_t bytes) {
  fields.clear();
  fields.add(std::uint64_t{snapshot});
  fields.add(info.event);
  fields.add(info.sequence);
  fields.add(info.digest);
  fields.add(info.size);
  fields.add(bytes);
  return fields.sum();
}

std::uint64_t retention_sum(FieldSum& fields, const Retention& kept) {
  fields.clear();
  fields.add(std::uint64_t{retention});
  add_optional(fields, kept.embeddings);
  fields.add(kept.snapshot_samples);
  fields.add(kept.snapshots);
  return fields.sum();
}

std::uint64_t settings_sum(FieldSum& fields, const JournalSettings& settings, std::uint64_t model) {
  fields.clear();
  fields.add(std::uint64_t{fixed});
  fields.add(settings.method);
  fields.add(settings.options);
  fields.add(settings.model);
  fields.add(settings.created);
  fields.add(std::uint64_t{settings.dimension});
  fields.add(std::uint64_t{settings.verdicts.size()});
  for (const std::string& verdict : settings.verdicts) fields.add(verdict);
  fields.add(std::uint64_t{settings.evidence.size()});
  for (const JournalColumn& column : settings.evidence) {
    fields.add(column.name);
    fields.add(column.meaning);
    fields.add(std::uint64_t{column.is_choice});
    fields.add(std::uint64_t{column.choices.size()});
    for (const std::string& choice : column.choices) fields.add(choice);
  }
  fields.add(model);
  return fields.sum();
}

// XXH3_createState gives memory of the alignment that its state needs, or null; without memory
// everything sums to 0, which no stored sum is likely to be.
PartsSum::PartsSum() : state_(XXH3_createState()) {
  if (state_ != nullptr) XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_));
}

PartsSum::~PartsSum() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

void PartsSum::add(std::span<const std::byte> bytes) {
  if (state_ != nullptr)
    XXH3_64bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}

std::uint64_t PartsSum::sum() const {
  return state_ == nullptr ? 0 : XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state_));
}

}  // namespace paco::journal
