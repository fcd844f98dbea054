// A backbone's forward pass on a CPU, without torch: pixels in, features out.
//
// A network is read-only after construction: any number of threads may run it, each with its own
// Scratch. The features of an image depend bit for bit only on its pixels, not on other images in
// the same call. plain_forward.hpp computes the same in plain loops; tests compare the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "embed/cpu/norms.hpp"
#include "embed/cpu/reduced.hpp"
#include "embed/weights/net_spec.hpp"
#include "embed/weights/state_dict.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// Memory that a thread reuses between images. The network decides what each array holds.
struct Scratch {
  std::vector<float> input, state, normed, mixed, wide, hidden, attention;
};

// Returns a scratch array of at least `numbers` elements, growing it if necessary.
inline float* scratch_of(std::vector<float>& memory, std::size_t numbers) {
  if (memory.size() < numbers) memory.resize(numbers);
  return memory.data();
}

class Network {
 public:
  virtual ~Network() = default;
  // pixels are (count, S, S, 3), out is (count, spec.embedding()).
  virtual void run(const std::uint8_t* pixels, std::size_t count, float* out,
                   Scratch& scratch) const = 0;
  // The best number of images to run together on one thread.
  virtual std::size_t group() const = 0;
};

// The tensors of a network by name, as match_tensors found them.
class TensorTable {
 public:
  void add(const std::string& name, const NamedTensor* tensor) { tensors_[name] = tensor; }
  const float* operator[](const std::string& name) const {
    return tensors_.at(name)->values.data();
  }
  Norm norm(const std::string& name, std::size_t width) const {
    const float *gain = (*this)[name + ".weight"], *shift = (*this)[name + ".bias"];
    return {{gain, gain + width}, {shift, shift + width}};
  }

 private:
  std::map<std::string, const NamedTensor*> tensors_;
};

// The value of every pixel byte, for each channel: (byte / 255 - mean) / deviation.
struct PixelTable {
  explicit PixelTable(const Normalisation& normalisation);
  float value[3][256];
};

// The learned positions (grid * grid, width), resized to a grid of `side` by `side`: bicubic, as in
// torch.
std::vector<float> positions_on_grid(const float* stored, std::size_t grid, std::size_t width,
                                     std::size_t side);

std::unique_ptr<Network> make_vit_network(const NetSpec& spec, const TensorTable& tensors,
                                          CpuPrecision precision);
std::unique_ptr<Network> make_small_network(const NetSpec& spec, const TensorTable& tensors,
                                            CpuPrecision precision);

// `tensors` are those of net_slots(spec), in any order; `origin` names them in errors. `precision`
// is that of the products with weights, and the processor must support it; attention, norms and the
// head stay in float32.
Result<std::unique_ptr<Network>> make_network(const NetSpec& spec, const StateDict& tensors,
                                              const std::string& origin,
                                              CpuPrecision precision = CpuPrecision::float32);

}  // namespace paco::embed
