// The evidence of a PACO decision: the index of each number. paco_fields() describes them to other
// code.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "methods/common/best_two.hpp"
#include "paco/method.hpp"
#include "paco/thresholds.hpp"

namespace paco::methods {

// Which step made the decision.
enum class Branch : std::uint8_t { known_only, explained, attach, create };

// Which prototypes competed: the references, the adapting ones, or all of them.
enum class Route : std::uint8_t { known_only, categories_only, all };

inline constexpr std::string_view kBranchNames[] = {"known_only", "explained", "attach", "create"};
inline constexpr std::string_view kRouteNames[] = {"known_only", "categories_only", "all"};

enum PacoField : std::size_t {
  kBranch,
  kRoute,
  kAssignmentScore,
  kRunnerUpScore,
  kTauBirth,
  kTopCosine,
  kMargin,
  kBirthScore,
  kAttachScore,
  kTauBirthAfter,
  kEtaAfter,
  kMatureAfter,
};

const std::vector<EvidenceField>& paco_fields();

inline Branch branch_of(const Decision& d) { return static_cast<Branch>(d.evidence[kBranch]); }
inline Route route_of(const Decision& d) { return static_cast<Route>(d.evidence[kRoute]); }
inline void set_branch(Decision& d, Branch b) { d.evidence[kBranch] = static_cast<double>(b); }
inline void set_route(Decision& d, Route r) { d.evidence[kRoute] = static_cast<double>(r); }

// For a sample that the false-new gate answers: only the known classes competed.
inline void note_gate(double top_cosine, double margin, double tau_birth, Decision& d) {
  set_branch(d, Branch::known_only);
  set_route(d, Route::known_only);
  d.evidence[kTauBirth] = tau_birth;
  d.evidence[kTopCosine] = top_cosine;
  d.evidence[kMargin] = margin;
}

// The sample joins the best of these prototypes.
inline void assign(const BestTwo& best, Branch branch, Decision& out) {
  set_branch(out, branch);
  out.prototype = best.first;
  out.runner_up = best.second;
  out.evidence[kAssignmentScore] = best.score;
  out.evidence[kRunnerUpScore] = best.second_score;
}

// The sample starts a category: `score` is below `threshold`.
inline void create(double score, double threshold, const BestTwo& closest, Decision& out) {
  set_branch(out, Branch::create);
  out.prototype = kNoId;
  out.runner_up = closest.first;
  out.score = score;
  out.threshold = threshold;
  out.evidence[kRunnerUpScore] = closest.score;
}

// Counts over the samples that PACO has decided. All of them except `resolved_in_double` are part
// of its state.
struct PacoCounts {
  std::uint64_t branches[4] = {};
  std::uint64_t routes[3] = {};
  double lowest_tau_birth = 0;
  // Samples for which float32 cannot distinguish the winner from the runner-up, so that double was
  // needed. Counted in this process only.
  std::uint64_t resolved_in_double = 0;

  void add(const Decision& decision);
  void save(Section& own) const;
  Result<void> restore(const Section& own, std::uint64_t samples, const std::string& name);
};

// Describes a PACO decision in one plain sentence.
std::string explain_paco(const Decision& decision, const PacoParameters& parameters,
                         const Categories& categories);

}  // namespace paco::methods
