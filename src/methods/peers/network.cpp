#include "methods/peers/network.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "math/error_function.hpp"
#include "math/exponentials.hpp"

namespace paco::methods {
namespace {

constexpr double kEpsilon = 1e-5;  // added to a variance
constexpr std::size_t kGrain = 32;

struct Moments {
  std::vector<double> mean, inverse;  // inverse: 1 / sqrt(variance + epsilon)
};

Moments moments_of(Rows<const float> x) {
  Moments m{std::vector<double>(x.columns), std::vector<double>(x.columns)};
  const auto n = static_cast<double>(x.rows);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.columns; ++j) m.mean[j] += static_cast<double>(x[i][j]);
  for (double& mean : m.mean) mean /= n;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < x.columns; ++j) {
      const double off = static_cast<double>(x[i][j]) - m.mean[j];
      m.inverse[j] += off * off;
    }
  }
  for (double& squared : m.inverse) squared = 1 / std::sqrt(squared / n + kEpsilon);
  return m;
}

void multiply_blocks(Rows<const float> a, const math::PackedRows& b, core::ThreadPool& pool,
                     math::Matrix<float>& out) {
  pool.parallel_for(a.rows, kGrain, [&](std::size_t begin, std::size_t end) {
    math::multiply_packed(a.slice(begin, end - begin), b, out.data() + begin * b.rows(), b.rows());
  });
}

}  // namespace

HeadParameter::HeadParameter(std::size_t rows, std::size_t columns)
    : value(rows, columns),
      gradient(rows, columns),
      first(rows * columns),
      second(rows * columns) {}

math::Matrix<float> multiply_rows(Rows<const float> a, const math::PackedRows& b,
                                  core::ThreadPool& pool) {
  math::Matrix<float> out(a.rows, b.rows());
  multiply_blocks(a, b, pool, out);
  return out;
}

math::Matrix<float> multiply_rows(Rows<const float> a, Rows<const float> b,
                                  core::ThreadPool& pool) {
  thread_local math::PackedRows packed;
  packed.take_rows(b);
  return multiply_rows(a, packed, pool);
}

void multiply_into(Rows<const float> a, Rows<const float> b, core::ThreadPool& pool,
                   math::Matrix<float>& out) {
  thread_local math::PackedRows packed;
  packed.take_columns(b);
  if (out.rows() != a.rows || out.columns() != b.columns)
    out = math::Matrix<float>(a.rows, b.columns);
  multiply_blocks(a, packed, pool, out);
}

math::Matrix<float> multiply(Rows<const float> a, Rows<const float> b, core::ThreadPool& pool) {
  math::Matrix<float> out;
  multiply_into(a, b, pool, out);
  return out;
}

math::Matrix<float> transposed(Rows<const float> a) {
  constexpr std::size_t kTile = 16;
  math::Matrix<float> out(a.columns, a.rows);
  for (std::size_t first = 0; first < a.columns; first += kTile) {
    const std::size_t last = std::min(first + kTile, a.columns);
    for (std::size_t i = 0; i < a.rows; ++i)
      for (std::size_t j = first; j < last; ++j) out[j][i] = a[i][j];
  }
  return out;
}

void gelu(std::span<const float> x, std::span<float> y, std::span<float> slope) {
  constexpr double kSteep = 1.702;
  thread_local std::vector<double> powers;
  powers.resize(x.size());
  math::scaled_exponentials(x.data(), x.size(), 0, -kSteep, powers.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double sigmoid = 1 / (1 + powers[i]), value = static_cast<double>(x[i]);
    y[i] = static_cast<float>(value * sigmoid);
    if (!slope.empty())
      slope[i] = static_cast<float>(sigmoid + kSteep * value * sigmoid * (1 - sigmoid));
  }
}

void bend(std::span<float> x, Bend how) {
  if (how == Bend::short_gelu) gelu(x, x, {});
  if (how != Bend::gelu) return;
  constexpr double kRootHalf = 0.7071067811865476;
  for (float& value : x) {
    const auto wide = static_cast<double>(value);
    value = static_cast<float>(0.5 * wide * (1 + math::exact_erf(kRootHalf * wide)));
  }
}

