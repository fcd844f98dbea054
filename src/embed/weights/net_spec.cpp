#include "embed/weights/net_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/try.hpp"

namespace paco::embed {
namespace {

using Json = nlohmann::ordered_json;

constexpr Normalisation kHalf{{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};
constexpr Normalisation kNone{{0.f, 0.f, 0.f}, {1.f, 1.f, 1.f}};

// The published sizes of vision transformers; a head is always 64 wide.
struct VitSize {
  const char* letters;
  int width;
};
constexpr VitSize kVitSizes[] = {{"ti", 192}, {"s", 384}, {"b", 768}};
constexpr int kPatches[] = {8, 14, 16};
constexpr int kVitDepth = 12;
constexpr int kHeadWidth = 64;
constexpr int kSmallWidth = 128;
constexpr int kSmallGrid = 4;
constexpr int kLargestGrid = 1024;
constexpr int kSmallSmallestInput = 8;
constexpr int kLargestInput = 2048;
constexpr int kLargestDimension = 65536;

std::string vit_name(const VitSize& size, int patch) {
  return fmt::format("vit_{}{}", size.letters, patch);
}

Result<void> check_spec(const NetSpec& spec) {
  if (spec.input < kSmallSmallestInput || spec.input > kLargestInput)
    return Error{ErrorCode::bad_argument,
                 fmt::format("an input of {} px is outside {} to {}", spec.input,
                             kSmallSmallestInput, kLargestInput),
                 "choose the side of the square that the network sees"};
  if (spec.dimension < 0 || spec.dimension > kLargestDimension)
    return Error{ErrorCode::bad_argument,
                 fmt::format("an embedding of {} numbers is outside 0 to {}", spec.dimension,
                             kLargestDimension),
                 "0 means: the backbone's own output without a head"};
  if (spec.kind == BackboneKind::vit && spec.input % spec.patch != 0)
    return Error{ErrorCode::bad_argument,
                 fmt::format("an input of {} px cannot be cut into patches of {} px", spec.input,
                             spec.patch),
                 fmt::format("use {} or {}", std::max(1, spec.input / spec.patch) * spec.patch,
                             (spec.input / spec.patch + 1) * spec.patch)};
  return {};
}

template <class T>
Result<T> field(const Json& json, const char* key, const std::string& origin) {
  const auto found = json.find(key);
  bool fits = found != json.end();
  if constexpr (std::is_same_v<T, bool>)
    fits = fits && found->is_boolean();
  else if constexpr (std::is_same_v<T, std::string>)
    fits = fits && found->is_string();
  else
    fits = fits && found->is_number_integer() && found->template get<std::int64_t>() >= 0 &&
           found->template get<std::int64_t>() <= 1 << 20;
  if (!fits)
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: the network description has no usable \"{}\"", origin, key),
                 "the file was not written by paco train, or was edited"};
  return found->template get<T>();
}

}  // namespace

