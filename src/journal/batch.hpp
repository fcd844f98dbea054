// Events on their way into a journal, with all that they change: what one transaction writes. Owns
// its memory, so that it can wait for its turn in relaxed mode; cleared, it keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/rows.hpp"

namespace paco::journal {

class Batch {
 public:
  struct Sample {
    SampleCore core;
    bool has_key = false;
    bool has_embedding = false;
    std::size_t text = 0;  // where its key and, after it, its name begin in `texts`
    std::size_t key_size = 0;
    std::size_t name_size = 0;
  };

  void add(const SampleRow& row);
  void add(const OperationRow& row);
  void add(std::span<const CategoryRow> changed);
  void add(std::span<const Membership> where);
  void add(Snapshot snapshot);
  void clear();
  // Where a batch ends, to go back to when adding to it fails.
  struct Mark {
    std::size_t samples, evidence, embeddings, texts, operations, categories, moved, snapshots,
        extras, bytes;
  };
  Mark mark() const;
  void cut(const Mark& mark);
  bool empty() const {
    return samples.empty() && operations.empty() && categories.empty() && moved.empty() &&
           snapshots.empty();
  }
  std::size_t bytes() const { return bytes_; }  // about, to bound what waits

  std::optional<std::string_view> key(const Sample& sample) const {
    if (!sample.has_key) return std::nullopt;
    return std::string_view(texts).substr(sample.text, sample.key_size);
  }
  std::string_view name(const Sample& sample) const {
    return std::string_view(texts).substr(sample.text + sample.key_size, sample.name_size);
  }

  std::vector<Sample> samples;
  std::vector<double> evidence;    // (samples, evidence columns)
  std::vector<double> embeddings;  // (samples that have one, dimension)
  std::string texts;
  std::vector<OperationRow> operations;
  std::vector<CategoryRow> categories;  // in the order in which they were changed
  std::vector<Membership> moved;
  std::vector<Snapshot> snapshots;
  std::vector<Extras> extras;  // of the samples that have any

 private:
  std::size_t bytes_ = 0;
};

}  // namespace paco::journal
