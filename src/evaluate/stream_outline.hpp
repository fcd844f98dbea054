// Checks whether files belong together. Decisions are read with a model, a truth or the decisions
// of another method; a file of another run would give wrong numbers.
//
// The comparison uses only what decisions contain: arrival numbers, verdicts, ids and names. Two
// models with the same classes in the same order cannot be distinguished.
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

// The decisions of a file in the order of their arrival numbers, whatever the order of rows. Fails
// if a number is repeated or missing between two others.
Result<io::DecisionTable> read_stream_decisions(const std::string& path);

// Fails if the second arrival number does not follow the first.
Result<void> check_follows(std::uint64_t before, std::uint64_t present, const std::string& path);

// The number of known classes that a file claims, and the name of that file.
struct KnownClaim {
  std::size_t classes = 0;
  std::span<const std::string> names;  // by id, as the decisions must have them; empty: any
  std::string source;                  // "--known" or a file, for the message
};

// Fails if a decision contradicts the claim: a known class whose id is not below the number of
// classes or which has another name, or a category below that number. Decisions must come in the
// order of their arrival.
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

// The same for a whole table. Ids alone (npy) cannot contradict the claim.
Result<void> check_known(const io::DecisionTable& decisions, const std::string& path,
                         const KnownClaim& claim);

// The data that scores are computed from. A stream of millions is read row by row, and little of
// each row is kept.
struct StreamOutline {
  bool detailed = true;                // false: from npy, only numbers and categories are known
  std::uint64_t first = 0;             // arrival number of the first; no gaps after it
  std::vector<CategoryId> categories;  // in order of arrival
  std::vector<std::string> samples;    // their ids; empty if each is its arrival number
  std::vector<std::string> names;      // of classes and categories, by id; the last name counts
};
// Fails in the cases of read_stream_decisions() and, with a claim, of check_known().
Result<StreamOutline> read_outline(const std::string& path,
                                   const std::optional<KnownClaim>& claim = std::nullopt);

// The first arrival number of a stream and its length.
struct StreamExtent {
  std::uint64_t first = 0;
  std::size_t count = 0;
  bool detailed = true;
};
StreamExtent extent_of(const StreamOutline& outline);

// Fails if the two do not cover the same arrival numbers, which have no gaps.
Result<void> check_same_stream(const StreamExtent& decisions, const std::string& path,
                               const StreamExtent& other, const std::string& other_path);

}  // namespace paco::evaluate
