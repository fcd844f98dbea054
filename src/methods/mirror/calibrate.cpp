#include "methods/mirror/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include "core/free_memory.hpp"
#include "core/try.hpp"
#include "methods/common/pseudo_split.hpp"
#include "methods/common/standardise.hpp"
#include "methods/mirror/embedding.hpp"
#include "methods/mirror/held_out.hpp"
#include "methods/mirror/pseudo_stream.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kTaus = 31;
constexpr double kFirstTau = 0.06, kTauStep = 0.05;

// Counts steps from any thread. Progress is reported from the thread that created it.
class SharedProgress {
 public:
  SharedProgress(core::Progress& progress, std::uint64_t total) : progress_(progress) {
    progress_.start("calibrate mirror", "steps", total);
  }
  ~SharedProgress() {
    progress_.update(done_.load());
    progress_.finish();
  }
  void add(std::uint64_t steps) {
    const std::uint64_t done = done_ += steps;
    if (std::this_thread::get_id() == caller_) progress_.update(done);
  }

 private:
  core::Progress& progress_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<std::uint64_t> done_{0};
};

std::vector<std::uint32_t> labels_of(std::span<const std::uint32_t> labels,
                                     std::span<const std::size_t> rows) {
  std::vector<std::uint32_t> out;
  for (const std::size_t i : rows) out.push_back(labels[i]);
  return out;
}

// Buffers that are passed from one job to the next, one job at a time. They are large, and the
// first use of newly allocated memory takes longer than the sums.
struct Room {
  FitRoom fit;
  std::vector<double> products;  // of a pseudo-stream
};

class SharedRooms {
 public:
  // Holds one Room until its destructor returns it.
  class Lent {
   public:
    explicit Lent(SharedRooms& rooms) : rooms_(rooms) {
      const std::lock_guard lock(rooms_.mutex_);
      if (rooms_.free_.empty()) return;
      room_ = std::move(rooms_.free_.back());
      rooms_.free_.pop_back();
    }
    ~Lent() {
      const std::lock_guard lock(rooms_.mutex_);
      rooms_.free_.push_back(std::move(room_));
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    Room* operator->() { return &room_; }

   private:
    SharedRooms& rooms_;
    Room room_;
  };

 private:
  std::mutex mutex_;
  std::vector<Room> free_;
};

class Calibration {
 public:
  Calibration(Rows<const double> support, std::vector<std::uint32_t> labels, std::size_t classes,
              const MirrorOptions& options, core::ThreadPool& pool, core::Progress& progress,
              std::stop_token stop)
      : support_(support),
        labels_(std::move(labels)),
        classes_(classes),
        pool_(pool),
        stop_(std::move(stop)),
        steps_(progress, (1 + kFolds + static_cast<std::uint64_t>(options.splits)) * kTaus) {
    model_.options = options;
  }

