// The false-new gate in the making: scores of held-out samples, and the promise as numbers of a
// method's section. What it means is in paco/false_new.hpp; that it is kept, MethodBase sees to.
#pragma once

#include <string_view>
#include <vector>

#include "methods/common/support_view.hpp"
#include "paco/false_new.hpp"
#include "paco/method.hpp"

namespace paco::methods {

// Numbers of the promise in a section begin with this.
inline constexpr std::string_view kFalseNewPrefix = "false_new.";
// A method that compares samples in a space of its own leaves here how close held-out samples come
// to a known class in that space: those kept apart where there are any, else cross-validated ones.
inline constexpr std::string_view kHeldOutKnown = "held_out.known";
// One that keeps the promise by itself, with these samples, and not by the gate, leaves them here;
// then there is no gate, and the score from which half of the rate lies above has this name.
inline constexpr std::string_view kHeldOutRows = "held_out.rows";
inline constexpr std::string_view kLiveGate = "false_new.bonus_from";

// The evidence that every method has besides its own: the gate, where it gave the answer.
inline constexpr std::string_view kGateField = "false_new_gate";
const EvidenceField& gate_field();

// Best cosine with a known class, in the space that methods without one of their own share, of
// samples that the references were made without. Cross-validated ones are at most kMostDrawn.
Result<std::vector<double>> known_cosines(SupportView& support);

// The place from below, among so many held-out scores, of the lowest gate that keeps the rate with
// FalseNew::kConfidence. Refuses if there are too few.
Result<std::uint64_t> samples_below(double rate, std::uint64_t samples);
// The same without confidence, for the bonus, which keeps more than it has to: as many of the
// samples as the rate is of them. 0 if they are too few.
std::uint64_t share_below(double rate, std::uint64_t samples);

// Writes the promise into a section.
Result<void> put_false_new(Section& section, double rate, std::vector<double> known_cosines,
                           bool kept_apart);
void put_price(Section& section, const FalseNew& measured);
// The same section without it.
void take_false_new_away(Section& section);
// Above every cosine where there is none.
double gate_of(const Section& section);

}  // namespace paco::methods
