#include "study/questions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "core/try.hpp"
#include "insight/merges.hpp"
#include "session/operations/plan.hpp"

namespace paco::study {
namespace {

constexpr std::size_t kAskedBlock = 256;
constexpr std::size_t kMergesFirst = 20;  // of a mixed sitting
constexpr std::size_t kMembersOfPage = 20;
constexpr std::size_t kFewestOfNewClass = 2;
// First id of the categories that a new model discovers, so that they differ from those of the old
// one.
constexpr CategoryId kNewModel = CategoryId{1} << 32;

// The simulated user, the method, and the place of each sample.
class Sitting final : public MemberSource {
 public:
  Sitting(Method& method, const DataSet& data)
      : method_(method), data_(data), known_(static_cast<std::int64_t>(data.class_names.size())) {}

  Result<void> decide(std::size_t until, std::stop_token stop) {
    while (decisions_.size() < until) {
      if (stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
      const std::size_t at = decisions_.size(), rows = std::min(kAskedBlock, until - at);
      std::vector<Decision> block(rows);
      PACO_TRY(method_.decide_block(data_.stream.view().slice(at, rows), block));
      decisions_.insert(decisions_.end(), block.begin(), block.end());
    }
    return {};
  }

  Result<void> ask_for_merges(std::size_t answers) {
    std::set<std::pair<CategoryId, CategoryId>> asked;
    while (asked.size() < answers) {
      const auto ranked =
          insight::merge_questions(insight::directions_of(method_, 0), asked.size() + 1);
      const auto next = std::find_if(ranked.begin(), ranked.end(), [&](const auto& one) {
        return !asked.contains({one.a, one.b});
      });
      if (next == ranked.end()) return {};
      asked.insert({next->a, next->b});
      if (class_of(next->a) == class_of(next->b)) PACO_TRY(merge(next->b, next->a));
    }
    return {};
  }

  Result<void> ask_for_names(std::size_t answers) {
    std::map<std::int64_t, CategoryId> called;  // by class
    for (std::int64_t k = 0; k < known_; ++k) called[k] = k;
    std::set<CategoryId> named;
    for (std::size_t i = 0; i < answers; ++i) {
      const std::vector<CategoryId> open =
          largest_first([&](CategoryId id) { return !named.contains(id) && id >= known_; });
      if (open.empty()) return {};
      const CategoryId id = open.front();
      named.insert(id);
      const auto [other, is_new] = called.emplace(class_of(id), id);
      if (!is_new) PACO_TRY(merge(id, other->second));
    }
    return {};
  }

  Result<void> ask_for_samples(std::size_t answers) {
    std::vector<std::pair<double, std::size_t>> close;
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      const double distance = std::abs(decisions_[i].score - decisions_[i].threshold);
      if (std::isfinite(distance)) close.emplace_back(distance, i);
    }
    std::sort(close.begin(), close.end());
    for (std::size_t i = 0; i < std::min(answers, close.size()); ++i)
      PACO_TRY(put_right(close[i].second));
    return {};
  }

  // The support set plus the samples that the user confirmed on `pages` pages. Labels from known_
  // on are new classes.
  SupportSet with_verified(std::size_t pages, math::Matrix<double>& rows,
                           std::vector<std::int64_t>& labels, std::vector<std::string>& names) {
    std::map<std::int64_t, std::vector<std::size_t>> confirmed;  // by class
    for (const auto& [id, page] : pages_of(pages)) {
      const std::int64_t majority = class_of(id);
      for (const std::size_t sample : page) {
        if (data_.truth[sample] == majority) confirmed[majority].push_back(sample);
      }
    }
    labels = data_.support_labels;
    names = data_.class_names;
    std::vector<std::size_t> added;
    for (const auto& [label, samples] : confirmed) {
      if (label >= known_ && samples.size() < kFewestOfNewClass) continue;
      if (label >= known_) names.push_back("class " + std::to_string(label));
      const std::int64_t id = label < known_ ? label : static_cast<std::int64_t>(names.size()) - 1;
      labels.insert(labels.end(), samples.size(), id);
      added.insert(added.end(), samples.begin(), samples.end());
    }
    rows = math::Matrix<double>(labels.size(), data_.support.columns());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::size_t old = data_.support.rows();
      const auto from = i < old ? data_.support[i] : data_.stream[added[i - old]];
      std::copy(from.begin(), from.end(), rows[i].begin());
    }
    return {rows, labels, names, {}};
  }

