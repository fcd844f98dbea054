// Lists of samples by what they were answered and brought with them, with totals. What a sample
// was answered never changes, so a list that was made once is only continued with the samples that
// came since. Where samples belong now is not decided here: the caller passes the members.
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
  std::string search;   // in key, id or attributes, whatever the case of ASCII letters
  std::vector<std::pair<std::string, std::string>> attributes;  // all of them, as text
  std::optional<double> score_from, score_to;

  bool operator==(const SampleFilter&) const = default;
  bool empty() const { return *this == SampleFilter{}; }
};

// Those numbers from `first` on, before `end`.
struct SampleRange {
  std::uint64_t first = 0, end = 0;
};

struct SamplePage {
  std::vector<std::uint64_t> sequences;
  std::uint64_t total = 0;            // that fit, of the whole stream
  std::optional<std::uint64_t> next;  // where the following page begins
};

// Of one list of samples by their numbers, ascending. Without `from` at the end where the list
// begins in that order.
SamplePage page_by_sequence(const std::vector<std::uint64_t>& fitting,
                            std::optional<std::uint64_t> from, std::size_t limit, bool newest);

class SampleLists {
 public:
  explicit SampleLists(journal::JournalReader journal) : journal_(std::move(journal)) {}

  // Those of the range that fit, ascending; with `members`, those of them alone.
  Result<std::vector<std::uint64_t>> fitting(const SampleFilter& filter, SampleRange range,
                                             const std::vector<std::uint64_t>* members);
  // The same by score, then by number; those without a score are last in either order. `from`
  // counts from the beginning of the list.
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
    std::uint64_t looked_at = 0;  // samples from the beginning
    std::vector<Match> matches;   // ascending
  };
  Result<std::vector<Match>> matches(const SampleFilter& filter, SampleRange range,
                                     const std::vector<std::uint64_t>* members);
  Result<void> go_on(List& list, std::uint64_t samples);
  Result<bool> fits(const SampleFilter& filter, const io::DecidedSample& sample);

  std::mutex mutex_;  // guards all below
  journal::JournalReader journal_;
  std::list<List> lists_;  // the last used first
};

}  // namespace paco::server
