// PNG through libpng. As with JPEG, errors jump, and nothing with a destructor lives where they
// jump over.
#include <png.h>

#include <algorithm>
#include <cstring>

#include "core/try.hpp"
#include "embed/images/exif.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/images/image_orientation.hpp"

namespace paco::embed {
namespace {

struct PngDecoder {
  png_structp state = nullptr;
  png_infop info = nullptr;
  std::span<const std::byte> bytes;
  char message[128] = "";
};

void on_error(png_structp state, png_const_charp what) {
  auto& decoder = *static_cast<PngDecoder*>(png_get_error_ptr(state));
  std::strncpy(decoder.message, what, sizeof(decoder.message) - 1);
  png_longjmp(state, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp state, png_bytep out, std::size_t count) {
  auto& decoder = *static_cast<PngDecoder*>(png_get_io_ptr(state));
  if (count > decoder.bytes.size()) png_error(state, "the file ends too early");
  std::memcpy(out, decoder.bytes.data(), count);
  decoder.bytes = decoder.bytes.subspan(count);
}

// Reads up to the pixels and asks for 8-bit RGB or RGBA, whatever the file holds.
bool read_header(PngDecoder& decoder) {
  if (setjmp(png_jmpbuf(decoder.state)) != 0) return false;
  png_set_read_fn(decoder.state, &decoder, on_read);
  png_set_user_limits(decoder.state, 1u << 20, 1u << 20);
  png_set_chunk_cache_max(decoder.state, 128);
  png_set_chunk_malloc_max(decoder.state, 8u << 20);
  png_read_info(decoder.state, decoder.info);
  png_set_expand(decoder.state);
  png_set_strip_16(decoder.state);
  png_set_gray_to_rgb(decoder.state);
  png_set_interlace_handling(decoder.state);
  png_read_update_info(decoder.state, decoder.info);
  return true;
}

bool read_pixels(PngDecoder& decoder, std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(decoder.state)) != 0) return false;
  png_read_image(decoder.state, rows.data());
  png_read_end(decoder.state, decoder.info);
  return true;
}

Result<Image> decode(PngDecoder& decoder, const std::string& name, ImageLoader loader) {
  const std::size_t size = decoder.bytes.size();  // reading takes from it
  if (!read_header(decoder)) return damaged_image(name, decoder.message);
  PACO_ASSIGN(Image image,
              make_image(png_get_image_width(decoder.state, decoder.info),
                         png_get_image_height(decoder.state, decoder.info), size, name));
  const std::size_t row_bytes = png_get_rowbytes(decoder.state, decoder.info);
  const bool alpha = row_bytes == 4 * image.width;
  if (!alpha && row_bytes != 3 * image.width)
    return damaged_image(name, "its pixels cannot be turned into RGB");
  std::vector<std::uint8_t> rgba(alpha ? row_bytes * image.height : 0);
  std::vector<png_bytep> rows(image.height);
  for (std::size_t y = 0; y < image.height; ++y)
    rows[y] = (alpha ? rgba.data() : image.pixels.data()) + y * row_bytes;
  if (!read_pixels(decoder, rows)) return damaged_image(name, decoder.message);
  if (alpha) place_colours(rgba, loader, image);
  png_uint_32 exif_bytes = 0;
  png_bytep exif = nullptr;
  png_get_eXIf_1(decoder.state, decoder.info, &exif_bytes, &exif);
  const auto* data = reinterpret_cast<const std::byte*>(exif);
  return oriented_by(loader, std::move(image), exif_orientation({data, exif_bytes}));
}

}  // namespace

Result<Image> decode_png(std::span<const std::byte> bytes, const std::string& name,
                         ImageLoader loader) {
  PngDecoder decoder;
  decoder.bytes = bytes;
  decoder.state = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, on_error, on_warning);
  if (decoder.state) decoder.info = png_create_info_struct(decoder.state);
  Result<Image> image = Error{ErrorCode::out_of_memory, name + ": libpng could not start", ""};
  if (decoder.info) image = decode(decoder, name, loader);
  png_destroy_read_struct(&decoder.state, &decoder.info, nullptr);
  return image;
}

}  // namespace paco::embed
