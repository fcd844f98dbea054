// What `mirror` says about a sample, and what it remembers between two samples. Plain data, the
// same for the plain rule and the engine; a state taken from one goes on in the other with the same
// decisions.
//
// Prototypes are numbered: the known references first, then in order of creation, never reused. One
// without a category is a candidate: a single sample that nothing explained. With its second member
// it becomes a category and gets the next id. A prototype that lost all its members is gone.
//
// Candidates are bounded: where there are more than MirrorOptions::candidates of them, the oldest
// is dropped, for it has waited longest for a second sample. A sample that sat in a dropped one is
// filed anew when it is rehearsed. All that is kept is then bounded by the number of categories,
// the candidates, the buffer and what people did, not by the length of the stream.
//
// What people change. A promoted prototype is a fixed reference: samples that join it are counted
// and leave its sum alone, and its members stay until a person moves them. A sample that a person
// moved stays where it was put; rehearsal passes over it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "math/matrix.hpp"

namespace paco::methods {

inline constexpr std::int64_t kNoCategory = -1;
inline constexpr std::int64_t kNoPrototype = -1;

enum class MirrorVerdict : std::uint8_t {
  known,      // answered with a known class
  existing,   // answered with a category that appeared earlier
  created,    // answered with a category that appears with this answer
  tentative,  // a new candidate; answered with the closest prototype that has a category
};

// One judged sample. Cosines that do not exist are not numbers.
struct MirrorDecision {
  std::uint64_t sequence = 0;
  std::int64_t category = kNoCategory;    // what was answered
  std::int64_t prototype = kNoPrototype;  // where the sample was filed; a tentative one's candidate
  MirrorVerdict verdict = MirrorVerdict::known;
  bool counted = false;  // its prototype is fixed: it entered no sum
  bool at_once = false;  // fewer than half of the known classes had been answered
  double cosine = std::numeric_limits<double>::quiet_NaN();  // of the best prototype: compared ...
  double threshold = 0;                                      // ... with this
  // The best prototype with a category, other than the one answered with, and its category.
  std::int64_t runner_up = kNoCategory;
  double runner_up_cosine = std::numeric_limits<double>::quiet_NaN();
  double known_cosine = std::numeric_limits<double>::quiet_NaN();    // best of the references
  double visible_cosine = std::numeric_limits<double>::quiet_NaN();  // best that has a category
  double length = 1;             // L: estimated samples per class before this one
  std::uint64_t confident = 0;   // answers with a known class at `sure` or more before this one
  std::uint64_t candidates = 0;  // alive after this sample and its rehearsal
};

inline bool operator==(const MirrorDecision& a, const MirrorDecision& b) {
  const auto same = [](double x, double y) { return x == y || (x != x && y != y); };
  return a.sequence == b.sequence && a.category == b.category && a.prototype == b.prototype &&
         a.verdict == b.verdict && a.counted == b.counted && a.at_once == b.at_once &&
         same(a.cosine, b.cosine) && a.threshold == b.threshold && a.runner_up == b.runner_up &&
         same(a.runner_up_cosine, b.runner_up_cosine) && same(a.known_cosine, b.known_cosine) &&
         same(a.visible_cosine, b.visible_cosine) && a.length == b.length &&
         a.confident == b.confident && a.candidates == b.candidates;
}

// A prototype became a category while a sample was decided, by the sample itself or by one that was
// rehearsed with it.
struct MirrorBirth {
  std::uint64_t sequence = 0;  // of the sample that was being decided
  std::int64_t prototype = kNoPrototype;
  std::int64_t category = kNoCategory;
  bool operator==(const MirrorBirth&) const = default;
};

// Where a sample belongs.
struct MirrorPlace {
  std::int64_t prototype = kNoPrototype;
  bool counted = false;  // there without a share in the sum
  bool operator==(const MirrorPlace&) const = default;
};

// A sample that a person moved: where it is, and where the moves took it from, the first one first.
// A move back to where the last one came from takes that one back.
struct MirrorMoved {
  std::uint64_t sequence = 0;
  MirrorPlace place;
  std::vector<MirrorPlace> trail;
  bool operator==(const MirrorMoved&) const = default;
};

// Other than a reference of the support set.
struct MirrorPrototype {
  std::int64_t number = kNoPrototype;
  std::int64_t category = kNoCategory;
  std::int64_t members = 0;
  bool competing = true;
  std::vector<double> sum;   // (d) of the members' embeddings; exact, so in any order
  std::int64_t counted = 0;  // samples that joined while it was fixed
  std::vector<float> row;    // (d) its direction while it is fixed, else empty

  bool fixed() const { return !row.empty(); }
  // Nothing is left of others.
  bool lives() const { return members > 0 || counted > 0 || fixed(); }
  // Fixed ones compete as references.
  bool adapts() const { return competing && members > 0 && !fixed(); }
  bool operator==(const MirrorPrototype&) const = default;
};

struct MirrorState {
  std::uint64_t samples = 0;
  std::uint64_t cursor = 0;  // sequence number of the sample to be rehearsed next
  std::uint64_t confident = 0;
  std::int64_t next_prototype = 0;
  std::int64_t next_category = 0;
  std::vector<std::uint8_t> answered;              // (K) has this known class been answered?
  std::vector<std::int64_t> reference_categories;  // (K) what each reference is answered with
  std::vector<std::uint8_t> reference_competing;   // (K)
  std::vector<std::int64_t> reference_counted;     // (K) samples that are filed there
  std::vector<MirrorPrototype> prototypes;         // in ascending order of number
  // The last samples, up to the buffer, oldest first; none where nothing is rehearsed.
  std::vector<float> stored;                   // (m, d)
  std::vector<std::int64_t> stored_prototype;  // (m) where each is filed ...
  std::vector<std::uint8_t> stored_counted;    // (m) ... and whether it has no share in the sum
  std::vector<MirrorMoved> moved;              // in ascending order of sequence
  bool operator==(const MirrorState&) const = default;
};

}  // namespace paco::methods
