#include "toy_state.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

namespace paco::bus {

void ToyState::mix(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3 + 0x9e37; }

Decision ToyState::fold_sample(const Entry& entry) {
  Decision d;
  d.sequence = samples_++;
  d.category = -1;
  for (std::size_t i = 0; i < centres_.size() && d.category < 0; ++i)
    if (std::abs(centres_[i] - entry.value) < 1) d.category = static_cast<CategoryId>(i);
  d.verdict = d.category < 0 ? Verdict::created : Verdict::existing;
  if (d.category < 0) {
    d.category = static_cast<CategoryId>(centres_.size());
    names_.push_back(fmt::format("new {}", d.category));
    centres_.push_back(entry.value);
  }
  d.prototype = d.category;
  d.score = entry.value;
  d.threshold = static_cast<double>(hash_ % 1'000'003);  // so all events before it matter
  mix(std::bit_cast<std::uint64_t>(entry.value));
  mix(static_cast<std::uint64_t>(d.category));
  if (broken_ != Broken::replica_without_keys) by_key_.emplace(entry.key, d);
  return d;
}

void ToyState::fold_operation(const Entry& entry) {
  const Operation& operation = entry.outcome.operation;
  names_[static_cast<std::size_t>(operation.category)] = operation.name;
  for (const char c : operation.name) mix(static_cast<unsigned char>(c));
}

Result<Decided> ToyState::decide(Rows<const double> embeddings, std::span<Decision> decisions,
                                 const SampleNames& names) {
  Decided out;
  for (; out.rows < embeddings.rows; ++out.rows) {
    const std::size_t i = out.rows;
    const auto seen = by_key_.find(names.keys[i]);
    if (seen != by_key_.end()) {
      decisions[i] = seen->second;
      ++out.repeated;
      continue;
    }
    Entry entry;
    entry.key = names.keys[i];
    entry.value = embeddings[i][0];
    out.refused = refusal(embeddings[i]);
    if (out.refused) return out;
    const std::string& text = names.attributes[i];
    const std::size_t colon = text.rfind(':');
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), entry.bus_event);
    decisions[i] = fold_sample(entry);
    journal_.push_back(std::move(entry));
  }
  return out;
}

std::optional<Error> ToyState::refusal(std::span<const double> embedding) {
  if (std::isfinite(embedding[0])) return std::nullopt;
  return Error{ErrorCode::bad_value, "is not finite", ""};
}

Result<OperationOutcome> ToyState::apply(const Operation& operation) {
  if (operation.category < 0 || operation.category >= static_cast<CategoryId>(names_.size()))
    return Error{ErrorCode::bad_value, fmt::format("there is no category {}", operation.category),
                 ""};
  Entry entry;
  entry.sample = false;
  entry.outcome.event = journal_.size();
  entry.outcome.sequence = samples_;
  entry.outcome.operation = operation;
  entry.outcome.text = fmt::format("{} was '{}'", operation.category,
                                   names_[static_cast<std::size_t>(operation.category)]);
  fold_operation(entry);
  journal_.push_back(entry);
  return entry.outcome;
}

Result<std::vector<OperationOutcome>> ToyState::history() {
  std::vector<OperationOutcome> out;
  if (broken_ == Broken::replica_without_history) return out;
  for (const Entry& entry : journal_)
    if (!entry.sample) out.push_back(entry.outcome);
  return out;
}

Result<JournalEnd> ToyState::journal_end() {
  JournalEnd end{0, samples_, journal_.size()};
  for (const Entry& entry : journal_)
    if (entry.sample) end.event = entry.bus_event;
  return end;
}

std::vector<std::string> ToyState::category_names(std::span<const CategoryId> categories) {
  std::vector<std::string> out;
  for (const CategoryId id : categories) out.push_back(names_[static_cast<std::size_t>(id)]);
  return out;
}

Result<std::string> ToyState::digest() {
  std::string out = fmt::format("{:016x}", hash_);
  for (const std::string& name : names_) out += "," + name;
  return out;
}

void ToyState::lose_after(std::size_t events) {
  if (events >= journal_.size()) return;
  std::vector<Entry> kept(journal_.begin(), journal_.begin() + static_cast<std::ptrdiff_t>(events));
  *this = ToyState(broken_);
  for (Entry& entry : kept) {
    if (entry.sample) {
      (void)fold_sample(entry);
    } else {
      fold_operation(entry);
    }
    journal_.push_back(std::move(entry));
  }
}

}  // namespace paco::bus