void hyperbolic_tangent(std::span<const float> x, std::span<float> y) {
  thread_local std::vector<double> powers;
  powers.resize(x.size());
  math::scaled_exponentials(x.data(), x.size(), 0, 2, powers.data());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = static_cast<float>((powers[i] - 1) / (powers[i] + 1));
}

Stack& Stack::linear(std::size_t inputs, std::size_t outputs, bool bias, core::Random& random) {
  Layer layer;
  layer.has_bias = bias;
  layer.weight = HeadParameter(outputs, inputs);
  const double spread = std::sqrt(2.0 / static_cast<double>(inputs));
  for (std::size_t i = 0; i < outputs; ++i)
    for (float& w : layer.weight.value[i]) w = static_cast<float>(spread * random.normal());
  if (bias) layer.bias = HeadParameter(1, outputs);
  layers_.push_back(std::move(layer));
  return *this;
}

Stack& Stack::normalise() {
  assert(!layers_.empty() && layers_.back().kind == Kind::linear);
  const std::size_t width = layers_.back().weight.value.rows();
  Layer layer;
  layer.kind = Kind::normalise;
  layer.weight = HeadParameter(1, width);
  layer.bias = HeadParameter(1, width);
  std::fill_n(layer.weight.value.data(), width, 1.0f);
  layers_.push_back(std::move(layer));
  return *this;
}

Stack& Stack::gelu() {
  Layer layer;
  layer.kind = Kind::gelu;
  layers_.push_back(std::move(layer));
  return *this;
}

void Stack::add_parameters(std::vector<HeadParameter*>& to) {
  for (Layer& layer : layers_) {
    if (layer.kind == Kind::gelu) continue;
    to.push_back(&layer.weight);
    if (layer.has_bias || layer.kind == Kind::normalise) to.push_back(&layer.bias);
  }
}

math::Matrix<float> Stack::forward(math::Matrix<float> x, std::size_t counted) {
  for (Layer& layer : layers_) {
    switch (layer.kind) {
      case Kind::linear: {
        math::Matrix<float> y = multiply_rows(x, layer.weight.value, *pool_);
        if (layer.has_bias) {
          const float* bias = layer.bias.value.data();
          for (std::size_t i = 0; i < y.rows(); ++i)
            for (std::size_t j = 0; j < y.columns(); ++j) y[i][j] += bias[j];
        }
        layer.kept = std::move(x);
        x = std::move(y);
        break;
      }
      case Kind::normalise:
        x = normalise_forward(layer, std::move(x), counted);
        break;
      case Kind::gelu:
        layer.kept = math::Matrix<float>(x.rows(), x.columns());
        pool_->parallel_for(x.rows(), kGrain, [&](std::size_t begin, std::size_t end) {
          const std::size_t at = begin * x.columns(), count = (end - begin) * x.columns();
          const std::span<float> values(x.data() + at, count);
          methods::gelu(values, values, {layer.kept.data() + at, count});
        });
        break;
    }
  }
  return x;
}

math::Matrix<float> Stack::normalise_forward(Layer& layer, math::Matrix<float> x,
                                             std::size_t counted) {
  layer.counted = counted == 0 ? x.rows() : counted;
  const Moments m = moments_of(x.view().slice(0, layer.counted));
  layer.inverse.assign(m.inverse.begin(), m.inverse.end());
  const float *scale = layer.weight.value.data(), *shift = layer.bias.value.data();
  math::Matrix<float> y(x.rows(), x.columns());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < x.columns(); ++j) {
      x[i][j] = static_cast<float>((static_cast<double>(x[i][j]) - m.mean[j]) * m.inverse[j]);
      y[i][j] = scale[j] * x[i][j] + shift[j];
    }
  }
  layer.kept = std::move(x);
  return y;
}

