// The decision on one sample, and the reason for it. These fields alone are enough for a person to
// see how the decision was made.
//
// A decision has a small core that every method fills in the same way, and the method's own
// evidence: a few numbers whose names, units and meanings the method declares (EvidenceField in
// method.hpp). Files, explanations, the journal and the report read evidence by those names.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace paco {

// The number of a category, as users see it. Known classes are 0 .. known_classes() - 1 in the
// order of the model; categories follow in order of birth. Ids are stable and never reused.
using CategoryId = std::int64_t;

// The number of a prototype, which a method stores and compares samples with. Prototypes are
// numbered in order of creation, and numbers are never reused; at the start category k owns
// prototype k.
using PrototypeId = std::int64_t;

// `tentative`: the sample is answered with the best existing category and also stored as a
// candidate that may become a category.
enum class Verdict : std::uint8_t { known, existing, created, tentative };

std::string_view verdict_name(Verdict verdict);

// Marks a value that the decision did not need and did not compute.
inline constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();

// The most evidence numbers a method may declare.
inline constexpr std::size_t kMaxEvidence = 16;

struct Decision {
  std::uint64_t sequence = 0;  // arrival number, from 0
  CategoryId category = 0;     // what was answered
  PrototypeId prototype = 0;   // what the sample joined, or the new one that it started
  Verdict verdict = Verdict::known;
  bool counted = false;      // it joined a fixed reference and does not change its direction
  double score = 0;          // what was compared ...
  double threshold = 0;      // ... with what; kNotComputed if nothing was compared
  CategoryId runner_up = 0;  // of the next best prototype; equals category if there is none
  std::uint64_t categories_after = 0;  // discovered ones, just after this sample
  // One value per EvidenceField of the method, in the same order; kNotComputed if the decision did
  // not need the value.
  std::array<double, kMaxEvidence> evidence = not_computed();

  static constexpr std::array<double, kMaxEvidence> not_computed() {
    std::array<double, kMaxEvidence> none{};
    for (double& value : none) value = kNotComputed;
    return none;
  }
};

}  // namespace paco
