#include "embed/weights/image_encoder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <regex>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/preprocess.hpp"
#include "embed/text/text_spec.hpp"
#include "embed/weights/file_hash.hpp"
#include "io/json.hpp"

namespace paco::embed {
namespace {

using ConfigJson = nlohmann::json;

constexpr std::uint64_t kMostImageConfigBytes = std::uint64_t{1} << 24;

Result<std::string> image_config_text(const std::string& path) {
  PACO_ASSIGN(const auto bytes, core::read_file(path, kMostImageConfigBytes));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Error bad_image_config(const std::string& name, const std::string& what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", name, what),
               "take the file from the encoder's publisher again; or name the network: --encoder "
               "vit_b16 --weights FILE --normalise half"};
}

// "vit_tiny_patch16_224..." is vit_ti16.
Result<std::string> backbone_of(const std::string& architecture, const std::string& name) {
  static const std::regex pattern("vit_(tiny|small|base)_patch(8|14|16)(_[0-9]+)?([._].*)?");
  std::smatch parts;
  if (!std::regex_match(architecture, parts, pattern))
    return Error{ErrorCode::unsupported,
                 fmt::format("{}: an encoder of architecture \"{}\"", name, architecture),
                 "paco runs vision transformers of the sizes tiny, small and base with patches of "
                 "8, 14 or 16 px; 'paco models list' names some"};
  const std::string size = parts[1] == "tiny" ? "ti" : parts[1] == "small" ? "s" : "b";
  return fmt::format("vit_{}{}", size, parts[2].str());
}

Result<std::array<float, 3>> colours(const ConfigJson& json, const char* key, float low,
                                     const std::string& name) {
  const auto found = json.find(key);
  std::array<float, 3> out{};
  bool good = found != json.end() && found->is_array() && found->size() == out.size();
  for (std::size_t i = 0; good && i < out.size(); ++i) {
    const ConfigJson& value = (*found)[i];
    out[i] = value.is_number() ? value.get<float>() : NAN;
    good = std::isfinite(out[i]) && out[i] >= low;
  }
  if (good) return out;
  return bad_image_config(name, fmt::format("\"{}\" is no list of three numbers", key));
}

}  // namespace

Result<EncoderKind> encoder_kind(const std::string& path) {
  const core::PathKind kind = core::path_kind(path);
  if (kind == core::PathKind::absent)
    return Error{ErrorCode::not_found, fmt::format("{}: there is no such encoder", path),
                 "name the folder of an encoder, or one of 'paco models list'"};
  if (kind == core::PathKind::file && spec_of_file_name(path)) return EncoderKind::image;
  if (kind == core::PathKind::file ||
      core::path_kind(path + "/weights.safetensors") == core::PathKind::file)
    return EncoderKind::run;
  const std::string config = path + "/config.json";
  if (core::path_kind(config) != core::PathKind::file) {
    const Result<std::string> weights = find_encoder_weights(path);
    if (weights.ok() && spec_of_file_name(*weights)) return EncoderKind::image;
    return Error{ErrorCode::not_found,
                 fmt::format("{}: this is no encoder: it has neither config.json nor "
                             "weights.safetensors",
                             path),
                 "give a folder of 'paco train', or one with config.json and .safetensors as "
                 "encoders are published; 'paco models list' names some"};
  }
  PACO_ASSIGN(const std::string text, image_config_text(config));
  PACO_ASSIGN(const ConfigJson json, io::parse_json<ConfigJson>(text, config));
  return json.is_object() && json.contains("architecture") ? EncoderKind::image : EncoderKind::text;
}

Result<NetSpec> parse_image_config(std::string_view text, const std::string& name) {
  PACO_ASSIGN(const ConfigJson json, io::parse_json<ConfigJson>(text, name));
  if (!json.is_object() || !json.contains("architecture") || !json["architecture"].is_string())
    return bad_image_config(name, "has no \"architecture\"");
  PACO_ASSIGN(const std::string backbone,
              backbone_of(json["architecture"].get<std::string>(), name));
  const auto pretrained = json.find("pretrained_cfg");
  if (pretrained == json.end() || !pretrained->is_object())
    return bad_image_config(name, "has no \"pretrained_cfg\"");
  int side = 0;
  if (const auto size = pretrained->find("input_size"); size != pretrained->end()) {
    constexpr int kLargest = 4096;
    const bool square = size->is_array() && size->size() == 3 && (*size)[1].is_number_unsigned() &&
                        (*size)[1] == (*size)[2] && (*size)[1] > 0 && (*size)[1] <= kLargest;
    if (!square) return bad_image_config(name, "\"input_size\" is no square image of usual size");
    side = (*size)[1].get<int>();
  }
  PACO_ASSIGN(NetSpec spec, make_spec(backbone, side));
  PACO_ASSIGN(spec.normalisation.mean, colours(*pretrained, "mean", -1e3f, name));
  PACO_ASSIGN(spec.normalisation.deviation, colours(*pretrained, "std", 1e-6f, name));
  return spec;
}

std::optional<NetSpec> spec_of_file_name(const std::string& path) {
  static const std::regex pattern(
      "(vit_(?:tiny|small|base)_patch(?:8|14|16))_([0-9]{2,4})([._]augreg[a-z0-9_]*|[.]dino)?");
  const std::filesystem::path file(path);
  const std::string stem = file.stem().string();
  std::smatch parts;
  if (file.extension() != ".safetensors" || !std::regex_match(stem, parts, pattern)) return {};
  const Result<std::string> backbone = backbone_of(parts[1], path);
  if (!backbone.ok()) return {};
  Result<NetSpec> spec = make_spec(*backbone, std::stoi(parts[2]));
  // timm's own transformers see pixels within -1 and 1, DINO's those of ImageNet.
  const Result<Normalisation> pixels =
      parse_normalisation(parts[3] == ".dino" ? "imagenet" : "half");
  if (!spec.ok() || !pixels.ok()) return {};
  spec->normalisation = *pixels;
  return *spec;
}

Result<ImageEncoderFiles> read_image_encoder(const std::string& path) {
  const std::string config = path + "/config.json";
  if (core::path_kind(config) != core::PathKind::file) {
    ImageEncoderFiles out{{}, path};
    if (core::path_kind(path) == core::PathKind::folder) {
      PACO_ASSIGN(out.weights, find_encoder_weights(path));
    }
    if (const std::optional<NetSpec> spec = spec_of_file_name(out.weights)) {
      out.spec = *spec;
      return out;
    }
  }
  PACO_ASSIGN(const std::string text, image_config_text(config));
  ImageEncoderFiles out;
  PACO_ASSIGN(out.spec, parse_image_config(text, config));
  PACO_ASSIGN(out.weights, find_encoder_weights(path));
  return out;
}

Result<EmbeddingRecord> image_record(const NetSpec& spec, const std::string& weights,
                                     const std::string& precision) {
  EmbeddingRecord record;
  record.encoder = spec.backbone;
  if (weights.empty()) {
    record.weights = text_sha256("fresh, seed 0");
  } else {
    PACO_ASSIGN(record.weights, file_sha256(weights));
  }
  record.preprocessing =
      fmt::format("shorter side {} px, centre {} px, {}", resize_side(spec.input), spec.input,
                  normalisation_name(spec.normalisation));
  record.precision = precision;
  record.dimension = static_cast<std::size_t>(spec.embedding());
  return record;
}

}  // namespace paco::embed
