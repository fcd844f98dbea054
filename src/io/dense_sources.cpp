// Embeddings from files that hold plain numbers: npy and safetensors arrays of either memory order,
// and fvecs.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/try.hpp"
#include "io/embedding_sources.hpp"
#include "io/npy_header.hpp"

namespace paco::io {
namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{1} << 34;

// Row-major numbers, converted straight out of the stream's buffer.
class RowMajorSource final : public EmbeddingSource {
 public:
  RowMajorSource(ByteStream stream, NpyHeader header)
      : EmbeddingSource(stream.name()), stream_(std::move(stream)), header_(std::move(header)) {}

  std::size_t dimension() const override { return header_.shape[1]; }
  std::optional<std::uint64_t> rows() const override { return header_.shape[0]; }
  ElementType type() const override { return floating_type_for(header_.type); }

 private:
  Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>*, Wait wait) override {
    const bool waits = stream_.may_wait();
    const std::size_t left = std::min<std::uint64_t>(block.rows, header_.shape[0] - row_);
    std::size_t rows = left;
    if (wait == Wait::for_one) {
      PACO_ASSIGN(rows, convert_ready(block, left));
    } else {
      PACO_TRY(convert(block, left));
    }
    row_ += rows;
    // A further read makes the stream verify its checksum and detects surplus bytes at the end. A
    // pipe is read further only in the next call, because its writer may wait for the decisions
    // first.
    if (row_ == header_.shape[0] && (waits ? left == 0 : rows > 0))
      PACO_TRY(expect_npy_end(stream_));
    return rows;
  }

  // Converts whole rows, even if the stream has only few of their numbers available at a time.
  Result<void> convert(Rows<double> block, std::size_t rows) {
    const std::size_t size = element_size(header_.type), wanted = rows * block.columns;
    for (std::size_t done = 0; done < wanted;) {
      PACO_ASSIGN(auto ready, stream_.peek(size));
      const std::size_t count = std::min(wanted - done, ready.size() / size);
      if (count == 0) return npy_truncated(name(), header_, row_ * block.columns + done);
      to_doubles(header_.type, header_.swapped, ready.data(), {block.data + done, count});
      stream_.consume(count * size);
      done += count;
    }
    return {};
  }

  // Converts the next row, and the following rows that are completely available.
  Result<std::size_t> convert_ready(Rows<double> block, std::size_t rows) {
    const std::size_t row_bytes = block.columns * element_size(header_.type);
    std::size_t done = 0;
    while (done < rows) {
      PACO_ASSIGN(auto ready, done == 0 ? stream_.peek(row_bytes) : stream_.peek_ready(row_bytes));
      const std::size_t count = std::min(rows - done, ready.size() / row_bytes);
      if (count == 0 && done > 0) break;
      if (count == 0) {
        return npy_truncated(name(), header_,
                             row_ * block.columns + ready.size() / element_size(header_.type));
      }
      to_doubles(header_.type, header_.swapped, ready.data(),
                 {block[done].data(), count * block.columns});
      stream_.consume(count * row_bytes);
      done += count;
    }
    return done;
  }

  ByteStream stream_;
  NpyHeader header_;
  std::uint64_t row_ = 0;
};

// Column-major numbers: each column is contiguous, so rows are gathered column by column. This is
// done for many rows at a time, independent of the caller's block, because every column is in
// different memory pages.
class ColumnMajorSource final : public EmbeddingSource {
 public:
  ColumnMajorSource(std::string name, NpyHeader header, ColumnBytes data)
      : EmbeddingSource(std::move(name)), header_(std::move(header)), data_(std::move(data)) {}

  std::size_t dimension() const override { return header_.shape[1]; }
  std::optional<std::uint64_t> rows() const override { return header_.shape[0]; }
  ElementType type() const override { return floating_type_for(header_.type); }

 private:
  static constexpr std::size_t kGathered = std::size_t{1} << 21;  // numbers
  static constexpr std::size_t kTogether = 8;                     // columns

  Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>*, Wait) override {
    std::size_t done = 0;
    while (done < block.rows) {
      if (used_ == ready_) PACO_TRY(gather());
      const std::size_t count = std::min(block.rows - done, ready_ - used_);
      if (count == 0) break;
      std::copy_n(rows_.data() + used_ * block.columns, count * block.columns, block[done].data());
      used_ += count;
      done += count;
    }
    return done;
  }

  Result<void> gather() {
    const std::uint64_t total = header_.shape[0], columns = header_.shape[1];
    const std::size_t size = element_size(header_.type);
    ready_ =
        std::min<std::uint64_t>(std::max<std::uint64_t>(1, kGathered / columns), total - next_);
    used_ = 0;
    rows_.resize(ready_ * columns);
    // Eight columns at a time, so that whole cache lines of the result are written.
    columns_.resize(kTogether * ready_);
    for (std::uint64_t c = 0; ready_ > 0 && c < columns; c += kTogether) {
      const std::size_t together = std::min<std::uint64_t>(kTogether, columns - c);
      for (std::size_t k = 0; k < together; ++k) {
        const std::uint64_t first = (c + k) * total + next_;
        PACO_ASSIGN(const auto column,
                    data_.bytes.at(data_.offset + first * size, ready_ * size, buffer_));
        to_doubles(header_.type, header_.swapped, column.data(),
                   std::span(columns_).subspan(k * ready_, ready_));
      }
      for (std::size_t r = 0; r < ready_; ++r) {
        for (std::size_t k = 0; k < together; ++k)
          rows_[r * columns + c + k] = columns_[k * ready_ + r];
      }
    }
    next_ += ready_;
    return {};
  }

  NpyHeader header_;
  ColumnBytes data_;
  std::vector<std::byte> buffer_;
  std::vector<double> rows_, columns_;
  std::size_t ready_ = 0, used_ = 0;  // of rows_
  std::uint64_t next_ = 0;            // first row that is not gathered yet
};

