#include "journal/batch.hpp"

#include <utility>

namespace paco::journal {

void Batch::add(const SampleRow& row) {
  Sample& sample = samples.emplace_back();
  sample.core = row;
  sample.text = texts.size();
  if (row.key) {
    sample.has_key = true;
    sample.key_size = row.key->size();
    texts += *row.key;
  }
  sample.name_size = row.sample.size();
  texts += row.sample;
  evidence.insert(evidence.end(), row.evidence.begin(), row.evidence.end());
  sample.has_embedding = !row.embedding.empty();
  embeddings.insert(embeddings.end(), row.embedding.begin(), row.embedding.end());
  bytes_ += sizeof sample + sample.key_size + sample.name_size + row.evidence.size_bytes() +
            row.embedding.size_bytes();
  if (row.attributes.empty() && row.picture.empty()) return;
  extras.push_back(
      {row.sequence, std::string(row.attributes), std::string(row.picture), !row.picture.empty()});
  bytes_ += sizeof(Extras) + row.attributes.size() + row.picture.size();
}

void Batch::add(const OperationRow& row) {
  operations.push_back(row);
  bytes_ += sizeof row + row.request.size() + row.outcome.size();
}

void Batch::add(std::span<const CategoryRow> changed) {
  categories.insert(categories.end(), changed.begin(), changed.end());
  for (const CategoryRow& row : changed)
    bytes_ += sizeof row + row.name.size() + row.prototypes.size() * sizeof(std::int64_t);
}

void Batch::add(std::span<const Membership> where) {
  moved.insert(moved.end(), where.begin(), where.end());
  bytes_ += where.size_bytes();
}

void Batch::add(Snapshot snapshot) {
  bytes_ += snapshot.bytes.size();
  snapshots.push_back(std::move(snapshot));
}

Batch::Mark Batch::mark() const {
  return {samples.size(),    evidence.size(), embeddings.size(), texts.size(),  operations.size(),
          categories.size(), moved.size(),    snapshots.size(),  extras.size(), bytes_};
}

void Batch::cut(const Mark& mark) {
  samples.resize(mark.samples);
  evidence.resize(mark.evidence);
  embeddings.resize(mark.embeddings);
  texts.resize(mark.texts);
  operations.resize(mark.operations);
  categories.resize(mark.categories);
  moved.resize(mark.moved);
  snapshots.resize(mark.snapshots);
  extras.resize(mark.extras);
  bytes_ = mark.bytes;
}

void Batch::clear() { cut({}); }

}  // namespace paco::journal
