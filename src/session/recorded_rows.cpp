#include "session/recorded_rows.hpp"

#include <algorithm>
#include <vector>

#include "core/try.hpp"
#include "journal/checksum.hpp"
#include "math/matrix.hpp"
#include "session/session_impl.hpp"

namespace paco::session {

Result<std::uint64_t> recorded_rows(io::EmbeddingSource& source, Session& session,
                                    std::stop_token stop) {
  constexpr std::size_t kBytes = std::size_t{1} << 22;
  if (session.samples() == 0 || source.dimension() != session.model().dimension)
    return std::uint64_t{0};
  PACO_ASSIGN(const std::vector<std::uint64_t> recorded,
              Access::impl(session).journal->embedding_checksums());
  const std::size_t rows =
      std::clamp<std::size_t>(kBytes / (source.dimension() * sizeof(double)), 1, 4096);
  math::Matrix<double> block(rows, source.dimension());
  std::vector<std::size_t> alive;  // where in the journal the input may begin
  std::uint64_t row = 0, decidable = 0, found = 0;
  while (!stop.stop_requested()) {
    PACO_ASSIGN(const std::size_t count, source.read(block.view()));
    for (std::size_t i = 0; i < count; ++i, ++row) {
      if (session.method().check(block[i])) continue;
      const std::uint64_t sum = journal::embedding_checksum(block[i]);
      if (decidable == 0) {
        for (std::size_t s = 0; s < recorded.size(); ++s) {
          if (recorded[s] == sum) alive.push_back(s);
        }
      } else {
        // The input continues where the journal ends.
        const auto ends = [&](std::size_t s) { return s + decidable >= recorded.size(); };
        if (std::any_of(alive.begin(), alive.end(), ends)) found = row;
        std::erase_if(alive, [&](std::size_t s) {
          return ends(s) || recorded[s + static_cast<std::size_t>(decidable)] != sum;
        });
      }
      ++decidable;
      if (alive.empty()) return found;
    }
    if (count == 0) return alive.empty() ? found : row;
  }
  return found;
}

}  // namespace paco::session