  MirrorModel run() {
    core::NumpyLegacyRandom fold_random(model_.options.seed);
    const std::vector<Fold> folds = draw_folds(labels_, classes_, fold_random);
    std::vector<HeldOut> held_out(kFolds);
    // The fit of the model's own embedding and the fits without one fold are jobs of about the same
    // cost.
    pool_.parallel_for(1 + kFolds, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t job = first; job < last && !stop_.stop_requested(); ++job) {
        if (job == 0) {
          fit_model();
        } else if (!folds[job - 1].scored.empty()) {
          held_out[job - 1] = hold_out(folds[job - 1]);
        }
        steps_.add(kTaus);
      }
    });
    if (stop_.stop_requested()) return {};
    const HeldOutFit fit = fit_held_out(held_out, pool_);
    model_.sure = fit.sure;
    model_.slope = model_.options.odds * fit.slope;
    const LongStreamFit far = fit_long_stream(held_out);
    model_.tail = far.tail;
    model_.floor = far.floor;
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const HeldOut& part = held_out[f];
      for (std::size_t i = 0; i < part.own.size(); ++i) {
        model_.held_out_known.push_back(std::max(part.own[i], part.other[i]));
        model_.held_out_samples.push_back(folds[f].scored[i]);
      }
    }

    core::NumpyLegacyRandom split_random(model_.options.seed);
    const auto splits = static_cast<std::size_t>(model_.options.splits);
    std::vector<PseudoSplit> drawn;
    for (std::size_t b = 0; b < splits; ++b)
      drawn.push_back(draw_split(labels_, classes_, split_random));
    MirrorEvidence& evidence = model_.evidence;
    const double step = (kFirstTau + kTauStep) - kFirstTau;  // as numpy.arange has it
    for (std::size_t i = 0; i < kTaus; ++i)
      evidence.taus.push_back(kFirstTau + static_cast<double>(i) * step);
    evidence.scores = math::Matrix<double>(splits, kTaus);
    pool_.parallel_for(splits, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t b = first; b < last; ++b) play(drawn[b], fit, evidence.scores[b]);
    });
    if (stop_.stop_requested()) return {};
    model_.tau = choose_tau(evidence);
    if (model_.options.prior) model_.tau = drawn_to_prior(model_.tau, classes_);
    model_.start = model_.tau * model_.rho;
    return std::move(model_);
  }

 private:
  void fit_model() {
    std::vector<std::size_t> all(support_.rows);
    std::iota(all.begin(), all.end(), std::size_t{0});
    SharedRooms::Lent room(rooms_);
    model_.embedding = fit_embedding({support_, all, labels_, classes_}, room->fit, stop_);
    MirrorReferences references = references_of(
        SupportEmbedder(model_.embedding).embed(support_, all, stop_), labels_, classes_);
    model_.references = std::move(references.rows);
    model_.rho = references.rho;
  }

  HeldOut hold_out(const Fold& fold) {
    const std::vector<std::uint32_t> kept = labels_of(labels_, fold.kept);
    SharedRooms::Lent room(rooms_);
    const MirrorEmbedding embedding =
        fit_embedding({support_, fold.kept, kept, classes_}, room->fit, stop_);
    const SupportEmbedder embedder(embedding);
    const MirrorReferences references =
        references_of(embedder.embed(support_, fold.kept, stop_), kept, classes_);
    return held_out_cosines(embedder.embed(support_, fold.scored, stop_),
                            labels_of(labels_, fold.scored), references.rows);
  }

  // Plays one pseudo-stream with every threshold. `whole` is used if the stream has no held-out
  // sample.
  void play(const PseudoSplit& split, const HeldOutFit& whole, std::span<double> scores) {
    if (stop_.stop_requested() || split.references.empty() || split.stream.empty())
      return steps_.add(kTaus);
    SharedRooms::Lent room(rooms_);
    const MirrorEmbedding embedding = fit_embedding(
        {support_, split.references, split.reference_labels, split.visible}, room->fit, stop_);
    const SupportEmbedder embedder(embedding);
    const MirrorReferences references = references_of(
        embedder.embed(support_, split.references, stop_), split.reference_labels, split.visible);
    const double rho = std::isnan(references.rho) ? model_.rho : references.rho;
    const math::Matrix<float> stream = embedder.embed(support_, split.stream, stop_);

    std::vector<std::size_t> seen;  // stream samples of visible classes are the held-out ones
    for (std::size_t i = 0; i < split.stream.size(); ++i) {
      if (split.stream_labels[i] < split.visible) seen.push_back(i);
    }
    HeldOutFit fit = whole;
    if (!seen.empty()) {
      math::Matrix<float> rows(seen.size(), stream.columns());
      for (std::size_t i = 0; i < seen.size(); ++i)
        std::copy_n(stream[seen[i]].data(), stream.columns(), rows[i].data());
      const HeldOut part =
          held_out_cosines(rows, labels_of(split.stream_labels, seen), references.rows);
      fit = fit_held_out({&part, 1}, pool_);
    }
    const PseudoStream pseudo(stream, references.rows);
    for (std::size_t i = 0; i < kTaus && !stop_.stop_requested(); ++i) {
      const PseudoRule rule{model_.evidence.taus[i] * rho, model_.options.odds * fit.slope,
                            fit.sure, static_cast<std::size_t>(model_.options.rehearse),
                            static_cast<std::size_t>(model_.options.buffer)};
      scores[i] = strict_all(split.stream_labels, pseudo.decide(rule, room->products));
      steps_.add(1);
    }
  }

  Rows<const double> support_;
  std::vector<std::uint32_t> labels_;
  std::size_t classes_;
  core::ThreadPool& pool_;
  std::stop_token stop_;
  SharedProgress steps_;
  SharedRooms rooms_;
  MirrorModel model_;
};

}  // namespace

