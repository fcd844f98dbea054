// A backbone's forward pass on a CPU, without torch: pixels in, features out.
//
// A network is read-only once made: any number of threads may run it, each with a Scratch of its
// own. The features of an image depend on its pixels alone, bit for bit, whatever other images are
// run with it. plain_forward.hpp is the same in plain loops and checks this.
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

// Memory that a thread keeps between images. What each array holds is the network's affair.
struct Scratch {
  std::vector<float> input, state, normed, mixed, wide, hidden, attention;
};

// `numbers` of a scratch array, which grows where it has to.
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
  // How many images are best run together on one thread.
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

// What a pixel's byte becomes, channel by channel: (byte / 255 - mean) / deviation.
struct PixelTable {
  explicit PixelTable(const Normalisation& normalisation);
  float value[3][256];
};

// The learned positions (grid * grid, width) on a grid of `side` by `side`: bicubic, as torch
// interpolates.
std::vector<float> positions_on_grid(const float* stored, std::size_t grid, std::size_t width,
                                     std::size_t side);

std::unique_ptr<Network> make_vit_network(const NetSpec& spec, const TensorTable& tensors,
                                          CpuPrecision precision);
std::unique_ptr<Network> make_small_network(const NetSpec& spec, const TensorTable& tensors,
                                            CpuPrecision precision);

// `tensors` are those of net_slots(spec), in any order; `origin` names them in errors. `precision`
// is that of the products with weights, and one that the processor has; attention, norms and the
// head stay in float32.
Result<std::unique_ptr<Network>> make_network(const NetSpec& spec, const StateDict& tensors,
                                              const std::string& origin,
                                              CpuPrecision precision = CpuPrecision::float32);

}  // namespace paco::embed
