#include "journal/checksum.hpp"

#include <array>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace paco::journal {
namespace {

// The kind of row comes first, so that rows of different kinds have different checksums.
enum RowKind {
  sample,
  operation,
  category,
  prototype,
  membership,
  snapshot,
  retention,
  fixed,
  extras,
  source,
  key_entry,
  checked,
  arrival,
  support_picture
};

}  // namespace

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void FieldSum::add(const std::vector<JournalColumn>& columns) {
  append(std::uint64_t{columns.size()});
  for (const JournalColumn& column : columns) {
    add(std::string_view(column.name));
    add(std::string_view(column.meaning));
    add(column.is_choice);
    add(column.choices);
  }
}

std::optional<std::string_view> key_of(const io::DecidedSample& decided) {
  return decided.key.empty() ? std::nullopt : std::optional<std::string_view>(decided.key);
}

std::uint64_t sample_link(FieldSum& fields, std::uint64_t before, const io::DecidedSample& d,
                          std::size_t evidence, std::optional<std::uint64_t> embedding) {
  return fields.of(int{sample}, before, d.event, d.sequence, d.category, d.prototype, d.runner_up,
                   static_cast<std::uint8_t>(d.verdict), d.counted, d.score, d.threshold,
                   std::span(d.evidence).first(evidence), key_of(d), std::string_view(d.sample),
                   embedding);
}

std::uint64_t operation_link(FieldSum& fields, std::uint64_t before, const OperationRow& row) {
  return fields.of(int{operation}, before, row.event, row.sequence, row.time, row.actor, row.kind,
                   row.request, row.outcome, row.undoes);
}

std::uint64_t category_sum(FieldSum& fields, const CategoryRow& row) {
  return fields.of(int{category}, row.id, row.name, row.kind, row.now, row.retired, row.born);
}

std::uint64_t prototype_sum(FieldSum& fields, std::int64_t id, std::int64_t owner) {
  return fields.of(int{prototype}, id, owner);
}

std::uint64_t membership_sum(FieldSum& fields, const Membership& row) {
  return fields.of(int{membership}, row.sequence, row.prototype, row.counted);
}

std::uint64_t extras_sum(FieldSum& fields, std::uint64_t sequence, std::string_view attributes,
                         std::string_view picture) {
  return fields.of(int{extras}, sequence, attributes,
                   checksum_of(std::as_bytes(std::span(picture))));
}

std::uint64_t arrival_sum(FieldSum& fields, const Arrival& row) {
  return fields.of(int{arrival}, row.first_sequence, row.time);
}

std::uint64_t support_picture_sum(FieldSum& fields, const SupportPicture& row) {
  return fields.of(int{support_picture}, row.category, row.position,
                   checksum_of(std::as_bytes(std::span(row.picture))));
}

std::uint64_t source_sum(FieldSum& fields, const SourceRow& row) {
  return fields.of(int{source}, row.identity, row.first, row.name, row.consumed, row.digest);
}

std::uint64_t source_digest(std::uint64_t before, std::span<const double> embedding) {
  const std::array<std::uint64_t, 2> both{before, embedding_checksum(embedding)};
  return checksum_of(std::as_bytes(std::span(both)));
}

std::uint64_t snapshot_sum(FieldSum& fields, const SnapshotInfo& info, std::uint64_t bytes) {
  return fields.of(int{snapshot}, info.event, info.sequence, info.digest, info.size, bytes);
}

std::uint64_t key_sum(FieldSum& fields, std::string_view key, std::uint64_t sequence) {
  return fields.of(int{key_entry}, key, sequence);
}

std::uint64_t checked_sum(FieldSum& fields, const CheckedTail& mark, bool needs_log) {
  return fields.of(int{checked}, mark.tail.events, mark.tail.samples, mark.tail.operations,
                   mark.tail.chain, mark.keys, std::uint64_t{needs_log});
}

std::uint64_t retention_sum(FieldSum& fields, const Retention& kept) {
  return fields.of(int{retention}, kept.embeddings, kept.snapshot_samples, kept.snapshots);
}

std::uint64_t settings_sum(FieldSum& fields, const JournalSettings& settings, std::uint64_t model) {
  return fields.of(int{fixed}, settings.method, settings.options, settings.model, settings.created,
                   settings.dimension, settings.verdicts, settings.evidence, model);
}

}  // namespace paco::journal