Result<unsigned> fits_at_a_time(std::size_t samples, std::size_t dimension, std::uint64_t free,
                                unsigned threads) {
  // FitRoom in double; the whitening and its packed copy in float32.
  const std::uint64_t d = dimension, n = samples, smaller = std::min(n, d);
  const std::uint64_t each =
      sizeof(double) * (3 * d * d + smaller * smaller + n * d) + 2 * sizeof(float) * d * d;
  if (each <= free)
    return static_cast<unsigned>(std::clamp<std::uint64_t>(free / each, 1, threads));
  constexpr double kGigabyte = 1e9;
  return Error{
      ErrorCode::out_of_memory,
      fmt::format("mirror needs {:.1f} GB to learn the covariance of {} dimensions, {:.1f} "
                  "GB are free",
                  static_cast<double>(each) / kGigabyte, dimension,
                  static_cast<double>(free) / kGigabyte),
      "reduce the dimension of the embeddings first (principal components), or calibrate "
      "for another method"};
}

double choose_tau(MirrorEvidence& evidence) {
  const std::size_t splits = evidence.scores.rows(), taus = evidence.taus.size();
  std::vector<double> means(taus, 0.0);
  for (std::size_t i = 0; i < taus; ++i) {
    for (std::size_t b = 0; b < splits; ++b) means[i] += evidence.scores[b][i];
    means[i] /= static_cast<double>(splits);
  }
  evidence.means.resize(taus);
  for (std::size_t i = 0; i < taus; ++i) {
    const double before = means[i == 0 ? 0 : i - 1], after = means[std::min(i + 1, taus - 1)];
    evidence.means[i] = 0.25 * before + 0.5 * means[i] + 0.25 * after;
  }
  const auto largest = std::max_element(evidence.means.begin(), evidence.means.end());
  const auto best = static_cast<std::size_t>(largest - evidence.means.begin());
  evidence.best = evidence.low = evidence.high = best;
  // Errors of paired differences: an effect of a split that is the same for all thresholds cancels.
  evidence.errors.assign(taus, 0.0);
  for (std::size_t i = 0; i < taus; ++i) {
    double mean = 0, squares = 0;
    const auto difference = [&](std::size_t b) {
      return evidence.scores[b][i] - evidence.scores[b][best];
    };
    for (std::size_t b = 0; b < splits; ++b) mean += difference(b);
    mean /= static_cast<double>(splits);
    for (std::size_t b = 0; b < splits; ++b)
      squares += (difference(b) - mean) * (difference(b) - mean);
    evidence.errors[i] = std::sqrt(squares / static_cast<double>(splits - 1)) /
                         std::sqrt(static_cast<double>(splits));
  }
  const auto as_good = [&](std::size_t i) {
    return evidence.means[i] >= evidence.means[best] - evidence.errors[i];
  };
  while (evidence.low > 0 && as_good(evidence.low - 1)) --evidence.low;
  while (evidence.high + 1 < taus && as_good(evidence.high + 1)) ++evidence.high;
  return 0.5 * (evidence.taus[evidence.low] + evidence.taus[evidence.high]);
}

double drawn_to_prior(double tau, std::size_t classes) {
  if (classes > kFewClasses) return tau;
  constexpr double kServes = 0.85, kWeight = 3, kMost = 1;
  const auto hidden = static_cast<double>(classes - visible_classes(classes));
  const double own = hidden * hidden * hidden;
  return (own * std::min(tau, kMost) + kWeight * kServes) / (own + kWeight);
}

Result<MirrorModel> calibrate_mirror(Rows<const double> support,
                                     std::span<const std::int64_t> labels, std::size_t classes,
                                     const MirrorOptions& options, core::ThreadPool& pool,
                                     core::Progress& progress, std::stop_token stop) {
  PACO_ASSIGN(const unsigned fits,
              fits_at_a_time(support.rows, support.columns, core::free_memory(), pool.threads()));
  std::optional<core::ThreadPool> fewer;
  if (fits < pool.threads()) fewer.emplace(fits);
  std::vector<std::uint32_t> classes_of(labels.begin(), labels.end());
  MirrorModel model = Calibration(support, std::move(classes_of), classes, options,
                                  fewer ? *fewer : pool, progress, stop)
                          .run();
  if (stop.stop_requested())
    return Error{ErrorCode::interrupted, "calibration was interrupted", ""};
  return model;
}

}  // namespace paco::methods
