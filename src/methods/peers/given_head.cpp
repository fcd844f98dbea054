#include "methods/peers/given_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/try.hpp"

namespace paco::methods {
namespace {

constexpr double kNormEpsilon = 1e-5;  // of a batch normalisation, added to its variance

Error wrong(const std::string& what) {
  return {ErrorCode::bad_format, "the head " + what,
          "give the head.safetensors of 'paco train --objective', or a checkpoint of the method's "
          "released code"};
}

// The mean and the variance that a normalisation uses.
struct Moments {
  std::vector<float> mean, variance;
};

Moments moments_of(const math::Matrix<float>& rows) {
  const std::size_t width = rows.columns();
  const auto n = static_cast<double>(rows.rows());
  std::vector<double> mean(width), squared(width);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < width; ++j) mean[j] += static_cast<double>(rows[i][j]) / n;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const double off = static_cast<double>(rows[i][j]) - mean[j];
      squared[j] += off * off / n;
    }
  }
  return {{mean.begin(), mean.end()}, {squared.begin(), squared.end()}};
}

// Tensors by name, below a prefix.
class Given {
 public:
  Given(const GivenHead& tensors, std::string prefix)
      : tensors_(tensors), prefix_(std::move(prefix)) {}

  bool has(const std::string& name) const { return tensors_.contains(prefix_ + name); }

  // Finite numbers of two dimensions; `columns` 0: any.
  Result<math::Matrix<float>> matrix(const std::string& name, std::size_t columns) const {
    const auto found = tensors_.find(prefix_ + name);
    if (found == tensors_.end()) return wrong(fmt::format("has no '{}{}'", prefix_, name));
    const auto& [shape, held] = found->second;
    const auto* values = std::get_if<std::vector<float>>(&held);
    if (values == nullptr || shape.size() != 2 || shape[0] == 0 || shape[1] == 0 ||
        values->size() != shape[0] * shape[1])
      return wrong(fmt::format("has no matrix '{}{}'", prefix_, name));
    if (columns > 0 && shape[1] != columns) {
      return wrong(
          fmt::format("takes {} numbers in '{}{}', not {}", shape[1], prefix_, name, columns));
    }
    math::Matrix<float> out(shape[0], shape[1]);
    std::copy(values->begin(), values->end(), out.data());
    PACO_TRY(finite(*values, name));
    return out;
  }

  Result<std::vector<float>> vector(const std::string& name, std::size_t size) const {
    const auto found = tensors_.find(prefix_ + name);
    const auto* values =
        found == tensors_.end() ? nullptr : std::get_if<std::vector<float>>(&found->second.values);
    if (values == nullptr || values->size() != size)
      return wrong(fmt::format("has no '{}{}' of {} numbers", prefix_, name, size));
    PACO_TRY(finite(*values, name));
    return *values;
  }

  // A linear layer with the normalisation after it folded in. It uses `moments` if given, otherwise
  // the moments stored by the training.
  Result<AffineLayer> layer(const std::string& linear, std::size_t inputs, const std::string& norm,
                            Bend bend, const Moments* moments = nullptr) const {
    AffineLayer out;
    out.bend = bend;
    PACO_ASSIGN(out.weight, matrix(linear + ".weight", inputs));
    const std::size_t width = out.weight.rows();
    out.bias.assign(width, 0.0f);
    if (has(linear + ".bias")) {
      PACO_ASSIGN(out.bias, vector(linear + ".bias", width));
    }
    if (norm.empty()) return out;
    PACO_ASSIGN(const std::vector<float> scale, vector(norm + ".weight", width));
    PACO_ASSIGN(const std::vector<float> shift, vector(norm + ".bias", width));
    Moments kept;
    if (moments == nullptr) {
      PACO_ASSIGN(kept.mean, vector(norm + ".running_mean", width));
      PACO_ASSIGN(kept.variance, vector(norm + ".running_var", width));
    }
    const auto& [mean, variance] = moments == nullptr ? kept : *moments;
    for (std::size_t j = 0; j < width; ++j) {
      if (variance[j] < 0)
        return wrong(fmt::format("has a variance below 0 in '{}{}'", prefix_, norm));
      const double stretch = static_cast<double>(scale[j]) /
                             std::sqrt(static_cast<double>(variance[j]) + kNormEpsilon);
      for (float& w : out.weight[j]) w = static_cast<float>(static_cast<double>(w) * stretch);
      out.bias[j] = static_cast<float>(
          (static_cast<double>(out.bias[j]) - static_cast<double>(mean[j])) * stretch +
          static_cast<double>(shift[j]));
    }
    return out;
  }

