// A share depends only on how often each mark occurs, so a resample is a histogram over 16 marks.
#include "evaluate/bootstrap.hpp"

#include <algorithm>
#include <vector>

#include "core/random.hpp"
#include "evaluate/quantile.hpp"

namespace paco::evaluate {
namespace {

using Histogram = std::array<std::int64_t, 16>;  // samples by mark

// From this number on, samples are not drawn one by one, which takes 7 ms per resample for a
// million.
constexpr std::size_t kManySamples = 100'000;

// One share of the histogram: which samples it includes, and which of them are right.
struct Question {
  Accuracy* accuracy;
  std::uint8_t about_mask;  // a sample is included if mark & about_mask == about
  std::uint8_t about;
  std::uint8_t correct;  // the bit that is set if the sample is right

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

// Counts the one bits in words. Not every machine has a processor instruction for this, and without
// it std::popcount is a function call per word.
class OnesCounter {
 public:
  void add(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555;
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
    bytes_ += (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F;  // in each byte 8 more at most
    if (++words_ == 31) add_up();
  }
  std::int64_t count() {
    add_up();
    return count_;
  }

 private:
  void add_up() {
    constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FF;
    const std::uint64_t pairs = (bytes_ & kEvenBytes) + ((bytes_ >> 8) & kEvenBytes);
    count_ += static_cast<std::int64_t>((pairs * 0x0001000100010001) >> 48);
    bytes_ = 0;
    words_ = 0;
  }

  std::uint64_t bytes_ = 0;  // ones so far, in eight sums
  int words_ = 0;            // in bytes_
  std::int64_t count_ = 0;
};

// The number of successes in `trials` trials with probability part / whole each (whole > 0). The
// distribution is exact.
//
// A trial draws the binary digits of a number in [0, 1) until one differs from the same digit of
// the probability. It succeeds if the drawn digit is lower. All trials draw their next digit at
// once, 64 per word, and only the number of open trials is kept. Each digit decides half of them.
std::int64_t binomial(std::int64_t trials, std::uint64_t part, std::uint64_t whole,
                      core::Random& random) {
  if (part >= whole) return trials;
  std::int64_t successes = 0;
  while (trials > 0 && part > 0) {
    OnesCounter counter;
    std::int64_t left = trials;
    for (; left >= 64; left -= 64) counter.add(random.next64());
    if (left > 0) counter.add(random.next64() >> (64 - left));
    const std::int64_t ones = counter.count();
    part *= 2;
    const bool digit = part >= whole;
    if (digit) {
      part -= whole;
      successes += trials - ones;  // a zero if the probability has a one
    }
    trials = digit ? ones : trials - ones;
  }
  return successes;
}

// A resample for many samples. It has the same distribution as drawing the samples one by one.
Histogram draw_at_once(const Histogram& samples, std::int64_t count, core::Random& random) {
  Histogram drawn{};
  std::int64_t draws = count, left = count;  // left: samples of the remaining marks
  for (std::size_t mark = 0; mark < samples.size() && left > 0; ++mark) {
    drawn[mark] = binomial(draws, static_cast<std::uint64_t>(samples[mark]),
                           static_cast<std::uint64_t>(left), random);
    draws -= drawn[mark];
    left -= samples[mark];
  }
  return drawn;
}

Histogram draw_one_by_one(std::span<const std::uint8_t> marks, core::Random& random) {
  Histogram drawn{};
  for (std::size_t draw = 0; draw < marks.size(); ++draw)
    ++drawn[marks[random.below(marks.size())]];
  return drawn;
}

Histogram histogram_of(std::span<const std::uint8_t> marks) {
  Histogram histogram{};
  for (const std::uint8_t mark : marks) ++histogram[mark];
  return histogram;
}

}  // namespace

void count_accuracies(std::span<const std::uint8_t> marks, Scores& scores) {
  const Histogram histogram = histogram_of(marks);
  for (const Question& question : questions(scores)) {
    *question.accuracy = question.count(histogram);
  }
}

void add_intervals(std::span<const std::uint8_t> marks, const EvaluationOptions& options,
                   Scores& scores, const std::stop_token& stop) {
  if (options.resamples <= 0 || marks.empty()) return;
  const std::array<Question, 7> asked = questions(scores);
  std::array<std::vector<double>, 7> values;
  const Histogram samples = histogram_of(marks);
  core::Random random(options.seed);
  for (int resample = 0; resample < options.resamples && !stop.stop_requested(); ++resample) {
    const Histogram histogram =
        marks.size() < kManySamples
            ? draw_one_by_one(marks, random)
            : draw_at_once(samples, static_cast<std::int64_t>(marks.size()), random);
    for (std::size_t q = 0; q < asked.size(); ++q) {
      if (const auto value = asked[q].count(histogram).value()) values[q].push_back(*value);
    }
  }
  const double tail = 0.5 * (1 - options.confidence);
  for (std::size_t q = 0; q < asked.size(); ++q) {
    if (values[q].empty()) continue;
    std::sort(values[q].begin(), values[q].end());
    asked[q].accuracy->interval = {sorted_quantile(values[q], tail),
                                   sorted_quantile(values[q], 1 - tail)};
  }
}

}  // namespace paco::evaluate
