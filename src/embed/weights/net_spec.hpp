// What a backbone is, in numbers: enough to build it, to store it with a run and to check weights
// against it.
//
// It defines the names on the command line (vit_b16, small, ...) and their shapes; it does not
// depend on torch.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::embed {

// How pixels in [0, 1] become the network's input: (x - mean) / deviation, per colour channel.
struct Normalisation {
  std::array<float, 3> mean{0.485f, 0.456f, 0.406f};
  std::array<float, 3> deviation{0.229f, 0.224f, 0.225f};
  bool operator==(const Normalisation&) const = default;
};

// "imagenet", "half" (0.5 and 0.5), "none" (0 and 1), or six numbers "m,m,m,d,d,d".
Result<Normalisation> parse_normalisation(const std::string& text);
// The shortest text that parse_normalisation reads back as the same numbers.
std::string normalisation_name(const Normalisation& normalisation);

enum class BackboneKind { vit, small };

struct NetSpec {
  std::string backbone = "vit_b16";  // the name it was made from
  BackboneKind kind = BackboneKind::vit;
  int patch = 16;            // vit: side of a patch in pixels
  int width = 768;           // vit: numbers of a token; small: channels of its last map
  int depth = 12;            // vit: blocks
  int heads = 12;            // vit: attention heads, each of width / heads
  bool layer_scale = false;  // vit: blocks scale their branches (ls1.gamma, ls2.gamma)
  int input = 224;           // side of the square input in pixels
  // vit: side of the stored grid of positions, interpolated where the input differs;
  // small: side of the map that is handed on.
  int grid = 14;
  int dimension = 768;  // d of the embedding; 0: no head, the embedding is the backbone's output
  Normalisation normalisation;

  bool operator==(const NetSpec&) const = default;
  // The length of the backbone's output.
  int features() const { return kind == BackboneKind::vit ? width : width * grid * grid; }
  // The length of one embedding.
  int embedding() const { return dimension > 0 ? dimension : features(); }
};

// The names that make_spec takes, in the order in which help texts show them.
std::vector<std::string> backbone_names();

// The spec of a named backbone with its defaults: input 224 and d = 768; for `small` input 28 and d
// = 256. An input of 0 and a negative dimension mean the default. Refuses an input that is no
// multiple of the patch.
Result<NetSpec> make_spec(const std::string& backbone, int input = 0, int dimension = -1);

// One JSON object, keys in a fixed order, and back. `origin` names the file in errors.
std::string spec_to_json(const NetSpec& spec);
Result<NetSpec> spec_from_json(std::string_view text, const std::string& origin);

}  // namespace paco::embed
