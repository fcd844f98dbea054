// The two backbones behind Net. Internal to represent/; includes torch.
#pragma once

#include <memory>

#include "embed/torch/torch_net.hpp"

namespace paco::embed {

std::shared_ptr<Backbone> make_vit(const NetSpec& spec);
std::shared_ptr<Backbone> make_small(const NetSpec& spec);

}  // namespace paco::embed
