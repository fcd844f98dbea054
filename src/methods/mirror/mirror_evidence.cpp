#include "methods/mirror/mirror_evidence.hpp"

#include <fmt/format.h>

namespace paco::methods {

const std::vector<EvidenceField>& mirror_fields() {
  static const std::vector<EvidenceField> fields{
      {"known_cosine", "cosine", "best with a known class"},
      {"visible_cosine", "cosine", "best with a prototype that has a category"},
      {"runner_up_cosine", "cosine", "of the runner-up"},
      {"length", "samples", "estimated samples a class before this one"},
      {"confident", "samples", "answers that were sure to be a known class before this one"},
      {"at_once", "", "whether something new is a category at once", {"no", "yes"}},
      {"threshold_by",
       "",
       "what the threshold fell by, or that it has reached its floor",
       {"slope", "tail", "floor"}},
      {"candidates", "samples", "that wait for a second of their kind, after this one", {}, true}};
  return fields;
}

std::string explain_mirror(const Decision& d, const Categories& categories) {
  const std::string name = categories.name(d.category);
  const auto by = static_cast<ThresholdBy>(d.evidence[kThresholdBy]);
  const std::string needed = fmt::format(
      "{:.2f} is needed after about {:.0f} samples a class{}", d.threshold, d.evidence[kLength],
      by == ThresholdBy::floor  ? ", and never less"
      : by == ThresholdBy::tail ? ", with the fall of a long stream"
                                : "");
  switch (d.verdict) {
    case Verdict::tentative:
      return fmt::format(
          "Sample {} is answered with '{}', the closest there is: cosine {:.2f} with its best "
          "prototype, {}; it is remembered apart, as candidate {}.",
          d.sequence, name, d.score, needed, d.prototype);
    case Verdict::created:
      return fmt::format("Sample {} starts '{}': cosine {:.2f} with its best prototype, {}.",
                         d.sequence, name, d.score, needed);
    default:
      return fmt::format("Sample {} belongs to {} '{}': cosine {:.2f}, {}.", d.sequence,
                         d.verdict == Verdict::known ? "known class" : "the earlier", name, d.score,
                         needed);
  }
}

}  // namespace paco::methods
