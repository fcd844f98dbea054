// `paco bench`: measures in a few seconds how fast this machine decides, also as shares of the
// machine's peak. The long form, with contenders and growth, is in bench/.
#include <fmt/format.h>

#include "bench/common/short_bench.hpp"
#include "cli/verb.hpp"
#include "core/try.hpp"
#include "math/kernels.hpp"

namespace paco {
namespace {

std::string describe(const Measurement& m, const MachinePeak& peak) {
  const double value = m.microseconds_per_item();
  const std::string time =
      value >= 1e4 ? fmt::format("{:.1f} ms", value / 1e3) : fmt::format("{:.1f} us", value);
  const std::string share = fmt::format("{:.0f} % of sgemm", 100 * m.share_of_sgemm(peak));
  if (m.question == "decide_single") {
    return fmt::format("{:>9} a sample, p99 {:.1f} us; {:.1f} times one reading of the prototypes",
                       time, m.time.p99 * 1e6, m.more.at("median_over_reread").get<double>());
  }
  if (m.question == "decide_block") return fmt::format("{:>9} a sample, {}", time, share);
  return fmt::format("{:>9} for {} samples in {} classes, {}", time,
                     m.more.at("samples").get<std::size_t>(),
                     m.more.at("classes").get<std::size_t>(), share);
}

Result<void> run(Context& context) {
  PACO_ASSIGN(const ShortBench bench,
              run_short_bench(context.clock, *context.progress, context.stop));
  Json json = {{"kernels", math::kernel_target()}, {"peak", to_json(bench.peak)}};
  std::string text = fmt::format(
      "limits        sgemm {:.1f} GFLOP/s on one thread, memory {:.1f} GB/s; kernels {}\n"
      "answers       blocks and the plain reference decide alike\n",
      bench.peak.sgemm_gflops, bench.peak.memory_gb_per_second, math::kernel_target());
  json["measurements"] = Json::array();
  for (const Measurement& m : bench.measurements) {
    json["measurements"].push_back(to_json(m, bench.peak));
    text += fmt::format("{:<13} {:<12} {}\n", m.question, m.shape, describe(m, bench.peak));
  }
  return print_result(context, json, text);
}

}  // namespace

void add_bench(Options& verb, Context& context) {
  verb.about(
      "How fast this machine decides, as a share of what it can do at all\n"
      "Made data in the shapes of known data sets, one thread, well under a minute. Answers are "
      "compared\n"
      "with the plain reference before anything is timed.");
  finish_verb(verb, context, [&context] { return run(context); });
}

}  // namespace paco
