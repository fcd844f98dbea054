// Whether files belong together. Decisions are read back beside a model, a truth, the decisions of
// another method; a file of another run would give numbers that mean nothing.
//
// What is compared is what decisions carry: arrival numbers, verdicts, ids and names. Two models
// with the same classes in the same order look the same to it.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/decision_file.hpp"
#include "paco/result.hpp"

namespace paco::evaluate {

// The decisions of a file in the order of their arrival numbers, whatever order the rows are in.
// Fails if a number comes twice or is missing between two others.
Result<io::DecisionTable> read_stream_decisions(const std::string& path);

// Fails if the second arrival number does not follow the first.
Result<void> check_follows(std::uint64_t before, std::uint64_t present, const std::string& path);

// The number of known classes that is claimed, and by which file.
struct KnownClaim {
  std::size_t classes = 0;
  std::span<const std::string> names;  // by id, as the decisions must have them; empty: any
  std::string source;                  // "--known" or a file, for the message
};

// Fails if a decision contradicts the claim: a known class at or above the number of classes or
// under another name, a category below it. Sees the decisions in the order of their arrival.
class KnownCheck {
 public:
  KnownCheck(KnownClaim claim, std::string path)
      : claim_(std::move(claim)), path_(std::move(path)) {}

  Result<void> see(const Decision& decision, const std::string& name);
  Result<void> conclude() const;  // after the last one

 private:
  Error mismatch(std::uint64_t sequence, const std::string& what) const;

  KnownClaim claim_;
  std::string path_;
  std::set<CategoryId> discovered_;
  bool right_name_ = false;
  std::optional<Error> misnamed_;
};

// The same of a whole table. Ids alone (npy) contradict nothing.
Result<void> check_known(const io::DecisionTable& decisions, const std::string& path,
                         const KnownClaim& claim);

// What scores are made of: a stream of millions read row by row, with little kept of each.
struct StreamOutline {
  bool detailed = true;                // false: from npy, only numbers and categories are known
  std::uint64_t first = 0;             // arrival number of the first; no gaps behind it
  std::vector<CategoryId> categories;  // in order of arrival
  std::vector<std::string> samples;    // their ids; empty if each is its arrival number
  std::vector<std::string> names;      // of classes and categories, by id; the last one counts
};
// Fails if read_stream_decisions() or, with a claim, check_known() would.
Result<StreamOutline> read_outline(const std::string& path,
                                   const std::optional<KnownClaim>& claim = std::nullopt);

// Where a stream begins and how long it is.
struct StreamExtent {
  std::uint64_t first = 0;
  std::size_t count = 0;
  bool detailed = true;
};
StreamExtent extent_of(const StreamOutline& outline);

// Fails if the two are not about the same arrival numbers, which have no gaps.
Result<void> check_same_stream(const StreamExtent& decisions, const std::string& path,
                               const StreamExtent& other, const std::string& other_path);

}  // namespace paco::evaluate
