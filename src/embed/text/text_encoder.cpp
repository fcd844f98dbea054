#include "embed/text/text_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "core/files.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"
#include "embed/cpu/text_network.hpp"
#include "embed/text/tokenizer.hpp"
#include "embed/weights/file_hash.hpp"

namespace paco::embed {
namespace {

// Tokens that pass the network together: enough rows to make reading the weights worthwhile.
constexpr std::size_t kGroupTokens = 128;
constexpr std::size_t kFewestTokens = 24;
constexpr std::size_t kTextsAtOnce = 1024;  // between two looks at the stop token

// Texts [first, last) as one group.
struct Group {
  std::size_t first, last;
};

// Groups of about as many tokens, and at least one for each thread. How texts are divided changes
// no embedding.
std::vector<Group> groups_of(const std::vector<Tokenizer::Tokens>& texts, unsigned threads) {
  std::size_t total = 0;
  for (const auto& text : texts) total += text.ids.size();
  const std::size_t share = std::clamp(total / threads, kFewestTokens, kGroupTokens);
  std::vector<Group> groups;
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t more = texts[i].ids.size();
    if (groups.empty() || tokens + more > share) {
      groups.push_back({i, i});
      tokens = 0;
    }
    groups.back().last = i + 1;
    tokens += more;
  }
  return groups;
}

Result<std::string> tokenizer_hash(const std::string& folder) {
  const std::string json = folder + "/tokenizer.json";
  return file_sha256(core::path_kind(json) == core::PathKind::file ? json : folder + "/vocab.txt");
}

}  // namespace

struct TextEncoder::Parts {
  Parts(Tokenizer own, unsigned threads) : tokenizer(std::move(own)), pool(threads) {}

  // Borrows a scratch that no other thread uses, for the lifetime of this object.
  class Lent {
   public:
    explicit Lent(Parts& parts) : parts_(parts) {
      const std::lock_guard lock(parts_.mutex);
      if (parts_.scratches.empty()) return;
      scratch_ = std::move(parts_.scratches.back());
      parts_.scratches.pop_back();
    }
    ~Lent() {
      const std::lock_guard lock(parts_.mutex);
      parts_.scratches.push_back(std::move(scratch_));
    }
    Lent(const Lent&) = delete;
    Scratch& operator*() { return scratch_; }

   private:
    Parts& parts_;
    Scratch scratch_;
  };

  void run(const std::vector<Tokenizer::Tokens>& texts, const Group& group, float* out) {
    std::vector<std::int32_t> ids;
    std::vector<std::size_t> ends;
    for (std::size_t i = group.first; i < group.last; ++i) {
      ids.insert(ids.end(), texts[i].ids.begin(), texts[i].ids.end());
      ends.push_back(ids.size());
    }
    Lent scratch(*this);
    network->run(ids, ends, out, *scratch);
  }

  TextSpec spec;
  Tokenizer tokenizer;
  std::unique_ptr<TextNetwork> network;
  EmbeddingRecord record;
  core::ThreadPool pool;
  std::mutex mutex;
  std::vector<Scratch> scratches;
};

TextEncoder::TextEncoder(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TextEncoder::~TextEncoder() = default;

Result<std::unique_ptr<TextEncoder>> TextEncoder::open(const std::string& folder,
                                                       const TextEncoderSettings& settings) {
  PACO_ASSIGN(TextSpec spec, read_text_spec(folder));
  if (settings.pooling) spec.pooling = *settings.pooling;
  if (settings.most_tokens > 0) spec.most_tokens = settings.most_tokens;
  CpuPrecision precision = CpuPrecision::float32;
  if (settings.precision != "auto") {
    PACO_ASSIGN(precision, parse_cpu_precision(settings.precision));
  }
  PACO_ASSIGN(Tokenizer tokenizer, Tokenizer::open(folder));
  if (tokenizer.size() > spec.vocabulary)
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: its tokenizer has {} pieces, its network knows {}", folder,
                             tokenizer.size(), spec.vocabulary),
                 "tokenizer and config.json have to be of the same encoder"};
  if (spec.most_tokens <= tokenizer.surrounding() || spec.most_tokens > spec.positions)
    return Error{ErrorCode::bad_argument,
                 fmt::format("{}: texts of {} tokens; this encoder takes {} to {}", folder,
                             spec.most_tokens, tokenizer.surrounding() + 1, spec.positions),
                 "choose another number of tokens"};
  PACO_ASSIGN(const std::string weights, find_encoder_weights(folder));
  try {
    auto parts = std::make_unique<Parts>(std::move(tokenizer), settings.threads);
    {
      PACO_ASSIGN(const StateDict tensors, read_state_dict(weights));
      PACO_ASSIGN(parts->network, make_text_network(spec, tensors, weights, precision));
    }
    EmbeddingRecord& record = parts->record;
    record.encoder = text_network_name(spec);
    PACO_ASSIGN(record.weights, file_sha256(weights));
    PACO_ASSIGN(const std::string vocabulary, tokenizer_hash(folder));
    record.preprocessing =
        fmt::format("WordPiece {}, {} tokens, {}{}", vocabulary.substr(0, 12), spec.most_tokens,
                    pooling_name(spec.pooling), spec.unit_length ? ", unit length" : "");
    record.precision = cpu_precision_name(precision);
    record.dimension = spec.width;
    parts->spec = spec;
    return std::unique_ptr<TextEncoder>(new TextEncoder(std::move(parts)));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_memory, fmt::format("{}: not enough memory for it", folder),
                 "use a smaller encoder"};
  }
}

std::size_t TextEncoder::dimension() const { return parts_->spec.width; }
const TextSpec& TextEncoder::spec() const { return parts_->spec; }
const EmbeddingRecord& TextEncoder::record() const { return parts_->record; }

std::vector<std::int32_t> TextEncoder::tokens(std::string_view text) const {
  return parts_->tokenizer.encode(text, parts_->spec.most_tokens).ids;
}

Result<EncodedTexts> TextEncoder::encode(std::span<const std::string> texts, Rows<float> out,
                                         std::stop_token stop) {
  EncodedTexts report;
  try {
    for (std::size_t first = 0; first < texts.size(); first += kTextsAtOnce) {
      if (stop.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
      const std::size_t count = std::min(kTextsAtOnce, texts.size() - first);
      std::vector<Tokenizer::Tokens> tokens(count);
      parts_->pool.parallel_for(count, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          tokens[i] = parts_->tokenizer.encode(texts[first + i], parts_->spec.most_tokens);
      });
      const std::vector<Group> groups = groups_of(tokens, parts_->pool.threads());
      parts_->pool.parallel_for(groups.size(), 1, [&](std::size_t begin, std::size_t) {
        parts_->run(tokens, groups[begin], out[first + groups[begin].first].data());
      });
      for (std::size_t i = 0; i < count; ++i) {
        if (tokens[i].ids.size() == parts_->tokenizer.surrounding())
          report.empty.push_back(first + i);
        if (tokens[i].cut) report.cut.push_back(first + i);
      }
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_memory, "not enough memory to embed a text",
                 "use fewer --threads or a smaller encoder"};
  }
  return report;
}

}  // namespace paco::embed
