// Steps that the plain implementations of all networks share, in double: linear layers, norms,
// attention.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "embed/weights/state_dict.hpp"

namespace paco::embed::plain {

using Vector = std::vector<double>;
using Map = std::vector<Vector>;  // one vector a token or pixel

class Steps {
 public:
  explicit Steps(const StateDict& tensors) : tensors_(tensors) {}

  const std::vector<float>& tensor(const std::string& name) const {
    return std::find_if(tensors_.begin(), tensors_.end(),
                        [&](const NamedTensor& each) { return each.name == name; })
        ->values;
  }

  Vector linear(const std::string& name, const Vector& x) const {
    const auto &weight = tensor(name + ".weight"), &bias = tensor(name + ".bias");
    Vector y(bias.begin(), bias.end());
    for (std::size_t i = 0; i < y.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j) y[i] += weight[i * x.size() + j] * x[j];
    return y;
  }

  Vector normed(const std::string& name, const Vector& x, double epsilon) const {
    const auto &gain = tensor(name + ".weight"), &shift = tensor(name + ".bias");
    double mean = 0, variance = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x)
      variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
    Vector y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = (x[i] - mean) / std::sqrt(variance + epsilon) * gain[i] + shift[i];
    return y;
  }

  // Every token has its query, key and value one after another.
  static Map attended(const Map& qkv, std::size_t heads) {
    const std::size_t width = qkv[0].size() / 3, part = width / heads;
    Map mixed;
    for (const Vector& asking : qkv) {
      Vector sum_of_values(width);
      for (std::size_t head = 0; head < width; head += part) {
        Vector weights;
        double sum = 0;
        for (const Vector& other : qkv) {
          double score = 0;
          for (std::size_t j = head; j < head + part; ++j) score += asking[j] * other[width + j];
          weights.push_back(std::exp(score / std::sqrt(static_cast<double>(part))));
          sum += weights.back();
        }
        for (std::size_t u = 0; u < qkv.size(); ++u)
          for (std::size_t j = head; j < head + part; ++j)
            sum_of_values[j] += weights[u] / sum * qkv[u][2 * width + j];
      }
      mixed.push_back(std::move(sum_of_values));
    }
    return mixed;
  }

  static void gelu(Vector& numbers) {
    for (double& value : numbers) value *= 0.5 * std::erfc(-value / std::sqrt(2.0));
  }

 private:
  const StateDict& tensors_;
};

}  // namespace paco::embed::plain