// z = (x - mean) / deviation. Each row affects its own z. A counted row also affects the mean and
// the variance, on which all rows depend.
math::Matrix<float> Stack::normalise_backward(Layer& layer, math::Matrix<float> gradient) {
  const math::Matrix<float>& z = layer.kept;
  const std::size_t width = z.columns();
  std::vector<double> sum(width), along(width);
  for (std::size_t i = 0; i < z.rows(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      sum[j] += static_cast<double>(gradient[i][j]);
      along[j] += static_cast<double>(gradient[i][j]) * static_cast<double>(z[i][j]);
    }
  }
  const float* scale = layer.weight.value.data();
  const auto n = static_cast<double>(layer.counted);
  for (std::size_t j = 0; j < width; ++j) {
    layer.weight.gradient.data()[j] += static_cast<float>(along[j]);
    layer.bias.gradient.data()[j] += static_cast<float>(sum[j]);
  }
  for (std::size_t i = 0; i < z.rows(); ++i) {
    const bool counts = i < layer.counted;
    for (std::size_t j = 0; j < width; ++j) {
      double g = static_cast<double>(gradient[i][j]);
      if (counts) g -= (sum[j] + along[j] * static_cast<double>(z[i][j])) / n;
      gradient[i][j] = static_cast<float>(g * static_cast<double>(scale[j]) *
                                          static_cast<double>(layer.inverse[j]));
    }
  }
  return gradient;
}

math::Matrix<float> Stack::backward(math::Matrix<float> gradient, bool inputs) {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    switch (layer.kind) {
      case Kind::linear: {
        multiply_into(transposed(gradient), layer.kept, *pool_, layer.steps);
        float* total = layer.weight.gradient.data();
        for (std::size_t i = 0; i < layer.weight.first.size(); ++i)
          total[i] += layer.steps.data()[i];
        if (layer.has_bias) {
          float* bias = layer.bias.gradient.data();
          for (std::size_t i = 0; i < gradient.rows(); ++i)
            for (std::size_t j = 0; j < gradient.columns(); ++j) bias[j] += gradient[i][j];
        }
        if (l == 0 && !inputs) return {};
        gradient = multiply(gradient, layer.weight.value, *pool_);
        break;
      }
      case Kind::normalise:
        gradient = normalise_backward(layer, std::move(gradient));
        break;
      case Kind::gelu:
        for (std::size_t i = 0; i < gradient.rows() * gradient.columns(); ++i)
          gradient.data()[i] *= layer.kept.data()[i];
        break;
    }
  }
  return gradient;
}

void Stack::freeze(math::Matrix<float>& x, std::vector<AffineLayer>& to) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    if (layer.kind != Kind::linear) continue;  // handled with the linear layer before it
    AffineLayer out;
    out.weight = layer.weight.value;
    const std::size_t width = out.weight.rows();
    out.bias.assign(width, 0);
    if (layer.has_bias) out.bias.assign(layer.bias.value.data(), layer.bias.value.data() + width);
    if (l + 1 < layers_.size() && layers_[l + 1].kind == Kind::normalise) {
      const Layer& norm = layers_[++l];
      const Moments m = moments_of(multiply_rows(x, out.weight, *pool_));
      for (std::size_t j = 0; j < width; ++j) {
        const double stretch = static_cast<double>(norm.weight.value.data()[j]) * m.inverse[j];
        // The bias also shifts the mean, so it has no effect.
        out.bias[j] = static_cast<float>(static_cast<double>(norm.bias.value.data()[j]) -
                                         m.mean[j] * stretch);
        for (float& w : out.weight[j]) w = static_cast<float>(static_cast<double>(w) * stretch);
      }
    }
    if (l + 1 < layers_.size() && layers_[l + 1].kind == Kind::gelu) {
      out.bend = Bend::short_gelu;
      ++l;
    }
    math::Matrix<float> y = multiply_rows(x, out.weight, *pool_);
    for (std::size_t i = 0; i < y.rows(); ++i) {
      for (std::size_t j = 0; j < width; ++j) y[i][j] += out.bias[j];
      bend(y[i], out.bend);
    }
    x = std::move(y);
    to.push_back(std::move(out));
  }
}

}  // namespace paco::methods
