// The vision transformer: patches, class token, positions, blocks of attention and a two-layer
// perceptron, final norm. The feature is the class token after the final norm. Submodules are
// registered under the names that DINO and timm use, because the registered names are the names in
// the weights file.
#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>

#include "embed/torch/torch_backbones.hpp"
#include "embed/torch/torch_vit_ops.hpp"

namespace paco::embed {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

constexpr double kLayerScaleStart = 1e-5;

nn::LayerNorm make_norm(int width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}).eps(kVitNormEpsilon));
}

// q, k, v are (B, heads, N, width / heads).
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v);
#else
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  return torch::matmul(torch::softmax(torch::matmul(q * scale, k.transpose(-2, -1)), -1), v);
#endif
}

struct AttentionImpl : nn::Module {
  AttentionImpl(int width, int heads_) : heads(heads_) {
    qkv = register_module("qkv", nn::Linear(width, 3 * width));
    proj = register_module("proj", nn::Linear(width, width));
  }
  // What attention mixes for every token of y (B, N, width), before `proj`.
  Tensor mix(const Tensor& y) {
    const auto parts = project_heads(y, qkv->weight, qkv->bias, heads, 3);
    return joined(attend(parts[0], parts[1], parts[2]));
  }
  // The same for the first token alone: one query, all keys and values. (B, 1, width).
  Tensor mix_first(const Tensor& y) {
    const auto width = y.size(2);
    const auto q = torch::linear(y.narrow(1, 0, 1), qkv->weight.narrow(0, 0, width),
                                 qkv->bias.narrow(0, 0, width))
                       .view({y.size(0), 1, heads, width / heads})
                       .transpose(1, 2);
    const auto kv = project_heads(y, qkv->weight.narrow(0, width, 2 * width),
                                  qkv->bias.narrow(0, width, 2 * width), heads, 2);
    return joined(attend(q, kv[0], kv[1]));
  }
  // (B, heads, N, d) -> (B, N, heads * d).
  static Tensor joined(const Tensor& mixed) { return mixed.transpose(1, 2).flatten(2); }
  int heads;
  nn::Linear qkv{nullptr}, proj{nullptr};
};
TORCH_MODULE(Attention);

struct MlpImpl : nn::Module {
  explicit MlpImpl(int width) {
    fc1 = register_module("fc1", nn::Linear(width, 4 * width));
    fc2 = register_module("fc2", nn::Linear(4 * width, width));
  }
  nn::Linear fc1{nullptr}, fc2{nullptr};
};
TORCH_MODULE(Mlp);

struct LayerScaleImpl : nn::Module {
  explicit LayerScaleImpl(int width) {
    gamma = register_parameter("gamma", torch::full({width}, kLayerScaleStart));
  }
  Tensor gamma;
};
TORCH_MODULE(LayerScale);

struct BlockImpl : nn::Module {
  explicit BlockImpl(const NetSpec& spec) {
    norm1 = register_module("norm1", make_norm(spec.width));
    attn = register_module("attn", Attention(spec.width, spec.heads));
    norm2 = register_module("norm2", make_norm(spec.width));
    mlp = register_module("mlp", Mlp(spec.width));
    if (spec.layer_scale) {
      ls1 = register_module("ls1", LayerScale(spec.width));
      ls2 = register_module("ls2", LayerScale(spec.width));
    }
  }
  // From the residual stream and its norm1 to the residual stream after the block and the norm that
  // comes next: the norm1 of the block after this one, or the final norm.
  Normed forward(const Normed& in, const nn::LayerNorm& next) {
    return add_mlp(in.x, attn->mix(in.y), next);
  }
  // What forward() gives for the first token alone, at a fraction of the work. (B, 1, width).
  Normed first_token(const Normed& in, const nn::LayerNorm& next) {
    return add_mlp(in.x.narrow(1, 0, 1), attn->mix_first(in.y), next);
  }
  Normed add_mlp(const Tensor& x, const Tensor& mixed, const nn::LayerNorm& next) {
    const Normed middle =
        add_project_norm(x, mixed, attn->proj, ls1 ? ls1->gamma : Tensor(), norm2);
    return add_project_norm(middle.x, project_gelu(middle.y, mlp->fc1), mlp->fc2,
                            ls2 ? ls2->gamma : Tensor(), next);
  }
  nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  Attention attn{nullptr};
  Mlp mlp{nullptr};
  LayerScale ls1{nullptr}, ls2{nullptr};
};
TORCH_MODULE(Block);

