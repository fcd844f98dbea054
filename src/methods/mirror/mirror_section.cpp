// Mirror's calibration in the registry: options, its section of the model, what it found.
#include <fmt/format.h>

#include <cmath>

#include "core/try.hpp"
#include "methods/mirror/calibrate.hpp"
#include "methods/mirror/mirror_method.hpp"
#include "methods/mirror/section.hpp"

namespace paco::methods {
namespace {

using Kind = MethodOption::Kind;
using Stage = MethodOption::Stage;

constexpr const char* kText = "mirror";

// What calibrate() is told of, as the loops of src/mirror tell it.
class Told final : public core::Progress {
 public:
  explicit Told(const CalibrationProgress& listener) : listener_(listener) {}
  void start(std::string_view, std::string_view, std::optional<std::uint64_t> total) override {
    total_ = total.value_or(0);
  }
  void update(std::uint64_t done, std::string_view) override {
    if (listener_) listener_(done, total_);
  }
  void finish() override {}

 private:
  const CalibrationProgress& listener_;
  std::uint64_t total_ = 0;
};

// Of each column, from one row to the next.
std::vector<double> deviations(const math::Matrix<double>& scores) {
  const auto n = static_cast<double>(scores.rows());
  std::vector<double> out;
  for (std::size_t t = 0; t < scores.columns(); ++t) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < scores.rows(); ++i) mean += scores[i][t] / n;
    for (std::size_t i = 0; i < scores.rows(); ++i)
      squares += (scores[i][t] - mean) * (scores[i][t] - mean);
    out.push_back(n > 1 ? std::sqrt(squares / (n - 1)) : 0.0);
  }
  return out;
}

}  // namespace

const std::vector<MethodOption>& mirror_options() {
  static const std::vector<MethodOption> options{
      {"rehearse",
       Kind::whole,
       Stage::calibrating,
       "2",
       "stored samples that are looked at again with every sample; 0: none",
       0,
       64,
       {}},
      {"buffer",
       Kind::whole,
       Stage::calibrating,
       "2000",
       "samples that are stored for it",
       1,
       1'000'000,
       {}},
      {"splits",
       Kind::whole,
       Stage::calibrating,
       "16",
       "pseudo-streams of calibration",
       2,
       1000,
       {}},
      {"seed", Kind::whole, Stage::calibrating, "0", "of their random order", 0, 4294967295, {}},
      {"odds",
       Kind::number,
       Stage::calibrating,
       "1",
       "what the fall of the threshold is multiplied with",
       0.01,
       100,
       {}},
      {"candidates",
       Kind::whole,
       Stage::calibrating,
       "2000",
       "the most samples that wait for a second of their kind",
       1,
       1'000'000,
       {}},
      {"prior",
       Kind::flag,
       Stage::calibrating,
       "off",
       "with five known classes or fewer, draw the chosen threshold to what serves elsewhere",
       0,
       0,
       {}},
      {"loops",
       Kind::flag,
       Stage::deciding,
       "off",
       "decide in plain loops: slow, and the judge of the fast engine",
       0,
       0,
       {}}};
  return options;
}

Result<Section> calibrate_mirror_section(SupportView& support, const Settings& settings) {
  MirrorOptions options;
  options.rehearse = static_cast<int>(whole_setting(settings, "rehearse"));
  options.buffer = static_cast<int>(whole_setting(settings, "buffer"));
  options.splits = static_cast<int>(whole_setting(settings, "splits"));
  options.seed = static_cast<std::uint32_t>(whole_setting(settings, "seed"));
  options.odds = number_setting(settings, "odds");
  options.candidates = static_cast<int>(whole_setting(settings, "candidates"));
  options.prior = flag_setting(settings, "prior");
  Told progress(support.progress());
  PACO_ASSIGN(const MirrorModel model, calibrate_mirror(support.raw(), support.labels(), options,
                                                        support.pool(), progress, support.stop()));
  MirrorSection made = to_section(model);
  Section section;
  section.settings = settings;
  section.words[kText] = std::move(made.settings);
  for (auto& [name, tensor] : made.tensors)
    section.tensors[name] = {std::move(tensor.shape), std::move(tensor.values)};
  section.numbers["tau"] = model.tau;
  section.numbers["rho"] = model.rho;
  section.numbers["slope"] = model.slope;
  section.numbers["sure"] = model.sure;
  section.numbers["start"] = model.start;
  section.numbers["alpha"] = model.embedding.alpha;
  section.numbers["rank"] = static_cast<double>(model.embedding.rank);
  return section;
}

