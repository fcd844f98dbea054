// The data sets of the literature on category discovery: how many classes are known, how large the
// support set and the stream are, and which classes of CUB and Cars are known (the lists of the
// Semantic Shift Benchmark).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace paco::io {

enum class KnownClasses : std::uint8_t {
  first,   // the first ones
  drawn,   // half of a hundred classes that a seed draws from a thousand
  listed,  // by the Semantic Shift Benchmark
};

struct LiteratureSet {
  std::string_view name;   // of the split rule: "cub"
  std::string_view title;  // "CUB-200-2011"
  KnownClasses kind;
  std::size_t classes, known, novel;        // classes: of the whole data set
  std::size_t support, stream;              // samples of the published training split
  std::string_view home;                    // where its authors publish it
  std::span<const std::int16_t> ssb_known;  // class ids from 0, for `listed`
};

std::span<const LiteratureSet> literature_sets();
const LiteratureSet* literature_set(std::string_view name);  // null: none has this name

}  // namespace paco::io
