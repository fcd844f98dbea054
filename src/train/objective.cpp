#include "train/objective.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "math/code_distance.hpp"
#include "train/losses.hpp"

namespace paco::train {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

constexpr std::int64_t kHidden = 2048, kBottleneck = 256;

Tensor unit(const Tensor& rows) {
  return rows / rows.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
}

Tensor share_right(const Tensor& logits, const Tensor& labels) {
  return (logits.argmax(1) == labels).to(torch::kFloat32).mean();
}

// Linear weights normal with deviation 0.02, cut at two deviations; biases zero; the rest as torch
// made it.
void initialise(nn::Module& module, std::uint64_t seed) {
  torch::NoGradGuard no_gradient;
  at::Generator generator = at::detail::createCPUGenerator(seed);
  for (auto& item : module.named_parameters()) {
    if (item.value().dim() == 2) item.value().normal_(0.0, 0.02, generator).clamp_(-0.04, 0.04);
    if (item.key().ends_with("bias")) item.value().zero_();
  }
}

// What SMILE's and PHE's heads begin with; children are counted as in released code, where GELU and
// the normalisation have numbers of their own.
nn::Sequential make_mlp(std::int64_t inputs) {
  return nn::Sequential(nn::Linear(inputs, kHidden), nn::GELU(), nn::Linear(kHidden, kHidden),
                        nn::GELU(), nn::Linear(kHidden, kBottleneck), nn::BatchNorm1d(kBottleneck),
                        nn::GELU());
}

nn::Linear make_code(std::int64_t bits) {
  return nn::Linear(nn::LinearOptions(kBottleneck, bits).bias(false));
}

class Smile : public PeerObjective {
 public:
  Smile(std::int64_t dimension, std::int64_t bits, std::uint64_t seed) {
    mlp_ = register_module("mlp", make_mlp(dimension));
    hash_ = register_module("hash", make_code(bits));
    variance_ = register_module("variance", make_code(bits));
    bn_h_ = register_module("bn_h", nn::BatchNorm1d(bits));
    bn_v_ = register_module("bn_v", nn::BatchNorm1d(bits));
    initialise(*this, seed);
  }

  ObjectiveParts loss(const Tensor& features, const Tensor& labels, core::Random&) override {
    constexpr double kTemperature = 0.07, kCertain = 3, kFlat = 1e-3;
    const auto views = features.size(0);
    const Tensor trunk = mlp_->forward(features.reshape({-1, features.size(2)}));
    const Tensor sign = torch::tanh(bn_h_(hash_(trunk)));
    // z / tanh(z) is 1 + z^2 / 3 where the quotient would be 0 / 0.
    const Tensor z = bn_v_(variance_(trunk));
    const Tensor flat = z.abs() < kFlat;
    const Tensor safe = torch::where(flat, torch::ones_like(z), z);
    const Tensor size = torch::where(flat, 1 + z * z / 3, safe / torch::tanh(safe));
    const Tensor rows = unit(sign * size), repeated = labels.repeat({views});
    ObjectiveParts parts;
    parts.main = supervised_contrastive(rows, repeated, kTemperature);
    parts.others = kCertain * (1 - sign.abs()).mean();
    parts.total = parts.main + parts.others;
    parts.accuracy = nearest_of_class(rows.detach(), repeated, labels.size(0));
    return parts;
  }

 private:
  // Share of rows whose nearest row of another sample has their class.
  static Tensor nearest_of_class(const Tensor& rows, const Tensor& labels, std::int64_t samples) {
    const Tensor sample = torch::arange(rows.size(0), labels.options()).remainder(samples);
    const Tensor own = sample.unsqueeze(0) == sample.unsqueeze(1);
    const Tensor nearest = rows.matmul(rows.t()).masked_fill(own, -2).argmax(1);
    return (labels.index_select(0, nearest) == labels).to(torch::kFloat32).mean();
  }

  nn::Sequential mlp_{nullptr};
  nn::Linear hash_{nullptr}, variance_{nullptr};
  nn::BatchNorm1d bn_h_{nullptr}, bn_v_{nullptr};
};

struct HashHead : nn::Module {
  HashHead(std::int64_t dimension, std::int64_t bits) {
    mlp = register_module("mlp", make_mlp(dimension));
    hash = register_module("hash", make_code(bits));
  }
  Tensor forward(const Tensor& x) { return hash(mlp->forward(x)); }
  nn::Sequential mlp{nullptr};
  nn::Linear hash{nullptr};
};

class Phe : public PeerObjective {
 public:
  Phe(std::int64_t dimension, std::int64_t classes, std::int64_t bits, std::uint64_t seed)
      : classes_(classes),
        apart_(math::most_distance(static_cast<std::size_t>(bits),
                                   static_cast<std::size_t>(classes))) {
    project_ = register_module("add_on_layers",
                               nn::Sequential(nn::Linear(dimension, dimension), nn::GELU()));
    head_ = register_module("hash_head", std::make_shared<HashHead>(dimension, bits));
    prototypes_ =
        register_parameter("prototype_vectors_global", torch::zeros({classes * kEach, dimension}));
    initialise(*this, seed);
    torch::NoGradGuard no_gradient;
    at::Generator generator = at::detail::createCPUGenerator(seed + 1);
    prototypes_.uniform_(0, 1, generator);
  }

