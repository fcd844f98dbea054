// Past samples of a session with a journal: members of categories, attributes, pictures,
// embeddings. Loaded on first use and then updated with new events only.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "errors.hpp"
#include "insight/keywords.hpp"
#include "insight/member_index.hpp"
#include "journal/reader.hpp"
#include "paco/session.hpp"

namespace paco::python {

class Past {
 public:
  // All samples that belong to a category now, in stream order.
  Result<std::vector<std::uint64_t>> members(Session& session, CategoryId category);
  // Samples as a JSON array, for display.
  Result<std::string> samples(Session& session, const std::vector<std::uint64_t>& sequences);
  // Words that stand out in the texts of each category's members.
  Result<insight::Keywords> keywords(Session& session);
  // The bytes of an image file; empty if there is none.
  Result<std::string> picture(Session& session, std::uint64_t sequence);
  // (sequences.size(), d), as they were given.
  Result<std::vector<double>> embeddings(Session& session,
                                         const std::vector<std::uint64_t>& sequences);

 private:
  Result<void> refresh(Session& session);

  std::optional<journal::JournalReader> journal_;
  insight::MemberIndex members_;
  std::uint64_t samples_ = 0;  // number of samples in members_
  std::size_t operations_ = 0;
};

}  // namespace paco::python
