#include "insight/merges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "math/kernels.hpp"
#include "math/matrix.hpp"

namespace paco::insight {
namespace {

constexpr std::int64_t kLeastMembers = 3;
constexpr std::int64_t kTrusted = 5;  // members a category needs to contribute to the usual cosine
constexpr double kPriorPairs = 4;     // weight of the usual cosine, in pairs
constexpr double kLeastInside = 1e-3;
// Learned, with one data set left out at a time.
constexpr double kOfLikeness = 6.3, kOfSize = -0.48, kOfMargin = 1.8;

struct Group {
  CategoryId id = 0;
  std::int64_t members = 0;
  std::vector<double> sum;
  double squared = 0;  // of the length of the sum

  double pairs() const { return static_cast<double>(members * (members - 1)) / 2; }
  // Sum of the cosines of all pairs of members.
  double cosines() const { return (squared - static_cast<double>(members)) / 2; }
};

// Discovered categories with enough members, by id.
std::vector<Group> groups_of(const Directions& all) {
  std::map<CategoryId, Group> by_id;
  std::map<CategoryId, bool> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    known[all.owners[i]] = known[all.owners[i]] || all.known[i] != 0;
    Group& group = by_id[all.owners[i]];
    group.id = all.owners[i];
    group.members += all.members[i];
    group.sum.resize(all.dimension);
    const double length = all.lengths[i];
    for (std::size_t j = 0; j < all.dimension; ++j) group.sum[j] += length * all.row(i)[j];
  }
  std::vector<Group> out;
  for (auto& [id, group] : by_id) {
    if (known[id] || group.members < kLeastMembers) continue;
    group.squared = math::dot(group.sum.data(), group.sum.data(), all.dimension);
    out.push_back(std::move(group));
  }
  if (out.size() > kMostCompared) {
    std::stable_sort(out.begin(), out.end(),
                     [](const Group& a, const Group& b) { return a.members > b.members; });
    out.resize(kMostCompared);
    std::sort(out.begin(), out.end(), [](const Group& a, const Group& b) { return a.id < b.id; });
  }
  return out;
}

// Mean cosine of two members of the same category.
double usual_cosine(const std::vector<Group>& groups) {
  double sum = 0, all_sum = 0;
  std::size_t count = 0;
  for (const Group& group : groups) {
    all_sum += group.cosines() / group.pairs();
    if (group.members < kTrusted) continue;
    sum += group.cosines() / group.pairs();
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count)
                   : all_sum / static_cast<double>(groups.size());
}

struct Best {
  double first = -std::numeric_limits<double>::infinity(), second = first;
  std::size_t with = 0;  // the partner of the first

  void add(double value, std::size_t other) {
    if (value > first) {
      second = first;
      first = value;
      with = other;
    } else if (value > second) {
      second = value;
    }
  }
  // The best score with any group except `other`; 0 if there is no other.
  double but(std::size_t other) const {
    const double value = with == other ? second : first;
    return std::isfinite(value) ? value : 0;
  }
};

}  // namespace

std::vector<MergeQuestion> merge_questions(const Directions& all, std::size_t most) {
  const std::vector<Group> groups = groups_of(all);
  const std::size_t count = groups.size();
  if (count < 2) return {};
  const double usual = usual_cosine(groups);
  // Rows whose products are the likeness of two categories.
  math::Matrix<float> rows(count, all.dimension);
  for (std::size_t a = 0; a < count; ++a) {
    const Group& group = groups[a];
    const double inside = std::max(
        kLeastInside, (group.cosines() + kPriorPairs * usual) / (group.pairs() + kPriorPairs));
    const double scale = 1 / (static_cast<double>(group.members) * std::sqrt(inside));
    for (std::size_t j = 0; j < all.dimension; ++j)
      rows[a][j] = static_cast<float>(scale * group.sum[j]);
  }
  math::Matrix<float> likeness(count, count);
  std::vector<Best> best(count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const double value = math::dot(rows[a].data(), rows[b].data(), all.dimension);
      likeness[a][b] = static_cast<float>(value);
      best[a].add(value, b);
      best[b].add(value, a);
    }
  }
  std::vector<MergeQuestion> out;
  const auto better = [](const MergeQuestion& x, const MergeQuestion& y) {
    if (x.score != y.score) return x.score > y.score;
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  };
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const double c = likeness[a][b];
      const auto smaller = static_cast<double>(std::min(groups[a].members, groups[b].members));
      const double margins = 2 * c - best[a].but(b) - best[b].but(a);
      MergeQuestion one{groups[a].id, groups[b].id, c,
                        kOfLikeness * c + kOfSize * std::log(smaller) + kOfMargin * margins};
      // A heap of the best; the worst of them is at the front.
      if (out.size() == most) {
        if (most == 0 || !better(one, out.front())) continue;
        std::pop_heap(out.begin(), out.end(), better);
        out.pop_back();
      }
      out.push_back(one);
      std::push_heap(out.begin(), out.end(), better);
    }
  }
  std::sort_heap(out.begin(), out.end(), better);
  return out;
}

}  // namespace paco::insight
