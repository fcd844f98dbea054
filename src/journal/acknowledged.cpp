#include "journal/acknowledged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "core/files.hpp"
#include "core/try.hpp"
#include "journal/checksum.hpp"

namespace paco::journal {
namespace {

constexpr std::size_t kSector = 512;
constexpr std::uint64_t kMagic = 0x6c69'6174'6f63'6170;  // "pacotail"
constexpr std::chrono::seconds kBetweenSyncs{1};

// Magic, journal, events, chain, and the checksum of these.
using Slot = std::array<std::uint64_t, 5>;

std::uint64_t sum_of(const Slot& slot) {
  return checksum_of(std::as_bytes(std::span(slot).first(slot.size() - 1)));
}

Slot slot_of(std::uint64_t identity, const JournalTail& tail) {
  Slot slot = {kMagic, identity, tail.events, tail.chain, 0};
  slot.back() = sum_of(slot);
  return slot;
}

}  // namespace

std::string acknowledged_path(const std::string& journal) { return journal + "-tail"; }

Result<std::optional<Acknowledged>> read_acknowledged(const std::string& journal) {
  const std::string path = acknowledged_path(journal);
  if (core::path_kind(path) == core::PathKind::absent) return std::optional<Acknowledged>{};
  PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(path, 2 * kSector));
  std::optional<Acknowledged> newest;
  for (const std::size_t offset : {std::size_t{0}, kSector}) {
    Slot slot{};
    if (bytes.size() < offset + sizeof slot) continue;
    std::memcpy(slot.data(), bytes.data() + offset, sizeof slot);
    if (slot[0] != kMagic || slot.back() != sum_of(slot)) continue;
    if (!newest || slot[2] > newest->events) newest = Acknowledged{slot[1], slot[2], slot[3]};
  }
  // A new file may have no slot yet.
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (!newest && !std::all_of(bytes.begin(), bytes.end(), is_zero)) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: the record of what was acknowledged is damaged", path),
                 "'paco journal accept' takes what is in the journal for all that was answered"};
  }
  return newest;
}

AcknowledgedFile::AcknowledgedFile(const std::string& journal, std::uint64_t identity)
    : path_(acknowledged_path(journal)), identity_(identity) {}

Result<void> AcknowledgedFile::prepare(const JournalTail& tail) {
  if (is_ready()) return {};
  PACO_ASSIGN(core::OverwrittenFile file, core::OverwrittenFile::open(path_));
  // Clear both slots: an earlier journal with the same name may have left a record.
  std::array<std::byte, 2 * kSector> bytes{};
  const Slot slot = slot_of(identity_, tail);
  std::memcpy(bytes.data(), slot.data(), sizeof slot);
  std::memcpy(bytes.data() + kSector, slot.data(), sizeof slot);
  PACO_TRY(file.write_at(0, bytes));
  PACO_TRY(file.sync());
  file_ = std::move(file);
  return {};
}

void AcknowledgedFile::write(const JournalTail& tail) {
  if (!file_.is_open()) return;
  const Slot slot = slot_of(identity_, tail);
  const std::size_t offset = std::exchange(second_slot_, !second_slot_) ? kSector : 0;
  if (!file_.write_at(offset, std::as_bytes(std::span(slot))).ok()) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < kBetweenSyncs) return;
  synced_ = now;
  static_cast<void>(file_.sync());
}

void AcknowledgedFile::remove() {
  file_ = {};
  if (core::path_kind(path_) == core::PathKind::file) static_cast<void>(core::remove_file(path_));
}

}  // namespace paco::journal
