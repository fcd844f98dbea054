#include "io/embeddings.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/array_file.hpp"
#include "io/element.hpp"
#include "io/embedding_sources.hpp"
#include "io/format.hpp"

namespace paco::io {
namespace {

// How many numbers are read and checked at a time: they are still in the cache when they are
// checked.
constexpr std::size_t kStep = std::size_t{1} << 14;
// Maximum size, in numbers, of a suggested block, unless one row has more.
constexpr std::size_t kBlock = std::size_t{1} << 22;

EmbeddingResult open_input(FormatInput input, const std::string& member) {
  PACO_ASSIGN(const Format* format, detect_format(input.stream));
  const std::string name = input.stream.name();
  if (!member.empty() && format->arrays == nullptr) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("{}: holds one array, '#{}' cannot choose", name, member),
                 "leave out what stands after the #"};
  }
  if (format->arrays != nullptr) {
    PACO_ASSIGN(auto all, input.whole(input.stream));
    PACO_ASSIGN(const ArrayFile arrays, format->arrays(std::move(all), name));
    PACO_ASSIGN(auto array, arrays.choose(member, "embeddings", 2));
    return make_dense_source(std::move(array.stream), array.header, std::nullopt);
  }
  if (format->embeddings != nullptr) return format->embeddings(std::move(input));
  return not_held(*format, name, "embeddings",
                  fmt::format("give {}; images go through 'paco embed' first",
                              format_names(&Format::holds_embeddings)));
}

// Fills the block, fewer rows at the end, and checks them while they are in the cache.
Result<std::size_t> read_checked(EmbeddingSource& source, Rows<double> block,
                                 std::uint64_t first_row) {
  const std::size_t step = std::max<std::size_t>(1, kStep / block.columns);
  std::size_t done = 0;
  while (done < block.rows) {
    const auto part = block.slice(done, std::min(step, block.rows - done));
    PACO_ASSIGN(const std::size_t count, source.read(part));
    PACO_TRY(check_finite(part.slice(0, count), source.name(), first_row + done));
    done += count;
    if (count < part.rows) break;
  }
  return done;
}

// Reads all rows; if `most` is given, it stops one row after that.
Result<math::Matrix<double>> read_up_to(EmbeddingSource& source,
                                        std::optional<std::uint64_t> most) {
  const std::size_t columns = source.dimension();
  const auto total = source.rows();
  // A large row count is trusted only as far as rows actually arrive.
  const std::uint64_t believed = std::max<std::size_t>(1, (std::size_t{1} << 27) / columns);
  const std::uint64_t limit = total ? *total : most ? *most + 1 : UINT64_MAX;
  math::Matrix<double>::Numbers data;
  std::size_t rows = 0;
  while (rows < limit) {
    const std::uint64_t wanted =
        std::min(limit, rows == 0 ? std::min(total.value_or(1024), believed) : 2 * rows);
    const std::size_t more = wanted - rows;
    data.resize(wanted * columns);
    PACO_ASSIGN(const std::size_t count,
                read_checked(source, {data.data() + rows * columns, more, columns}, rows));
    rows += count;
    if (count < more) break;
  }
  if (rows == total) {
    // One more read lets the source detect surplus data after the last row.
    std::vector<double> none(columns);
    PACO_TRY(source.read({none.data(), 1, columns}));
  }
  if (rows == 0) {
    return Error{ErrorCode::bad_shape, fmt::format("{}: holds no samples", source.name()),
                 "check the program that wrote it"};
  }
  data.resize(rows * columns);
  return math::Matrix<double>(rows, columns, std::move(data));
}