  // The category in which users see a sample.
  CategoryId shown(std::size_t sample) const {
    const auto moved = moved_.find(sample);
    return moved == moved_.end() ? method_.categories().now(decisions_[sample].category)
                                 : method_.prototype(moved->second.first).owner;
  }

  Result<std::vector<Member>> members(PrototypeId prototype) override {
    std::vector<Member> out;
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      const auto [where, counted] = place(i);
      if (where == prototype) out.push_back({i, counted});
    }
    return out;
  }
  Result<std::pair<PrototypeId, bool>> membership(std::uint64_t sequence) override {
    const auto [where, counted] = place(static_cast<std::size_t>(sequence));
    return method_.editor().place(sequence, where, counted);
  }
  Result<std::vector<double>> embedding(std::uint64_t sequence) override {
    const auto row = data_.stream[static_cast<std::size_t>(sequence)];
    return std::vector<double>(row.begin(), row.end());
  }

 private:
  std::pair<PrototypeId, bool> place(std::size_t sample) const {
    const auto moved = moved_.find(sample);
    if (moved != moved_.end()) return moved->second;
    return {decisions_[sample].prototype, decisions_[sample].counted};
  }

  // The most frequent true class of its members; -1 if it has none.
  std::int64_t class_of(CategoryId id) const {
    std::map<std::int64_t, std::size_t> count;
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      if (shown(i) == id) ++count[data_.truth[i]];
    }
    const auto largest =
        std::max_element(count.begin(), count.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return largest == count.end() ? -1 : largest->first;
  }

  template <class Fits>
  std::vector<CategoryId> largest_first(Fits fits) const {
    std::map<CategoryId, std::int64_t> sizes;
    for (std::size_t i = 0; i < decisions_.size(); ++i) ++sizes[shown(i)];
    std::vector<CategoryId> out;
    for (const auto& [id, size] : sizes) {
      if (fits(id)) out.push_back(id);
    }
    std::stable_sort(out.begin(), out.end(),
                     [&](CategoryId a, CategoryId b) { return sizes[a] > sizes[b]; });
    return out;
  }

