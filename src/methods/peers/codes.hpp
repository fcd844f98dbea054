// The codes that the hash family, RankStat and WTA compare. A head's outputs become a set of at
// most 63 marks, stored in one word. The distance of two codes is the number of marks that only one
// of them has.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "paco/rows.hpp"

namespace paco::methods {

using Code = std::uint64_t;

inline constexpr std::size_t kMostBits = 63;

// How outputs become marks: all outputs above zero; the `kTop` largest in any order; or the largest
// of each of `kGroups` equal groups. If outputs are equal, the lower index wins.
enum class Coding : std::uint8_t { signs, top, groups };
inline constexpr auto kCodings = core::enum_names<Coding>(
    {{Coding::signs, "signs"}, {Coding::top, "top"}, {Coding::groups, "groups"}});
inline constexpr std::size_t kTop = 3, kGroups = 3;

Code code_of(std::span<const float> outputs, Coding coding);
std::vector<Code> codes_of(Rows<const float> outputs, Coding coding);

inline int differing(Code a, Code b) { return std::popcount(a ^ b); }

// How well codes separate known classes: the share of samples whose class is the most frequent one
// among the samples with the same code, and the number of different codes.
struct CodeQuality {
  std::size_t codes = 0;
  double purity = 0;
};
CodeQuality code_quality(std::span<const Code> codes, std::span<const std::int64_t> labels);

}  // namespace paco::methods