std::optional<std::uint64_t> identity_of(const MemberPath& file) {
  if (core::path_kind(file.path) != core::PathKind::file) return std::nullopt;
  std::error_code failed;
  const auto whole = std::filesystem::canonical(file.path, failed);
  const auto size = failed ? 0 : std::filesystem::file_size(whole, failed);
  const auto changed =
      failed ? std::filesystem::file_time_type{} : std::filesystem::last_write_time(whole, failed);
  if (failed) return std::nullopt;
  const std::string text = fmt::format("{} {} {}#{}", size, changed.time_since_epoch().count(),
                                       whole.string(), file.member);
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace

Result<std::size_t> EmbeddingSource::read(Rows<double> block, std::vector<std::string>* ids) {
  assert(block.columns == dimension());
  if (ids) ids->clear();
  return read_rows(block, ids, Wait::for_all);
}

Result<std::size_t> EmbeddingSource::read_ready(Rows<double> block, std::vector<std::string>* ids) {
  assert(block.columns == dimension());
  if (ids) ids->clear();
  if (bad_row_) return *bad_row_;
  return read_rows(block, ids, Wait::for_one);
}

Result<std::size_t> EmbeddingSource::rows_before(std::size_t done, Error error, Wait wait) {
  // A short block would look like the end of the input.
  if (wait == Wait::for_all || done == 0) return error;
  bad_row_ = std::move(error);
  return done;
}

std::size_t EmbeddingSource::block_rows(std::size_t wanted) const {
  const std::uint64_t most = std::min<std::uint64_t>(rows().value_or(wanted), kBlock / dimension());
  return std::min(wanted, static_cast<std::size_t>(std::max<std::uint64_t>(most, 1)));
}

Result<void> check_finite(Rows<const double> rows, const std::string& name,
                          std::uint64_t first_row) {
  const std::span<const double> numbers(rows.data, rows.rows * rows.columns);
  const auto bad = first_not_finite(numbers);
  if (!bad) return {};
  return Error{
      ErrorCode::bad_value,
      fmt::format("{}: row {}, value {} is {}", name, first_row + *bad / rows.columns,
                  *bad % rows.columns, numbers[*bad] != numbers[*bad] ? "NaN" : "infinite"),
      "remove or repair this row; a model that overflows in float16 should write float32"};
}

EmbeddingResult open_embeddings(const std::string& path) {
  const MemberPath parts = split_member(path);
  const std::optional<std::uint64_t> identity = identity_of(parts);
  PACO_ASSIGN(auto stream, ByteStream::open(parts.path));
  FormatInput input{std::move(stream), [&](ByteStream& opened) {
                      // A pipe cannot be opened twice, and packed data must be unpacked in any
                      // case.
                      return opened.size() ? FileBytes::open(parts.path)
                                           : FileBytes::rest_of(opened);
                    }};
  PACO_ASSIGN(auto source, open_input(std::move(input), parts.member));
  source->path_ = path;
  source->identity_ = identity;
  return source;
}

Result<std::unique_ptr<EmbeddingSource>> EmbeddingSource::rewound() const {
  if (!identity_) {
    return Error{ErrorCode::unsupported, fmt::format("{}: cannot be read twice", name_),
                 "write it to a file and give that"};
  }
  PACO_ASSIGN(auto again, open_embeddings(path_));
  if (again->identity_ != identity_) {
    return Error{ErrorCode::io, fmt::format("{}: changed while it was read", name_),
                 "wait until the program that writes it has ended, and try again"};
  }
  return again;
}

EmbeddingResult open_embeddings(std::span<const std::byte> bytes, const std::string& name) {
  return open_input({ByteStream::from_bytes(bytes, name),
                     [&](ByteStream&) -> Result<FileBytes> { return FileBytes::of(bytes); }},
                    "");
}

Result<math::Matrix<double>> read_embeddings(EmbeddingSource& source) {
  return read_up_to(source, std::nullopt);
}

Result<math::Matrix<double>> read_embeddings(EmbeddingSource& source, std::uint64_t rows,
                                             const std::string& labels) {
  const auto mismatch = [&](const std::string& found) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("{} has {} rows, {} has {} labels", source.name(), found, labels, rows),
        "give one label for every row, in the same order"};
  };
  if (source.rows() && *source.rows() != rows) return mismatch(std::to_string(*source.rows()));
  PACO_ASSIGN(math::Matrix<double> all, read_up_to(source, rows));
  if (all.rows() > rows) return mismatch("more");
  if (all.rows() < rows) return mismatch(std::to_string(all.rows()));
  return all;
}

Result<math::Matrix<double>> read_embeddings(const std::string& path) {
  PACO_ASSIGN(auto source, open_embeddings(path));
  return read_embeddings(*source);
}

}  // namespace paco::io
