// Mirror's calibration in the registry: options, its section of the model, what it found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "math/kernels.hpp"
#include "methods/common/false_new.hpp"
#include "methods/common/option_table.hpp"
#include "methods/common/standardise.hpp"
#include "methods/mirror/calibrate.hpp"
#include "methods/mirror/embedding.hpp"
#include "methods/mirror/mirror_method.hpp"

namespace paco::methods {
namespace {

const OptionTable<MirrorOptions>& table() {
  static const OptionTable<MirrorOptions> options(
      "mirror",
      {{"rehearse", &MirrorOptions::rehearse, 0, 64,
        "stored samples that are looked at again with every sample; 0: none"},
       {"buffer", &MirrorOptions::buffer, 1, 1'000'000, "samples that are stored for it"},
       {"splits", &MirrorOptions::splits, 2, 1000, "pseudo-streams of calibration"},
       {"seed", &MirrorOptions::seed, 0, 4294967295, "of their random order"},
       {"odds", &MirrorOptions::odds, 0.01, 100,
        "what the fall of the threshold is multiplied with"},
       {"candidates", &MirrorOptions::candidates, 1, 1'000'000,
        "the most samples that wait for a second of their kind"},
       {"prior", &MirrorOptions::prior,
        "with five known classes or fewer, draw the chosen threshold to what serves elsewhere"}});
  return options;
}

// Progress of the loops of this folder as calibrate() reports it.
class ProgressAdapter final : public core::Progress {
 public:
  explicit ProgressAdapter(const CalibrationProgress& listener) : listener_(listener) {}
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

// Standard deviation of each column over the rows.
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

Error damaged(const char* what) {
  return {ErrorCode::bad_format, fmt::format("its section 'mirror' {}", what),
          "the file is damaged; calibrate again"};
}

template <class T>
Result<math::Matrix<T>> matrix_from(const Section& section, const char* name, std::size_t rows,
                                    std::size_t columns) {
  PACO_ASSIGN(const std::vector<T>* values, section.tensor<T>(name, rows * columns));
  if (!std::all_of(values->begin(), values->end(), [](T x) { return std::isfinite(x); }))
    return damaged("has a value that is not finite");
  math::Matrix<T> out(rows, columns);
  std::copy(values->begin(), values->end(), out.data());
  return out;
}

template <class T>
std::vector<T> values_of(const math::Matrix<T>& matrix) {
  return {matrix.data(), matrix.data() + matrix.rows() * matrix.columns()};
}

Result<void> check(const MirrorModel& m) {
  const auto in = [](double x, double low, double high) { return x >= low && x <= high; };
  if (!in(m.embedding.alpha, 0, 1) || !in(m.rho, 0, 1.001) || !in(m.sure, -1.001, 1.001) ||
      !in(m.slope, 0, 1e9) || !in(m.tail, 0, 3) || !in(m.floor, -1.001, 1.001) ||
      !in(m.start, -10, 10) || !in(m.tau, 0, 10))
    return damaged("has a threshold that is out of range");
  const auto& deviation = m.embedding.deviation;
  if (*std::min_element(deviation.begin(), deviation.end()) <= 0)
    return damaged("has a deviation that is not positive");
  for (const float x : values_of(m.references)) {
    if (!(std::abs(x) <= 1.001f)) return damaged("has a reference off the unit sphere");
  }
  return {};
}

// Best cosine of each held-out sample with a known class.
Result<std::vector<double>> known_cosines_of(const MirrorModel& m, Rows<const double> samples) {
  math::Matrix<float> rows(samples.rows, samples.columns);
  if (!StreamEmbedder(m.embedding).embed(samples, rows.view())) {
    PACO_TRY(check_rows(samples, "samples held out"));
    return Error{ErrorCode::bad_value, "a sample held out equals the support set's mean",
                 "leave it out: it has no direction"};
  }
  std::vector<double> out;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double best = -1;
    for (std::size_t k = 0; k < m.known(); ++k)
      best = std::max(best, math::dot(m.references[k].data(), rows[i].data(), rows.columns()));
    out.push_back(best);
  }
  return out;
}

// The bonus needs about ten held-out samples per class; with fewer, it calls too many samples new.
// Also, half of the rate times their number must be at least one.
bool bonus_pays(std::size_t samples, std::size_t classes, double rate) {
  constexpr std::size_t kEach = 10;
  return samples >= kEach * classes && share_below(rate / 2, samples) >= 1;
}

// Reads the data of the promise that the bonus keeps, if the section has it.
Result<void> read_bonus(const Section& s, MirrorModel& m) {
  const auto rows = s.tensors.find(kHeldOutRows);
  if (rows == s.tensors.end() || !s.numbers.contains(kLiveGate)) return {};
  const std::size_t n = rows->second.shape.empty() ? 0 : rows->second.shape[0];
  if (n < 1 || n > (std::size_t{1} << 24)) return damaged("has an impossible number of samples");
  PACO_ASSIGN(m.held_out_rows, matrix_from<float>(s, kHeldOutRows.data(), n, m.dimension()));
  PACO_ASSIGN(const math::Matrix<double> known, matrix_from<double>(s, kHeldOutKnown.data(), 1, n));
  m.held_out_known = values_of(known);
  PACO_ASSIGN(m.false_new, s.number("false_new.rate"));
  PACO_ASSIGN(m.bonus_from, s.number(kLiveGate));
  if (!(m.false_new > 0 && m.false_new < 1) || share_below(m.false_new / 2, n) == 0)
    return damaged("promises what its samples cannot keep");
  return {};
}

}  // namespace

const std::vector<MethodOption>& mirror_options() { return table().options(); }

Result<Section> calibrate_mirror_section(SupportView& support, const Settings& settings) {
  PACO_ASSIGN(const MirrorOptions options, table().read(settings));
  ProgressAdapter progress(support.progress());
  PACO_ASSIGN(const MirrorModel learned,
              calibrate_mirror(support.raw(), support.labels(), support.model().known_classes(),
                               options, support.pool(), progress, support.stop()));
  Section section = mirror_section(learned, settings);
  if (support.false_new() > 0) {
    std::vector<double> known = learned.held_out_known;
    if (support.held_out().rows > 0) {
      PACO_ASSIGN(known, known_cosines_of(learned, support.held_out()));
    }
    const std::uint64_t count = known.size(), d = learned.dimension();
    if (support.held_out().rows == 0 &&
        bonus_pays(known.size(), learned.known(), support.false_new())) {
      math::Matrix<float> rows =
          SupportEmbedder(learned.embedding)
              .embed(support.raw(), learned.held_out_samples, support.stop());
      section.tensors[std::string(kHeldOutRows)] = {{count, d}, values_of(rows)};
    }
    section.tensors[std::string(kHeldOutKnown)] = {{count}, std::move(known)};
  }
  return section;
}

Section mirror_section(const MirrorModel& m, const Settings& settings) {
  Section section;
  section.settings = settings;
  section.numbers = {{"tau", m.tau},
                     {"rho", m.rho},
                     {"slope", m.slope},
                     {"tail", m.tail},
                     {"floor", m.floor},
                     {"sure", m.sure},
                     {"start", m.start},
                     {"alpha", m.embedding.alpha},
                     {"rank", static_cast<double>(m.embedding.rank)},
                     {"plateau.best", static_cast<double>(m.evidence.best)},
                     {"plateau.low", static_cast<double>(m.evidence.low)},
                     {"plateau.high", static_cast<double>(m.evidence.high)}};
  const std::uint64_t d = m.dimension(), k = m.known(), taus = m.evidence.taus.size();
  const std::uint64_t splits = m.evidence.scores.rows();
  const math::Matrix<float>& whitening = m.embedding.whitening;
  std::vector<float> lower;
  for (std::size_t i = 0; i < whitening.rows(); ++i)
    lower.insert(lower.end(), whitening[i].data(), whitening[i].data() + i + 1);
  section.tensors["mean"] = {{d}, m.embedding.mean};
  section.tensors["deviation"] = {{d}, m.embedding.deviation};
  if (!lower.empty()) section.tensors["whitening"] = {{lower.size()}, std::move(lower)};
  section.tensors["references"] = {{k, d}, values_of(m.references)};
  section.tensors["evidence.taus"] = {{taus}, m.evidence.taus};
  section.tensors["evidence.scores"] = {{splits, taus}, values_of(m.evidence.scores)};
  section.tensors["evidence.means"] = {{taus}, m.evidence.means};
  section.tensors["evidence.errors"] = {{taus}, m.evidence.errors};
  return section;
}

Result<std::shared_ptr<const MirrorModel>> mirror_model(const Model& model) {
  PACO_ASSIGN(const Section* section, model.section("mirror"));
  const Section& s = *section;
  const std::size_t d = model.dimension, k = model.known_classes();
  MirrorModel m;
  PACO_ASSIGN(m.options, table().read(s.settings));
  PACO_ASSIGN(m.tau, s.number("tau"));
  PACO_ASSIGN(m.rho, s.number("rho"));
  PACO_ASSIGN(m.slope, s.number("slope"));
  PACO_ASSIGN(m.tail, s.number("tail"));
  PACO_ASSIGN(m.floor, s.number("floor"));
  PACO_ASSIGN(m.sure, s.number("sure"));
  PACO_ASSIGN(m.start, s.number("start"));
  PACO_ASSIGN(m.embedding.alpha, s.number("alpha"));
  PACO_ASSIGN(const double rank, s.number("rank"));
  if (!(rank >= 0 && rank <= static_cast<double>(d))) return damaged("has an impossible rank");
  m.embedding.rank = static_cast<std::size_t>(rank);
  PACO_ASSIGN(const math::Matrix<double> mean, matrix_from<double>(s, "mean", 1, d));
  PACO_ASSIGN(const math::Matrix<double> deviation, matrix_from<double>(s, "deviation", 1, d));
  m.embedding.mean = values_of(mean);
  m.embedding.deviation = values_of(deviation);
  if (s.tensors.contains("whitening")) {
    PACO_ASSIGN(const math::Matrix<float> lower,
                matrix_from<float>(s, "whitening", 1, d * (d + 1) / 2));
    m.embedding.whitening = math::Matrix<float>(d, d);
    const float* from = lower.data();
    for (std::size_t i = 0; i < d; from += ++i)
      std::copy_n(from, i + 1, m.embedding.whitening[i].data());
  }
  PACO_ASSIGN(m.references, matrix_from<float>(s, "references", k, d));
  PACO_TRY(check(m));
  PACO_TRY(read_bonus(s, m));

  MirrorEvidence& e = m.evidence;
  const auto taus = s.tensors.find("evidence.taus");
  if (taus == s.tensors.end() || taus->second.shape.size() != 1 || taus->second.shape[0] < 1 ||
      taus->second.shape[0] > (1u << 24))
    return damaged("does not say what thresholds were tried");
  const std::size_t tried = taus->second.shape[0];
  const auto column = [&](const char* name, std::vector<double>& to) -> Result<void> {
    PACO_ASSIGN(const math::Matrix<double> values, matrix_from<double>(s, name, 1, tried));
    to = values_of(values);
    return {};
  };
  const auto index = [&](const char* name, std::size_t& to) -> Result<void> {
    PACO_ASSIGN(const double value, s.number(name));
    if (!(value >= 0 && value < static_cast<double>(tried)))
      return damaged("has a plateau outside of the thresholds tried");
    to = static_cast<std::size_t>(value);
    return {};
  };
  PACO_TRY(column("evidence.taus", e.taus));
  PACO_TRY(column("evidence.means", e.means));
  PACO_TRY(column("evidence.errors", e.errors));
  PACO_ASSIGN(e.scores, matrix_from<double>(s, "evidence.scores",
                                            static_cast<std::size_t>(m.options.splits), tried));
  PACO_TRY(index("plateau.best", e.best));
  PACO_TRY(index("plateau.low", e.low));
  PACO_TRY(index("plateau.high", e.high));
  return std::make_shared<const MirrorModel>(std::move(m));
}

Result<SectionSummary> summarise_mirror(const Model& model) {
  PACO_ASSIGN(const std::shared_ptr<const MirrorModel> mirror, mirror_model(model));
  const MirrorModel& m = *mirror;
  const MirrorEvidence& e = m.evidence;
  SectionSummary out;
  out.json = {{"tau", m.tau},   {"start", m.start},           {"slope", m.slope},
              {"tail", m.tail}, {"floor", m.floor},           {"sure", m.sure},
              {"rho", m.rho},   {"alpha", m.embedding.alpha}, {"rank", m.embedding.rank}};
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
  row("tail", m.tail, "the same in a long stream, if that is more");
  row("floor", m.floor, "where it stops");
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
