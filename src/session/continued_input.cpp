#include "session/continued_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/try.hpp"
#include "journal/checksum.hpp"
#include "math/matrix.hpp"
#include "session/session_impl.hpp"

namespace paco::session {
namespace {

// Calls `each` with the embeddings of the next `rows` rows, except those that cannot be decided.
// Returns the number of rows read, including those.
template <class Each>
Result<std::uint64_t> pass_over(io::EmbeddingSource& source, const Method& method,
                                std::uint64_t rows, const std::stop_token& stop, Each each) {
  math::Matrix<double> block(source.block_rows(4096), source.dimension());
  std::uint64_t done = 0;
  while (done < rows && !stop.stop_requested()) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(rows - done, block.rows()));
    PACO_ASSIGN(const std::size_t count, source.read(block.view().slice(0, wanted)));
    if (count == 0) break;
    for (std::size_t i = 0; i < count; ++i) {
      if (!method.check(block[i])) each(done + i, block[i]);
    }
    done += count;
  }
  return done;
}

// Returns how many rows at the beginning of `source` occur among the recorded samples, one after
// the other, at any place of the journal. Uses the search of Knuth, Morris and Pratt: linear even
// if all rows are equal.
Result<std::uint64_t> recorded_rows(io::EmbeddingSource& source, const Method& method,
                                    const std::vector<std::uint64_t>& recorded,
                                    const std::stop_token& stop) {
  std::vector<std::uint64_t> sums, rows;
  PACO_TRY(pass_over(source, method, recorded.size(), stop,
                     [&](std::uint64_t row, std::span<const double> embedding) {
                       sums.push_back(journal::embedding_checksum(embedding));
                       rows.push_back(row);
                     }));
  // shorter[i]: length of the longest prefix of the input that is also a proper suffix of its first
  // i + 1 rows.
  std::vector<std::size_t> shorter(sums.size(), 0);
  const auto next = [&](std::size_t matched, std::uint64_t sum) {
    if (matched == sums.size()) matched = shorter[matched - 1];
    while (matched > 0 && sums[matched] != sum) matched = shorter[matched - 1];
    return sums[matched] == sum ? matched + 1 : 0;
  };
  if (sums.empty()) return std::uint64_t{0};
  for (std::size_t i = 1; i < sums.size(); ++i) shorter[i] = next(shorter[i - 1], sums[i]);
  std::size_t matched = 0, most = 0;
  for (const std::uint64_t sum : recorded) {
    matched = next(matched, sum);
    most = std::max(most, matched);
  }
  return most == 0 ? 0 : rows[most - 1] + 1;
}

class Start {
 public:
  Start(std::shared_ptr<io::EmbeddingSource> source, Session& session, std::uint64_t first,
        const std::stop_token& stop)
      : impl_(Access::impl(session)), method_(session.method()), stop_(stop), first_(first) {
    found_.source = std::move(source);
    found_.row = 0;
  }

  Result<InputStart> find(bool asked) {
    const std::optional<std::uint64_t> identity = found_.source->identity();
    if (!identity && asked) {
      return Error{ErrorCode::unsupported,
                   fmt::format("{}: --continue needs a file, a pipe cannot be read twice",
                               found_.source->name()),
                   "give a file, or --skip N"};
    }
    if (!identity) return found_;
    journal::SourceRow row{*identity, first_, found_.source->name(), 0, 0};
    PACO_ASSIGN(const std::vector<journal::SourceRow> sources, impl_.journal->sources());
    const auto known = std::find_if(sources.begin(), sources.end(), [&](const auto& source) {
      return source.identity == row.identity && source.first == row.first;
    });
    if (known != sources.end()) {
      PACO_ASSIGN(const bool same, pass_to(known->consumed, row));
      if (same && row.digest == known->digest) return found(row);
      PACO_TRY(rewind(row));
    }
    if (asked) {
      PACO_TRY(look_for_rows(row));
    } else if (std::any_of(sources.begin(), sources.end(),
                           [&](const auto& source) { return source.name == row.name; })) {
      found_.note = fmt::format(
          "{} has changed since rows of it were read into {}: all its rows are new samples; "
          "--continue passes over those that the journal holds",
          row.name, impl_.journal->path());
    }
    return found(row);
  }

 private:
  // Reads up to `row`; false if the input has fewer rows.
  Result<bool> pass_to(std::uint64_t row, journal::SourceRow& source) {
    PACO_ASSIGN(const std::uint64_t before,
                pass_over(*found_.source, method_, first_, stop_,
                          [](std::uint64_t, std::span<const double>) {}));
    PACO_ASSIGN(const std::uint64_t rows,
                pass_over(*found_.source, method_, row - std::min(row, before), stop_,
                          [&](std::uint64_t, std::span<const double> embedding) {
                            source.digest = journal::source_digest(source.digest, embedding);
                          }));
    source.consumed = found_.row = before + rows;
    return source.consumed == row;
  }

  Result<void> rewind(journal::SourceRow& source) {
    PACO_ASSIGN(found_.source, found_.source->rewound());
    found_.row = source.consumed = source.digest = 0;
    return {};
  }

  Result<void> look_for_rows(journal::SourceRow& source) {
    PACO_ASSIGN(const auto recorded, impl_.journal->embedding_checksums());
    if (recorded.empty()) return {};
    PACO_ASSIGN(const std::uint64_t rows, recorded_rows(*found_.source, method_, recorded, stop_));
    PACO_TRY(rewind(source));
    if (rows == 0 && !stop_.stop_requested()) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{}: {} holds no sample like its first row", source.name,
                               impl_.journal->path()),
                   "leave --continue out: then all its rows are new samples"};
    }
    return pass_to(rows, source).ok() ? Result<void>() : rewind(source);
  }

  InputStart found(journal::SourceRow row) {
    if (found_.row > 0) {
      found_.note = fmt::format("{} rows of {} are in {} already", found_.row, row.name,
                                impl_.journal->path());
    }
    impl_.source = std::move(row);
    return std::move(found_);
  }

  Access::Impl& impl_;
  const Method& method_;
  const std::stop_token& stop_;
  const std::uint64_t first_;
  InputStart found_;
};

}  // namespace

Result<InputStart> find_start(std::shared_ptr<io::EmbeddingSource> source, Session& session,
                              std::uint64_t first, bool asked, const std::stop_token& stop) {
  return Start(std::move(source), session, first, stop).find(asked);
}

}  // namespace paco::session
