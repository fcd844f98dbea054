// The plain side of bench_journal: samples as bare bytes appended to one file, with the same syncs.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "contenders.hpp"
#include "core/random.hpp"

namespace paco::bench {
namespace {

constexpr std::size_t kCoreBytes = 64;  // of a decision without its evidence

}  // namespace

MadeSamples::MadeSamples(std::size_t count, std::size_t dimension) : dimension_(dimension) {
  core::Random random(1);
  embeddings_.resize(count * dimension);
  for (double& number : embeddings_) number = static_cast<float>(random.normal());
  rows_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    rows_[i].category = static_cast<std::int64_t>(random.below(300));
    rows_[i].prototype = rows_[i].category;
    rows_[i].runner_up = static_cast<std::int64_t>(random.below(300));
    rows_[i].score = random.normal();
    rows_[i].threshold = random.normal();
    for (std::size_t e = 0; e < kEvidence; ++e) rows_[i].evidence[e] = random.normal();
    rows_[i].embedding = std::span(embeddings_).subspan(i * dimension, dimension);
  }
}

std::span<const journal::SampleRow> MadeSamples::group(std::uint64_t from, std::size_t count) {
  group_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    group_[i] = rows_[(from + i) % rows_.size()];
    group_[i].event = group_[i].sequence = from + i;
  }
  return group_;
}

journal::JournalSettings MadeSamples::settings() const {
  journal::JournalSettings settings;
  settings.method = "bench";
  settings.options = "{}";
  settings.model = "none";
  settings.dimension = dimension_;
  settings.verdicts = {"known", "existing", "created"};
  for (std::size_t i = 0; i < kEvidence; ++i)
    settings.evidence.push_back({fmt::format("evidence_{}", i), "a number", false, {}});
  return settings;
}

std::size_t MadeSamples::plain_bytes() const {
  return kCoreBytes + kEvidence * sizeof(double) + dimension_ * sizeof(float);
}

void MadeSamples::append_plain(const journal::SampleRow& row, std::string& bytes) const {
  const auto* decision = reinterpret_cast<const char*>(static_cast<const Decision*>(&row));
  bytes.append(decision, kCoreBytes);
  bytes.append(reinterpret_cast<const char*>(row.evidence.data()), kEvidence * sizeof(double));
  for (const double number : row.embedding) {
    const auto single = static_cast<float>(number);
    bytes.append(reinterpret_cast<const char*>(&single), sizeof single);
  }
}

PlainFile::PlainFile(const Harness& harness, std::string path)
    : harness_(harness),
      path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  harness_.require(descriptor_ >= 0, "cannot open " + path_);
}

PlainFile::~PlainFile() {
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

void PlainFile::write(const std::string& bytes) {
  harness_.require(
      ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
      "cannot write " + path_);
}

void PlainFile::sync() { harness_.require(::fdatasync(descriptor_) == 0, "cannot sync " + path_); }

}  // namespace paco::bench