struct PatchEmbedImpl : nn::Module {
  PatchEmbedImpl(int patch_, int width) : patch(patch_) {
    proj = register_module("proj", nn::Conv2d(nn::Conv2dOptions(3, width, patch).stride(patch)));
  }
  // (B, 3, S, S) -> (B, grid * grid, width). Patches do not overlap, so the convolution is one
  // matrix product over patches; written as one it needs no convolution engine and runs at the
  // speed of the product.
  Tensor forward(const Tensor& images) {
    const auto batch = images.size(0), grid = images.size(2) / patch;
    const auto patches = images.reshape({batch, 3, grid, patch, grid, patch})
                             .permute({0, 2, 4, 1, 3, 5})
                             .reshape({batch, grid * grid, 3 * patch * patch});
    return torch::linear(patches, proj->weight.flatten(1), proj->bias);
  }
  int patch;
  nn::Conv2d proj{nullptr};
};
TORCH_MODULE(PatchEmbed);

class Vit : public Backbone {
 public:
  explicit Vit(const NetSpec& spec) : grid_(spec.grid) {
    cls_token_ = register_parameter("cls_token", torch::zeros({1, 1, spec.width}));
    pos_embed_ =
        register_parameter("pos_embed", torch::zeros({1, 1 + spec.grid * spec.grid, spec.width}));
    patch_embed_ = register_module("patch_embed", PatchEmbed(spec.patch, spec.width));
    blocks_ = register_module("blocks", nn::ModuleList());
    for (int i = 0; i < spec.depth; ++i) blocks_->push_back(Block(spec));
    norm_ = register_module("norm", make_norm(spec.width));
  }

  Tensor forward(const Tensor& images) override {
    const auto grid = images.size(2) / patch_embed_->patch;
    const Tensor x = place(patch_embed_(images), positions(grid));
    Normed state{x, block(0)->norm1(x)};
    // Only the class token is used, so the last block and the norm compute no other token.
    const std::size_t last = blocks_->size() - 1;
    for (std::size_t i = 0; i < last; ++i) state = block(i)->forward(state, block(i + 1)->norm1);
    return block(last)->first_token(state, norm_).y.squeeze(1);
  }

  std::vector<Tensor> last_block() override {
    auto parameters = blocks_[blocks_->size() - 1]->parameters();
    for (const auto& parameter : norm_->parameters()) parameters.push_back(parameter);
    return parameters;
  }

 private:
  BlockImpl* block(std::size_t i) { return blocks_[i]->as<BlockImpl>(); }

  // Class token and patches (B, grid * grid, width) at their positions, (B, 1 + grid * grid,
  // width).
  Tensor place(const Tensor& patches, const Tensor& positions) {
    const auto batch = patches.size(0), count = patches.size(1), width = patches.size(2);
    const Tensor token = cls_token_.expand({batch, -1, -1});
    if (torch::GradMode::is_enabled()) return torch::cat({token, patches}, 1) + positions;
    // Written in one pass if no gradient is needed.
    Tensor x = torch::empty({batch, 1 + count, width}, patches.options());
    Tensor first = x.narrow(1, 0, 1), others = x.narrow(1, 1, count);
    torch::add_out(first, token, positions.narrow(1, 0, 1));
    torch::add_out(others, patches, positions.narrow(1, 1, count));
    return x;
  }

  // The learned positions, on another grid interpolated (bicubic); the class token's own stays as
  // it is.
  Tensor positions(std::int64_t grid) {
    if (grid == grid_) return pos_embed_;
    namespace F = torch::nn::functional;
    const auto width = pos_embed_.size(2);
    const auto stored = pos_embed_.narrow(1, 1, grid_ * grid_)
                            .reshape({1, grid_, grid_, width})
                            .permute({0, 3, 1, 2})
                            .to(torch::kFloat32);
    const auto resized = F::interpolate(stored, F::InterpolateFuncOptions()
                                                    .size(std::vector<std::int64_t>{grid, grid})
                                                    .mode(torch::kBicubic)
                                                    .align_corners(false));
    const auto patches = resized.permute({0, 2, 3, 1}).reshape({1, grid * grid, width});
    return torch::cat({pos_embed_.narrow(1, 0, 1), patches.to(pos_embed_.scalar_type())}, 1);
  }

  std::int64_t grid_;
  Tensor cls_token_, pos_embed_;
  PatchEmbed patch_embed_{nullptr};
  nn::ModuleList blocks_;
  nn::LayerNorm norm_{nullptr};
};

}  // namespace

std::shared_ptr<Backbone> make_vit(const NetSpec& spec) { return std::make_shared<Vit>(spec); }

}  // namespace paco::embed
