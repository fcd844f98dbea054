// The names of a stream on the bus. A stream NAME has these JetStream streams, each with one
// subject (except for files), so that a sequence number of JetStream is a number in that order:
//   paco-NAME-events     paco.NAME.events     samples and operations; event n is sequence n
//   paco-NAME-decisions  paco.NAME.decisions  what became of them, in groups
//   paco-NAME-raw        paco.NAME.raw        pictures for the embedding workers
//   paco-NAME-rejected   paco.NAME.rejected   pictures that no worker could read
//   paco-NAME-files      paco.NAME.files.>    the model, and the snapshot of a replica's journal
//
// The bucket `paco` has the settings of every stream, `paco-owners` the process that owns it.
#pragma once

#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::bus {

inline constexpr const char* kSettingsBucket = "paco";
inline constexpr const char* kOwnersBucket = "paco-owners";

enum class Part { events, decisions, raw, rejected, files };
inline constexpr Part kParts[] = {Part::events, Part::decisions, Part::raw, Part::rejected,
                                  Part::files};
std::string_view part_name(Part part);

// 1 to 48 letters, digits, '_' and '-': a dot or a blank would change the subject.
Result<void> check_stream_name(std::string_view name);

std::string jetstream_of(std::string_view name, Part part);
std::string subject_of(std::string_view name, Part part);

}  // namespace paco::bus
