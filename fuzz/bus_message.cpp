// Messages of the bus as anybody with the right to publish could send them: events, groups of
// decisions and pictures. What is taken must be written as it was read, and whatever is refused
// says why.
#include <cstddef>
#include <cstdint>
#include <string>

#include "bus/event.hpp"
#include "bus/picture.hpp"
#include "bus/record.hpp"

namespace paco::bus {
namespace {

void require(bool promise) {
  if (!promise) __builtin_trap();
}

template <class T>
bool taken(const Result<T>& parsed) {
  require(parsed.ok() || (!parsed.error().message.empty() && !parsed.error().hint.empty()));
  return parsed.ok();
}

// The numbers are four or eight bytes each, and only the message knows.
void read_event(const std::string& bytes) {
  const Result<Event> event = parse_event(bytes);
  if (!taken(event)) return;
  if (const auto* operation = std::get_if<OperationEvent>(&*event)) {
    require(event_bytes(*operation) == bytes);
    return;
  }
  const auto& sample = std::get<SampleEvent>(*event);
  require(!sample.key.empty() && sample.key.size() <= kMostKey && sample.id.size() <= kMostId);
  const bool narrow = event_bytes(sample, true).size() == bytes.size();
  const std::string again = event_bytes(sample, narrow);
  require(again.size() == bytes.size());
  const Result<Event> back = parse_event(again);
  require(back.ok() && event_bytes(std::get<SampleEvent>(*back), narrow) == again);
}

void read_group(const std::string& bytes) {
  const Result<Group> group = parse_group(bytes, "input");
  if (!taken(group)) return;
  require(group->first > 0 && !group->records.empty() && group->evidence <= kMaxEvidence);
  for (const Record& record : group->records) require(record.same_as(record, group->evidence));
  const std::string again = group_bytes(*group);
  const Result<Group> back = parse_group(again, "input");
  require(back.ok() && group_bytes(*back) == again && back->last() == group->last());
}

void read_picture(const std::string& bytes) {
  const Result<RawPicture> picture = parse_picture(bytes);
  if (!taken(picture)) return;
  require(picture_bytes(*picture) == bytes);
  const Result<embed::Image> image = decode(*picture);
  if (taken(image)) require(image->pixels.size() == image->width * image->height * 3);
}

}  // namespace
}  // namespace paco::bus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  paco::bus::read_event(bytes);
  paco::bus::read_group(bytes);
  paco::bus::read_picture(bytes);
  return 0;
}
