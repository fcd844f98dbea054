// With three to five known classes, how good is the threshold that mirror's pseudo-streams choose,
// with and without the prior, beside the best there is?
//
//   bench_mirror_few OUT.json FOLDER...
//
// Folders have support.npy, support_labels.npy, stream.npy and stream_labels.npy. A draw takes so
// many of the support set's classes, with at most 50 samples each, and streams at most 1,500
// samples of those and of twelve others past them. A curve over thresholds is that of the rule
// itself, with rehearsal. The figures are in bench/notes/mirror.md.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "harness.hpp"
#include "io/embeddings.hpp"
#include "io/labels.hpp"
#include "methods/mirror/calibrate.hpp"
#include "methods/mirror/embedding.hpp"
#include "methods/mirror/pseudo_stream.hpp"

namespace {

using namespace paco;

constexpr std::uint64_t kDraws = 10;
constexpr std::size_t kShots = 50, kOthers = 12, kMostSamples = 1500;

struct Labelled {
  math::Matrix<double> rows;
  io::Labels labels;
};

// Names listed in `first` have the numbers that they have there.
Labelled read(const bench::Harness& harness, const std::string& path,
              std::span<const std::string> first = {}) {
  return {harness.take(io::read_embeddings(path + ".npy")),
          harness.take(io::read_labels(path + "_labels.npy", first))};
}

template <class T>
void shuffle(std::vector<T>& values, core::Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

std::vector<std::int64_t> distinct(const std::vector<std::int64_t>& labels) {
  const std::set<std::int64_t> all(labels.begin(), labels.end());
  return {all.begin(), all.end()};
}

// Strict All with the chosen threshold, with the prior, and with the best one.
struct Scores {
  double chosen = 0, with_prior = 0, best = 0;
};

Scores judge(const bench::Harness& harness, const Labelled& support, const Labelled& stream,
             std::size_t known, core::Random& random) {
  std::vector<std::int64_t> classes = distinct(support.labels.ids), others;
  shuffle(classes, random);
  classes.resize(known);
  for (const std::int64_t c : distinct(stream.labels.ids)) {
    if (std::find(classes.begin(), classes.end(), c) == classes.end()) others.push_back(c);
  }
  shuffle(others, random);
  others.resize(std::min(others.size(), kOthers));
  std::map<std::int64_t, std::uint32_t> number;
  for (const auto* some : {&classes, &others}) {
    for (const std::int64_t c : *some) number.emplace(c, static_cast<std::uint32_t>(number.size()));
  }

  std::vector<std::size_t> order(support.labels.ids.size()), mine, taken(known, 0), streamed;
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, random);
  std::vector<std::int64_t> labels;
  for (const std::size_t i : order) {
    const auto found = number.find(support.labels.ids[i]);
    if (found == number.end() || found->second >= known || taken[found->second]++ >= kShots)
      continue;
    mine.push_back(i);
    labels.push_back(found->second);
  }
  math::Matrix<double> rows(mine.size(), support.rows.columns());
  for (std::size_t i = 0; i < mine.size(); ++i)
    std::copy_n(support.rows[mine[i]].data(), rows.columns(), rows[i].data());
  for (std::size_t i = 0; i < stream.labels.ids.size(); ++i) {
    if (number.contains(stream.labels.ids[i])) streamed.push_back(i);
  }
  shuffle(streamed, random);
  streamed.resize(std::min(streamed.size(), kMostSamples));
  std::vector<std::uint32_t> truth;
  for (const std::size_t i : streamed) truth.push_back(number.at(stream.labels.ids[i]));

  core::ThreadPool pool(1);
  core::NoProgress progress;
  const methods::MirrorModel model =
      harness.take(methods::calibrate_mirror(rows, labels, known, {}, pool, progress, {}));
  const methods::PseudoStream played(
      methods::SupportEmbedder(model.embedding).embed(stream.rows, streamed, {}), model.references);
  std::vector<double> scratch;
  const auto at = [&](double tau) {
    const methods::PseudoRule rule{tau * model.rho, model.slope, model.sure,
                                   static_cast<std::size_t>(model.options.rehearse),
                                   static_cast<std::size_t>(model.options.buffer)};
    return 100 * methods::strict_all(truth, played.decide(rule, scratch));
  };
  Scores out{at(model.tau), at(methods::drawn_to_prior(model.tau, known)), 0};
  for (const double tau : model.evidence.taus) out.best = std::max(out.best, at(tau));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("mirror_few", argc, argv);
  for (int i = 2; i < argc; ++i) {
    const std::string folder = argv[i];
    const Labelled support = read(harness, folder + "/support");
    const Labelled stream = read(harness, folder + "/stream", support.labels.names);
    for (const std::size_t known : {3, 4, 5}) {
      Scores mean;
      for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
        core::Random random(draw, known);
        const Scores scores = judge(harness, support, stream, known, random);
        mean.chosen += scores.chosen / kDraws;
        mean.with_prior += scores.with_prior / kDraws;
        mean.best += scores.best / kDraws;
      }
      Measurement m{"mirror_few", fmt::format("{} known classes", known), folder, {}, kDraws};
      m.more = {{"chosen", mean.chosen}, {"with_prior", mean.with_prior}, {"best", mean.best}};
      harness.add(std::move(m));
    }
  }
  return harness.finish();
}
