// Embeddings into a file, a block of rows at a time; the counterpart of embeddings.hpp.
//
// The format follows from the name (format.hpp): .npy .npz .safetensors .csv .jsonl .fvecs. npy,
// csv, jsonl and fvecs are written as the rows come; npz and safetensors, whose heads need the size
// of the whole, collect them in memory first. The file appears under its name only at commit(). One
// thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/element.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::io {

class EmbeddingWriter {
 public:
  virtual ~EmbeddingWriter() = default;

  // `ids` names the rows in csv and jsonl files (other formats store no names): empty, or one per
  // row, and the same choice for every block.
  virtual Result<void> append(Rows<const double> block, const std::vector<std::string>& ids) = 0;
  virtual Result<void> commit() = 0;
};

using EmbeddingWriterResult = Result<std::unique_ptr<EmbeddingWriter>>;

// `type` is f16, f32 or f64 and applies to npy, npz and safetensors; fvecs is always f32; text has
// all digits of a double.
EmbeddingWriterResult create_embeddings(const std::string& path, std::size_t dimension,
                                        ElementType type = ElementType::f32);

// One function for each format, for the table.
EmbeddingWriterResult create_npy_embeddings(const std::string& path, std::size_t dimension,
                                            ElementType type);
EmbeddingWriterResult create_npz_embeddings(const std::string& path, std::size_t dimension,
                                            ElementType type);
EmbeddingWriterResult create_safetensors_embeddings(const std::string& path, std::size_t dimension,
                                                    ElementType type);
EmbeddingWriterResult create_csv_embeddings(const std::string& path, std::size_t dimension,
                                            ElementType type);
EmbeddingWriterResult create_jsonl_embeddings(const std::string& path, std::size_t dimension,
                                              ElementType type);
EmbeddingWriterResult create_fvecs_embeddings(const std::string& path, std::size_t dimension,
                                              ElementType type);

}  // namespace paco::io
