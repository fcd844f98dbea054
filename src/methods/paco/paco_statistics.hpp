// Summary figures of a PACO stream: how samples were decided, and the position of the boundary.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "methods/common/prototype_table.hpp"
#include "methods/common/von_mises_fisher.hpp"
#include "methods/paco/boundary.hpp"
#include "methods/paco/paco_evidence.hpp"

namespace paco::methods {

template <class Resultant>
std::vector<Statistic> paco_statistics(const PacoParameters& p, const PacoCounts& counts,
                                       const Boundary& boundary, const PrototypeTable& table,
                                       Resultant resultant, std::size_t dimension) {
  // The cosine below which the birth test does not explain a sample. Counts the categories that a
  // sample with this cosine can join.
  const double border = p.as_cosine(boundary.tau_birth);
  double mature = 0, attachable = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto id = static_cast<PrototypeId>(i);
    const PrototypeRecord& record = table[id];
    if (!record.competing() || record.reference()) continue;
    mature += record.members >= p.mature_size();
    const double kappa = concentration(resultant(id), record.members, dimension);
    attachable += attach_score(border, record.members, kappa, p.log_p0) >= p.create.value;
  }
  std::vector<Statistic> out{{"mature", mature, true}, {"attachable", attachable, true}};
  for (std::size_t b = 0; b < 4; ++b) {
    out.push_back({"branches." + std::string(kBranchNames[b]),
                   static_cast<double>(counts.branches[b]), true});
  }
  for (std::size_t r = 0; r < 3; ++r) {
    out.push_back(
        {"routes." + std::string(kRouteNames[r]), static_cast<double>(counts.routes[r]), true});
  }
  out.push_back({"tau_birth", boundary.tau_birth});
  out.push_back({"lowest_tau_birth", counts.lowest_tau_birth});
  out.push_back({"eta", boundary.eta});
  out.push_back({"ties_resolved_in_double", static_cast<double>(counts.resolved_in_double), true});
  return out;
}

}  // namespace paco::methods
