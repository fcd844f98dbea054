#include "mirror/pseudo_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/assignment.hpp"
#include "linalg/best_rows.hpp"
#include "linalg/logarithm.hpp"
#include "linalg/ordered_products.hpp"

namespace paco {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();
constexpr std::uint32_t kHidden = std::numeric_limits<std::uint32_t>::max();

}  // namespace

PseudoStream::PseudoStream(Rows<const float> embedded, Rows<const float> references)
    : classes_(references.rows), gram_(embedded.rows, embedded.rows) {
  constexpr std::size_t kBlock = 64;
  const std::size_t n = embedded.rows;
  const PackedRows packed(embedded), packed_references(references);
  largest_ = kLowest;
  Matrix<float> cosines(std::min(kBlock, n), classes_);
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t rows = std::min(kBlock, n - first);
    multiply_packed(embedded.slice(first, rows), packed, gram_.data() + first * n, n, first);
    multiply_packed(embedded.slice(first, rows), packed_references, cosines.data(), classes_);
    for (std::size_t i = first; i < first + rows; ++i) {
      for (std::size_t j = 0; j < i; ++j) gram_[i][j] = gram_[j][i];
      for (std::size_t j = i + 1; j < n; ++j)
        largest_ = std::max(largest_, static_cast<double>(gram_[i][j]));
      const auto row = cosines[i - first];
      const auto best = std::max_element(row.begin(), row.end());
      known_.push_back(static_cast<std::uint32_t>(best - row.begin()));
      known_cosine_.push_back(static_cast<double>(*best));
      largest_ = std::max(largest_, known_cosine_.back());
    }
  }
}

// One pass over the stream. Prototypes that are not references are numbered from 0 here.
class PseudoRun {
 public:
  PseudoRun(const PseudoStream& stream, const PseudoRule& rule, std::vector<double>& products)
      : s_(stream),
        rule_(rule),
        n_(stream.size()),
        stride_((n_ + kColumnsAtOnce - 1) / kColumnsAtOnce * kColumnsAtOnce),
        next_id_(static_cast<std::uint32_t>(s_.classes_)),
        own_(n_, -1),
        groups_(stride_ / kColumnsAtOnce),
        products_(products) {}

  std::vector<std::uint32_t> decide() {
    std::vector<std::uint32_t> out(n_);
    std::vector<bool> answered(s_.classes_, false);
    std::size_t classes_answered = 0, confident = 0, next = 0;
    const auto classes = static_cast<double>(s_.classes_);
    for (std::size_t t = 0; t < n_; ++t) {
      const double length = std::max(1.0, 2 * static_cast<double>(confident) / classes);
      const double threshold = rule_.start - rule_.slope * exact_log(length);
      const bool at_once = 2 * classes_answered < s_.classes_;
      out[t] = place(t, threshold, at_once);
      if (out[t] < s_.classes_) {
        if (!answered[out[t]]) ++classes_answered;
        answered[out[t]] = true;
        if (s_.known_cosine_[t] >= rule_.sure) ++confident;
      }
      const std::size_t low = t > rule_.buffer ? t - rule_.buffer : 0;
      for (std::size_t r = 0; r < rule_.rehearse && t > 0; ++r) {
        if (next < low || next >= t) next = low;
        rehearse(next++, threshold);
      }
    }
    return out;
  }

 private:
  struct Best {
    int prototype = -1;
    double cosine = kLowest;

    void offer(std::size_t c, double value) {
      const auto number = static_cast<int>(c);
      if (value > cosine || (value == cosine && value > kLowest && number < prototype))
        *this = {number, value};
    }
  };

  // The two best prototypes of eight neighbouring samples, each without the one it is filed under,
  // as they were after so many changes.
  struct Group {
    BestRows best;
    std::size_t changes = kNever;
  };
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  double cosine(std::size_t i, std::size_t c) const {
    return products_[c * stride_ + i] * scales_[c] + biases_[c];
  }

