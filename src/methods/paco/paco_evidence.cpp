#include "methods/paco/paco_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"

namespace paco::methods {

const std::vector<EvidenceField>& paco_fields() {
  static const std::vector<EvidenceField> fields{
      {"branch",
       "",
       "the step that made the decision",
       {std::begin(kBranchNames), std::end(kBranchNames)}},
      {"route", "", "who was allowed to compete", {std::begin(kRouteNames), std::end(kRouteNames)}},
      {"assignment_score", "score", "of the winner in the final choice"},
      {"runner_up_score", "score", "of the runner-up, on the same scale"},
      {"tau_birth", "score", "the birth boundary that this sample met"},
      {"top_cosine", "cosine", "best with a reference of a known class"},
      {"margin", "cosine", "best minus the best of another known class"},
      {"birth_score", "score", "compared with tau_birth, where the birth test ran"},
      {"attach_score", "score", "compared with tau_create, where attaching was considered"},
      {"tau_birth_after", "score", "the birth boundary after this sample", {}, true},
      {"eta_after", "share", "weight of the stream in the birth boundary", {}, true},
      {"mature_after", "categories", "that the boundary is drawn from", {}, true}};
  return fields;
}

void PacoCounts::add(const Decision& d) {
  ++branches[static_cast<int>(branch_of(d))];
  ++routes[static_cast<int>(route_of(d))];
  lowest_tau_birth = std::min(lowest_tau_birth, d.evidence[kTauBirthAfter]);
}

void PacoCounts::save(Section& own) const {
  own.numbers["lowest_tau_birth"] = lowest_tau_birth;
  own.tensors["branches"] = {{4},
                             std::vector<std::int64_t>(std::begin(branches), std::end(branches))};
  own.tensors["routes"] = {{3}, std::vector<std::int64_t>(std::begin(routes), std::end(routes))};
}

Result<void> PacoCounts::restore(const Section& own, std::uint64_t samples,
                                 const std::string& name) {
  PACO_ASSIGN(const double lowest, own.number("lowest_tau_birth"));
  PACO_ASSIGN(const auto* by_branch, own.tensor<std::int64_t>("branches", 4));
  PACO_ASSIGN(const auto* by_route, own.tensor<std::int64_t>("routes", 3));
  const auto adds_up = [&](const std::vector<std::int64_t>& counts) {
    std::uint64_t sum = 0;
    for (const std::int64_t n : counts) {
      if (n < 0 || static_cast<std::uint64_t>(n) > samples) return false;
      sum += static_cast<std::uint64_t>(n);
    }
    return sum == samples;
  };
  if (!adds_up(*by_branch) || !adds_up(*by_route)) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: its counts of branches and routes do not add up", name),
                 "the file is damaged; use an earlier state"};
  }
  lowest_tau_birth = lowest;
  std::copy(by_branch->begin(), by_branch->end(), branches);
  std::copy(by_route->begin(), by_route->end(), routes);
  return {};
}

}  // namespace paco::methods
