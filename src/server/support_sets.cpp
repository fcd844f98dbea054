#include "server/support_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/try.hpp"

namespace paco::server {
namespace {

constexpr std::size_t kMostWaiting = 8;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of embeddings of labelled samples
constexpr std::size_t kPicturesOfClass = 3;
constexpr std::size_t kFewestClasses = 3, kFewestOfClass = 2;

}  // namespace

Result<void> check_classes(const std::vector<std::string>& labels) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& label : labels) ++counts[label];
  std::string few;
  for (const auto& [name, count] : counts)
    if (count < kFewestOfClass) few += fmt::format("{}{}", few.empty() ? "" : ", ", name);
  if (counts.size() >= kFewestClasses && few.empty()) return {};
  return Error{ErrorCode::bad_value,
               counts.size() < kFewestClasses
                   ? fmt::format("{} classes, and {} are needed", counts.size(), kFewestClasses)
                   : fmt::format("classes of a single sample: {}", few),
               fmt::format("give examples of at least {} classes, {} of each or more",
                           kFewestClasses, kFewestOfClass)};
}

Result<SupportSets::Waiting*> SupportSets::find(const std::string& name) {
  if (!waiting_.contains(name) && waiting_.size() >= kMostWaiting) {
    return Error{ErrorCode::interrupted, "too many support sets wait for their calibration",
                 "calibrate one of them first"};
  }
  return &waiting_[name];
}

Result<void> SupportSets::put_embeddings(const std::string& name, math::Matrix<double> rows) {
  const std::lock_guard lock(mutex_);
  PACO_ASSIGN(Waiting* const waiting, find(name));
  waiting->embeddings = std::move(rows);
  return {};
}

Result<void> SupportSets::put_labels(const std::string& name, io::Labels labels) {
  const std::lock_guard lock(mutex_);
  PACO_ASSIGN(Waiting* const waiting, find(name));
  waiting->labels = std::move(labels);
  return {};
}

Result<SupportSets::Held> SupportSets::add(const std::string& name, const Samples& part,
                                           const EmbeddingRecord& record, bool anew) {
  const std::lock_guard lock(mutex_);
  if (anew) waiting_.erase(name);
  PACO_ASSIGN(Waiting* const waiting, find(name));
  if ((waiting->rows.size() + part.embeddings.size()) * sizeof(double) > kMostBytes) {
    return Error{ErrorCode::bad_value,
                 fmt::format("more examples than are taken: {} are here already",
                             waiting->row_labels.size()),
                 "some hundred of each class are enough"};
  }
  waiting->record = record;
  waiting->rows.insert(waiting->rows.end(), part.embeddings.begin(), part.embeddings.end());
  for (std::size_t i = 0; i < part.rows; ++i) {
    waiting->row_labels.push_back(part.labels[i]);
    auto& pictures = waiting->pictures[part.labels[i]];
    const bool has_picture = i < part.pictures.size() && !part.pictures[i].empty();
    if (has_picture && pictures.size() < kPicturesOfClass) pictures.push_back(part.pictures[i]);
  }
  return Held{waiting->row_labels.size(), waiting->pictures.size()};
}

Support SupportSets::joined(Waiting waiting) {
  Support out;
  if (waiting.row_labels.empty()) {
    out.embeddings = std::move(*waiting.embeddings);
    out.labels = std::move(waiting.labels->ids);
    out.names = std::move(waiting.labels->names);
    return out;
  }
  for (auto& [name, pictures] : waiting.pictures) {
    out.names.push_back(name);
    out.pictures.push_back(std::move(pictures));
  }
  for (const std::string& label : waiting.row_labels) {
    const auto found = std::lower_bound(out.names.begin(), out.names.end(), label);
    out.labels.push_back(found - out.names.begin());
  }
  const std::size_t rows = waiting.row_labels.size(), columns = waiting.rows.size() / rows;
  out.embeddings = math::Matrix<double>(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto from = waiting.rows.begin() + static_cast<std::ptrdiff_t>(i * columns);
    std::copy_n(from, columns, out.embeddings[i].begin());
  }
  out.record = waiting.record;
  return out;
}

Result<Support> SupportSets::take(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(name);
  const bool is_complete =
      found != waiting_.end() &&
      (!found->second.row_labels.empty() || (found->second.embeddings && found->second.labels));
  if (!is_complete) {
    return Error{
        ErrorCode::mismatch, fmt::format("'{}' has no support set with labels yet", name),
        "PUT .../support/embeddings and .../support/labels first, POST .../support/samples "
        "with labelled samples, or send 'support'"};
  }
  if (!found->second.row_labels.empty()) PACO_TRY(check_classes(found->second.row_labels));
  Support out = joined(std::move(found->second));
  waiting_.erase(found);
  return out;
}

bool SupportSets::forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return waiting_.erase(name) > 0;
}

}  // namespace paco::server