  // The best prototype of sample i but for the one it is filed under. Prototypes that have not
  // changed since are ranked in its group; the others are few.
  Best best(std::size_t i) {
    constexpr std::size_t kManyChanges = 32;
    Group& group = groups_[i / kColumnsAtOnce];
    const std::size_t lane = i % kColumnsAtOnce;
    if (group.changes == kNever || changed_.size() - group.changes > kManyChanges) rank(i, group);
    int unchanged = unchanged_best(group, lane);
    if (unchanged < 0 && group.best.second_row[lane] >= 0) {  // both have changed
      rank(i, group);
      unchanged = unchanged_best(group, lane);
    }
    Best out;
    if (unchanged >= 0)
      out = {unchanged, group.best.first_row[lane] == unchanged ? group.best.first[lane]
                                                                : group.best.second[lane]};
    for (std::size_t k = group.changes; k < changed_.size(); ++k) {
      if (static_cast<int>(changed_[k]) != own_[i]) out.offer(changed_[k], cosine(i, changed_[k]));
    }
    return out;
  }

  void rank(std::size_t i, Group& group) {
    const std::size_t first = i / kColumnsAtOnce * kColumnsAtOnce;
    double own[kColumnsAtOnce];
    for (std::size_t lane = 0; lane < kColumnsAtOnce; ++lane)
      own[lane] = first + lane < n_ ? own_[first + lane] : -1;
    const double* table = products_.empty() ? nullptr : products_.data() + first;
    best_two_rows(table, stride_, sizes_.size(), scales_.data(), biases_.data(), own, group.best);
    group.changes = changed_.size();
  }

  int unchanged_best(const Group& group, std::size_t lane) const {
    for (const double row : {group.best.first_row[lane], group.best.second_row[lane]}) {
      if (row >= 0 && last_change_[static_cast<std::size_t>(row)] <= group.changes)
        return static_cast<int>(row);
    }
    return -1;
  }

  Best best_visible(std::size_t i) const {
    Best out;
    for (const std::size_t c : visible_) out.offer(c, cosine(i, c));
    return out;
  }

  // Cosine of sample i with the other members of its prototype.
  double without(std::size_t i, std::size_t c) const {
    if (sizes_[c] < 2) return kLowest;
    const double product = products_[c * stride_ + i];
    const double left = squares_[c] - 2 * product + 1;
    return (product - 1) / std::sqrt(std::max(left, 1e-12));
  }

  std::uint32_t place(std::size_t t, double threshold, bool at_once) {
    const Best b = best(t);
    const double known = s_.known_cosine_[t];
    const bool takes_known = !(b.cosine > known);
    if ((takes_known ? known : b.cosine) < threshold) {
      const Best visible = at_once ? Best{} : best_visible(t);
      own_[t] = create(t);
      if (at_once) return appear(sizes_.size() - 1);
      return visible.cosine > known ? ids_[static_cast<std::size_t>(visible.prototype)]
                                    : s_.known_[t];
    }
    if (takes_known) return s_.known_[t];
    own_[t] = b.prototype;
    return join(t, static_cast<std::size_t>(b.prototype));
  }

  void rehearse(std::size_t i, double threshold) {
    const int own = own_[i];
    Best b = best(i);
    if (own >= 0) {
      const auto c = static_cast<std::size_t>(own);
      b.offer(c, without(i, c));
    }
    const double known = s_.known_cosine_[i];
    const bool takes_known = !(b.cosine > known);
    const int to = takes_known ? -1 : b.prototype;
    if (to == own || (takes_known ? known : b.cosine) < threshold) return;
    if (own >= 0) leave(i, static_cast<std::size_t>(own));
    if (to >= 0) join(i, static_cast<std::size_t>(to));
    own_[i] = to;
  }

  int create(std::size_t t) {
    const auto row = s_.gram_[t];
    const std::size_t c = sizes_.size();
    if (products_.size() < (c + 1) * stride_) products_.resize(2 * products_.size() + 64 * stride_);
    std::copy(row.begin(), row.end(), products_.begin() + static_cast<std::ptrdiff_t>(c * stride_));
    sizes_.push_back(1);
    squares_.push_back(1);
    scales_.push_back(1);
    biases_.push_back(0);
    ids_.push_back(kHidden);
    last_change_.push_back(0);
    note_change(c);
    return static_cast<int>(c);
  }

