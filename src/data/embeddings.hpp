// Embeddings from any file, a block of rows at a time.
//
// The format is found by looking at the content, not the name: npy, npz, safetensors, csv, jsonl,
// fvecs, each also packed with gzip. A file larger than memory is read in blocks without ever being
// in memory as a whole. NaN and infinity are refused here, with the row they stand in; a source may
// be used by one thread at a time.
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

#include "data/byte_stream.hpp"
#include "data/element.hpp"
#include "linalg/matrix.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco {

class EmbeddingSource {
 public:
  virtual ~EmbeddingSource() = default;

  virtual std::size_t dimension() const = 0;
  // How many rows there are in all, where the format says so before the end.
  virtual std::optional<std::uint64_t> rows() const = 0;
  // The floating type that holds the file's numbers without loss; f64 for text.
  virtual ElementType type() const = 0;
  // Fills the first rows of `block` (block.columns == dimension()) and says how many; fewer than
  // block.rows only at the end, 0 after it. `ids`, where not null, receives one id per row read if
  // the input names its rows, else nothing.
  Result<std::size_t> read(Rows<double> block, std::vector<std::string>* ids = nullptr);
  const std::string& name() const { return name_; }  // for error texts

 protected:
  explicit EmbeddingSource(std::string name) : name_(std::move(name)) {}
  virtual Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>* ids) = 0;

 private:
  std::string name_;
  std::uint64_t row_ = 0;  // of the next row, for error texts
};

Result<std::unique_ptr<EmbeddingSource>> open_embeddings(const std::string& path);
// From bytes in memory, which must outlive the source.
Result<std::unique_ptr<EmbeddingSource>> open_embeddings(std::span<const std::byte> bytes,
                                                         const std::string& name);

// All rows in memory. At least one row is needed.
Result<Matrix<double>> read_embeddings(const std::string& path);
Result<Matrix<double>> read_embeddings(EmbeddingSource& source);

}  // namespace paco
