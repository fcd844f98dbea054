// with_torch.hpp for paco, which has no torch.
#include <fmt/format.h>

#include "with_torch.hpp"

namespace paco::with_torch {
namespace {

Error needs_torch(const std::string& what) {
  return Error{ErrorCode::unsupported, fmt::format("{}: this needs torch", what),
               "keep paco-torch beside paco; where there is none, install libtorch-dev and build "
               "again"};
}

Error no_device(const embed::EmbedderSettings& settings) {
  if (settings.device == "cuda" || settings.device.starts_with("cuda:"))
    return needs_torch("--device " + settings.device);
  return Error{ErrorCode::bad_argument, fmt::format("there is no device \"{}\"", settings.device),
               "use cpu, cuda, or cuda:N"};
}

}  // namespace

Result<std::unique_ptr<embed::ImageEmbedder>> open_run(const std::string&,
                                                       const embed::EmbedderSettings& settings) {
  return no_device(settings);
}

Result<std::unique_ptr<embed::ImageEmbedder>> open_backbone(
    const embed::NetSpec&, const std::string&, const embed::EmbedderSettings& settings) {
  return no_device(settings);
}

Result<embed::StateDict> read_torchscript(const std::string& path) {
  return needs_torch(path + " is a TorchScript archive");
}

Result<void> train_network(const train::TrainingSet& set, const train::TrainPlan&,
                           const train::TrainListener&, std::stop_token) {
  return needs_torch("a network for " + set.description + " is to be trained");
}

}  // namespace paco::with_torch
