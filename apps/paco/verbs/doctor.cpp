// `paco doctor`: what this program was built with and what this machine gives it, as a block to
// paste into a bug report. It measures only what takes a moment: one matrix product and a few
// synced writes.
#include <fmt/format.h>
#include <hwy/targets.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "bench/common/openblas.hpp"
#include "cli/exec_sibling.hpp"
#include "cli/torch_parts.hpp"
#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"
#include "math/prefilter.hpp"
#include "report/page.hpp"

namespace paco {
namespace {

struct DoctorArguments {
  std::string folder = ".";
};

struct Line {
  std::string name, text;
};

std::string text_of(const std::string& path) {
  const auto bytes = core::read_file(path, 1 << 20);
  if (!bytes.ok()) return "";
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// The text after `key` and a colon or equals sign on its line of a system file; empty if there is
// no such line.
std::string field(const std::string& text, const std::string& key) {
  const std::size_t start = text.find(key);
  if (start == std::string::npos) return "";
  const std::size_t value = text.find_first_of(":=", start);
  if (value == std::string::npos) return "";
  const std::size_t end = text.find('\n', value);
  std::string found = text.substr(value + 1, end - value - 1);
  found.erase(
      std::remove_if(found.begin(), found.end(), [](char c) { return c == '"' || c == '\t'; }),
      found.end());
  const std::size_t first = found.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return found.substr(first, found.find_last_not_of(" \t") + 1 - first);
}

std::string target_names(std::int64_t targets) {
  std::string names;
  for (int shift = 0; shift < 62; ++shift) {  // the higher bits are not targets
    const std::int64_t bit = std::int64_t{1} << shift;
    if ((targets & bit) == 0) continue;
    names += (names.empty() ? "" : " ") + std::string(hwy::TargetName(bit));
  }
  return names;
}

// Best of a few products of 768 x 768 matrices on one thread.
double sgemm_gflops(const OpenBlas& blas, const core::Clock& clock) {
  constexpr int n = 768;
  constexpr double kSeconds = 0.3;
  core::Random random(0);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (float& x : a) x = static_cast<float>(random.uniform(-1, 1));
  for (float& x : b) x = static_cast<float>(random.uniform(-1, 1));
  double best = 1e9;
  const double start = clock();
  do {
    const double before = clock();
    blas.multiply_transposed(n, n, n, a.data(), b.data(), c.data());
    best = std::min(best, clock() - before);
  } while (clock() - start < kSeconds);
  return 2e-9 * n * n * n / best;
}

// Median duration, in milliseconds, of an atomic and synced write of 4 KiB.
Result<double> sync_milliseconds(const std::string& folder, const core::Clock& clock) {
  const std::string path = fmt::format("{}/.paco-doctor-{}", folder, ::getpid());
  const std::string page(4096, 'x');
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const double before = clock();
    PACO_TRY(core::write_file(path, page));
    times.push_back(clock() - before);
  }
  PACO_TRY(core::remove_file(path));
  std::sort(times.begin(), times.end());
  return 1000 * times[times.size() / 2];
}

std::vector<std::string> gpu_names() {
  const std::string folder = "/proc/driver/nvidia/gpus";
  std::vector<std::string> names;
  const auto gpus = core::list_folder(folder);
  if (!gpus.ok()) return names;
  for (const std::string& gpu : *gpus) {
    names.push_back(field(text_of(folder + "/" + gpu + "/information"), "Model"));
  }
  return names;
}

Result<void> run(Context& context, const DoctorArguments& settings) {
  utsname system{};
  ::uname(&system);
  const std::string release = field(text_of("/etc/os-release"), "PRETTY_NAME");
  const std::string cpu = field(text_of("/proc/cpuinfo"), "model name");
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 30);
  const std::int64_t compiled = HWY_TARGETS;
  const std::int64_t usable = hwy::SupportedTargets() & compiled;
  const std::string used = target_names(usable & -usable);  // the lowest bit is the best target
  const int screening_bits = math::best_screen_format(768) == math::PrefilterFormat::bytes ? 8 : 32;
  const OpenBlas* const blas = openblas();
  const double gflops = blas == nullptr ? 0 : sgemm_gflops(*blas, context.clock);
  PACO_ASSIGN(const double sync, sync_milliseconds(settings.folder, context.clock));
  const std::vector<std::string> gpus = gpu_names();
  const embed::TorchInfo torch =
      context.torch != nullptr ? context.torch->info() : embed::TorchInfo{};
  const bool has_page = !report::page_template().empty();

  const Json json = {
      {"version", PACO_VERSION},
      {"compiler", __VERSION__},
      {"build", PACO_BUILD_TYPE},
      {"system", release},
      {"kernel", system.release},
      {"machine", system.machine},
      {"cpu", cpu},
      {"threads", core::available_threads()},
      {"memory_gib", memory},
      {"kernels",
       {{"used", used}, {"compiled", target_names(compiled)}, {"screening_bits", screening_bits}}},
      {"blas", blas == nullptr
                   ? Json(nullptr)
                   : Json{{"name", blas->config}, {"core", blas->core}, {"sgemm_gflops", gflops}}},
      {"torch", torch.version.empty() ? Json(nullptr) : Json(torch.version)},
      {"torch_gpus", torch.gpus},
      {"gpus", gpus},
      {"sync_ms", sync},
      {"report_page", has_page},
  };

  const std::string torch_text =
      torch.version.empty()
          ? (built_with_torch()
                 ? "not installed: no 'train' and no GPU; install the package paco-torch"
                 : "not in this build: no 'train' and no GPU; install libtorch-dev and "
                   "build again")
          : fmt::format("{}, {}", torch.version,
                        torch.gpus == 0 ? "on the CPU" : fmt::format("with {} GPUs", torch.gpus));
  const std::vector<Line> lines = {
      {"paco", fmt::format("{} ({}, {})", PACO_VERSION, PACO_BUILD_TYPE, __VERSION__)},
      {"system", fmt::format("{}, Linux {}, {}", release, system.release, system.machine)},
      {"cpu",
       fmt::format("{}, {} threads, {:.1f} GiB memory", cpu, core::available_threads(), memory)},
      {"kernels", fmt::format("{} in use, of {}; screening in {} bits", used,
                              target_names(compiled), screening_bits)},
      {"blas", blas == nullptr
                   ? "no OpenBLAS is installed; only 'paco bench' needs one"
                   : fmt::format("{}; sgemm {:.1f} GFLOP/s on one thread", blas->config, gflops)},
      {"torch", torch_text},
      {"gpu", gpus.empty() ? "none seen" : fmt::format("{}", fmt::join(gpus, ", "))},
      {"disk", fmt::format("{:.2f} ms for a synced write of 4 KiB in '{}'", sync, settings.folder)},
      {"report page",
       has_page ? "embedded" : fmt::format("not in this build: {}", report::page_missing_reason())},
  };
  std::string text;
  for (const Line& line : lines) text += fmt::format("{:<12} {}\n", line.name, line.text);
  return print_result(context, json, text);
}

}  // namespace

void add_doctor(Options& verb, Context& context) {
  verb.about("What this build and this machine can do: a block to paste into a bug report");
  auto settings = std::make_shared<DoctorArguments>();
  verb.add_text("--folder", settings->folder, "where the time of a synced write is measured");
  verb.set_needs_torch(torch_sibling_is_there);
  finish_verb(verb, context, [&context, settings] { return run(context, *settings); });
}

}  // namespace paco