Result<Normalisation> parse_normalisation(const std::string& text) {
  if (text == "imagenet") return Normalisation{};
  if (text == "half") return kHalf;
  if (text == "none") return kNone;
  std::array<float, 6> numbers{};
  const char* at = text.c_str();
  bool good = true;
  for (std::size_t i = 0; i < numbers.size() && good; ++i) {
    char* end = nullptr;
    numbers[i] = std::strtof(at, &end);
    good = end != at && std::isfinite(numbers[i]) && *end == (i + 1 < numbers.size() ? ',' : '\0');
    at = end + 1;
  }
  for (std::size_t i = 3; i < 6 && good; ++i) good = numbers[i] > 0;
  if (!good)
    return Error{ErrorCode::bad_argument, fmt::format("\"{}\" is no normalisation", text),
                 "use imagenet, half, none, or six numbers: three means, three deviations above 0"};
  return Normalisation{{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
}

std::string normalisation_name(const Normalisation& normalisation) {
  if (normalisation == Normalisation{}) return "imagenet";
  if (normalisation == kHalf) return "half";
  if (normalisation == kNone) return "none";
  return fmt::format("{},{}", fmt::join(normalisation.mean, ","),
                     fmt::join(normalisation.deviation, ","));
}

std::vector<std::string> backbone_names() {
  std::vector<std::string> names;
  for (const auto& size : kVitSizes)
    for (const int patch : kPatches) names.push_back(vit_name(size, patch));
  names.push_back("small");
  return names;
}

Result<NetSpec> make_spec(const std::string& backbone, int input, int dimension) {
  NetSpec spec;
  spec.backbone = backbone;
  if (backbone == "small") {
    spec.kind = BackboneKind::small;
    spec.patch = spec.depth = spec.heads = 0;
    spec.width = kSmallWidth;
    spec.grid = kSmallGrid;
    spec.input = input > 0 ? input : 28;
    spec.dimension = dimension >= 0 ? dimension : 256;
    spec.normalisation = kHalf;
    PACO_TRY(check_spec(spec));
    return spec;
  }
  for (const auto& size : kVitSizes)
    for (const int patch : kPatches) {
      if (backbone != vit_name(size, patch)) continue;
      spec.patch = patch;
      spec.width = size.width;
      spec.depth = kVitDepth;
      spec.heads = size.width / kHeadWidth;
      spec.input = input > 0 ? input : 224;
      spec.grid = spec.input / patch;
      spec.dimension = dimension >= 0 ? dimension : 768;
      PACO_TRY(check_spec(spec));
      return spec;
    }
  return Error{ErrorCode::bad_argument, fmt::format("there is no backbone \"{}\"", backbone),
               fmt::format("choose one of {}", fmt::join(backbone_names(), ", "))};
}

std::string spec_to_json(const NetSpec& spec) {
  Json json;
  json["backbone"] = spec.backbone;
  if (spec.kind == BackboneKind::vit) {
    json["patch"] = spec.patch;
    json["depth"] = spec.depth;
    json["heads"] = spec.heads;
    json["layer_scale"] = spec.layer_scale;
  }
  json["grid"] = spec.grid;
  json["width"] = spec.width;
  json["input"] = spec.input;
  json["dimension"] = spec.dimension;
  json["normalisation"] = normalisation_name(spec.normalisation);
  return json.dump();
}

Result<NetSpec> spec_from_json(std::string_view text, const std::string& origin) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: the network description is no JSON object", origin),
                 "the file was not written by paco train, or is damaged"};
  PACO_ASSIGN(const auto name, field<std::string>(json, "backbone", origin));
  PACO_ASSIGN(const int input, field<int>(json, "input", origin));
  PACO_ASSIGN(const int dimension, field<int>(json, "dimension", origin));
  PACO_ASSIGN(const auto normalisation, field<std::string>(json, "normalisation", origin));
  PACO_ASSIGN(NetSpec spec, make_spec(name, input, dimension));
  PACO_ASSIGN(spec.normalisation, parse_normalisation(normalisation));
  PACO_ASSIGN(spec.width, field<int>(json, "width", origin));
  PACO_ASSIGN(spec.grid, field<int>(json, "grid", origin));
  bool fits = spec.width >= 1 && spec.grid >= 1 && spec.grid <= kLargestGrid;
  if (spec.kind == BackboneKind::vit) {
    PACO_ASSIGN(spec.patch, field<int>(json, "patch", origin));
    PACO_ASSIGN(spec.depth, field<int>(json, "depth", origin));
    PACO_ASSIGN(spec.heads, field<int>(json, "heads", origin));
    PACO_ASSIGN(spec.layer_scale, field<bool>(json, "layer_scale", origin));
    fits = fits && spec.patch >= 1 && spec.heads >= 1 && spec.depth >= 1 &&
           spec.width % spec.heads == 0;
  }
  if (!fits)
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: the network's sizes do not fit together", origin),
                 "the file was not written by paco train, or was edited"};
  PACO_TRY(check_spec(spec));
  return spec;
}

}  // namespace paco::embed
