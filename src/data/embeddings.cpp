#include "data/embeddings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "base/try.hpp"
#include "data/array_file.hpp"
#include "data/element.hpp"
#include "data/embedding_sources.hpp"
#include "data/format.hpp"

namespace paco {
namespace {

// Numbers that are read and checked at a time: what was written is still in the cache when it is
// checked.
constexpr std::size_t kStep = std::size_t{1} << 14;

// `bytes` opens the whole content for the formats that need more than a stream.
template <class OpenBytes>
EmbeddingResult open_stream(ByteStream stream, const std::string& member, OpenBytes bytes) {
  PACO_ASSIGN(auto head, stream.peek(kDetectBytes));
  const FileFormat format = detect_format(head);
  const std::string name = stream.name();
  if (!member.empty() && format != FileFormat::zip && format != FileFormat::safetensors) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("{}: holds one array, '#{}' cannot choose", name, member),
                 "leave out what stands after the #"};
  }
  switch (format) {
    case FileFormat::npy: {
      PACO_ASSIGN(const NpyHeader header, read_npy_header(stream));
      std::optional<SharedBytes> mapped;
      if (header.column_major && stream.size()) {
        const std::uint64_t offset = stream.position();
        PACO_ASSIGN(mapped, bytes(stream));
        if (mapped->bytes.size() < offset + header.data_bytes()) {
          return Error{ErrorCode::io, fmt::format("{}: changed while it was opened", name),
                       "try again"};
        }
        mapped->bytes = mapped->bytes.subspan(offset, header.data_bytes());
      }
      return make_dense_source(std::move(stream), header, std::move(mapped));
    }
    case FileFormat::zip:
    case FileFormat::safetensors: {
      PACO_ASSIGN(auto all, bytes(stream));
      PACO_ASSIGN(auto arrays, ArrayFile::open(std::move(all), format, name));
      PACO_ASSIGN(const std::string chosen, arrays.choose(member, "embeddings", 2));
      PACO_ASSIGN(auto array, arrays.array(chosen));
      return make_dense_source(std::move(array.stream), array.header, std::nullopt);
    }
    case FileFormat::jsonl:
      return make_jsonl_source(std::move(stream));
    case FileFormat::text:
      return make_csv_source(std::move(stream));
    case FileFormat::fvecs:
      return make_fvecs_source(std::move(stream));
    case FileFormat::empty:
      return Error{ErrorCode::bad_format, fmt::format("{}: is empty", name),
                   "check the program that wrote it"};
    default:
      return Error{
          ErrorCode::unsupported,
          fmt::format(
              "{}: {}", name,
              format == FileFormat::unknown
                  ? "not a file of embeddings that can be read here"
                  : fmt::format("a file of kind {} holds no embeddings", format_name(format))),
          "give npy, npz, safetensors, csv, jsonl or fvecs; images go through 'paco embed' first"};
  }
}

}  // namespace

Result<std::size_t> EmbeddingSource::read(Rows<double> block, std::vector<std::string>* ids) {
  assert(block.columns == dimension());
  if (ids) ids->clear();
  const std::size_t step = std::max<std::size_t>(1, kStep / block.columns);
  std::size_t done = 0;
  while (done < block.rows) {
    const auto part = block.slice(done, std::min(step, block.rows - done));
    PACO_ASSIGN(const std::size_t count, read_rows(part, ids));
    const std::span<const double> numbers(part.data, count * part.columns);
    if (const auto bad = first_not_finite(numbers)) {
      return Error{
          ErrorCode::bad_value,
          fmt::format("{}: row {}, value {} is {}", name_, row_ + *bad / block.columns,
                      *bad % block.columns, numbers[*bad] != numbers[*bad] ? "NaN" : "infinite"),
          "remove or repair this row; a model that overflows in float16 should write float32"};
    }
    done += count;
    row_ += count;
    if (count < part.rows) break;
  }
  return done;
}

EmbeddingResult open_embeddings(const std::string& path) {
  const MemberPath parts = split_member(path);
  PACO_ASSIGN(auto stream, ByteStream::open(parts.path));
  return open_stream(std::move(stream), parts.member,
                     [&](ByteStream& opened) -> Result<SharedBytes> {
                       if (parts.path != "-") return open_bytes(parts.path);
                       PACO_ASSIGN(auto bytes, opened.read_rest(std::uint64_t{1} << 32));
                       auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
                       return SharedBytes{*owner, owner, {}};
                     });
}

EmbeddingResult open_embeddings(std::span<const std::byte> bytes, const std::string& name) {
  return open_stream(ByteStream::from_bytes(bytes, name), "",
                     [&](ByteStream&) -> Result<SharedBytes> {
                       return SharedBytes{bytes, nullptr, {}};
                     });
}

Result<Matrix<double>> read_embeddings(EmbeddingSource& source) {
  const std::size_t columns = source.dimension();
  // A promise of many rows is believed only as far as rows arrive.
  const std::size_t first = std::min<std::uint64_t>(
      source.rows().value_or(1024), std::max<std::size_t>(1, (std::size_t{1} << 27) / columns));
  Matrix<double>::Numbers data;
  std::size_t rows = 0;
  while (true) {
    const std::size_t more =
        rows == 0 ? first
                  : std::min<std::uint64_t>(source.rows().value_or(2 * rows), 2 * rows) - rows;
    if (more == 0 && source.rows() == rows) break;
    data.resize((rows + more) * columns);
    PACO_ASSIGN(const std::size_t count,
                source.read({data.data() + rows * columns, more, columns}));
    rows += count;
    if (count < more) break;
  }
  if (rows == 0) {
    return Error{ErrorCode::bad_shape, fmt::format("{}: holds no samples", source.name()),
                 "check the program that wrote it"};
  }
  data.resize(rows * columns);
  return Matrix<double>(rows, columns, std::move(data));
}

Result<Matrix<double>> read_embeddings(const std::string& path) {
  PACO_ASSIGN(auto source, open_embeddings(path));
  return read_embeddings(*source);
}

}  // namespace paco
