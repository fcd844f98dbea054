// The form in which a peer gets an embedding. By default it is the standardised point on the sphere
// that all methods of this project use. Released code gets the embedding from its backbone
// unchanged.
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
  raw,        // unchanged
  direction,  // divided by its length: for rules of cosines
};
inline constexpr auto kSeen = core::enum_names<Seen>(
    {{Seen::standardised, "standardised"}, {Seen::raw, "raw"}, {Seen::direction, "direction"}});

// Names of the option's values; only the first two are available to users.
inline constexpr auto kSeenChoices =
    core::enum_names<Seen>({{Seen::standardised, "standardised"}, {Seen::raw, "raw"}});
inline constexpr std::string_view kSeenMeaning =
    "raw: sees embeddings as they came, as the original does, not standardised";

// Embeddings that are not standardised, as float32.
math::Matrix<float> as_seen(Rows<const double> embeddings, Seen seen);
math::Matrix<float> support_as_seen(const SupportView& support, Seen seen);

// Stored as a word in the section if the embedding is not standardised.
void put_seen(Section& section, Seen seen);
Seen seen_by(const Section& section);

}  // namespace paco::methods
