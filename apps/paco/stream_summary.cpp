#include "stream_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace paco {
namespace {

struct Counts {
  std::size_t singletons, mature, attachable;
};

Counts counts_of(const MemoryView& memory) {
  const auto count = [&](auto&& holds) {
    return static_cast<std::size_t>(
        std::count_if(memory.categories.begin(), memory.categories.end(), holds));
  };
  return {count([](const CategoryInfo& c) { return c.size == 1; }),
          count([](const CategoryInfo& c) { return c.mature; }),
          count([](const CategoryInfo& c) { return c.attachable; })};
}

double rate(const StreamOutcome& outcome) {
  return outcome.seconds > 0 ? static_cast<double>(outcome.samples) / outcome.seconds : 0;
}

}  // namespace

Json stream_summary_json(const Method& method, const MemoryView& memory,
                         const StreamOutcome& outcome) {
  const MethodStats stats = method.stats();
  const Counts counts = counts_of(memory);
  Json json;
  json["method"] = method.name();
  json["samples"] = outcome.samples;
  json["samples_in_state"] = memory.samples;
  json["known_classes"] = memory.class_names.size();
  json["categories"] = memory.categories.size();
  json["singletons"] = counts.singletons;
  json["mature"] = counts.mature;
  json["attachable"] = counts.attachable;
  for (int b = 0; b < 4; ++b)
    json["branches"][branch_name(static_cast<Branch>(b))] = stats.branches[b];
  for (int r = 0; r < 3; ++r) json["routes"][route_name(static_cast<Route>(r))] = stats.routes[r];
  json["tau_birth"] = memory.tau_birth;
  json["lowest_tau_birth"] = stats.lowest_tau_birth;
  json["eta"] = memory.eta;
  json["settled_in_double"] = stats.settled;
  json["interrupted"] = outcome.interrupted;
  json["seconds"] = outcome.seconds;
  json["deciding_seconds"] = outcome.deciding_seconds;
  json["samples_per_second"] = rate(outcome);
  return json;
}

std::string stream_summary_text(const Method& method, const MemoryView& memory,
                                const StreamOutcome& outcome) {
  const MethodStats stats = method.stats();
  const Counts counts = counts_of(memory);
  const double all = std::max<double>(1, static_cast<double>(stats.samples));
  std::string text =
      fmt::format("{} samples in {:.2f} s ({:.0f} a second), {} known classes, {} categories\n",
                  outcome.samples, outcome.seconds, rate(outcome), memory.class_names.size(),
                  memory.categories.size());
  text +=
      fmt::format("categories  {} of one sample, {} mature, {} that could still be attached to\n",
                  counts.singletons, counts.mature, counts.attachable);
  text += "decided by ";
  for (int b = 0; b < 4; ++b) {
    text += fmt::format(" {} {:.1f} %{}", branch_name(static_cast<Branch>(b)),
                        100 * static_cast<double>(stats.branches[b]) / all, b < 3 ? "," : "\n");
  }
  text += "competing  ";
  for (int r = 0; r < 3; ++r) {
    text += fmt::format(" {} {:.1f} %{}", route_name(static_cast<Route>(r)),
                        100 * static_cast<double>(stats.routes[r]) / all, r < 2 ? "," : "\n");
  }
  text += fmt::format("boundary    tau_birth {:.6f} (lowest {:.6f}), eta {:.4f}\n",
                      memory.tau_birth, stats.lowest_tau_birth, memory.eta);
  text += fmt::format(
      "precision   {} samples ({:.2f} %) had a winner that float32 could not tell from the "
      "runner-up\n",
      stats.settled, 100 * static_cast<double>(stats.settled) / all);
  return text;
}

}  // namespace paco
