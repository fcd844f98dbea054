#include "journal/gathered_log.hpp"

#include <algorithm>
#include <cstring>

namespace paco::journal {
namespace {

// SQLite's unix layer takes fewer than 128 KiB at a time.
constexpr std::size_t kMostGathered = std::size_t{120} << 10;
// Of SQLite's format: a page's header in the log, and the field in it that is not zero where the
// page commits.
constexpr std::size_t kHeaderBytes = 24, kCommitField = 4, kCommitBytes = 4;

bool says_commit(std::span<const std::byte> header) {
  const auto field = header.subspan(kCommitField, kCommitBytes);
  return std::any_of(field.begin(), field.end(), [](std::byte b) { return b != std::byte{0}; });
}

}  // namespace

// A write that does not follow on the last one (the log's own header, a header whose checksum is
// corrected afterwards) is not part of a growing transaction and does not wait.
bool GatheredLog::take(std::span<const std::byte> bytes, std::int64_t offset) {
  if (offset != end_ || bytes.size() > kMostGathered - size_) return false;
  if (buffer_ == nullptr) buffer_.reset(static_cast<std::byte*>(std::malloc(kMostGathered)));
  if (buffer_ == nullptr) return false;
  std::memcpy(buffer_.get() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  end_ += static_cast<std::int64_t>(bytes.size());
  look_at(bytes);
  return true;
}

void GatheredLog::passed(std::span<const std::byte> bytes, std::int64_t offset) {
  end_ = offset + static_cast<std::int64_t>(bytes.size());
  look_at(bytes);
}

void GatheredLog::look_at(std::span<const std::byte> bytes) {
  const bool is_header = bytes.size() == kHeaderBytes;
  is_complete_ = !is_header && commits_;
  commits_ = is_header && says_commit(bytes);
}

void GatheredLog::written() {
  size_ = 0;
  is_complete_ = false;
}

void GatheredLog::failed() {
  written();
  end_ = -1;
}

}  // namespace paco::journal
