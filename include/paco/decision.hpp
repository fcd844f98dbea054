// What is decided about one sample, and why. A person can see from these fields alone how it came
// about.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace paco {

// Known classes are 0 .. known_classes() - 1 in the order of the model; categories follow in order
// of birth. Ids are stable and never reused.
using CategoryId = std::int64_t;

enum class Verdict : std::uint8_t { known, existing, created };

// Which step of the decision settled it.
enum class Branch : std::uint8_t { known_only, explained, attach, create };

// Which prototypes were allowed to compete: the known classes, the categories, or all of them.
enum class Route : std::uint8_t { known_only, categories_only, all };

std::string_view verdict_name(Verdict verdict);
std::string_view branch_name(Branch branch);
std::string_view route_name(Route route);

// A value that this decision never needed to compute.
inline constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();

struct Decision {
  std::uint64_t sequence = 0;  // arrival number, from 0
  CategoryId category = 0;
  Verdict verdict = Verdict::known;
  Branch branch = Branch::known_only;
  Route route = Route::all;
  double score = 0;          // what was compared ...
  double threshold = 0;      // ... with what, at the step that settled the branch
  CategoryId runner_up = 0;  // the next best candidate; equals category when there is none
  double assignment_score = kNotComputed;  // score of the category in the final choice ...
  double runner_up_score = kNotComputed;   // ... and of the runner-up, on the same scale
  double tau_birth = 0;                    // the birth boundary this sample met

  // The evidence behind the branch, for traces, plots and explanations.
  double top_cosine = kNotComputed;    // best cosine with a known class
  double margin = kNotComputed;        // best minus second best known class
  double birth_score = kNotComputed;   // compared with tau_birth, where the birth test ran
  double attach_score = kNotComputed;  // compared with tau_create, where attaching was considered

  // The memory just after this sample.
  double tau_birth_after = 0;
  double eta_after = 0;  // weight of the stream in the birth boundary
  std::uint64_t categories_after = 0;
  std::uint64_t mature_after = 0;
};

}  // namespace paco
