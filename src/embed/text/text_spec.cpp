#include "embed/text/text_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/json.hpp"

namespace paco::embed {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{1} << 24;
// The limit on tokens if a folder sets none. A longer text is unlikely to be a sample of a stream,
// and models without a setting were trained on shorter texts.
constexpr std::size_t kUsualTokens = 256;

Error bad_config(const std::string& name, const std::string& what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", name, what),
               "take the file from the encoder's publisher again"};
}

Error other_encoder(const std::string& name, const std::string& what) {
  return Error{ErrorCode::unsupported, fmt::format("{}: {}", name, what),
               "paco runs encoders of the BERT family; 'paco models list' names some"};
}

Result<Json> read_config(const std::string& path) {
  PACO_ASSIGN(const auto bytes, core::read_file(path, kMostConfigBytes));
  return io::parse_json<Json>({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

// The configuration of an optional part of a folder.
Result<std::optional<Json>> read_optional(const std::string& path) {
  if (core::path_kind(path) != core::PathKind::file) return std::optional<Json>();
  PACO_ASSIGN(Json json, read_config(path));
  return std::optional<Json>(std::move(json));
}

// If the key exists, its value must be `wanted`.
Result<void> expect_word(const Json& json, const char* key, std::string_view wanted,
                         const std::string& name) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null() || (found->is_string() && *found == wanted))
    return {};
  return other_encoder(
      name, fmt::format("\"{}\" is {}, and not \"{}\"", key,
                        found->dump(-1, ' ', true, Json::error_handler_t::replace), wanted));
}

Result<std::size_t> count_of(const Json& json, const char* key, std::size_t low, std::size_t high,
                             const std::string& name) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_number_unsigned() && found->get<std::uint64_t>() >= low &&
      found->get<std::uint64_t>() <= high)
    return found->get<std::size_t>();
  return bad_config(name, fmt::format("\"{}\" is no whole number from {} to {}", key, low, high));
}

Result<void> read_pooling(const std::string& folder, TextSpec& spec) {
  const std::string path = folder + "/1_Pooling/config.json";
  PACO_ASSIGN(const auto json, read_optional(path));
  if (!json) return {};
  const auto chosen = [&](const char* key) {
    const auto found = json->find(key);
    return found != json->end() && found->is_boolean() && found->get<bool>();
  };
  if (!json->is_object()) return bad_config(path, "is no JSON object");
  const bool mean = chosen("pooling_mode_mean_tokens"), first = chosen("pooling_mode_cls_token");
  if (mean == first || chosen("pooling_mode_max_tokens") ||
      chosen("pooling_mode_mean_sqrt_len_tokens") || chosen("pooling_mode_weightedmean_tokens") ||
      chosen("pooling_mode_lasttoken"))
    return other_encoder(path, "asks for something else than the mean of all tokens or the first");
  spec.pooling = mean ? Pooling::mean : Pooling::first;
  return {};
}

// modules.json lists the processing steps of a sentence, in order.
Result<void> read_modules(const std::string& folder, TextSpec& spec) {
  const std::string path = folder + "/modules.json";
  PACO_ASSIGN(const auto json, read_optional(path));
  if (!json) return {};
  if (!json->is_array()) return bad_config(path, "is no JSON list");
  spec.unit_length = false;
  for (const Json& module : *json) {
    const std::string type =
        module.is_object() && module.contains("type") && module["type"].is_string()
            ? module["type"].get<std::string>()
            : "";
    const std::string word = type.substr(type.rfind('.') + 1);
    if (word == "Normalize")
      spec.unit_length = true;
    else if (word != "Transformer" && word != "Pooling")
      return other_encoder(path, fmt::format("has a part of type \"{}\"", type));
  }
  return {};
}

Result<void> read_length(const std::string& folder, TextSpec& spec) {
  const std::string path = folder + "/sentence_bert_config.json";
  PACO_ASSIGN(const auto json, read_optional(path));
  spec.most_tokens = std::min(kUsualTokens, spec.positions);
  if (!json || !json->is_object() || !json->contains("max_seq_length")) return {};
  if ((*json)["max_seq_length"].is_null()) return {};
  PACO_ASSIGN(spec.most_tokens, count_of(*json, "max_seq_length", 3, spec.positions, path));
  return {};
}

// Tensors that only training needs, or that hold nothing.
bool is_spare(std::string_view name) {
  return name.starts_with("pooler.") || name.starts_with("cls.") ||
         name == "embeddings.position_ids";
}

// Hugging Face's name without what wrappers put in front; the oldest files call a norm's weights
// gamma and beta.
std::string text_tensor_name(const std::string& stored) {
  std::string name = plain_name(stored);
  if (name.starts_with("bert.")) name.erase(0, 5);
  if (name.ends_with("LayerNorm.gamma")) name.replace(name.size() - 5, 5, "weight");
  if (name.ends_with("LayerNorm.beta")) name.replace(name.size() - 4, 4, "bias");
  return name;
}

}  // namespace

std::string_view pooling_name(Pooling pooling) { return pooling == Pooling::mean ? "mean" : "cls"; }

std::string text_network_name(const TextSpec& spec) {
  return fmt::format("bert, {} blocks of {}", spec.depth, spec.width);
}

