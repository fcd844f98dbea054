#include "methods/price.hpp"

#include <algorithm>
#include <memory>

#include "core/random.hpp"
#include "core/try.hpp"
#include "math/matrix.hpp"
#include "methods/common/false_new.hpp"
#include "methods/common/pseudo_split.hpp"
#include "methods/mirror/pseudo_stream.hpp"
#include "methods/registry.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kStreams = 4;

math::Matrix<double> rows_of(Rows<const double> all, std::span<const std::size_t> chosen) {
  math::Matrix<double> out(chosen.size(), all.columns);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    std::copy_n(all[chosen[i]].data(), all.columns, out[i].data());
  return out;
}

// One pseudo-stream: what is calibrated on, and what comes by.
struct Part {
  math::Matrix<double> support, stream, classifier, held_out;
  std::vector<std::int64_t> labels, held_out_labels;
  std::vector<std::uint32_t> truth;
  std::size_t visible = 0;

  Part(const SupportSet& all, const PseudoSplit& split)
      : support(rows_of(all.embeddings, split.references)),
        stream(rows_of(all.embeddings, split.stream)),
        labels(split.reference_labels.begin(), split.reference_labels.end()),
        truth(split.stream_labels),
        visible(split.visible) {
    // The class that each visible one is in the whole set.
    std::vector<std::size_t> of(visible);
    for (std::size_t i = 0; i < split.references.size(); ++i)
      of[split.reference_labels[i]] = static_cast<std::size_t>(all.labels[split.references[i]]);
    if (all.classifier.rows > 0) classifier = rows_of(all.classifier, of);
    std::vector<std::size_t> apart;
    for (std::size_t i = 0; i < all.held_out.rows; ++i) {
      const auto label = static_cast<std::size_t>(all.held_out_labels[i]);
      const auto found = std::find(of.begin(), of.end(), label);
      if (found == of.end()) continue;
      apart.push_back(i);
      held_out_labels.push_back(found - of.begin());
    }
    if (!apart.empty()) held_out = rows_of(all.held_out, apart);
  }

  SupportSet support_set() const {
    return {support, labels, {}, classifier, held_out, held_out_labels};
  }
};

Result<FalseNew::Outcome> played(const Part& part, const CalibrationOptions& options, Model model) {
  MethodOptions deciding;
  deciding.threads = options.threads;
  PACO_ASSIGN(
      const auto method,
      make_method(options.method, std::make_shared<const Model>(std::move(model)), deciding));
  std::vector<Decision> decisions(part.stream.rows());
  PACO_TRY(method->decide_block(part.stream, decisions));
  std::vector<std::uint32_t> answers;
  double old = 0, called_new = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    answers.push_back(static_cast<std::uint32_t>(decisions[i].category));
    if (part.truth[i] >= part.visible) continue;
    old += 1;
    called_new += answers.back() >= part.visible ? 1 : 0;
  }
  return FalseNew::Outcome{strict_all(part.truth, answers), old > 0 ? called_new / old : 0.0};
}

}  // namespace

Result<void> measure_price(const SupportSet& support, const CalibrationOptions& options,
                           std::stop_token stop, Model& model) {
  const std::vector<std::uint32_t> labels(support.labels.begin(), support.labels.end());
  core::NumpyLegacyRandom random(0);
  CalibrationOptions quiet = options;
  quiet.progress = {};
  FalseNew sum;
  PACO_ASSIGN(const Registration* method, find_method(options.method));
  for (std::size_t b = 0; b < kStreams; ++b) {
    const Part part(support, draw_split(labels, model.known_classes(), random));
    const SupportSet some = part.support_set();
    if (part.stream.rows() == 0 || (support.held_out.rows > 0 && part.held_out.rows() == 0))
      continue;
    Result<Model> made = calibrated(some, quiet, stop);
    if (stop.stop_requested())
      return Error{ErrorCode::interrupted, "calibration was interrupted", ""};
    if (!made.ok()) continue;
    Model without = *made;
    take_false_new_away(without.sections.at(std::string(method->info.section)));
    PACO_ASSIGN(const FalseNew::Outcome gated, played(part, options, std::move(*made)));
    PACO_ASSIGN(const FalseNew::Outcome free, played(part, options, std::move(without)));
    sum.pseudo_streams += 1;
    sum.with.strict_all += gated.strict_all;
    sum.with.called_new += gated.called_new;
    sum.without.strict_all += free.strict_all;
    sum.without.called_new += free.called_new;
  }
  if (sum.pseudo_streams == 0) return {};
  const auto n = static_cast<double>(sum.pseudo_streams);
  for (FalseNew::Outcome* one : {&sum.with, &sum.without}) {
    one->strict_all /= n;
    one->called_new /= n;
  }
  put_price(model.sections.at(std::string(method->info.section)), sum);
  return {};
}

}  // namespace paco::methods
