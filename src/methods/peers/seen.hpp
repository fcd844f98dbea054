// What a peer sees of an embedding. By default that is the standardised point on the sphere which
// every method of this project has; released code sees the embedding as its backbone gave it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/enum_names.hpp"
#include "math/matrix.hpp"
#include "methods/common/support_view.hpp"
#include "paco/model.hpp"

namespace paco::methods {

enum class Seen : std::uint8_t {
  standardised,
  raw,        // as it came
  direction,  // as it came, divided by its length: for rules of cosines
};
inline constexpr auto kSeen = core::enum_names<Seen>(
    {{Seen::standardised, "standardised"}, {Seen::raw, "raw"}, {Seen::direction, "direction"}});

// The option's text: a person chooses between the first two.
inline constexpr auto kSeenChoices =
    core::enum_names<Seen>({{Seen::standardised, "standardised"}, {Seen::raw, "raw"}});
inline constexpr std::string_view kSeenMeaning =
    "raw: sees embeddings as they came, as the original does, not standardised";

// Embeddings that are not standardised, as float32.
math::Matrix<float> as_seen(Rows<const double> embeddings, Seen seen);
math::Matrix<float> support_as_seen(const SupportView& support, Seen seen);

// Stored as a word of the section if it is not standardised.
void put_seen(Section& section, Seen seen);
Seen seen_by(const Section& section);

}  // namespace paco::methods