// Each row: its dimension as a 32-bit integer, then that many floats.
class FvecsSource final : public EmbeddingSource {
 public:
  FvecsSource(ByteStream stream, std::size_t dimension, std::optional<std::uint64_t> rows)
      : EmbeddingSource(stream.name()),
        stream_(std::move(stream)),
        dimension_(dimension),
        rows_(rows) {}

  std::size_t dimension() const override { return dimension_; }
  std::optional<std::uint64_t> rows() const override { return rows_; }
  ElementType type() const override { return ElementType::f32; }

 private:
  Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>*, Wait wait) override {
    const std::size_t row_bytes = 4 + 4 * dimension_;
    std::size_t done = 0;
    for (; done < block.rows; ++done, ++row_) {
      const bool at_once = wait == Wait::for_one && done > 0;
      PACO_ASSIGN(auto ready, at_once ? stream_.peek_ready(row_bytes) : stream_.peek(row_bytes));
      if (ready.empty() || (at_once && ready.size() < row_bytes)) break;
      std::uint32_t dimension = 0;
      if (ready.size() >= 4) std::memcpy(&dimension, ready.data(), 4);
      if (ready.size() < row_bytes && dimension == dimension_) {
        return Error{ErrorCode::bad_format, fmt::format("{}: ends inside row {}", name(), row_),
                     "copy or write the file again"};
      }
      if (dimension != dimension_) {
        return rows_before(done,
                           {ErrorCode::bad_shape,
                            fmt::format("{}: row {} says it has {} values, the rows before have {}",
                                        name(), row_, dimension, dimension_),
                            "check that this is an fvecs file; otherwise write npy"},
                           wait);
      }
      to_doubles(ElementType::f32, false, ready.data() + 4, block[done]);
      stream_.consume(row_bytes);
    }
    return done;
  }

  ByteStream stream_;
  std::size_t dimension_;
  std::optional<std::uint64_t> rows_;
  std::uint64_t row_ = 0;
};

}  // namespace

EmbeddingResult make_dense_source(ByteStream stream, const NpyHeader& header,
                                  std::optional<ColumnBytes> columns) {
  const std::string& name = stream.name();
  if (header.text_bytes > 0) {
    return Error{ErrorCode::bad_value, fmt::format("{}: holds text, embeddings are numbers", name),
                 "is this a file of labels?"};
  }
  if (header.shape.size() != 2) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: has shape {}, embeddings have two dimensions (samples, values)",
                             name, shape_text(header.shape)),
                 header.shape.size() == 1
                     ? "is this a file of labels? Otherwise use reshape in numpy"
                     : "use reshape(len(x), -1) in numpy"};
  }
  if (header.shape[1] == 0) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("{}: has shape {}: samples without a value", name, shape_text(header.shape)),
        "check the program that wrote it"};
  }
  if (header.shape[1] > kMaxDimension) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: has shape {}: more than {} values a sample", name,
                             shape_text(header.shape), kMaxDimension),
                 "samples are rows; transpose the array if they stand in columns"};
  }
  if (header.column_major && header.shape[0] > 1) {
    if (!columns) {
      PACO_ASSIGN(auto bytes, stream.read_rest(kMemoryLimit));
      if (bytes.size() != header.data_bytes()) {
        return npy_truncated(name, header, bytes.size() / header.element_bytes());
      }
      columns = ColumnBytes{FileBytes::of(std::move(bytes)), 0};
    }
    return EmbeddingResult(std::make_unique<ColumnMajorSource>(name, header, std::move(*columns)));
  }
  return EmbeddingResult(std::make_unique<RowMajorSource>(std::move(stream), header));
}

EmbeddingResult open_npy_embeddings(FormatInput input) {
  PACO_ASSIGN(const NpyHeader header, read_npy_header(input.stream));
  std::optional<ColumnBytes> columns;
  if (header.column_major && input.stream.size()) {
    columns.emplace();
    columns->offset = input.stream.position();
    PACO_ASSIGN(columns->bytes, input.whole(input.stream));
    if (columns->bytes.size() < columns->offset + header.data_bytes()) {
      return Error{ErrorCode::io,
                   fmt::format("{}: changed while it was opened", input.stream.name()),
                   "try again"};
    }
  }
  return make_dense_source(std::move(input.stream), header, std::move(columns));
}

EmbeddingResult open_fvecs_embeddings(FormatInput input) {
  ByteStream stream = std::move(input.stream);
  PACO_ASSIGN(auto head, stream.peek(4));
  std::uint32_t dimension = 0;
  if (head.size() >= 4) std::memcpy(&dimension, head.data(), 4);
  if (dimension == 0 || dimension > kMaxDimension) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: not an fvecs file: the first row claims {} values", stream.name(),
                             dimension),
                 "write npy instead"};
  }
  const std::uint64_t row_bytes = 4 + 4 * std::uint64_t{dimension};
  std::optional<std::uint64_t> rows;
  if (stream.size()) {
    rows = *stream.size() / row_bytes;
    if (*stream.size() % row_bytes != 0) {
      return Error{
          ErrorCode::bad_format,
          fmt::format("{}: not an fvecs file of {} values a row: {} bytes are no multiple of {}",
                      stream.name(), dimension, *stream.size(), row_bytes),
          "copy the file again, or check what it is"};
    }
  }
  return EmbeddingResult(std::make_unique<FvecsSource>(std::move(stream), dimension, rows));
}

}  // namespace paco::io
