// One pass over a pseudo-stream: PseudoStream::decide.
//
// Most prototypes of most passes hold only the sample that started them. Such a prototype needs no
// sum: its products are a row of the Gram matrix. Because the Gram matrix is symmetric, one scan of
// row i compares all samples that are alone with sample i. A prototype gets its own row in a table
// when a second sample joins it, and keeps the row.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/best_rows.hpp"
#include "math/logarithm.hpp"
#include "methods/mirror/pseudo_stream.hpp"

namespace paco::methods {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();
constexpr float kOut = -std::numeric_limits<float>::infinity();
constexpr std::uint32_t kHidden = std::numeric_limits<std::uint32_t>::max();
constexpr int kNone = -1;

}  // namespace

// Prototypes that are not references are numbered from 0 here, in order of appearance.
class PseudoRun {
 public:
  PseudoRun(const PseudoStream& stream, const PseudoRule& rule, std::vector<double>& products)
      : s_(stream),
        rule_(rule),
        n_(stream.size()),
        stride_((n_ + math::kColumnsAtOnce - 1) / math::kColumnsAtOnce * math::kColumnsAtOnce),
        next_id_(static_cast<std::uint32_t>(s_.classes_)),
        own_(n_, kNone),
        alone_(n_),
        alone_visible_(n_),
        groups_(stride_ / math::kColumnsAtOnce),
        products_(products) {}

  std::vector<std::uint32_t> decide() {
    std::vector<std::uint32_t> out(n_);
    std::vector<bool> answered(s_.classes_, false);
    std::size_t classes_answered = 0, confident = 0, next = 0;
    const auto classes = static_cast<double>(s_.classes_);
    double threshold = rule_.start;
    for (; now_ < n_; ++now_) {
      const bool at_once = 2 * classes_answered < s_.classes_;
      out[now_] = place(now_, threshold, at_once);
      const std::size_t low = now_ > rule_.buffer ? now_ - rule_.buffer : 0;
      for (std::size_t r = 0; r < rule_.rehearse && now_ > 0; ++r) {
        if (next < low || next >= now_) next = low;
        rehearse(next++, threshold);
      }
      if (out[now_] >= s_.classes_) continue;
      if (!answered[out[now_]]) ++classes_answered;
      answered[out[now_]] = true;
      if (s_.known_cosine_[now_] < rule_.sure) continue;
      const double length = std::max(1.0, 2 * static_cast<double>(++confident) / classes);
      threshold = rule_.start - rule_.slope * math::exact_log(length);
    }
    return out;
  }

 private:
  struct Best {
    int prototype = kNone;
    double cosine = kLowest;

    void offer(int number, double value) {
      if (value > cosine || (value == cosine && value > kLowest && number < prototype))
        *this = {number, value};
    }
  };

  struct Prototype {
    std::uint32_t id = kHidden;
    int row = kNone;  // in the table
  };

  // Samples that are alone, as a list and as the number that is added to a cosine with each.
  struct Alone {
    explicit Alone(std::size_t n) : bias(n, kOut) {}
    void add(std::size_t i) {
      bias[i] = 0;
      list.push_back(i);
    }
    void remove(std::size_t i) {
      if (bias[i] == kOut) return;
      bias[i] = kOut;
      list.erase(std::find(list.begin(), list.end(), i));
    }
    std::vector<float> bias;  // 0 or kOut
    std::vector<std::size_t> list;
  };

  // The two best rows of each of eight neighbouring samples, without the row of its own prototype,
  // as of a given number of changes.
  struct Group {
    math::BestRows best;
    std::size_t changes = kNever;
  };
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  Prototype& prototype(int number) { return prototypes_[static_cast<std::size_t>(number)]; }
  int row_of(int number) const {
    return number == kNone ? kNone : prototypes_[static_cast<std::size_t>(number)].row;
  }

  double cosine(std::size_t i, std::size_t row) const {
    return products_[row * stride_ + i] * scales_[row] + biases_[row];
  }

  // The best prototype of sample i other than its own.
  Best best(std::size_t i) {
    Best out = best_row(i);
    const float mine = alone_.bias[i];
    alone_.bias[i] = kOut;
    offer_alone(i, alone_, out);
    alone_.bias[i] = mine;
    return out;
  }

