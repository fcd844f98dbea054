// EXIF data, which cameras write into their files: the orientation of the picture, and the time and
// place where it was taken. All values are checked.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace paco::embed {

// The block of EXIF data in a JPEG, PNG or WebP file, from its byte order ("II" or "MM") on; empty
// if there is none.
std::span<const std::byte> exif_of(std::span<const std::byte> file);

// The orientation, 1 to 8, in such a block; 1 (nothing to do) if it is absent or damaged.
int exif_orientation(std::span<const std::byte> exif);

// Each text is empty if the value is absent or invalid.
struct ExifNotes {
  std::string taken;  // "2026-05-01 12:30:00", the camera's own clock
  std::string place;  // "47.37690, 8.54170": degrees north and east
};
ExifNotes exif_notes(std::span<const std::byte> exif);

}  // namespace paco::embed
