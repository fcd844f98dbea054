// A threshold for a method of your own: a list of mean embeddings that a sample joins where it is
// close enough. How close is close enough? The labelled samples say it themselves, without a search
// over the stream: they are played back as if they came one by one, and the library notes how a
// sample answers that has its class there already, and one that has not. Build it against the
// installed package:
//   find_package(paco REQUIRED)
//   target_link_libraries(5_self_calibration PRIVATE paco::paco)
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <paco/self_calibration.hpp>
#include <random>
#include <utility>
#include <vector>

using Row = std::vector<double>;

// One made embedding: the class's own direction and some noise, always the same for the same seed.
Row embed(unsigned kind, unsigned seed) {
  std::mt19937 direction(kind), noise(1000 + seed);
  const auto spread = [](std::mt19937& r) { return static_cast<double>(r()) / 0x1p31 - 1; };
  Row row(24);
  for (double& x : row) x = spread(direction) + 0.55 * spread(noise);
  return row;
}

// The method: any numbers, any score, as long as a larger one means a better fit.
class MeanList {
 public:
  void clear() { means_.clear(); }

  // Minus the distance to the closest mean, and whose it is.
  std::pair<double, long> closest(const Row& row) const {
    std::pair<double, long> best{-std::numeric_limits<double>::infinity(), -1};
    for (const auto& [id, mean] : means_) {
      double squared = 0;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const double off = row[j] - mean.sum[j] / mean.count;
        squared += off * off;
      }
      if (-std::sqrt(squared) > best.first) best = {-std::sqrt(squared), id};
    }
    return best;
  }

  void add(long id, const Row& row) {
    Mean& mean = means_[id];
    mean.sum.resize(row.size());
    for (std::size_t j = 0; j < row.size(); ++j) mean.sum[j] += row[j];
    mean.count += 1;
  }

  std::size_t size() const { return means_.size(); }

 private:
  struct Mean {
    Row sum;
    double count = 0;
  };
  std::map<long, Mean> means_;
};

int main() {
  // Ten known classes, eight samples each.
  std::vector<Row> support;
  std::vector<std::int64_t> labels;
  for (unsigned i = 0; i < 80; ++i) {
    support.push_back(embed(i % 10, i));
    labels.push_back(i % 10);
  }

  MeanList list;
  paco::ReplayHost host;
  host.forget = [&]() -> paco::Result<void> {
    list.clear();
    return {};
  };
  host.score = [&](std::size_t sample) -> paco::Result<double> {
    return list.closest(support[sample]).first;
  };
  host.add = [&](std::size_t sample, std::int64_t label) -> paco::Result<void> {
    list.add(label, support[sample]);
    return {};
  };
  const auto threshold = paco::calibrate_by_replay(labels, host);
  if (!threshold.ok()) {
    std::fprintf(stderr, "error: %s\n", threshold.error().message.c_str());
    return 1;
  }
  std::printf("join within %.3f (balanced accuracy of the replay %.3f)\n", -threshold->value,
              threshold->balanced_accuracy);

  // The stream: the known classes, and kinds 10 to 14, which nobody has labelled.
  list.clear();
  for (std::size_t i = 0; i < support.size(); ++i) list.add(labels[i], support[i]);
  long next = 10;
  unsigned wrong = 0;
  std::map<unsigned, long> answered;  // the answer that each kind had first
  for (unsigned i = 0; i < 300; ++i) {
    const unsigned kind = i * 7 % 15;
    const Row row = embed(kind, 500 + i);
    const auto [score, closest] = list.closest(row);
    const long answer = score >= threshold->value ? closest : next++;
    list.add(answer, row);
    const long expected = answered.emplace(kind, kind < 10 ? kind : answer).first->second;
    wrong += answer != expected;
  }
  std::printf("%zu categories for 15 kinds, %u of 300 samples elsewhere than their kind\n",
              list.size(), wrong);
  return wrong > 30 ? 1 : 0;
}
