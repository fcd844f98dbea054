// The options of a training run. Torch-free. Everything here is stored with the run, and a resumed
// run must agree on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/enum_names.hpp"
#include "paco/result.hpp"

namespace paco::train {

// Which part of the network learns: everything, the last block with the head, or the head alone.
// The classifier always learns.
enum class TrainBlocks : std::uint8_t { all, last, head };
inline constexpr auto kTrainBlocks = core::enum_names<TrainBlocks>(
    {{TrainBlocks::all, "all"}, {TrainBlocks::last, "last"}, {TrainBlocks::head, "head"}});
std::string_view train_blocks_name(TrainBlocks blocks);

// How the network computes. `mixed`: float32 weights, products in bfloat16. `bf16`: the network
// itself in bfloat16 beside float32 master weights, less memory traffic. Both on a GPU only. The
// losses are always float32.
enum class Precision : std::uint8_t { float32, mixed, bf16 };
inline constexpr auto kPrecisions = core::enum_names<Precision>(
    {{Precision::float32, "float32"}, {Precision::mixed, "mixed"}, {Precision::bf16, "bf16"}});
std::string_view precision_name(Precision precision);

// The loss to minimise: PACO's, or that of another method with its own head.
enum class Objective : std::uint8_t { paco, smile, phe, talon, ltc };
inline constexpr auto kObjectives = core::enum_names<Objective>({{Objective::paco, "paco"},
                                                                 {Objective::smile, "smile"},
                                                                 {Objective::phe, "phe"},
                                                                 {Objective::talon, "talon"},
                                                                 {Objective::ltc, "ltc"}});

struct TrainOptions {
  Objective objective = Objective::paco;
  std::size_t bits = 12;  // of the codes of SMILE and PHE
  int epochs = 20;
  std::size_t batch = 128;      // samples a step, over all processes; each gives two views
  double head_rate = 1e-3;      // learning rate of head and classifier
  double backbone_rate = 5e-5;  // learning rate of the backbone
  double weight_decay = 1e-4;
  double clip = 0;            // largest norm of the whole gradient; 0: no limit, as in the paper
  double scale = 30.0;        // s of the angular margin
  double margin = 0.5;        // m of the angular margin, in radians
  bool use_margin = true;     // false: plain softmax
  double stat_weight = 0.2;   // weight of the statistical episodes
  double compact_weight = 1;  // lambda_cmp: of compactness inside the statistical loss
  bool use_stat = true;       // false: classification alone
  TrainBlocks blocks = TrainBlocks::all;
  Precision precision = Precision::float32;
  std::uint64_t seed = 0;  // of fresh weights, sample order, augmentation and episodes

  // Speed; the result depends on the first two in its last bits at most, on the others not at all.
  std::string device = "cpu";
  unsigned threads = 1;  // of the network on a CPU: sums are cut into as many parts
  unsigned workers = 1;  // threads that decode and augment
  bool strict = false;   // an unreadable image is an error instead of a skipped sample

  bool operator==(const TrainOptions&) const = default;
};

// How a method is trained, as far as its released code is known: SMILE for 100 epochs at 0.01, PHE
// for 200, all of them the last block alone.
TrainOptions options_for(Objective objective);

// Refuses values outside their range, naming the option as on the command line.
Result<void> check_options(const TrainOptions& options);

// What the second part of the loss is multiplied by, for people: "loss = cls + weight x stat".
double stat_weight(const TrainOptions& options);

// Both rates are multiplied by this: from 1 at step 0 to 0 after the last, along half a cosine.
double cosine_factor(std::uint64_t step, std::uint64_t steps);

// The options that decide the result, as a JSON object with fixed key order; device and thread
// counts are left out.
std::string options_to_json(const TrainOptions& options);

}  // namespace paco::train
