// Lists of samples, filtered by their answers and by the data sent with them, with totals. The
// answer to a sample never changes, so an existing list is only extended with newer samples. The
// present category of samples is not known here: the caller passes the members.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "journal/reader.hpp"

namespace paco::server {

struct SampleFilter {
  std::string verdict;  // empty: any
  std::string search;   // in key, id or attributes; ASCII case is ignored
  std::vector<std::pair<std::string, std::string>> attributes;  // all must match, compared as text
  std::optional<double> score_from, score_to;

  bool operator==(const SampleFilter&) const = default;
  bool empty() const { return *this == SampleFilter{}; }
};

// The sample numbers from `first` up to but excluding `end`.
struct SampleRange {
  std::uint64_t first = 0, end = 0;
};

struct SamplePage {
  std::vector<std::uint64_t> sequences;
  std::uint64_t total = 0;            // matching samples in the whole stream
  std::optional<std::uint64_t> next;  // where the next page begins
};

// A page of an ascending list of sample numbers. Without `from`, begins at the first number in the
// requested order.
SamplePage page_by_sequence(const std::vector<std::uint64_t>& fitting,
                            std::optional<std::uint64_t> from, std::size_t limit, bool newest);

class SampleLists {
 public:
  explicit SampleLists(journal::JournalReader journal) : journal_(std::move(journal)) {}

  // The matching samples of the range, ascending; if `members` is given, only those among them.
  Result<std::vector<std::uint64_t>> fitting(const SampleFilter& filter, SampleRange range,
                                             const std::vector<std::uint64_t>* members);
  // The same sorted by score, then by number; samples without a score are last in either order.
  // `from` is a position in the sorted list.
  Result<SamplePage> page_by_score(const SampleFilter& filter, SampleRange range,
                                   const std::vector<std::uint64_t>* members, std::uint64_t from,
                                   std::size_t limit, bool descending);

 private:
  struct Match {
    std::uint64_t sequence;
    double score;
  };
  struct List {
    SampleFilter filter;
    std::uint64_t looked_at = 0;  // number of samples tested, from the beginning
    std::vector<Match> matches;   // ascending
  };
  Result<std::vector<Match>> matches(const SampleFilter& filter, SampleRange range,
                                     const std::vector<std::uint64_t>* members);
  Result<void> go_on(List& list, std::uint64_t samples);
  Result<bool> fits(const SampleFilter& filter, const io::DecidedSample& sample);

  std::mutex mutex_;  // guards all below
  journal::JournalReader journal_;
  std::list<List> lists_;  // most recently used first
};

}  // namespace paco::server