  ObjectiveParts loss(const Tensor& features, const Tensor& labels, core::Random& random) override {
    constexpr double kDropped = 0.1, kNear = 1e-4, kOther = -0.5, kFeature = 3, kRest = 0.1;
    const auto views = features.size(0);
    const Tensor repeated = labels.repeat({views});
    const Tensor z = project_->forward(features.reshape({-1, features.size(2)}));
    const Tensor codes = head_->forward(z);
    const Tensor distance = (2 - 2 * unit(z).matmul(unit(prototypes_).t())).clamp_min(1e-8).sqrt();
    Tensor says = torch::log((distance + 1) / (distance + kNear));
    if (is_training()) {
      at::Generator generator = at::detail::createCPUGenerator(random.next64());
      const Tensor kept =
          torch::empty(says.sizes(), torch::kFloat32).bernoulli_(1 - kDropped, generator);
      says = says * kept.to(says.device());
    } else {
      says = (1 - kDropped) * says;
    }
    says = says.view({-1, classes_, kEach}).sum(2);
    // Frozen connections: 1 with the own class, -0.5 with the others.
    const Tensor logits = (1 - kOther) * says + kOther * says.sum(1, /*keepdim=*/true);
    const Tensor centres = head_->forward(prototypes_.view({classes_, kEach, -1}).mean(1));
    const Tensor soft = torch::tanh(3 * centres);
    ObjectiveParts parts;
    parts.main = nn::functional::cross_entropy(logits, repeated);
    parts.others =
        kRest * separation(soft, apart_) + kRest * (1 - soft.abs()).mean() +
        kFeature * nn::functional::cross_entropy(unit(codes).matmul(unit(centres).t()), repeated);
    parts.total = parts.main + parts.others;
    parts.accuracy = share_right(logits.detach(), repeated);
    return parts;
  }

  double decay(const std::string& name, double usual) const override {
    return name.starts_with("add_on_layers.") ? usual : 0.05;
  }

 private:
  static constexpr std::int64_t kEach = 10;
  std::int64_t classes_;
  double apart_;
  nn::Sequential project_{nullptr};
  std::shared_ptr<HashHead> head_;
  Tensor prototypes_;
};

// A direction for each class in the space of the backbone's features.
class Directions : public PeerObjective {
 public:
  Directions(std::int64_t dimension, std::int64_t classes, std::uint64_t seed) {
    classifier_ = register_module("classifier",
                                  nn::Linear(nn::LinearOptions(dimension, classes).bias(false)));
    initialise(*this, seed);
  }

 protected:
  nn::Linear classifier_{nullptr};
};

class Talon : public Directions {
 public:
  using Directions::Directions;

  ObjectiveParts loss(const Tensor& features, const Tensor& labels, core::Random&) override {
    constexpr double kTemperature = 0.08;
    const Tensor rows = features.reshape({-1, features.size(2)});
    const Tensor repeated = labels.repeat({features.size(0)});
    ObjectiveParts parts;
    parts.main = classification_loss(rows, repeated, classifier_->weight, {30, 0.2, true});
    parts.others = supervised_contrastive(unit(rows), repeated, kTemperature);
    parts.total = parts.main + parts.others;
    parts.accuracy =
        share_right(rows.detach().matmul(unit(classifier_->weight.detach()).t()), repeated);
    return parts;
  }
};

class Ltc : public Directions {
 public:
  Ltc(std::int64_t dimension, std::int64_t classes, std::uint64_t seed)
      : Directions(dimension, classes, seed) {
    threshold_ = register_buffer("threshold", torch::full({1}, 0.7));
  }

  ObjectiveParts loss(const Tensor& features, const Tensor& labels, core::Random& random) override {
    constexpr double kScale = 16, kTemperature = 0.07, kContrast = 0.3, kApart = 0.05,
                     kKeepApart = 0.05, kFollow = 0.01, kChance = 0.3;
    const Tensor rows = features.reshape({-1, features.size(2)});
    const Tensor repeated = labels.repeat({features.size(0)});
    const Tensor cosines = unit(rows).matmul(unit(classifier_->weight).t());
    const Tensor known = std::get<0>(cosines.max(1));
    ObjectiveParts parts;
    parts.main = nn::functional::cross_entropy(kScale * cosines, repeated);
    Tensor apart = torch::relu(threshold_ + kApart - known).mean();
    if (random.uniform() < kChance) {
      const Tensor strangers = std::get<0>(
          unit(strangers_of(rows, random)).matmul(unit(classifier_->weight).t()).max(1));
      apart = apart + torch::relu(strangers - (threshold_ - kApart)).mean();
      torch::NoGradGuard no_gradient;
      const Tensor between =
          0.5 * (torch::quantile(known.detach(), 0.2) + torch::quantile(strangers.detach(), 0.8));
      threshold_.add_(kFollow * (between - threshold_));
    }
    parts.others =
        kContrast * supervised_contrastive(unit(rows), repeated, kTemperature) + kKeepApart * apart;
    parts.total = parts.main + parts.others;
    parts.accuracy = share_right(cosines.detach(), repeated);
    return parts;
  }

