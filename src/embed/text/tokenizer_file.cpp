// Reads a Tokenizer from tokenizer.json or vocab.txt. An unsupported option is an error that names
// it, because ignoring it would give different numbers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/text/tokenizer.hpp"
#include "io/json.hpp"

namespace paco::embed {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPieces = std::size_t{1} << 24;
constexpr std::uint64_t kMostTokenizerBytes = std::uint64_t{1} << 28;
constexpr const char* kOnlyWordPiece =
    "paco has BERT's WordPiece tokenizer; use an encoder of the BERT family";

Error other_tokenizer(const std::string& name, const std::string& what) {
  return Error{ErrorCode::unsupported, fmt::format("{}: {}", name, what), kOnlyWordPiece};
}

Error damaged_tokenizer(const std::string& name, const std::string& what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", name, what),
               "take the file from the encoder's publisher again"};
}

const Json& part_of(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::string type_of(const Json& part) {
  const Json& type = part_of(part, "type");
  return type.is_string() ? type.get<std::string>() : "";
}

// A flag that may be absent or null.
Result<bool> flag_of(const Json& object, const char* key, bool preset, const std::string& name) {
  const Json& value = part_of(object, key);
  if (value.is_null()) return preset;
  if (!value.is_boolean())
    return damaged_tokenizer(name, fmt::format("\"{}\" is neither true nor false", key));
  return value.get<bool>();
}

// The options of a normaliser; the keys differ between tokenizer.json and tokenizer_config.json.
Result<TokenizerOptions> options_of(const Json& object, const char* lower_case, const char* chinese,
                                    const std::string& name) {
  TokenizerOptions options;
  PACO_ASSIGN(options.clean, flag_of(object, "clean_text", true, name));
  PACO_ASSIGN(options.split_chinese, flag_of(object, chinese, true, name));
  PACO_ASSIGN(options.lower_case, flag_of(object, lower_case, true, name));
  // If the file does not set the option for accents, it follows the option for small letters.
  PACO_ASSIGN(options.strip_accents, flag_of(object, "strip_accents", options.lower_case, name));
  return options;
}

Result<std::string> read_small_text(const std::string& path) {
  PACO_ASSIGN(const auto bytes, core::read_file(path, kMostTokenizerBytes));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// The special pieces around a text, by name: those before the text, and those after it.
struct Surrounding {
  std::vector<std::string> before{"[CLS]"}, after{"[SEP]"};
};

Result<Surrounding> surrounding_of(const Json& processor, const std::string& name) {
  if (processor.is_null() || type_of(processor) == "BertProcessing") return Surrounding();
  if (type_of(processor) != "TemplateProcessing")
    return other_tokenizer(name, fmt::format("its post-processor is \"{}\"", type_of(processor)));
  Surrounding found{{}, {}};
  bool behind = false;
  const Json& single = part_of(processor, "single");
  if (!single.is_array()) return damaged_tokenizer(name, "its template has no list \"single\"");
  for (const Json& each : single) {
    const Json& piece = part_of(part_of(each, "SpecialToken"), "id");
    if (piece.is_string())
      (behind ? found.after : found.before).push_back(piece.get<std::string>());
    else if (!part_of(each, "Sequence").is_null() && !behind)
      behind = true;
    else
      return damaged_tokenizer(name,
                               "its template \"single\" is not a text between special pieces");
  }
  if (!behind) return damaged_tokenizer(name, "its template \"single\" leaves the text out");
  return found;
}

}  // namespace

void Tokenizer::add_piece(std::string_view piece, std::int32_t id) {
  size_ = std::max(size_, static_cast<std::size_t>(id) + 1);
  longest_ = std::max(longest_, piece.size());
  if (piece.starts_with(continuing_) && piece.size() > continuing_.size())
    further_.emplace(piece.substr(continuing_.size()), id);
  else
    first_.emplace(piece, id);
}

Result<std::int32_t> Tokenizer::id_of(const std::string& piece, const std::string& name) const {
  const auto found = first_.find(piece);
  if (found != first_.end()) return found->second;
  return damaged_tokenizer(name, fmt::format("its vocabulary has no piece \"{}\"", piece));
}

Result<Tokenizer> Tokenizer::from_json(std::string_view text, const std::string& name) {
  PACO_ASSIGN(const Json json, io::parse_json<Json>(text, name));
  const Json& model = part_of(json, "model");
  const Json& vocabulary = part_of(model, "vocab");
  // Older files have no type.
  if (!model.is_object() || (!type_of(model).empty() && type_of(model) != "WordPiece"))
    return other_tokenizer(name, fmt::format("its model is \"{}\"", type_of(model)));
  if (!vocabulary.is_object()) return damaged_tokenizer(name, "its model has no object \"vocab\"");
  const Json& normaliser = part_of(json, "normalizer");
  if (type_of(normaliser) != "BertNormalizer")
    return other_tokenizer(name, fmt::format("its normalizer is \"{}\"", type_of(normaliser)));
  const std::string cutter = type_of(part_of(json, "pre_tokenizer"));
  if (cutter != "BertPreTokenizer")
    return other_tokenizer(name, fmt::format("its pre_tokenizer is \"{}\"", cutter));
  Tokenizer tokenizer;
  PACO_ASSIGN(tokenizer.options_,
              options_of(normaliser, "lowercase", "handle_chinese_chars", name));
  if (const Json& most = part_of(model, "max_input_chars_per_word"); !most.is_null()) {
    if (!most.is_number_unsigned())
      return damaged_tokenizer(name, "\"max_input_chars_per_word\" is no whole number");
    tokenizer.options_.most_letters =
        std::min<std::size_t>(most.get<std::uint64_t>(), std::size_t{1} << 16);
  }
  if (const Json& sign = part_of(model, "continuing_subword_prefix"); sign.is_string())
    tokenizer.continuing_ = sign.get<std::string>();
  if (tokenizer.continuing_.empty())
    return other_tokenizer(name, "its pieces inside words have no sign in front");
  std::set<std::uint64_t> taken;
  for (const auto& [piece, id] : vocabulary.items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= kMostPieces ||
        !taken.insert(id.get<std::uint64_t>()).second)
      return damaged_tokenizer(
          name, fmt::format("piece \"{}\" has no number of its own below {}", piece, kMostPieces));
    tokenizer.add_piece(piece, id.get<std::int32_t>());
  }
  const Json& unknown = part_of(model, "unk_token");
  PACO_ASSIGN(tokenizer.unknown_,
              tokenizer.id_of(unknown.is_string() ? unknown.get<std::string>() : "[UNK]", name));
  PACO_ASSIGN(const Surrounding around, surrounding_of(part_of(json, "post_processor"), name));
  for (const std::string& piece : around.before) {
    PACO_ASSIGN(const std::int32_t id, tokenizer.id_of(piece, name));
    tokenizer.before_.push_back(id);
  }
  for (const std::string& piece : around.after) {
    PACO_ASSIGN(const std::int32_t id, tokenizer.id_of(piece, name));
    tokenizer.after_.push_back(id);
  }
  return tokenizer;
}

