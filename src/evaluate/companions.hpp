// Do files belong together? Decisions are read back beside a model, a truth, the decisions of
// another method; a file of another run would give numbers that mean nothing.
//
// What is compared is what decisions carry: arrival numbers, verdicts, ids and names. Two models
// with the same classes in the same order cannot be told apart by it.
#pragma once

#include <span>
#include <string>

#include "paco/result.hpp"
#include "registry/decision_file.hpp"

namespace paco {

// The decisions of a file in the order of their arrival numbers, whatever order the rows are in.
// Fails where a number comes twice or is missing between two others.
Result<DecisionTable> read_stream_decisions(const std::string& path);

// What is said to be known, and by whom.
struct KnownClaim {
  std::size_t classes = 0;
  std::span<const std::string> names;  // by id, as the decisions must have them; empty: any
  std::string source;                  // "--known" or a file, for the message
};

// Fails where a decision contradicts the claim: a known class at or above the number of classes or
// under another name, a category below it. Ids alone (npy) contradict nothing.
Result<void> check_known(const DecisionTable& decisions, const std::string& path,
                         const KnownClaim& claim);

// Fails where the two are not about the same arrival numbers. Both come from
// read_stream_decisions().
Result<void> check_same_stream(const DecisionTable& decisions, const std::string& path,
                               const DecisionTable& other, const std::string& other_path);

}  // namespace paco
