// Where a replica goes on: its journal may end before or after what stands on the decisions
// subject. It folds from the earlier of the two places on, which the journal allows (folding.hpp),
// and hears from there on, so that it compares all that it decides.
#include <fmt/format.h>

#include "bus/replica.hpp"
#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {

Result<void> Replica::start(const std::stop_token& stop) {
  PACO_TRY(folding_.start());
  Result<Place> kept = Place{};
  std::uint64_t events = 0;
  Holder& holder = folding_.holder();
  holder.ask([&](Session& session) {
    kept = place_of(session);
    events = session.events();
  });
  PACO_ASSIGN(const Place own, std::move(kept));
  PACO_ASSIGN(const std::optional<Heard> last, newest_group(*connection_, settings_.name, stop));
  Place place = own;
  std::uint64_t first_message = 1;
  if (!last) {
    // Nothing stands: everything that the journal has is still to be said.
    place = {};
  } else if (last->group.last() <= own.event) {
    place = {last->group.last(), last->group.samples, last->group.journal};
    first_message = last->sequence + 1;
    standing_ = {last->group.last(), last->sequence};
  } else {
    PACO_ASSIGN(const Heard from,
                group_with(*connection_, settings_.name, own.event + 1, last->sequence, stop));
    first_message = from.sequence;
    standing_ = {from.group.first - 1, from.sequence - 1};
  }
  if (place.journal > events || place.samples > own.samples) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("stream '{}': the journal has {} samples and {} events, {} and {} stand",
                    settings_.name, own.samples, events, place.samples, place.journal),
        "it is the journal of another stream; name one that is not there"};
  }
  folding_.go_to(place);
  spoken_ = standing_;
  heard_event_ = standing_.event;
  heard_time_ = std::chrono::steady_clock::now();
  PACO_ASSIGN(speaker_, Speaker::open(connection_, settings_.name, options_.speaker));
  events_ = std::make_unique<Reader>(connection_, jetstream_of(settings_.name, Part::events),
                                     subject_of(settings_.name, Part::events), place.event + 1);
  decisions_ = std::make_unique<Reader>(connection_, jetstream_of(settings_.name, Part::decisions),
                                        subject_of(settings_.name, Part::decisions), first_message);
  return {};
}

}  // namespace paco::bus
