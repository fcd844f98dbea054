// Area averaging and libjpeg.
#include "report/thumbnail.hpp"

#include <jpeglib.h>

#include <algorithm>
#include <cassert>
#include <csetjmp>
#include <cstdlib>

#include "report/base64.hpp"

namespace paco::report {

namespace {

// libjpeg's own handler ends the program. This one jumps back instead.
struct Handler {
  jpeg_error_mgr base;
  std::jmp_buf back;
};

void come_back(j_common_ptr info) { std::longjmp(reinterpret_cast<Handler*>(info->err)->back, 1); }

// Returns the size of the data in *bytes, 0 on failure. No object with a destructor may exist
// across the jump.
unsigned long encode(const unsigned char* pixels, std::size_t width, std::size_t height,
                     int quality, unsigned char** bytes) {
  jpeg_compress_struct info;
  Handler handler;
  info.err = jpeg_std_error(&handler.base);
  handler.base.error_exit = come_back;
  unsigned long size = 0;
  if (setjmp(handler.back) != 0) {
    jpeg_destroy_compress(&info);
    return 0;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, bytes, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  info.optimize_coding = TRUE;
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    // libjpeg takes a mutable pointer but does not write through it.
    auto* row =
        const_cast<unsigned char*>(pixels) + std::size_t{info.next_scanline} * 3 * info.image_width;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return size;
}

}  // namespace

embed::Image shrink(const embed::Image& image, std::size_t side) {
  assert(side > 0 && image.channels == 3);
  const std::size_t longer = std::max(image.width, image.height);
  if (longer <= side) return image;
  embed::Image small;
  small.width = std::max<std::size_t>(1, image.width * side / longer);
  small.height = std::max<std::size_t>(1, image.height * side / longer);
  small.pixels.reserve(3 * small.width * small.height);
  for (std::size_t y = 0; y < small.height; ++y) {
    const std::size_t top = y * image.height / small.height;
    const std::size_t bottom = std::max(top + 1, (y + 1) * image.height / small.height);
    for (std::size_t x = 0; x < small.width; ++x) {
      const std::size_t left = x * image.width / small.width;
      const std::size_t right = std::max(left + 1, (x + 1) * image.width / small.width);
      const std::size_t count = (bottom - top) * (right - left);
      for (std::size_t c = 0; c < 3; ++c) {
        std::size_t sum = 0;
        for (std::size_t v = top; v < bottom; ++v) {
          for (std::size_t u = left; u < right; ++u)
            sum += image.pixels[3 * (v * image.width + u) + c];
        }
        small.pixels.push_back(static_cast<std::uint8_t>((sum + count / 2) / count));
      }
    }
  }
  return small;
}

Result<Thumbnail> make_thumbnail(const embed::Image& image, std::size_t side, int quality) {
  const embed::Image small = shrink(image, side);
  unsigned char* bytes = nullptr;
  const unsigned long size =
      encode(small.pixels.data(), small.width, small.height, quality, &bytes);
  Thumbnail result{small.width, small.height, ""};
  if (size > 0) {
    result.uri = "data:image/jpeg;base64," + base64({reinterpret_cast<const std::byte*>(bytes),
                                                     static_cast<std::size_t>(size)});
  }
  std::free(bytes);
  if (size == 0) {
    return Error{ErrorCode::out_of_memory, "a picture could not be made small", "free some memory"};
  }
  return result;
}

}  // namespace paco::report
