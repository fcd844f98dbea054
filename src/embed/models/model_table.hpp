// Encoders that are known by a name: where they are published, under which licence, and the SHA-256
// of their files. A table; it neither looks for files nor fetches any.
//
// A hash is there only if somebody has compared it with the published file. Without one a download
// is checked by its size and by whether it opens, and the person is told so.
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
// Null if there is none of this name.
const PublishedModel* find_published(std::string_view name);

}  // namespace paco::embed
