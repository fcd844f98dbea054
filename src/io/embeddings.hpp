// Embeddings from any file, a block of rows at a time.
//
// The format is found by looking at the content, not the name: npy, npz, safetensors, csv, jsonl,
// fvecs, each also packed with gzip. A file larger than memory is read in blocks without ever being
// in memory as a whole. A source may be used by one thread at a time.
//
// Where an npz or safetensors file holds several arrays, "FILE#NAME" names one; without a name the
// array called "embeddings", or else the only one with two dimensions, is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/element.hpp"
#include "math/matrix.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::io {

class EmbeddingSource;
Result<std::unique_ptr<EmbeddingSource>> open_embeddings(const std::string& path);

class EmbeddingSource {
 public:
  virtual ~EmbeddingSource() = default;

  virtual std::size_t dimension() const = 0;
  // The total number of rows, if the format gives it before the end.
  virtual std::optional<std::uint64_t> rows() const = 0;
  // The floating type that holds the file's numbers without loss; f64 for text.
  virtual ElementType type() const = 0;
  // Remarks on how the input was interpreted, e.g. a column that is not a value.
  virtual std::vector<std::string> notes() const { return {}; }

  // Fills the first rows of `block` (block.columns == dimension()) and returns their number; fewer
  // than block.rows only at the end, 0 after it. `ids`, if not null, receives one id per row read
  // if the input names its rows, otherwise nothing. Numbers are returned unchecked, including NaN
  // and infinity: rows may be skipped unused, so a caller that uses them calls check_finite().
  Result<std::size_t> read(Rows<double> block, std::vector<std::string>* ids = nullptr);
  // Same, but waits for one row only: from a pipe it takes the complete rows that are available.
  // From a file, which never waits, it fills the block. Returns 0 only at the end. If a row cannot
  // be read, the rows before it are returned first, and the next call returns the error.
  Result<std::size_t> read_ready(Rows<double> block, std::vector<std::string>* ids = nullptr);
  // The number of rows of a block worth allocating: at most `wanted` and at most rows(). For very
  // long rows it is smaller, so that a block stays below 32 MiB or holds one row.
  std::size_t block_rows(std::size_t wanted) const;
  const std::string& name() const { return name_; }  // for error texts

  // For a plain file that open_embeddings() opened by its path: a number made from its path, size
  // and time of change. It differs between files, and changes if the file changes. Nothing for a
  // pipe or memory.
  const std::optional<std::uint64_t>& identity() const { return identity_; }
  // Opens the same input again, from its first row on. Returns an error if the input cannot be read
  // twice, or if the file has changed meanwhile.
  Result<std::unique_ptr<EmbeddingSource>> rewound() const;

 protected:
  enum class Wait { for_all, for_one };

  explicit EmbeddingSource(std::string name) : name_(std::move(name)) {}
  virtual Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>* ids,
                                        Wait wait) = 0;
  // The result of read_rows() if the row after `done` rows cannot be read.
  Result<std::size_t> rows_before(std::size_t done, Error error, Wait wait);

 private:
  friend Result<std::unique_ptr<EmbeddingSource>> open_embeddings(const std::string& path);
  std::string name_;
  std::string path_;  // by which it was opened
  std::optional<std::uint64_t> identity_;
  std::optional<Error> bad_row_;  // the next row
};

// Returns an error that names the first NaN or infinity. `name` stands for the input; the first of
// these rows has the number `first_row` in it.
Result<void> check_finite(Rows<const double> rows, const std::string& name,
                          std::uint64_t first_row);

// From bytes in memory, which must outlive the source.
Result<std::unique_ptr<EmbeddingSource>> open_embeddings(std::span<const std::byte> bytes,
                                                         const std::string& name);

// All rows in memory, every number finite. At least one row is needed.
Result<math::Matrix<double>> read_embeddings(const std::string& path);
Result<math::Matrix<double>> read_embeddings(EmbeddingSource& source);
// Same, if `rows` rows are expected, one for each label of the file `labels`. A different number is
// an error as soon as it is known, often before any row is read.
Result<math::Matrix<double>> read_embeddings(EmbeddingSource& source, std::uint64_t rows,
                                             const std::string& labels);

}  // namespace paco::io
