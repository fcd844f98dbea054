#include "methods/peers/seen.hpp"

#include <cmath>
#include <string>

namespace paco::methods {
namespace {

constexpr const char* kWord = "embeddings";

}  // namespace

math::Matrix<float> as_seen(Rows<const double> embeddings, Seen seen) {
  math::Matrix<float> out(embeddings.rows, embeddings.columns);
  for (std::size_t i = 0; i < embeddings.rows; ++i) {
    double squared = 0;
    for (const double x : embeddings[i]) squared += x * x;
    const double length = seen == Seen::direction ? std::sqrt(squared) : 1;
    for (std::size_t j = 0; j < embeddings.columns; ++j)
      out[i][j] = static_cast<float>(embeddings[i][j] / length);
  }
  return out;
}

math::Matrix<float> support_as_seen(const SupportView& support, Seen seen) {
  return seen == Seen::standardised ? support.units() : as_seen(support.raw(), seen);
}

void put_seen(Section& section, Seen seen) {
  if (seen != Seen::standardised) section.words[kWord] = std::string(kSeen.name(seen));
}

Seen seen_by(const Section& section) {
  const auto word = section.words.find(kWord);
  if (word == section.words.end()) return Seen::standardised;
  return kSeen.value(word->second).value_or(Seen::standardised);
}

}  // namespace paco::methods
