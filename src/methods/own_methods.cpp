// The methods that decide by PACO's own prototypes: the paper's rule, its plain form and the
// baselines beside it.
#include "methods/common/methods.hpp"
#include "methods/paco/paco_evidence.hpp"
#include "methods/paco/paco_section.hpp"
#include "methods/paco/paco_summary.hpp"
#include "methods/registry.hpp"

namespace paco::methods {
namespace {

Result<Section> nothing_to_learn(SupportView&, const Settings&) { return Section{}; }

}  // namespace

std::vector<OperationKind> all_operations() {
  using enum OperationKind;
  return {rename, merge, separate, move, promote, demote, retire, revive, undo};
}

std::vector<Registration> own_methods() {
  return {
      {{"paco", "the paper's method: calibrated routing, birth test, attaching", "paco",
        kNeedsSupport, paco_options(), paco_fields(), all_operations()},
       calibrate_paco,
       make_paco_method,
       summarise_paco,
       false,
       paco_details},
      {{"reference", "the same in plain loops: slow, and what the fast form must agree with",
        "paco", kNeedsSupport, paco_options(), paco_fields(), all_operations()},
       nullptr,
       make_reference_method,
       summarise_paco,
       false,
       paco_details},
      {{"closed",
        "never discovers: every sample goes to the closest known class",
        "closed",
        kNeedsSupport,
        {},
        baseline_fields(),
        all_operations()},
       nothing_to_learn,
       make_closed_method,
       nullptr,
       true},
      {{"leader", "sequential leader clustering that starts from the known classes", "leader",
        kNeedsSupport, leader_options(), baseline_fields(), all_operations()},
       calibrate_leader,
       make_leader_method,
       nullptr,
       true},
      {{"slc", "sequential leader clustering that starts from nothing", "leader", kNeedsSupport,
        leader_options(), baseline_fields(), all_operations()},
       nullptr,
       make_slc_method,
       nullptr},
  };
}

}  // namespace paco::methods
