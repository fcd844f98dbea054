// Small networks for training on given embeddings, in plain C++: linear layers, batch normalisation
// and GELU with hand-written gradients, and Adam. This is enough for the heads of the peers. It is
// not a deep-learning library: src/train trains backbones.
//
// Every number is a float32 whose sums have a fixed order (math/gemm_deterministic.hpp), and no
// function of the C library is used. So a training gives the same bytes on every machine and for
// any number of threads.
//
// Shapes: a batch is (n, width); the weight of a linear layer is (outputs, inputs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/gemm_deterministic.hpp"
#include "math/matrix.hpp"

namespace paco::methods {

// A learned value, the gradient of the last backward pass, and Adam's two moments.
struct HeadParameter {
  math::Matrix<float> value;
  math::Matrix<float> gradient;
  std::vector<float> first, second;

  HeadParameter() = default;
  HeadParameter(std::size_t rows, std::size_t columns);
};

// One step of Adam (0.9, 0.999, 1e-8) over all parameters; gradients are then zero again.
class Adam {
 public:
  explicit Adam(std::vector<HeadParameter*> parameters) : parameters_(std::move(parameters)) {}
  void step(double rate);
  std::span<HeadParameter* const> parameters() const { return parameters_; }

 private:
  std::vector<HeadParameter*> parameters_;
  double first_left_ = 1, second_left_ = 1;  // 0.9^t and 0.999^t
};

// out (n, m) = a (n, k) b (m, k)^T.
math::Matrix<float> multiply_rows(Rows<const float> a, const math::PackedRows& b,
                                  core::ThreadPool& pool);
math::Matrix<float> multiply_rows(Rows<const float> a, Rows<const float> b, core::ThreadPool& pool);
// out (n, m) = a (n, k) b (k, m). The first version uses `out` as it is if its shape fits.
void multiply_into(Rows<const float> a, Rows<const float> b, core::ThreadPool& pool,
                   math::Matrix<float>& out);
math::Matrix<float> multiply(Rows<const float> a, Rows<const float> b, core::ThreadPool& pool);
math::Matrix<float> transposed(Rows<const float> a);

// x sigmoid(1.702 x), the usual approximation of GELU. `slope`, if given, receives its derivative.
void gelu(std::span<const float> x, std::span<float> y, std::span<float> slope);
void hyperbolic_tangent(std::span<const float> x, std::span<float> y);

// The function after a trained layer: none, the approximated GELU, or GELU as in released code.
enum class Bend : std::uint8_t { none, short_gelu, gelu };
void bend(std::span<float> x, Bend how);

// A trained layer in the form used for decisions: the batch normalisation is folded into weight and
// bias.
struct AffineLayer {
  math::Matrix<float> weight;
  std::vector<float> bias;
  Bend bend = Bend::none;
};

// Layers one after another. A forward pass keeps what the next backward pass needs.
class Stack {
 public:
  explicit Stack(core::ThreadPool& pool) : pool_(&pool) {}

  // Weights start as normal numbers with deviation sqrt(2 / inputs), biases as zeros.
  Stack& linear(std::size_t inputs, std::size_t outputs, bool bias, core::Random& random);
  // Batch normalisation of each coordinate, then a learned scale and shift. Must follow a linear
  // layer.
  Stack& normalise();
  Stack& gelu();

  // Mean and variance of a normalisation are those of the first `counted` rows; 0 means all. The
  // other rows are normalised with the same numbers.
  math::Matrix<float> forward(math::Matrix<float> x, std::size_t counted = 0);
  // Adds to the gradients. Returns the gradient of the input, or an empty matrix if `inputs` is
  // false.
  math::Matrix<float> backward(math::Matrix<float> gradient, bool inputs = true);

  void add_parameters(std::vector<HeadParameter*>& to);
  // Appends the layers in the form used for decisions to `to`. Their statistics are those of all
  // rows of `x`. `x` receives the output.
  void freeze(math::Matrix<float>& x, std::vector<AffineLayer>& to);

 private:
  enum class Kind : std::uint8_t { linear, normalise, gelu };
  struct Layer {
    Kind kind = Kind::linear;
    bool has_bias = false;
    HeadParameter weight, bias;  // of a normalisation: (1, width) scale and shift
    math::Matrix<float> kept;    // linear: input; normalise: what was normalised; gelu: slope
    math::Matrix<float> steps;   // linear: what one pass adds to the gradient of the weights
    std::vector<float> inverse;  // normalise: 1 / deviation
    std::size_t counted = 0;
  };
  math::Matrix<float> normalise_forward(Layer& layer, math::Matrix<float> x, std::size_t counted);
  math::Matrix<float> normalise_backward(Layer& layer, math::Matrix<float> gradient);

  core::ThreadPool* pool_;
  std::vector<Layer> layers_;
};

}  // namespace paco::methods