 private:
  // A number of the distribution Beta(0.4, 0.4), by Johnk's rule.
  static double mixing_share(core::Random& random) {
    while (true) {
      const double a = std::pow(random.uniform(), 2.5), b = std::pow(random.uniform(), 2.5);
      if (a + b > 0 && a + b <= 1) return a / (a + b);
    }
  }

  // The batch mixed with itself in another order, by one share, then taken a tenth of its length
  // towards uncertainty about the class and, by a tenth, low density of the batch. The step itself
  // has no gradient; the mixture has.
  Tensor strangers_of(const Tensor& rows, core::Random& random) {
    constexpr double kScale = 16, kStep = 0.1, kDensity = 0.1, kWidth = 8;
    const double share = mixing_share(random);
    std::vector<std::int64_t> order;
    for (const std::size_t i : random.permutation(static_cast<std::size_t>(rows.size(0))))
      order.push_back(static_cast<std::int64_t>(i));
    const Tensor other = torch::tensor(order, torch::kLong).to(rows.device());
    const Tensor mixed = share * rows + (1 - share) * rows.index_select(0, other);
    const Tensor at = mixed.detach().requires_grad_(true);
    const Tensor chances =
        torch::softmax(kScale * unit(at).matmul(unit(classifier_->weight.detach()).t()), 1);
    const Tensor uncertainty = -(chances * torch::log(chances.clamp_min(1e-30))).sum(1);
    const Tensor density =
        torch::exp(kWidth * (unit(at).matmul(unit(rows.detach()).t()) - 1)).mean(1);
    const Tensor uphill =
        torch::autograd::grad({(uncertainty - kDensity * density).sum()}, {at})[0];
    return mixed + kStep * mixed.detach().norm(2, 1, /*keepdim=*/true) * unit(uphill);
  }

  Tensor threshold_;
};

}  // namespace

Tensor supervised_contrastive(const Tensor& rows, const Tensor& labels, double temperature) {
  const Tensor products = rows.matmul(rows.t()) / temperature;
  const Tensor itself =
      torch::eye(rows.size(0), torch::TensorOptions(torch::kBool).device(rows.device()));
  const Tensor logits = (products - std::get<0>(products.max(1, /*keepdim=*/true)).detach())
                            .masked_fill(itself, -1e30);
  const Tensor logarithm = logits - torch::logsumexp(logits, 1, /*keepdim=*/true);
  const Tensor same = (labels.unsqueeze(0) == labels.unsqueeze(1)) & ~itself;
  const Tensor count = same.sum(1);
  const Tensor own = logarithm.masked_fill(~same, 0).sum(1) / count.clamp_min(1);
  return -own.sum() / (count > 0).sum().clamp_min(1);
}

Tensor separation(const Tensor& soft, double apart) {
  const auto classes = soft.size(0);
  const Tensor distance = 0.5 * (0.95 * static_cast<double>(soft.size(1)) - soft.matmul(soft.t()));
  const Tensor itself =
      torch::eye(classes, torch::TensorOptions(torch::kBool).device(soft.device()));
  return torch::relu(apart - distance).masked_fill(itself, 0).sum() / static_cast<double>(classes);
}

std::shared_ptr<PeerObjective> make_objective(const TrainOptions& options, std::int64_t classes,
                                              std::int64_t dimension) {
  const std::uint64_t seed = options.seed ^ 0x68656164;  // its own stream
  const auto bits = static_cast<std::int64_t>(options.bits);
  switch (options.objective) {
    case Objective::paco:
      break;
    case Objective::smile:
      return std::make_shared<Smile>(dimension, bits, seed);
    case Objective::phe:
      return std::make_shared<Phe>(dimension, classes, bits, seed);
    case Objective::talon:
      return std::make_shared<Talon>(dimension, classes, seed);
    case Objective::ltc:
      return std::make_shared<Ltc>(dimension, classes, seed);
  }
  return nullptr;
}

std::vector<std::pair<std::string, Tensor>> tensors_of(const PeerObjective& objective) {
  std::vector<std::pair<std::string, Tensor>> out;
  for (const auto& item : objective.named_parameters()) out.emplace_back(item.key(), item.value());
  for (const auto& item : objective.named_buffers()) {
    if (!item.key().ends_with("num_batches_tracked")) out.emplace_back(item.key(), item.value());
  }
  return out;
}

}  // namespace paco::train
