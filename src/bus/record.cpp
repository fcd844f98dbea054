#include "bus/record.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bus/bytes.hpp"

namespace paco::bus {
namespace {

constexpr std::string_view kGroupMagic = "pacd";
constexpr std::uint8_t kGroupVersion = 3;
constexpr std::uint8_t kOldGroupVersion = 2;  // without last_event

// Writes all NaN alike, as a journal does.
void write_number(ByteWriter& out, double value) {
  out.number(std::isnan(value) ? kNotComputed : value);
}

void write_decision(ByteWriter& out, const Decision& d, std::size_t evidence) {
  out.number(d.sequence);
  out.number(d.category);
  out.number(d.prototype);
  out.number(static_cast<std::uint8_t>(d.verdict));
  out.number(static_cast<std::uint8_t>(d.counted));
  write_number(out, d.score);
  write_number(out, d.threshold);
  out.number(d.runner_up);
  for (std::size_t i = 0; i < evidence; ++i) write_number(out, d.evidence[i]);
}

bool read_decision(ByteReader& in, Decision& d, std::size_t evidence) {
  d.sequence = in.number<std::uint64_t>();
  d.category = in.number<CategoryId>();
  d.prototype = in.number<PrototypeId>();
  const auto verdict = in.number<std::uint8_t>();
  d.verdict = static_cast<Verdict>(verdict);
  d.counted = in.number<std::uint8_t>() != 0;
  d.score = in.number<double>();
  d.threshold = in.number<double>();
  d.runner_up = in.number<CategoryId>();
  for (std::size_t i = 0; i < evidence; ++i) d.evidence[i] = in.number<double>();
  return in.ok() && verdict <= static_cast<std::uint8_t>(Verdict::tentative);
}

}  // namespace

std::string Record::bytes(std::size_t evidence) const {
  std::string text_bytes;
  ByteWriter out(text_bytes);
  out.number(static_cast<std::uint8_t>(kind));
  out.text(key);
  out.text(sample);
  if (kind == RecordKind::decided) {
    write_decision(out, *this, evidence);
    out.text(name);
    return text_bytes;
  }
  out.text(text);
  if (kind == RecordKind::operated) out.number(session);
  return text_bytes;
}

std::size_t Record::max_bytes(std::size_t evidence) const {
  constexpr std::size_t kNumbers = 96;  // lengths, and the numbers that every decision has
  return kNumbers + key.size() + sample.size() + name.size() + text.size() +
         evidence * sizeof(double);
}

bool Record::same_as(const Record& other, std::size_t evidence) const {
  if (kind == RecordKind::refused && other.kind == kind)
    return key == other.key && sample == other.sample;
  if (kind == RecordKind::decided && name.empty() != other.name.empty()) {
    Record named = name.empty() ? *this : other;
    named.name = name.empty() ? other.name : name;
    return named.bytes(evidence) == (name.empty() ? other : *this).bytes(evidence);
  }
  return bytes(evidence) == other.bytes(evidence);
}

std::string Record::describe() const {
  switch (kind) {
    case RecordKind::decided:
      return fmt::format("sample {} '{}': {} '{}'", sequence, key, verdict_name(verdict), name);
    case RecordKind::operated:
      return text;
    case RecordKind::refused:
      break;
  }
  return fmt::format("refused: {}{}{}", key, key.empty() ? "it " : " ", text);
}

std::string group_bytes(const Group& group) {
  std::string bytes;
  ByteWriter out(bytes);
  out.bytes(kGroupMagic.data(), kGroupMagic.size());
  out.number(kGroupVersion);
  out.number(group.evidence);
  out.number(group.first);
  out.number(group.samples);
  out.number(group.journal);
  out.number(group.chain);
  out.number(group.last_event);
  out.text(group.publisher);
  out.text(group.digest);
  out.number(static_cast<std::uint32_t>(group.records.size()));
  for (const Record& record : group.records) bytes += record.bytes(group.evidence);
  return bytes;
}

Result<Group> parse_group(std::string_view bytes, const std::string& name) {
  ByteReader in(bytes);
  Group group;
  const bool ours = in.bytes(kGroupMagic.size()) == kGroupMagic && in.ok();
  const auto version = in.number<std::uint8_t>();
  if (!ours || (version != kGroupVersion && version != kOldGroupVersion)) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: a foreign message of {} bytes", name, bytes.size()),
                 "only 'paco bus decide' and 'paco serve --bus' of one version write there"};
  }
  group.evidence = in.number<std::uint8_t>();
  group.first = in.number<std::uint64_t>();
  group.samples = in.number<std::uint64_t>();
  group.journal = in.number<std::uint64_t>();
  group.chain = in.number<std::uint64_t>();
  if (version != kOldGroupVersion) group.last_event = in.number<std::uint64_t>();
  group.publisher = in.text();
  group.digest = in.text();
  const auto count = in.number<std::uint32_t>();
  bool good = in.ok() && group.evidence <= kMaxEvidence && group.first > 0 && count > 0;
  for (std::uint32_t i = 0; good && i < count; ++i) {
    Record record;
    const auto kind = in.number<std::uint8_t>();
    record.kind = static_cast<RecordKind>(kind);
    record.key = in.text();
    record.sample = in.text();
    good = in.ok() && kind <= static_cast<std::uint8_t>(RecordKind::refused);
    if (good && record.kind == RecordKind::decided) {
      good = read_decision(in, record, group.evidence);
      record.name = in.text();
    } else if (good) {
      record.text = in.text();
      if (record.kind == RecordKind::operated) record.session = in.number<std::uint64_t>();
    }
    good = good && in.ok();
    if (good) group.records.push_back(std::move(record));
  }
  if (!good || in.left() > 0) {
    return Error{ErrorCode::bad_format, fmt::format("{}: a damaged group of decisions", name),
                 "see who else has the right to write to this subject"};
  }
  return group;
}

}  // namespace paco::bus
