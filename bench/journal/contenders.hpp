// What bench_journal writes, and the plain way of writing it: the same numbers as bare bytes into
// one file, with the same syncs. That is the limit of the disk, without tables, chain or crash
// safety beyond the last sync.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness.hpp"
#include "journal/journal.hpp"

namespace paco::bench {

constexpr std::size_t kEvidence = 12;

// Samples of float32 numbers, all in memory before anything is timed.
class MadeSamples {
 public:
  MadeSamples(std::size_t count, std::size_t dimension);
  std::size_t size() const { return rows_.size(); }
  std::size_t dimension() const { return dimension_; }
  // Rows [from, from + count) of an endless stream that repeats these samples.
  std::span<const journal::SampleRow> group(std::uint64_t from, std::size_t count);
  journal::JournalSettings settings() const;
  // Bytes of one sample as the plain writer stores it.
  std::size_t plain_bytes() const;
  void append_plain(const journal::SampleRow& row, std::string& bytes) const;

 private:
  std::size_t dimension_;
  std::vector<double> embeddings_;
  std::vector<journal::SampleRow> rows_, group_;
};

// write() and fdatasync() of groups into one growing file.
class PlainFile {
 public:
  PlainFile(const Harness& harness, std::string path);
  ~PlainFile();
  void write(const std::string& bytes);
  void sync();

 private:
  const Harness& harness_;
  std::string path_;
  int descriptor_;
};

}  // namespace paco::bench
