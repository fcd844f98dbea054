#include "methods/peers/head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"

namespace paco::methods {
namespace {

Error damaged(const std::string& what) {
  return {ErrorCode::bad_format, what, "the file is damaged; calibrate again"};
}

}  // namespace

Head::Head(std::vector<AffineLayer> layers) : layers_(std::move(layers)) {
  for (const AffineLayer& layer : layers_) packed_.emplace_back(layer.weight);
}

math::Matrix<float> Head::apply(Rows<const float> units, core::ThreadPool& pool) const {
  constexpr std::size_t kGrain = 32;
  math::Matrix<float> out(units.rows, outputs());
  pool.parallel_for(units.rows, kGrain, [&](std::size_t begin, std::size_t end) {
    math::Matrix<float> x;
    Rows<const float> from = units.slice(begin, end - begin);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const AffineLayer& layer = layers_[l];
      math::Matrix<float> y(end - begin, layer.bias.size());
      math::multiply_packed(from, packed_[l], y.data(), y.columns());
      for (std::size_t i = 0; i < y.rows(); ++i) {
        for (std::size_t j = 0; j < y.columns(); ++j) y[i][j] += layer.bias[j];
        bend(y[i], layer.bend);
      }
      x = std::move(y);
      from = x;
    }
    std::copy_n(x.data(), x.rows() * x.columns(), out[begin].data());
  });
  return out;
}

void put_matrix(Section& section, std::string_view name, Rows<const float> matrix) {
  section.tensors[std::string(name)] = {
      {matrix.rows, matrix.columns},
      std::vector<float>(matrix.data, matrix.data + matrix.rows * matrix.columns)};
}

Result<math::Matrix<float>> matrix_of(const Section& section, std::string_view name,
                                      std::size_t columns) {
  const auto found = section.tensors.find(name);
  if (found == section.tensors.end())
    return damaged(fmt::format("its section has no matrix '{}'", name));
  const Tensor& tensor = found->second;
  const auto* values = std::get_if<std::vector<float>>(&tensor.values);
  if (values == nullptr || tensor.shape.size() != 2 || tensor.shape[1] != columns ||
      tensor.shape[0] == 0 || values->size() / columns != tensor.shape[0]) {
    return damaged(fmt::format("matrix '{}' of its section has not {} columns", name, columns));
  }
  if (!std::all_of(values->begin(), values->end(), [](float x) { return std::isfinite(x); }))
    return damaged(fmt::format("matrix '{}' of its section is not finite", name));
  math::Matrix<float> out(tensor.shape[0], columns);
  std::copy(values->begin(), values->end(), out.data());
  return out;
}

void Head::put(Section& section, std::string_view name) const {
  std::vector<std::int64_t> bent;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const AffineLayer& layer = layers_[l];
    put_matrix(section, fmt::format("{}.{}.weight", name, l), layer.weight);
    put_matrix(section, fmt::format("{}.{}.bias", name, l),
               {layer.bias.data(), 1, layer.bias.size()});
    bent.push_back(static_cast<std::int64_t>(layer.bend));
  }
  section.tensors[fmt::format("{}.gelu", name)] = {{layers_.size()}, std::move(bent)};
}

Result<Head> Head::get(const Section& section, std::string_view name, std::size_t inputs) {
  constexpr std::size_t kMostLayers = 16;
  const auto found = section.tensors.find(fmt::format("{}.gelu", name));
  if (found == section.tensors.end())
    return damaged(fmt::format("its section has no head '{}'", name));
  const auto* bent = std::get_if<std::vector<std::int64_t>>(&found->second.values);
  if (bent == nullptr || bent->empty() || bent->size() > kMostLayers)
    return damaged(fmt::format("head '{}' has an impossible number of layers", name));
  std::vector<AffineLayer> layers;
  for (std::size_t l = 0; l < bent->size(); ++l) {
    AffineLayer layer;
    PACO_ASSIGN(layer.weight, matrix_of(section, fmt::format("{}.{}.weight", name, l), inputs));
    inputs = layer.weight.rows();
    PACO_ASSIGN(const math::Matrix<float> bias,
                matrix_of(section, fmt::format("{}.{}.bias", name, l), inputs));
    layer.bias.assign(bias.data(), bias.data() + inputs);
    const std::int64_t bend = (*bent)[l];
    if (bend < 0 || bend > static_cast<std::int64_t>(Bend::gelu))
      return damaged(fmt::format("layer {} of head '{}' is of no kind that there is", l, name));
    layer.bend = static_cast<Bend>(bend);
    layers.push_back(std::move(layer));
  }
  return Head(std::move(layers));
}

}  // namespace paco::methods
