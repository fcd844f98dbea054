// The compact network for images of 28 to 64 px that learns from scratch on two CPU cores: a small
// residual convolutional network. Group norm instead of batch norm: a sample's embedding does not
// depend on its batch, so training in several processes sees the same gradient and embedding in any
// batch size gives the same numbers but for rounding. The last map is handed on as it is (in cells
// of `grid` by `grid`), not averaged over the image: where something is tells categories apart that
// were never trained on.
#include <torch/torch.h>

#include "embed/torch/torch_backbones.hpp"

namespace paco::embed {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

constexpr int kGroups = 8;

nn::Conv2d convolution(int from, int to, int kernel, int stride) {
  return nn::Conv2d(
      nn::Conv2dOptions(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// x + mix(relu(norm(conv(relu(norm(x)))))): a 3 x 3 convolution looks around, a 1 x 1 convolution
// mixes the channels.
struct ResidualImpl : nn::Module {
  explicit ResidualImpl(int width) {
    norm1 = register_module("norm1", nn::GroupNorm(kGroups, width));
    conv1 = register_module("conv1", convolution(width, width, 3, 1));
    norm2 = register_module("norm2", nn::GroupNorm(kGroups, width));
    conv2 = register_module("conv2", convolution(width, width, 1, 1));
  }
  Tensor forward(const Tensor& x) {
    const Tensor y = conv1(torch::relu(norm1(x)));
    return x + conv2(torch::relu(norm2(y)));
  }
  nn::GroupNorm norm1{nullptr}, norm2{nullptr};
  nn::Conv2d conv1{nullptr}, conv2{nullptr};
};
TORCH_MODULE(Residual);

class Small : public Backbone {
 public:
  explicit Small(const NetSpec& spec) : grid_(spec.grid) {
    const int widths[] = {spec.width / 4, spec.width / 2, spec.width};
    int from = 3;
    stages_ = register_module("stages", nn::ModuleList());
    for (const int width : widths) {
      nn::Sequential stage;
      stage->push_back(convolution(from, width, 3, 2));
      stage->push_back(Residual(width));
      stages_->push_back(stage);
      from = width;
    }
    norm_ = register_module("norm", nn::GroupNorm(kGroups, spec.width));
  }

  Tensor forward(const Tensor& images) override {
    Tensor x = images;
    for (const auto& stage : *stages_) x = stage->as<nn::Sequential>()->forward(x);
    x = torch::relu(norm_(x));
    return torch::adaptive_avg_pool2d(x, {grid_, grid_}).flatten(1);
  }

  std::vector<Tensor> last_block() override {
    auto parameters = stages_[stages_->size() - 1]->parameters();
    for (const auto& parameter : norm_->parameters()) parameters.push_back(parameter);
    return parameters;
  }

 private:
  int grid_;
  nn::ModuleList stages_;
  nn::GroupNorm norm_{nullptr};
};

}  // namespace

std::shared_ptr<Backbone> make_small(const NetSpec& spec) { return std::make_shared<Small>(spec); }

}  // namespace paco::embed
