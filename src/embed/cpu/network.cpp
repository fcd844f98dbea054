#include "embed/cpu/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "embed/weights/weights.hpp"

namespace paco::embed {
namespace {

// The cubic of Keys with a = -3/4, at distance |x| < 2.
double cubic(double x) {
  constexpr double a = -0.75;
  x = std::fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return (((x - 5) * x + 8) * x - 4) * a;
}

// For one output of a line: the four inputs around it; positions beyond the edge use the edge
// value.
struct FourTaps {
  std::size_t place[4];
  double weight[4];
};

FourTaps taps_at(std::size_t output, std::size_t inputs, std::size_t outputs) {
  const double scale = static_cast<double>(inputs) / static_cast<double>(outputs);
  const double at = (static_cast<double>(output) + 0.5) * scale - 0.5;
  const double below = std::floor(at);
  FourTaps taps;
  for (int i = 0; i < 4; ++i) {
    const double place = below + i - 1;
    taps.place[i] =
        static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(inputs) - 1.0));
    taps.weight[i] = cubic(at - place);
  }
  return taps;
}

Result<void> check_small(const NetSpec& spec, const std::string& origin) {
  constexpr int kSmallestWidth = 32;  // of which the first stage has a quarter: 8 groups
  if (spec.width % kSmallestWidth == 0) return {};
  return Error{ErrorCode::bad_format,
               fmt::format("{}: a small network of width {} cannot be divided into groups", origin,
                           spec.width),
               "the file was not written by paco train, or was edited"};
}

}  // namespace

PixelTable::PixelTable(const Normalisation& normalisation) {
  for (int c = 0; c < 3; ++c) {
    const float scale = 1.0f / (255.0f * normalisation.deviation[c]);
    const float shift = -normalisation.mean[c] / normalisation.deviation[c];
    for (int byte = 0; byte < 256; ++byte)
      value[c][byte] = shift + static_cast<float>(byte) * scale;
  }
}

std::vector<float> positions_on_grid(const float* stored, std::size_t grid, std::size_t width,
                                     std::size_t side) {
  if (grid == side) return {stored, stored + grid * grid * width};
  std::vector<float> result(side * side * width);
  for (std::size_t y = 0; y < side; ++y) {
    const FourTaps down = taps_at(y, grid, side);
    for (std::size_t x = 0; x < side; ++x) {
      const FourTaps along = taps_at(x, grid, side);
      for (std::size_t j = 0; j < width; ++j) {
        double sum = 0;
        for (int v = 0; v < 4; ++v)
          for (int u = 0; u < 4; ++u)
            sum += down.weight[v] * along.weight[u] *
                   stored[(down.place[v] * grid + along.place[u]) * width + j];
        result[(y * side + x) * width + j] = static_cast<float>(sum);
      }
    }
  }
  return result;
}

Result<std::unique_ptr<Network>> make_network(const NetSpec& spec, const StateDict& tensors,
                                              const std::string& origin, CpuPrecision precision) {
  const std::vector<TensorSlot> slots = net_slots(spec);
  NamedTensors by_name;
  for (const NamedTensor& tensor : tensors) by_name.emplace(tensor.name, &tensor);
  PACO_ASSIGN(const auto matched, match_tensors(slots, std::move(by_name), origin));
  TensorTable table;
  for (std::size_t i = 0; i < slots.size(); ++i) table.add(slots[i].name, matched[i]);
  if (spec.kind == BackboneKind::vit) return make_vit_network(spec, table, precision);
  PACO_TRY(check_small(spec, origin));
  return make_small_network(spec, table, precision);
}

}  // namespace paco::embed