Result<TextSpec> parse_text_config(std::string_view text, const std::string& name) {
  PACO_ASSIGN(const Json json, io::parse_json<Json>(text, name));
  if (!json.is_object()) return bad_config(name, "is no JSON object");
  PACO_TRY(expect_word(json, "model_type", "bert", name));
  PACO_TRY(expect_word(json, "hidden_act", "gelu", name));
  PACO_TRY(expect_word(json, "position_embedding_type", "absolute", name));
  TextSpec spec;
  constexpr std::size_t kMostWidth = 8192, kMostPieces = std::size_t{1} << 24;
  PACO_ASSIGN(spec.width, count_of(json, "hidden_size", 1, kMostWidth, name));
  PACO_ASSIGN(spec.depth, count_of(json, "num_hidden_layers", 1, 256, name));
  PACO_ASSIGN(spec.heads, count_of(json, "num_attention_heads", 1, kMostWidth, name));
  PACO_ASSIGN(spec.hidden, count_of(json, "intermediate_size", 1, 8 * kMostWidth, name));
  PACO_ASSIGN(spec.vocabulary, count_of(json, "vocab_size", 1, kMostPieces, name));
  PACO_ASSIGN(spec.positions, count_of(json, "max_position_embeddings", 3, 1 << 16, name));
  PACO_ASSIGN(spec.kinds, count_of(json, "type_vocab_size", 1, 1024, name));
  if (spec.width % spec.heads != 0)
    return bad_config(name, fmt::format("{} numbers of a token cannot be divided among {} heads",
                                        spec.width, spec.heads));
  if (const auto found = json.find("layer_norm_eps"); found != json.end() && !found->is_null()) {
    const double epsilon = found->is_number() ? found->get<double>() : -1;
    if (!(epsilon > 0 && epsilon < 1))
      return bad_config(name, "\"layer_norm_eps\" is no number between 0 and 1");
    spec.epsilon = static_cast<float>(epsilon);
  }
  spec.most_tokens = std::min(kUsualTokens, spec.positions);
  return spec;
}

Result<TextSpec> read_text_spec(const std::string& folder) {
  const std::string path = folder + "/config.json";
  if (core::path_kind(path) != core::PathKind::file)
    return Error{ErrorCode::not_found, fmt::format("{}: has no config.json", folder),
                 "name the folder of a text encoder, or one of 'paco models list'"};
  PACO_ASSIGN(const auto bytes, core::read_file(path, kMostConfigBytes));
  PACO_ASSIGN(TextSpec spec,
              parse_text_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path));
  PACO_TRY(read_pooling(folder, spec));
  PACO_TRY(read_modules(folder, spec));
  PACO_TRY(read_length(folder, spec));
  return spec;
}

Result<std::string> find_encoder_weights(const std::string& folder) {
  PACO_ASSIGN(const auto names, core::list_folder(folder));
  std::vector<std::string> tensors;
  for (const std::string& name : names)
    if (name.ends_with(".safetensors")) tensors.push_back(name);
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has("model.safetensors")) return folder + "/model.safetensors";
  if (tensors.size() == 1) return folder + "/" + tensors[0];
  if (tensors.empty() && has("pytorch_model.bin")) return folder + "/pytorch_model.bin";
  return Error{ErrorCode::not_found,
               tensors.empty()
                   ? fmt::format("{}: has no weights: no .safetensors file", folder)
                   : fmt::format("{}: has {} .safetensors files, and none is model.safetensors",
                                 folder, tensors.size()),
               "put the encoder's model.safetensors there"};
}

std::vector<TensorSlot> text_slots(const TextSpec& spec) {
  std::vector<TensorSlot> slots;
  const auto norm = [&](const std::string& name) {
    slots.push_back({name + ".weight", {spec.width}});
    slots.push_back({name + ".bias", {spec.width}});
  };
  const auto linear = [&](const std::string& name, std::size_t outputs, std::size_t inputs) {
    slots.push_back({name + ".weight", {outputs, inputs}});
    slots.push_back({name + ".bias", {outputs}});
  };
  slots.push_back({"embeddings.word_embeddings.weight", {spec.vocabulary, spec.width}});
  slots.push_back({"embeddings.position_embeddings.weight", {spec.positions, spec.width}});
  slots.push_back({"embeddings.token_type_embeddings.weight", {spec.kinds, spec.width}});
  norm("embeddings.LayerNorm");
  for (std::size_t i = 0; i < spec.depth; ++i) {
    const std::string block = fmt::format("encoder.layer.{}.", i);
    for (const char* part : {"query", "key", "value"})
      linear(block + "attention.self." + part, spec.width, spec.width);
    linear(block + "attention.output.dense", spec.width, spec.width);
    norm(block + "attention.output.LayerNorm");
    linear(block + "intermediate.dense", spec.hidden, spec.width);
    linear(block + "output.dense", spec.width, spec.hidden);
    norm(block + "output.LayerNorm");
  }
  return slots;
}

Result<std::vector<const NamedTensor*>> match_text_tensors(const TextSpec& spec,
                                                           const StateDict& tensors,
                                                           const std::string& origin) {
  NamedTensors by_name;
  for (const NamedTensor& tensor : tensors) {
    const std::string name = text_tensor_name(tensor.name);
    if (is_spare(name)) continue;
    if (!by_name.emplace(name, &tensor).second)
      return Error{
          ErrorCode::bad_format,
          fmt::format("{}: tensor {} is there twice, with and without a prefix", origin, name),
          "keep one of them"};
  }
  auto matched = match_tensors(text_slots(spec), std::move(by_name), origin);
  if (matched.ok()) return matched;
  Error error = matched.error();
  error.hint = "weights and config.json have to be of the same encoder";
  return error;
}

}  // namespace paco::embed