  std::uint32_t appear(std::size_t c) {
    visible_.push_back(c);
    return ids_[c] = next_id_++;
  }

  std::uint32_t join(std::size_t i, std::size_t c) {
    change(i, c, 1);
    if (ids_[c] == kHidden && sizes_[c] > 1) return appear(c);
    return ids_[c];
  }

  void leave(std::size_t i, std::size_t c) {
    change(i, c, -1);
    if (sizes_[c] > 0) return;
    scales_[c] = 0;
    biases_[c] = kLowest;
  }

  void change(std::size_t i, std::size_t c, int sign) {
    double* products = products_.data() + c * stride_;
    squares_[c] += 2 * sign * products[i] + 1;
    sizes_[c] += sign;
    scales_[c] = 1 / std::sqrt(std::max(squares_[c], 1e-12));
    const float* row = s_.gram_[i].data();
    for (std::size_t j = 0; j < n_; ++j) products[j] += sign * static_cast<double>(row[j]);
    note_change(c);
  }

  void note_change(std::size_t c) {
    changed_.push_back(c);
    last_change_[c] = changed_.size();
  }

  const PseudoStream& s_;
  const PseudoRule& rule_;
  std::size_t n_;
  std::size_t stride_;
  std::uint32_t next_id_;
  std::vector<int> own_;           // (n) prototype of each sample, -1 for a reference
  std::vector<Group> groups_;      // (n / 8)
  std::vector<double>& products_;  // (prototypes, stride) sum of a prototype with each sample
  std::vector<int> sizes_;
  std::vector<double> squares_;  // squared length of the sum ...
  std::vector<double> scales_;   // ... and 1 / length, 0 for an empty prototype
  std::vector<double> biases_;   // 0, or minus infinity for an empty prototype
  std::vector<std::uint32_t> ids_;
  std::vector<std::size_t> visible_;      // prototypes with an id
  std::vector<std::size_t> changed_;      // prototypes, one entry a change ...
  std::vector<std::size_t> last_change_;  // ... and how many there were after the last of each
};

std::vector<std::uint32_t> PseudoStream::decide(const PseudoRule& rule,
                                                std::vector<double>& scratch) const {
  // Above all cosines there are: every sample stays alone, and the threshold stays where it is.
  if (rule.start > largest_) {
    std::vector<std::uint32_t> out(size());
    std::iota(out.begin(), out.end(), static_cast<std::uint32_t>(classes_));
    return out;
  }
  return PseudoRun(*this, rule, scratch).decide();
}

double strict_all(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> answered) {
  const auto compact = [](std::span<const std::uint32_t> numbers) {
    std::vector<std::uint32_t> distinct(numbers.begin(), numbers.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    return distinct;
  };
  const auto index = [](const std::vector<std::uint32_t>& distinct, std::uint32_t number) {
    return static_cast<std::size_t>(std::lower_bound(distinct.begin(), distinct.end(), number) -
                                    distinct.begin());
  };
  const std::vector<std::uint32_t> classes = compact(truth), clusters = compact(answered);
  std::vector<std::size_t> sizes(clusters.size(), 0), order(clusters.size());
  for (const std::uint32_t cluster : answered) ++sizes[index(clusters, cluster)];
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  order.resize(std::min(order.size(), classes.size()));
  std::vector<std::size_t> row(clusters.size(), order.size());
  for (std::size_t r = 0; r < order.size(); ++r) row[order[r]] = r;
  Matrix<std::int64_t> counts(order.size(), classes.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const std::size_t r = row[index(clusters, answered[i])];
    if (r < order.size()) ++counts[r][index(classes, truth[i])];
  }
  const Matching matching = match(weight_table(counts));
  std::int64_t right = 0;
  for (std::size_t r = 0; r < counts.rows(); ++r) {
    const std::int64_t column = matching.column_of_row[r];
    if (column != kUnmatched) right += counts[r][static_cast<std::size_t>(column)];
  }
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

}  // namespace paco
