// A decision of PACO as one plain sentence.
#include <fmt/format.h>

#include <cmath>

#include "methods/paco/paco_evidence.hpp"

namespace paco::methods {
namespace {

// "; next came 'cat'", or an empty string if there was no other candidate.
std::string next_best(const Decision& d, const Categories& categories) {
  if (d.runner_up == d.category || std::isnan(d.evidence[kRunnerUpScore])) return "";
  return fmt::format("; next came '{}'", categories.name(d.runner_up));
}

}  // namespace

std::string explain_paco(const Decision& d, const PacoParameters& parameters,
                         const Categories& categories) {
  const std::string name = categories.name(d.category);
  const auto as_cosine = [&](double score) { return parameters.as_cosine(score); };
  const std::string intro = fmt::format("Sample {} ", d.sequence);
  switch (branch_of(d)) {
    case Branch::known_only:
      return intro + fmt::format(
                         "is known class '{}': its best known class leads the second by {:.4f}, at "
                         "least the {:.4f} from "
                         "which only known classes compete{}.",
                         name, d.score, d.threshold, next_best(d, categories));
    case Branch::explained:
      return intro +
             fmt::format(
                 "belongs to {} '{}': its closest prototype has cosine {:.4f}, at least the {:.4f} "
                 "needed to be explained by what is already there{}.",
                 d.verdict == Verdict::known ? "known class" : "the earlier", name,
                 as_cosine(d.score), as_cosine(d.threshold), next_best(d, categories));
    case Branch::attach:
      return intro +
             fmt::format(
                 "joins the earlier '{}': no prototype explains it directly, but its attach score "
                 "{:.4f} reaches the {:.4f} that members of a category reach{}.",
                 name, d.score, d.threshold, next_best(d, categories));
    case Branch::create:
      break;
  }
  if (!std::isnan(d.evidence[kAttachScore])) {
    return intro +
           fmt::format(
               "starts '{}': its best attach score {:.4f} (with '{}') stays below the {:.4f} that "
               "members of a category reach.",
               name, d.score, categories.name(d.runner_up), d.threshold);
  }
  if (d.runner_up == d.category)
    return intro + fmt::format("starts '{}': there was nothing to compare it with.", name);
  if (std::isnan(d.evidence[kBirthScore])) {
    return intro + fmt::format(
                       "starts '{}': its closest known class '{}' has cosine {:.4f}, below the "
                       "{:.4f} from which "
                       "known classes compete, and there was no category yet.",
                       name, categories.name(d.runner_up), d.score, d.threshold);
  }
  return intro + fmt::format(
                     "starts '{}': its closest prototype '{}' has cosine {:.4f}, below the {:.4f} "
                     "needed to be "
                     "explained by what is already there.",
                     name, categories.name(d.runner_up), as_cosine(d.score),
                     as_cosine(d.threshold));
}

}  // namespace paco::methods