  Best best_visible(std::size_t i) const {
    Best out;
    for (const std::size_t row : visible_rows_) out.offer(number_of_row_[row], cosine(i, row));
    offer_alone(i, alone_visible_, out);
    return out;
  }

  void offer_alone(std::size_t i, const Alone& who, Best& best) const {
    const float* products = s_.gram_[i].data();
    const std::size_t seen = now_ + 1;
    constexpr std::size_t kFew = 16;  // below one in 16, single numbers replace the scan
    if (kFew * who.list.size() < seen) {
      for (const std::size_t j : who.list)
        best.offer(own_[j], static_cast<double>(products[j] + who.bias[j]));
      return;
    }
    const std::size_t j = math::best_sum(products, who.bias.data(), seen);
    if (j < seen) best.offer(own_[j], static_cast<double>(products[j]));
  }

  // Rows that have not changed since are in the ranking of the sample's group. The others are few
  // and are compared one by one.
  Best best_row(std::size_t i) {
    constexpr std::size_t kManyChanges = 32;
    Group& group = groups_[i / math::kColumnsAtOnce];
    const std::size_t lane = i % math::kColumnsAtOnce;
    if (group.changes == kNever || changed_.size() - group.changes > kManyChanges) rank(i, group);
    int unchanged = unchanged_best(group, lane);
    if (unchanged == kNone && group.best.second_row[lane] >= 0) {  // both best rows have changed
      rank(i, group);
      unchanged = unchanged_best(group, lane);
    }
    Best out;
    if (unchanged != kNone) {
      const bool first = group.best.first_row[lane] == unchanged;
      out = {number_of_row_[static_cast<std::size_t>(unchanged)],
             first ? group.best.first[lane] : group.best.second[lane]};
    }
    for (std::size_t k = group.changes; k < changed_.size(); ++k) {
      const int number = number_of_row_[changed_[k]];
      if (number != own_[i]) out.offer(number, cosine(i, changed_[k]));
    }
    return out;
  }

  void rank(std::size_t i, Group& group) {
    const std::size_t first = i / math::kColumnsAtOnce * math::kColumnsAtOnce;
    double own[math::kColumnsAtOnce];
    for (std::size_t lane = 0; lane < math::kColumnsAtOnce; ++lane)
      own[lane] = first + lane < n_ ? row_of(own_[first + lane]) : kNone;
    const double* table = products_.empty() ? nullptr : products_.data() + first;
    math::best_two_rows(table, stride_, sizes_.size(), scales_.data(), biases_.data(), own,
                        group.best);
    group.changes = changed_.size();
  }

  int unchanged_best(const Group& group, std::size_t lane) const {
    for (const double row : {group.best.first_row[lane], group.best.second_row[lane]}) {
      if (row >= 0 && last_change_[static_cast<std::size_t>(row)] <= group.changes)
        return static_cast<int>(row);
    }
    return kNone;
  }

  // Cosine of sample i with the other members of its prototype.
  double without(std::size_t i, int row) const {
    if (row == kNone) return kLowest;
    const auto r = static_cast<std::size_t>(row);
    if (sizes_[r] < 2) return kLowest;
    const double product = products_[r * stride_ + i];
    const double left = squares_[r] - 2 * product + 1;
    return (product - 1) / std::sqrt(std::max(left, 1e-12));
  }

  std::uint32_t place(std::size_t t, double threshold, bool at_once) {
    const Best b = best(t);
    const double known = s_.known_cosine_[t];
    const bool takes_known = !(b.cosine > known);
    if ((takes_known ? known : b.cosine) < threshold) {
      const Best visible = at_once ? Best{} : best_visible(t);
      own_[t] = static_cast<int>(prototypes_.size());
      prototypes_.push_back({});
      alone_.add(t);
      if (at_once) {
        alone_visible_.add(t);
        return prototypes_.back().id = next_id_++;
      }
      return visible.cosine > known ? prototype(visible.prototype).id : s_.known_[t];
    }
    if (takes_known) return s_.known_[t];
    join(t, b.prototype);
    return prototype(b.prototype).id;
  }

