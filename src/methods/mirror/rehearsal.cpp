#include "methods/mirror/rehearsal.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/try.hpp"

namespace paco::methods {

std::vector<RehearsalBuffer::Moved>::const_iterator RehearsalBuffer::moved_at(
    std::uint64_t sequence) const {
  return std::lower_bound(
      moved_.begin(), moved_.end(), sequence,
      [](const Moved& moved, std::uint64_t wanted) { return moved.sequence < wanted; });
}

bool RehearsalBuffer::was_moved(std::uint64_t sequence) const {
  const auto at = moved_at(sequence);
  return at != moved_.end() && at->sequence == sequence;
}

void RehearsalBuffer::note_move(std::uint64_t sequence, Filed from, Filed to, bool there,
                                std::uint64_t samples) {
  if (from == to) return;
  auto at = moved_.begin() + (moved_at(sequence) - moved_.begin());
  if (at == moved_.end() || at->sequence != sequence) at = moved_.insert(at, {sequence, from, {}});
  at->place = to;
  if (at->trail.empty() || at->trail.back() != to) {
    at->trail.push_back(from);
  } else {
    at->trail.pop_back();
  }
  const bool in_buffer = sequence + kept(samples) >= samples;
  // For a rehearsed sample that has left the buffer, only the move stores its prototype.
  if (at->trail.empty() && (in_buffer || buffer_ == 0)) moved_.erase(at);
  if (!in_buffer) return;
  entry(sequence).prototype = to.first;
  entry(sequence).counted = to.second && there;
}

std::optional<RehearsalBuffer::Filed> RehearsalBuffer::filed(std::uint64_t sequence,
                                                             std::uint64_t samples) const {
  const auto at = moved_at(sequence);
  if (at != moved_.end() && at->sequence == sequence) return at->place;
  if (sequence >= samples || sequence + kept(samples) < samples) return std::nullopt;
  return Filed{entry(sequence).prototype, entry(sequence).counted};
}

void RehearsalBuffer::save(Section& own, std::uint64_t samples) const {
  const std::uint64_t m = kept(samples), d = embeddings_.columns();
  std::vector<float> stored;
  std::vector<std::int64_t> prototypes, counted, moved, places;
  for (std::uint64_t t = samples - m; t < samples; ++t) {
    stored.insert(stored.end(), embedding(t), embedding(t) + d);
    prototypes.push_back(entry(t).prototype);
    counted.push_back(entry(t).counted ? 1 : 0);
  }
  // Places are pairs: prototype, counted. For each moved sample: its present place, then its trail.
  const auto put_place = [&](const Filed& place) {
    places.insert(places.end(), {place.first, place.second ? 1 : 0});
  };
  for (const Moved& one : moved_) {
    moved.push_back(static_cast<std::int64_t>(one.sequence));
    moved.push_back(static_cast<std::int64_t>(one.trail.size()));
    put_place(one.place);
    for (const Filed& place : one.trail) put_place(place);
  }
  own.numbers["cursor"] = static_cast<double>(cursor_);
  own.numbers["moved"] = static_cast<double>(moved_.size());
  own.numbers["moved_places"] = static_cast<double>(places.size() / 2);
  own.tensors["stored"] = {{m, d}, std::move(stored)};
  own.tensors["stored_prototype"] = {{m}, std::move(prototypes)};
  own.tensors["stored_counted"] = {{m}, std::move(counted)};
  own.tensors["moved"] = {{moved.size() / 2, 2}, std::move(moved)};
  own.tensors["moved_places"] = {{places.size() / 2, 2}, std::move(places)};
}

Result<void> RehearsalBuffer::restore(const Section& own, std::uint64_t samples,
                                      PrototypeId next_prototype, const std::string& name) {
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", name, what),
                 "the file is damaged; use an earlier state"};
  };
  const auto count = [&](const char* what) -> Result<std::size_t> {
    PACO_ASSIGN(const double value, own.number(what));
    constexpr double kMost = 0x1p40;
    if (!(value >= 0 && value <= kMost) || value != std::floor(value))
      return damaged(fmt::format("its number '{}' is impossible", what));
    return static_cast<std::size_t>(value);
  };
  const std::size_t m = kept(samples), d = embeddings_.columns();
  PACO_ASSIGN(const std::size_t cursor, count("cursor"));
  PACO_ASSIGN(const std::size_t moves, count("moved"));
  PACO_ASSIGN(const std::size_t steps, count("moved_places"));
  PACO_ASSIGN(const auto* stored, own.tensor<float>("stored", m * d));
  PACO_ASSIGN(const auto* prototypes, own.tensor<std::int64_t>("stored_prototype", m));
  PACO_ASSIGN(const auto* counted, own.tensor<std::int64_t>("stored_counted", m));
  PACO_ASSIGN(const auto* moved, own.tensor<std::int64_t>("moved", 2 * moves));
  PACO_ASSIGN(const auto* places, own.tensor<std::int64_t>("moved_places", 2 * steps));
  if (cursor > samples) return damaged("it rehearses a sample that has not come");
  for (const float x : *stored) {
    if (!(std::abs(x) <= 1.001f)) return damaged("a stored sample is not on the unit sphere");
  }
  const auto is_prototype = [&](std::int64_t id) { return id >= 0 && id < next_prototype; };
  if (!std::all_of(prototypes->begin(), prototypes->end(), is_prototype))
    return damaged("a stored sample is filed under a prototype that was never made");
  std::vector<Moved> all;
  std::size_t at = 0;
  const auto next_place = [&] {
    const Filed place{(*places)[2 * at], (*places)[2 * at + 1] != 0};
    ++at;
    return place;
  };
  for (std::size_t i = 0; i < moves; ++i) {
    const std::int64_t sequence = (*moved)[2 * i], trail = (*moved)[2 * i + 1];
    if (sequence < 0 || static_cast<std::uint64_t>(sequence) >= samples ||
        (i > 0 && sequence <= (*moved)[2 * i - 2]) || trail < 0 || at + 1 > steps ||
        static_cast<std::uint64_t>(trail) > steps - at - 1)
      return damaged("its moved samples are impossible");
    Moved one{static_cast<std::uint64_t>(sequence), next_place(), {}};
    for (std::int64_t step = 0; step < trail; ++step) one.trail.push_back(next_place());
    all.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < steps; ++i) {
    if (at != steps || !is_prototype((*places)[2 * i]))
      return damaged("its moved samples are impossible");
  }
  cursor_ = cursor;
  moved_ = std::move(all);
  for (std::size_t i = 0; i < m; ++i) {
    const std::uint64_t sequence = samples - m + i;
    put(sequence, {stored->data() + i * d, d});
    entry(sequence).prototype = (*prototypes)[i];
    entry(sequence).counted = (*counted)[i] != 0;
  }
  return {};
}

}  // namespace paco::methods