  // Pages of members that have not been shown yet, newest first. Each page is from the category
  // with the most such members.
  std::vector<std::pair<CategoryId, std::vector<std::size_t>>> pages_of(std::size_t count) const {
    std::map<CategoryId, std::vector<std::size_t>> left;  // oldest first
    for (std::size_t i = 0; i < decisions_.size(); ++i) left[shown(i)].push_back(i);
    std::vector<std::pair<CategoryId, std::vector<std::size_t>>> out;
    while (out.size() < count) {
      const auto most = std::max_element(
          left.begin(), left.end(),
          [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
      if (most == left.end() || most->second.empty()) break;
      auto& samples = most->second;
      const auto begin =
          samples.end() - static_cast<std::ptrdiff_t>(std::min(kMembersOfPage, samples.size()));
      out.emplace_back(most->first, std::vector<std::size_t>(begin, samples.end()));
      samples.erase(begin, samples.end());
    }
    return out;
  }

  Result<void> merge(CategoryId from, CategoryId into) {
    Operation operation;
    operation.kind = OperationKind::merge;
    operation.categories = {from};
    operation.category = into;
    return apply(operation);
  }

  // A sample that cannot be moved stays, e.g. because the method does not keep its place any more.
  Result<void> put_right(std::size_t sample) {
    const std::int64_t truth = data_.truth[sample];
    Operation operation;
    operation.kind = OperationKind::move;
    operation.samples = {sample};
    if (truth < known_) {
      operation.category = truth;
    } else {
      const auto same = largest_first([&](CategoryId id) { return class_of(id) == truth; });
      if (!same.empty()) operation.category = same.front();
    }
    if (shown(sample) != operation.category) static_cast<void>(apply(operation));
    return {};
  }

  Result<void> apply(const Operation& operation) {
    PACO_ASSIGN(const session::Plan plan, session::plan_operation(operation, method_, this));
    PACO_TRY(method_.editor().apply(plan.edits, this));
    for (const Edit& e : plan.edits) {
      if (e.cell == Edit::Cell::member)
        moved_[static_cast<std::size_t>(e.id)] = {e.to, e.to_counted};
    }
    return {};
  }

  Method& method_;
  const DataSet& data_;
  const std::int64_t known_;
  std::vector<Decision> decisions_;
  std::map<std::size_t, std::pair<PrototypeId, bool>> moved_;
};

// Decides the stream from its start with a model that was calibrated with the verified samples.
Result<AnsweredRun> decide_anew(const Run& run, const DataSet& data, Sitting& sitting,
                                std::size_t half, std::stop_token stop) {
  math::Matrix<double> rows;
  std::vector<std::int64_t> labels;
  std::vector<std::string> names;
  CalibrationOptions options = calibration_options(run, data);
  const SupportSet support = sitting.with_verified(run.answers, rows, labels, names);
  PACO_ASSIGN(Model model, calibrate(support, options, stop));
  PACO_ASSIGN(const std::unique_ptr<Method> method,
              make_method(run.contender.method, std::make_shared<const Model>(std::move(model)),
                          {1, run.contender.deciding}));
  std::vector<Decision> decisions(data.stream.rows());
  PACO_TRY(method->decide_block(data.stream, decisions));
  AnsweredRun out;
  out.first = half;
  const auto known = static_cast<CategoryId>(data.class_names.size());
  for (const Decision& d : std::span(decisions).subspan(half))
    out.shown.push_back(d.category < known ? d.category : kNewModel + d.category);
  return out;
}

constexpr std::array<std::string_view, 5> kAsking{"merges", "names", "looks", "questions",
                                                  "verified"};

}  // namespace

bool is_asking(std::string_view word) {
  return std::find(kAsking.begin(), kAsking.end(), word) != kAsking.end();
}

Result<AnsweredRun> decide_with_answers(const Run& run, const DataSet& data,
                                        std::shared_ptr<const Model> model, std::stop_token stop) {
  PACO_ASSIGN(const std::unique_ptr<Method> method,
              make_method(run.contender.method, std::move(model), {1, run.contender.deciding}));
  const std::size_t half = data.stream.rows() / 2;
  const std::string& asking = run.contender.asking;
  Sitting sitting(*method, data);
  PACO_TRY(sitting.decide(half, stop));
  const bool verified = asking == "verified";
  if (verified && run.answers > 0) return decide_anew(run, data, sitting, half, std::move(stop));
  if (asking == "merges") PACO_TRY(sitting.ask_for_merges(run.answers));
  if (asking == "names") PACO_TRY(sitting.ask_for_names(run.answers));
  if (asking == "looks") PACO_TRY(sitting.ask_for_samples(run.answers));
  if (asking == "questions") {
    const std::size_t merges = std::min(run.answers, kMergesFirst);
    PACO_TRY(sitting.ask_for_merges(merges));
    PACO_TRY(sitting.ask_for_names(run.answers - merges));
  }
  PACO_TRY(sitting.decide(data.stream.rows(), std::move(stop)));
  AnsweredRun out;
  out.first = verified ? half : 0;
  for (std::size_t i = out.first; i < data.stream.rows(); ++i)
    out.shown.push_back(sitting.shown(i));
  return out;
}

}  // namespace paco::study
