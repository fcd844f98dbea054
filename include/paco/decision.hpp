// What is decided about one sample, and why. A person can see from these fields alone how it came
// about.
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

// What a person sees. Known classes are 0 .. known_classes() - 1 in the order of the model;
// categories follow in order of birth. Ids are stable and never reused.
using CategoryId = std::int64_t;

// What a method keeps and compares a sample with. Numbered in order of creation, never reused; at
// the start category k owns prototype k.
using PrototypeId = std::int64_t;

// `tentative`: answered with the best there is, while the sample is remembered apart as a candidate
// that may become a category.
enum class Verdict : std::uint8_t { known, existing, created, tentative };

std::string_view verdict_name(Verdict verdict);

// A value that this decision never needed to compute.
inline constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();

// The most evidence numbers a method may declare.
inline constexpr std::size_t kMaxEvidence = 16;

struct Decision {
  std::uint64_t sequence = 0;  // arrival number, from 0
  CategoryId category = 0;     // what was answered
  PrototypeId prototype = 0;   // what the sample joined, or the new one that it started
  Verdict verdict = Verdict::known;
  bool counted = false;      // it joined a fixed reference, whose direction it does not move
  double score = 0;          // what was compared ...
  double threshold = 0;      // ... with what; not computed where nothing was
  CategoryId runner_up = 0;  // of the next best prototype; equals category when there is none
  std::uint64_t categories_after = 0;  // discovered ones, just after this sample
  // By the place of the method's EvidenceField; not computed where the decision did not need it.
  std::array<double, kMaxEvidence> evidence = not_computed();

  static constexpr std::array<double, kMaxEvidence> not_computed() {
    std::array<double, kMaxEvidence> none{};
    for (double& value : none) value = kNotComputed;
    return none;
  }
};

}  // namespace paco
