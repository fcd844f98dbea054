// The course of a stream, one csv row per sample: evidence, boundary and memory as they stood, and
// the time it took.
//
// Unlike decisions, a trace is not reproducible to the byte: its last column is measured.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "paco/decision.hpp"
#include "paco/method.hpp"

namespace paco {

inline constexpr std::string_view kTraceColumns =
    "sequence,category,route,branch,top_cosine,margin,birth_score,attach_score,tau_birth,tau_birth_"
    "after,eta_after,"
    "categories,mature,known_only,explained,attach,create,microseconds";

struct TraceRow {
  Decision decision;               // the fields that are columns
  std::uint64_t branches[4] = {};  // decisions by branch up to and with this one
  double microseconds = 0;
};

// The file appears under its name at commit().
class TraceWriter {
 public:
  // `before`: counts of decisions made before the first row, where a stream is resumed.
  static Result<TraceWriter> create(const std::string& path, const MethodStats& before);
  Result<void> write(std::span<const Decision> decisions, double microseconds_each);
  Result<void> commit();

 private:
  TraceWriter(AtomicFile file, const MethodStats& before);
  AtomicFile file_;
  std::uint64_t branches_[4];
  std::string text_;
};

Result<std::vector<TraceRow>> read_trace(const std::string& path);

}  // namespace paco