Result<std::shared_ptr<const MirrorModel>> mirror_model(const Model& model) {
  PACO_ASSIGN(const Section* section, model.section("mirror"));
  MirrorSection stored;
  const auto text = section->words.find(kText);
  if (text == section->words.end()) {
    return Error{ErrorCode::bad_format, "its section 'mirror' has no settings",
                 "the file is damaged; calibrate again"};
  }
  stored.settings = text->second;
  for (const auto& [name, tensor] : section->tensors)
    stored.tensors[name] = {tensor.shape, tensor.values};
  PACO_ASSIGN(MirrorModel made, model_from_section(stored, "model"));
  if (made.known() != model.known_classes() || made.dimension() != model.dimension) {
    return Error{ErrorCode::bad_format, "its section 'mirror' is of another support set",
                 "the file is damaged; calibrate again"};
  }
  return std::make_shared<const MirrorModel>(std::move(made));
}

Result<SectionSummary> summarise_mirror(const Model& model) {
  PACO_ASSIGN(const std::shared_ptr<const MirrorModel> mirror, mirror_model(model));
  const MirrorModel& m = *mirror;
  const MirrorEvidence& e = m.evidence;
  SectionSummary out;
  out.json = {
      {"tau", m.tau}, {"start", m.start},           {"slope", m.slope},        {"sure", m.sure},
      {"rho", m.rho}, {"alpha", m.embedding.alpha}, {"rank", m.embedding.rank}};
  const bool curve = !e.taus.empty();
  if (curve) {
    out.json["plateau"] = {e.taus[e.low], e.taus[e.high]};
    out.json["pseudo_streams"] = {{"tau", e.taus},
                                  {"strict_all", e.means},
                                  {"standard_error", e.errors},
                                  {"deviation", deviations(e.scores)},
                                  {"best", e.best}};
  }
  const auto row = [&](const char* name, double value, const std::string& meaning) {
    out.text += fmt::format("{:<8}  {:>10.6f}  {}\n", name, value, meaning);
  };
  row("start", m.start, "cosine below which a sample starts something new, at first");
  row("slope", m.slope, "by how much that falls when the stream has grown e-fold");
  row("sure", m.sure, "median cosine of a held-out sample with its own class");
  row("rho", m.rho, "root of the mean cosine of two samples of a class");
  row("alpha", m.embedding.alpha,
      fmt::format("shrinkage of the covariance within classes, of rank {}", m.embedding.rank));
  row("tau", m.tau,
      m.options.prior && m.known() <= kFewClasses
          ? "start in units of rho, chosen by pseudo-streams and drawn to 0.85"
          : "start in units of rho, chosen by pseudo-streams");
  if (curve) {
    out.text += fmt::format(
        "pseudo-streams with hidden classes reach Strict All {:.1f} % at tau {:.2f}, as good from "
        "{:.2f} to {:.2f}\n",
        100 * e.means[e.best], e.taus[e.best], e.taus[e.low], e.taus[e.high]);
  }
  if (m.known() <= kFewClasses && !m.options.prior) {
    out.text += fmt::format(
        "with {} known classes such streams say little of the threshold: '--set prior=on' draws it "
        "to what serves elsewhere\n",
        m.known());
  }
  return out;
}

}  // namespace paco::methods
