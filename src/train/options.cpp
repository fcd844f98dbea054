#include "train/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace paco::train {

std::string_view train_blocks_name(TrainBlocks blocks) { return kTrainBlocks.name(blocks); }

std::string_view precision_name(Precision precision) { return kPrecisions.name(precision); }

TrainOptions options_for(Objective objective) {
  TrainOptions options;
  options.objective = objective;
  if (objective == Objective::paco) return options;
  options.blocks = TrainBlocks::last;
  if (objective == Objective::smile) {
    options.epochs = 100;
    options.head_rate = options.backbone_rate = 0.01;
    options.weight_decay = 5e-5;
  } else {
    if (objective == Objective::phe) options.epochs = 200;
    options.backbone_rate = 1e-4;
    options.weight_decay = 1e-3;
  }
  return options;
}

Result<void> check_options(const TrainOptions& options) {
  const auto refuse = [](std::string_view option, auto value, std::string_view range) {
    return Error{ErrorCode::bad_argument, fmt::format("{} is {}", option, value),
                 fmt::format("give {} a value {}", option, range)};
  };
  // Written so that NaN is refused too.
  if (options.epochs < 1) return refuse("--epochs", options.epochs, "of at least 1");
  if (options.batch < 1) return refuse("--batch", options.batch, "of at least 1");
  if (!(options.head_rate > 0)) return refuse("--lr", options.head_rate, "above 0");
  if (!(options.backbone_rate >= 0)) {
    return refuse("--lr-backbone", options.backbone_rate, "of at least 0");
  }
  if (!(options.weight_decay >= 0)) {
    return refuse("--weight-decay", options.weight_decay, "of at least 0");
  }
  if (!(options.clip >= 0)) return refuse("--clip", options.clip, "of at least 0");
  if (options.bits < 2 || options.bits > 63) return refuse("--bits", options.bits, "from 2 to 63");
  if (!(options.scale > 0)) return refuse("--scale", options.scale, "above 0");
  if (!(options.margin >= 0 && options.margin < std::numbers::pi)) {
    return refuse("--margin", options.margin, "from 0 to below pi");
  }
  if (!(options.stat_weight >= 0)) {
    return refuse("--stat-weight", options.stat_weight, "of at least 0");
  }
  if (!(options.compact_weight >= 0)) {
    return refuse("--compact-weight", options.compact_weight, "of at least 0");
  }
  if (options.precision != Precision::float32 && options.device == "cpu") {
    return refuse("--precision", precision_name(options.precision), "of float32 on a CPU");
  }
  return {};
}

double stat_weight(const TrainOptions& options) {
  if (options.objective != Objective::paco) return 1;
  return options.use_stat ? options.stat_weight : 0;
}

double cosine_factor(std::uint64_t step, std::uint64_t steps) {
  const double share =
      static_cast<double>(step) / static_cast<double>(std::max<std::uint64_t>(steps, 1));
  return 0.5 * (1.0 + std::cos(std::numbers::pi * std::min(share, 1.0)));
}

std::string options_to_json(const TrainOptions& options) {
  nlohmann::ordered_json json;
  // PACO's is left out, so that runs from before there were others can be resumed.
  if (options.objective != Objective::paco) {
    json["objective"] = kObjectives.name(options.objective);
    json["bits"] = options.bits;
  }
  json["epochs"] = options.epochs;
  json["batch"] = options.batch;
  json["lr"] = options.head_rate;
  json["lr_backbone"] = options.backbone_rate;
  json["weight_decay"] = options.weight_decay;
  json["clip"] = options.clip;
  json["scale"] = options.scale;
  json["margin"] = options.use_margin ? nlohmann::ordered_json(options.margin) : nullptr;
  json["stat_weight"] = options.use_stat ? options.stat_weight : 0.0;
  // Left out at its default, so that runs from before it was an option can be resumed.
  if (options.compact_weight != TrainOptions().compact_weight)
    json["compact_weight"] = options.compact_weight;
  json["train_blocks"] = train_blocks_name(options.blocks);
  json["precision"] = precision_name(options.precision);
  json["seed"] = options.seed;
  return json.dump();
}

}  // namespace paco::train