  void rehearse(std::size_t i, double threshold) {
    const int own = own_[i];
    Best b = best(i);
    if (own != kNone) b.offer(own, without(i, row_of(own)));
    const double known = s_.known_cosine_[i];
    const bool takes_known = !(b.cosine > known);
    const int to = takes_known ? kNone : b.prototype;
    if (to == own || (takes_known ? known : b.cosine) < threshold) return;
    if (own != kNone) leave(i, own);
    if (to != kNone) join(i, to);
    own_[i] = to;
  }

  void join(std::size_t i, int number) {
    Prototype& p = prototype(number);
    if (p.row == kNone) give_row(number);
    const auto row = static_cast<std::size_t>(p.row);
    change(i, row, 1);
    own_[i] = number;
    if (p.id != kHidden || sizes_[row] < 2) return;
    p.id = next_id_++;
    visible_rows_.push_back(row);
  }

  void leave(std::size_t i, int number) {
    const int row = row_of(number);
    if (row == kNone) {
      alone_.remove(i);
      alone_visible_.remove(i);
      return;
    }
    const auto r = static_cast<std::size_t>(row);
    change(i, r, -1);
    if (sizes_[r] > 0) return;
    scales_[r] = 0;
    biases_[r] = kLowest;
  }

  // A second sample is about to join the sample that is alone.
  void give_row(int number) {
    const auto founder =
        static_cast<std::size_t>(std::find(own_.begin(), own_.end(), number) - own_.begin());
    const std::size_t row = sizes_.size();
    if (products_.size() < (row + 1) * stride_)
      products_.resize(2 * products_.size() + 64 * stride_);
    const auto from = s_.gram_[founder];
    std::copy(from.begin(), from.end(),
              products_.begin() + static_cast<std::ptrdiff_t>(row * stride_));
    sizes_.push_back(1);
    squares_.push_back(1);
    scales_.push_back(1);
    biases_.push_back(0);
    last_change_.push_back(0);
    number_of_row_.push_back(number);
    prototype(number).row = static_cast<int>(row);
    if (prototype(number).id != kHidden) visible_rows_.push_back(row);
    alone_.remove(founder);
    alone_visible_.remove(founder);
  }

  void change(std::size_t i, std::size_t row, int sign) {
    double* products = products_.data() + row * stride_;
    squares_[row] += 2 * sign * products[i] + 1;
    sizes_[row] += sign;
    scales_[row] = 1 / std::sqrt(std::max(squares_[row], 1e-12));
    const float* with = s_.gram_[i].data();
    for (std::size_t j = 0; j < n_; ++j) products[j] += sign * static_cast<double>(with[j]);
    changed_.push_back(row);
    last_change_[row] = changed_.size();
  }

  const PseudoStream& s_;
  const PseudoRule& rule_;
  std::size_t n_;
  std::size_t stride_;
  std::size_t now_ = 0;  // the sample being decided
  std::uint32_t next_id_;
  std::vector<Prototype> prototypes_;
  std::vector<int> own_;                   // (n) prototype of each sample, kNone: a reference
  Alone alone_, alone_visible_;            // all samples alone, and those whose prototype has an id
  std::vector<Group> groups_;              // (n / 8)
  std::vector<double>& products_;          // (rows, stride) sum of a prototype with each sample
  std::vector<int> number_of_row_;         // prototype number of each row
  std::vector<int> sizes_;                 // members
  std::vector<double> squares_;            // squared length of the sum ...
  std::vector<double> scales_;             // ... and 1 / length, 0 for an empty prototype
  std::vector<double> biases_;             // 0, or minus infinity for an empty prototype
  std::vector<std::size_t> visible_rows_;  // of prototypes with an id
  std::vector<std::size_t> changed_;       // rows, one entry a change ...
  std::vector<std::size_t> last_change_;   // ... and their number after the last of each row
};

std::vector<std::uint32_t> PseudoStream::decide(const PseudoRule& rule,
                                                std::vector<double>& scratch) const {
  // The threshold is above all cosines: every sample stays alone, and the threshold does not
  // change.
  if (rule.start > largest_) {
    std::vector<std::uint32_t> out(size());
    std::iota(out.begin(), out.end(), static_cast<std::uint32_t>(classes_));
    return out;
  }
  return PseudoRun(*this, rule, scratch).decide();
}

}  // namespace paco::methods