Result<Tokenizer> Tokenizer::from_vocabulary(std::string_view text, const TokenizerOptions& options,
                                             const std::string& name) {
  Tokenizer tokenizer;
  tokenizer.options_ = options;
  for (std::size_t id = 0; !text.empty(); ++id) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (id >= kMostPieces)
      return damaged_tokenizer(name, fmt::format("has more than {} lines", kMostPieces));
    tokenizer.add_piece(line, static_cast<std::int32_t>(id));
  }
  PACO_ASSIGN(tokenizer.unknown_, tokenizer.id_of("[UNK]", name));
  PACO_ASSIGN(const std::int32_t begin, tokenizer.id_of("[CLS]", name));
  PACO_ASSIGN(const std::int32_t end, tokenizer.id_of("[SEP]", name));
  tokenizer.before_ = {begin};
  tokenizer.after_ = {end};
  return tokenizer;
}

Result<Tokenizer> Tokenizer::open(const std::string& folder) {
  const std::string json = folder + "/tokenizer.json", words = folder + "/vocab.txt",
                    config = folder + "/tokenizer_config.json";
  if (core::path_kind(json) == core::PathKind::file) {
    PACO_ASSIGN(const std::string text, read_small_text(json));
    return from_json(text, json);
  }
  if (core::path_kind(words) != core::PathKind::file)
    return Error{ErrorCode::not_found,
                 fmt::format("{}: has neither tokenizer.json nor vocab.txt", folder),
                 "download one of them from where the weights are from"};
  TokenizerOptions options;
  if (core::path_kind(config) == core::PathKind::file) {
    PACO_ASSIGN(const std::string text, read_small_text(config));
    PACO_ASSIGN(const Json object, io::parse_json<Json>(text, config));
    PACO_ASSIGN(options, options_of(object, "do_lower_case", "tokenize_chinese_chars", config));
  }
  PACO_ASSIGN(const std::string text, read_small_text(words));
  return from_vocabulary(text, options, words);
}

}  // namespace paco::embed