  // Reads mlp.0, GELU, mlp.2, ..., the last one normalised: the layers that both kinds of head
  // begin with. The code is computed from the output of hash.weight, which is normalised if `norm`
  // names a normalisation. If `own` is given, the layers are normalised over its rows, as a head
  // does in training.
  Result<std::vector<AffineLayer>> hash_layers(std::size_t inputs, const std::string& norm,
                                               const math::Matrix<float>* own = nullptr,
                                               core::ThreadPool* pool = nullptr) const {
    std::vector<AffineLayer> layers;
    for (std::size_t at = 0; has(fmt::format("mlp.{}.weight", at)); at += 2) {
      const std::string after = fmt::format("mlp.{}", at + 1);
      const bool normed = has(after + ".running_mean");
      const std::string linear = fmt::format("mlp.{}", at);
      std::optional<Moments> moments;
      if (normed && own != nullptr) {
        std::vector<AffineLayer> before = layers;
        PACO_ASSIGN(AffineLayer bare, layer(linear, inputs, "", Bend::none));
        before.push_back(std::move(bare));
        moments = moments_of(Head(std::move(before)).apply(*own, *pool));
      }
      PACO_ASSIGN(AffineLayer one, layer(linear, inputs, normed ? after : "", Bend::gelu,
                                         moments ? &*moments : nullptr));
      inputs = one.weight.rows();
      layers.push_back(std::move(one));
      if (normed) break;
    }
    if (layers.empty()) return wrong(fmt::format("has no '{}mlp.0.weight'", prefix_));
    PACO_ASSIGN(AffineLayer code, layer("hash", inputs, norm, Bend::none));
    const std::size_t bits = code.weight.rows();
    if (bits < 2 || bits > kMostBits) {
      return wrong(fmt::format("gives codes of {} bits; 2 to {} are possible", bits, kMostBits));
    }
    layers.push_back(std::move(code));
    return layers;
  }

 private:
  Result<void> finite(const std::vector<float>& values, const std::string& name) const {
    if (std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }))
      return {};
    return wrong(fmt::format("has numbers in '{}{}' that are not finite", prefix_, name));
  }

  const GivenHead& tensors_;
  std::string prefix_;
};

}  // namespace

Result<Head> given_smile_head(const GivenHead& given, std::size_t dimension) {
  PACO_ASSIGN(std::vector<AffineLayer> layers, Given(given, "").hash_layers(dimension, "bn_h"));
  return Head(std::move(layers));
}

Result<GivenPheHead> given_phe_head(const GivenHead& given, std::size_t dimension,
                                    std::size_t classes, core::ThreadPool& pool) {
  PACO_ASSIGN(AffineLayer projector,
              Given(given, "").layer("add_on_layers.0", dimension, "", Bend::gelu));
  const std::size_t width = projector.weight.rows();
  // The released head has a normalisation of the code that it does not use.
  PACO_ASSIGN(std::vector<AffineLayer> layers, Given(given, "hash_head.").hash_layers(width, ""));
  PACO_ASSIGN(const math::Matrix<float> prototypes,
              Given(given, "").matrix("prototype_vectors_global", width));
  if (prototypes.rows() % classes != 0) {
    return Error{ErrorCode::mismatch,
                 fmt::format("the head has {} prototypes, which cannot be shared evenly by {} "
                             "known classes",
                             prototypes.rows(), classes),
                 "calibrate on the support set that the head was trained on"};
  }
  const std::size_t each = prototypes.rows() / classes;
  math::Matrix<float> means(classes, width);
  for (std::size_t p = 0; p < prototypes.rows(); ++p)
    for (std::size_t j = 0; j < width; ++j)
      means[p / each][j] += prototypes[p][j] / static_cast<float>(each);
  GivenPheHead out;
  // In training, and therefore in the released evaluation, the centres are normalised over
  // themselves.
  PACO_ASSIGN(std::vector<AffineLayer> of_centres,
              Given(given, "hash_head.").hash_layers(width, "", &means, &pool));
  out.centres = codes_of(Head(std::move(of_centres)).apply(means, pool), Coding::signs);
  layers.insert(layers.begin(), std::move(projector));
  out.head = Head(std::move(layers));
  return out;
}

Result<void> check_given_classifier(const GivenHead& given, std::size_t dimension,
                                    std::size_t classes) {
  PACO_ASSIGN(const math::Matrix<float> weight,
              Given(given, "").matrix("classifier.weight", dimension));
  if (weight.rows() == classes) return {};
  return Error{
      ErrorCode::mismatch,
      fmt::format("the head knows {} classes, the support set has {}", weight.rows(), classes),
      "calibrate on the support set that the head was trained on"};
}

Result<double> given_threshold(const GivenHead& given) {
  PACO_ASSIGN(const std::vector<float> value, Given(given, "").vector("threshold", 1));
  return static_cast<double>(value[0]);
}

}  // namespace paco::methods
