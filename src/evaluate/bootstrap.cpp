// Only how often each mark occurs matters to a share, so a resample is a histogram over 16 marks.
#include "evaluate/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace paco {
namespace {

using Histogram = std::array<std::int64_t, 16>;  // samples by mark

// One share of the histogram: which samples it is about, and which of them are right.
struct Question {
  Accuracy* accuracy;
  std::uint8_t about_mask;  // a sample is asked about where mark & about_mask == about
  std::uint8_t about;
  std::uint8_t correct;  // the bit that says it is right

  Accuracy count(const Histogram& histogram) const {
    Accuracy answer;
    for (std::size_t mark = 0; mark < histogram.size(); ++mark) {
      if ((mark & about_mask) != about) continue;
      answer.samples += histogram[mark];
      if (mark & correct) answer.correct += histogram[mark];
    }
    return answer;
  }
};

std::array<Question, 7> questions(Scores& scores) {
  return {{
      {&scores.strict.all, 0, 0, kStrictCorrect},
      {&scores.strict.old, kOld, kOld, kStrictCorrect},
      {&scores.strict.novel, kOld, 0, kStrictCorrect},
      {&scores.greedy.all, 0, 0, kGreedyCorrect},
      {&scores.greedy.old, kOld, kOld, kGreedyCorrect},
      {&scores.greedy.novel, kOld, 0, kGreedyCorrect},
      {&scores.known_accuracy, kOld, kOld, kKnownCorrect},
  }};
}

// The value below which the share `q` of the sorted values lies, interpolated between neighbours.
double quantile(const std::vector<double>& sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

}  // namespace

void count_accuracies(std::span<const std::uint8_t> marks, Scores& scores) {
  Histogram histogram{};
  for (const std::uint8_t mark : marks) ++histogram[mark];
  for (const Question& question : questions(scores)) {
    *question.accuracy = question.count(histogram);
  }
}

void add_intervals(std::span<const std::uint8_t> marks, const EvaluationOptions& options,
                   Scores& scores, const std::stop_token& stop) {
  if (options.resamples <= 0 || marks.empty()) return;
  const std::array<Question, 7> asked = questions(scores);
  std::array<std::vector<double>, 7> values;
  Random random(options.seed);
  for (int resample = 0; resample < options.resamples && !stop.stop_requested(); ++resample) {
    Histogram histogram{};
    for (std::size_t draw = 0; draw < marks.size(); ++draw) {
      ++histogram[marks[random.below(marks.size())]];
    }
    for (std::size_t q = 0; q < asked.size(); ++q) {
      if (const auto value = asked[q].count(histogram).value()) values[q].push_back(*value);
    }
  }
  const double tail = 0.5 * (1 - options.confidence);
  for (std::size_t q = 0; q < asked.size(); ++q) {
    if (values[q].empty()) continue;
    std::sort(values[q].begin(), values[q].end());
    asked[q].accuracy->interval = {quantile(values[q], tail), quantile(values[q], 1 - tail)};
  }
}

}  // namespace paco
