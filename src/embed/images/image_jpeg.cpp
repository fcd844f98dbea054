// JPEG through libjpeg-turbo.
//
// The library reports errors by a callback that must not return, so it jumps. Nothing with a
// destructor lives in the function that is jumped over: pixels are allocated by the caller between
// two calls into it.
// jpeglib.h needs cstdio before it, jerror.h needs jpeglib.h.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string_view>

#include "core/try.hpp"
#include "embed/images/exif.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/images/image_orientation.hpp"

namespace paco::embed {
namespace {

// A progressive file may repeat its scans without end; real ones have about ten.
constexpr int kMaxScans = 200;

struct JpegDecoder {
  jpeg_decompress_struct state;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

JpegDecoder& decoder_of(j_common_ptr state) {
  return *static_cast<JpegDecoder*>(state->client_data);
}

[[noreturn]] void on_error(j_common_ptr state) {
  JpegDecoder& decoder = decoder_of(state);
  state->err->format_message(state, decoder.message);
  std::longjmp(decoder.back, 1);
}

// Warnings about missing data would leave grey areas in the picture; the others are harmless.
void on_message(j_common_ptr state, int level) {
  const int code = state->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) on_error(state);
}

void on_progress(j_common_ptr state) {
  JpegDecoder& decoder = decoder_of(state);
  if (decoder.state.input_scan_number <= kMaxScans) return;
  std::strcpy(decoder.message, "too many scans");
  std::longjmp(decoder.back, 1);
}

// Eighths of the size, which libjpeg makes of fewer coefficients.
constexpr unsigned kEighths = 8;

unsigned eighths_for(const JpegDecoder& decoder, std::size_t side) {
  const std::size_t longer = std::max(decoder.state.image_width, decoder.state.image_height);
  for (unsigned n = 1; side > 0 && n < kEighths; ++n) {
    if (longer * n / kEighths >= side) return n;
  }
  return kEighths;
}

bool read_header(JpegDecoder& decoder, std::span<const std::byte> bytes, std::size_t side) {
  if (setjmp(decoder.back) != 0) return false;
  jpeg_create_decompress(&decoder.state);
  decoder.state.progress = &decoder.progress;
  jpeg_mem_src(&decoder.state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&decoder.state, TRUE);
  const J_COLOR_SPACE space = decoder.state.jpeg_color_space;
  decoder.state.out_color_space = space == JCS_CMYK || space == JCS_YCCK ? JCS_CMYK : JCS_RGB;
  // One fixed method: the pixels must be the same wherever they are decoded.
  decoder.state.dct_method = JDCT_ISLOW;
  decoder.state.scale_num = eighths_for(decoder, side);
  decoder.state.scale_denom = kEighths;
  jpeg_calc_output_dimensions(&decoder.state);
  return true;
}

// One row of four inks to RGB. Adobe's files hold the inks inverted.
void inks_to_rgb(const unsigned char* inks, std::size_t width, bool inverted, unsigned char* rgb) {
  for (std::size_t x = 0; x < width; ++x) {
    const int black = inverted ? inks[4 * x + 3] : 255 - inks[4 * x + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const int ink = inverted ? inks[4 * x + c] : 255 - inks[4 * x + c];
      rgb[3 * x + c] = static_cast<unsigned char>((ink * black + 127) / 255);
    }
  }
}

bool read_pixels(JpegDecoder& decoder, Image& image, std::vector<unsigned char>& inks) {
  if (setjmp(decoder.back) != 0) return false;
  jpeg_start_decompress(&decoder.state);
  while (decoder.state.output_scanline < decoder.state.output_height) {
    unsigned char* row = image.pixels.data() + decoder.state.output_scanline * image.width * 3;
    unsigned char* target = inks.empty() ? row : inks.data();
    jpeg_read_scanlines(&decoder.state, &target, 1);
    if (!inks.empty()) inks_to_rgb(inks.data(), image.width, decoder.state.saw_Adobe_marker, row);
  }
  jpeg_finish_decompress(&decoder.state);
  return true;
}

}  // namespace

Result<Image> decode_jpeg(std::span<const std::byte> bytes, const std::string& name,
                          std::size_t side, ImageLoader loader) {
  JpegDecoder decoder;
  std::memset(&decoder, 0, sizeof(decoder));
  decoder.state.err = jpeg_std_error(&decoder.errors);
  decoder.state.client_data = &decoder;
  decoder.errors.error_exit = on_error;
  decoder.errors.emit_message = on_message;
  decoder.progress.progress_monitor = on_progress;

  Result<Image> image = damaged_image(name, "");
  if (!read_header(decoder, bytes, side)) {
    image = damaged_image(name, decoder.message);
  } else {
    image = make_image(decoder.state.output_width, decoder.state.output_height, bytes.size(), name);
    if (image.ok()) {
      std::vector<unsigned char> inks;
      if (decoder.state.out_color_space == JCS_CMYK) inks.resize(4 * image->width);
      const int orientation = exif_orientation(exif_of(bytes));
      if (read_pixels(decoder, *image, inks)) {
        image = oriented_by(loader, std::move(*image), orientation);
      } else {
        image = damaged_image(name, decoder.message);
      }
    }
  }
  jpeg_destroy_decompress(&decoder.state);
  return image;
}

}  // namespace paco::embed
