#include "parsers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/try.hpp"
#include "embed/cpu/text_network.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/images/image_sources.hpp"
#include "embed/text/text_rows.hpp"
#include "embed/text/tokenizer.hpp"
#include "embed/weights/image_encoder.hpp"
#include "io/array_file.hpp"
#include "io/artifact.hpp"
#include "io/decision_file.hpp"
#include "io/embedding_sources.hpp"
#include "io/embeddings.hpp"
#include "io/json.hpp"
#include "io/labels.hpp"
#include "io/split_list.hpp"
#include "io/trace_file.hpp"
#include "io/truth.hpp"
#include "paco/method.hpp"

namespace paco::fuzz {
namespace {

// What came out must keep the promises of its header; a broken one stops the fuzzer.
void require(bool promise) {
  if (!promise) __builtin_trap();
}

Result<void> read_all(io::EmbeddingResult opened) {
  if (!opened.ok()) return opened.error();
  io::EmbeddingSource& source = **opened;
  const std::size_t columns = source.dimension();
  math::Matrix<double> block(std::max<std::size_t>(1, 4096 / columns), columns);
  std::vector<std::string> ids;
  std::uint64_t rows = 0;
  while (true) {
    PACO_ASSIGN(const std::size_t count, source.read(block.view(), &ids));
    require(count <= block.rows() && (ids.empty() || ids.size() == count));
    PACO_TRY(io::check_finite(block.view().slice(0, count), source.name(), rows));
    for (std::size_t i = 0; i < count * columns; ++i) require(std::isfinite(block.data()[i]));
    rows += count;
    if (count < block.rows()) break;
  }
  require(!source.rows() || *source.rows() == rows);
  return {};
}

Result<void> read_arrays(const io::ArrayFile& file) {
  for (const std::string& name : file.names()) {
    PACO_ASSIGN(auto array, file.array(name));
    if (array.header.shape.size() == 2)
      PACO_TRY(read_all(io::make_dense_source(std::move(array.stream), array.header, {})));
  }
  return {};
}

Result<void> load_all(embed::ImageResult opened) {
  if (!opened.ok()) return opened.error();
  const embed::ImageSource& source = **opened;
  for (std::size_t i = 0; i < source.size(); ++i) {
    require(source.label(i) < static_cast<std::int64_t>(source.class_names().size()));
    PACO_ASSIGN(const embed::Image image, source.load(i));
    require(image.pixels.size() == image.width * image.height * image.channels);
  }
  return {};
}

Result<void> decoded(const Result<embed::Image>& image) {
  if (!image.ok()) return image.error();
  require(image->pixels.size() == image->width * image->height * 3);
  return {};
}

Result<void> read_label_file(std::span<const std::byte> bytes) {
  PACO_ASSIGN(const io::Labels labels, io::parse_labels(bytes, "input"));
  for (const std::int64_t id : labels.ids)
    require(id >= 0 && static_cast<std::size_t>(id) < labels.names.size());
  return {};
}

Result<void> read_split_list(std::string_view text) {
  const std::vector<std::string> names = {"ant", "bee", "cow", "7"};
  PACO_ASSIGN(const io::ClassSplit split, io::parse_class_split(text, names, "input"));
  require(!split.known.empty() && !split.novel.empty() &&
          split.known.size() + split.novel.size() <= names.size());
  return {};
}

// What was parsed can be copied and written, which nesting without a bound would not survive.
Result<void> read_json(std::string_view text) {
  PACO_ASSIGN(const nlohmann::json value, io::parse_json(text, "input"));
  const nlohmann::json copy = value;
  require(io::parse_json(copy.dump(), "input").ok());
  return {};
}

Result<void> read_artifact(std::span<const std::byte> bytes) {
  PACO_ASSIGN(const auto file,
              io::artifact_from_bytes({bytes.begin(), bytes.end()}, "input", "model", 1));
  for (const io::TensorView& tensor : file.tensors()) {
    const auto numbers = file.read<double>(tensor.name);
    require(numbers.ok() ? numbers->size() == tensor.elements()
                         : tensor.type != io::ElementType::f64);
  }
  return {};
}

Result<void> read_decision_file(std::span<const std::byte> bytes) {
  PACO_ASSIGN(const io::DecisionTable table, io::parse_decisions(bytes, "input"));
  require(table.fields.size() <= kMaxEvidence && table.samples.size() == table.decisions.size() &&
          table.names.size() == table.decisions.size());
  for (const Decision& decision : table.decisions)
    require(decision.category >= 0 && decision.runner_up >= 0 && decision.prototype >= 0);
  return {};
}

Result<void> read_truth_file(std::span<const std::byte> bytes) {
  const std::vector<std::string> samples{"a", "b", "c", "d", "d"}, classes{"ant", "bee"};
  PACO_ASSIGN(const io::Truth truth, io::parse_truth(bytes, "input", {0, 5, samples, classes}));
  require(truth.labels.size() == samples.size());
  for (const std::int64_t label : truth.labels) require(label >= io::kNoTruth);
  return {};
}

Result<void> read_trace_file(std::span<const std::byte> bytes) {
  PACO_ASSIGN(const io::Trace trace, io::parse_trace(bytes, "input"));
  require(trace.decisions.size() == trace.microseconds.size());
  for (const Decision& decision : trace.decisions) require(decision.category >= 0);
  return {};
}

// Whatever was read can decide, and what it then is can be saved.
void decide_some(Method& method) {
  std::vector<double> sample(method.model().dimension);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < sample.size(); ++j)
      sample[j] = static_cast<double>((i + 1) * (j + 2) % 7) - 3;
    if (method.decide(std::span<const double>(sample)).ok()) require(method.samples() > 0);
  }
  require(method.view()->samples == method.samples() && method.save().ok());
}

Result<void> read_model_file(std::span<const std::byte> bytes) {
  PACO_ASSIGN(Model model, model_from_bytes({bytes.begin(), bytes.end()}, "input"));
  require(model.references.size() == model.known_classes() * model.dimension);
  const auto shared = std::make_shared<const Model>(std::move(model));
  for (const std::string& name : method_names()) {
    auto method = make_method(name, shared);
    if (method.ok()) decide_some(**method);
  }
  return {};
}

// A small model: three classes in three dimensions.
Model small_model(const std::string& method) {
  const std::vector<double> support{9, 1, 0, 8, 0, 1, 9, 0, 2, 1, 9, 0, 0, 8,
                                    1, 2, 9, 0, 0, 1, 9, 1, 0, 8, 0, 2, 9};
  const std::vector<std::int64_t> labels{0, 0, 0, 1, 1, 1, 2, 2, 2};
  CalibrationOptions options;
  options.method = method;
  return calibrate({{support.data(), 9, 3}, labels, {}, {}}, options).value();
}

// The model that the states of the seeds belong to.
std::shared_ptr<const Model> state_model() {
  static const auto shared = std::make_shared<const Model>(small_model("paco"));
  return shared;
}

Result<void> read_state_file(std::span<const std::byte> bytes) {
  const auto method = make_method("paco", state_model()).value();
  PACO_TRY(method->restore({bytes.begin(), bytes.end()}, "input"));
  decide_some(*method);
  return {};
}

// An encoder's vocabulary, then texts cut up with it.
Result<void> read_tokenizer(std::string_view text) {
  PACO_ASSIGN(const embed::Tokenizer tokenizer, embed::Tokenizer::from_json(text, "input"));
  constexpr std::size_t kMost = 16;
  for (const std::string_view sample :
       {"", "lost card \xe5\x8d\xa1 \xc3\xa9\xcc\x81", "\xff\xf0"}) {
    const auto tokens = tokenizer.encode(sample, kMost + tokenizer.surrounding());
    require(tokens.ids.size() <= kMost + tokenizer.surrounding());
    for (const std::int32_t id : tokens.ids)
      require(id >= 0 && static_cast<std::size_t>(id) < tokenizer.size());
  }
  return {};
}

Result<void> read_text_config(std::string_view text) {
  PACO_ASSIGN(const embed::TextSpec spec, embed::parse_text_config(text, "input"));
  require(spec.heads > 0 && spec.width % spec.heads == 0 && spec.most_tokens <= spec.positions);
  return {};
}

Result<void> read_image_config(std::string_view text) {
  PACO_ASSIGN(const embed::NetSpec spec, embed::parse_image_config(text, "input"));
  require(spec.input > 0 && spec.input % spec.patch == 0);
  for (const float deviation : spec.normalisation.deviation) require(deviation > 0);
  return {};
}

// As a table, as JSON lines and as plain lines, whatever it is.
Result<void> read_text_table(std::string_view text) {
  const auto read = [&](const char* name, const embed::TextColumns& columns) {
    return embed::parse_text_rows(
        io::ByteStream::from_bytes(std::as_bytes(std::span(text)), "input"), name, columns);
  };
  const auto look = [](const Result<embed::TextRows>& rows) {
    if (!rows.ok()) return;
    require(!rows->texts.empty() && rows->rows.size() == rows->texts.size());
    require(rows->labels.empty() || rows->labels.size() == rows->texts.size());
    for (const std::string& each : rows->texts) require(embed::text_fault(each).empty());
  };
  const auto lines = read("input.jsonl", {"", "label"}), table = read("input.csv", {"", "label"});
  look(lines);
  look(table);
  look(read("input.txt", {}));
  const auto& meant = text.starts_with('{') ? lines : table;
  if (!meant.ok()) return meant.error();
  return {};
}

// The tensors of the network of corpus/text_weights, run on one text.
Result<void> read_text_weights(std::span<const std::byte> bytes) {
  embed::TextSpec spec;
  spec.width = spec.heads = 2;
  spec.depth = 1;
  spec.hidden = 2;
  spec.vocabulary = spec.positions = 3;
  spec.kinds = 1;
  PACO_ASSIGN(const embed::StateDict tensors,
              embed::parse_state_dict(io::FileBytes::of(bytes), "input"));
  PACO_ASSIGN(const auto network, embed::make_text_network(spec, tensors, "input"));
  const std::int32_t tokens[] = {0, 2, 1};
  const std::size_t ends[] = {3};
  float out[2];
  embed::Scratch scratch;
  network->run(tokens, ends, out, scratch);
  return {};
}

}  // namespace

Result<void> parse_as(std::string_view parser, std::span<const std::byte> bytes) {
  const auto stream = [&] { return io::ByteStream::from_bytes(bytes, "input"); };
  const io::FileBytes shared = io::FileBytes::of(bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (parser == "npy") return read_all(io::open_embeddings(bytes, "input"));
  if (parser == "npz" || parser == "safetensors") {
    const auto open = parser == "npz" ? io::open_npz_arrays : io::open_safetensors_arrays;
    PACO_ASSIGN(const io::ArrayFile file, open(io::FileBytes::of(bytes), "input"));
    return read_arrays(file);
  }
  if (parser == "csv") return read_all(io::open_csv_embeddings({stream(), {}}));
  if (parser == "jsonl") return read_all(io::open_jsonl_embeddings({stream(), {}}));
  if (parser == "fvecs") return read_all(io::open_fvecs_embeddings({stream(), {}}));
  if (parser == "labels") return read_label_file(bytes);
  if (parser == "split_list") return read_split_list(text);
  if (parser == "json") return read_json(text);
  if (parser == "artifact") return read_artifact(bytes);
  if (parser == "tar") return load_all(embed::open_image_tar(shared, "input"));
  if (parser == "idx") return load_all(embed::open_idx(shared, "input", {}, "", {}));
  if (parser == "cifar")
    return load_all(embed::make_cifar({shared}, {"input"}, bytes.size() % 3074 == 0, {}));
  if (parser == "jpeg") return decoded(embed::decode_jpeg(bytes, "input"));
  if (parser == "png") return decoded(embed::decode_png(bytes, "input"));
  if (parser == "decisions") return read_decision_file(bytes);
  if (parser == "truth") return read_truth_file(bytes);
  if (parser == "trace") return read_trace_file(bytes);
  if (parser == "model") return read_model_file(bytes);
  if (parser == "state") return read_state_file(bytes);
  if (parser == "tokenizer") return read_tokenizer(text);
  if (parser == "text_config") return read_text_config(text);
  if (parser == "image_config") return read_image_config(text);
  if (parser == "text_rows") return read_text_table(text);
  if (parser == "text_weights") return read_text_weights(bytes);
  assert(parser == "webp");
  return decoded(embed::decode_webp(bytes, "input"));
}

std::vector<Seed> made_seeds(std::string_view parser) {
  std::vector<Seed> seeds;
  if (parser == "model") {
    for (const char* method : {"leader", "mirror", "paco"})
      seeds.push_back({method, model_to_bytes(small_model(method)).value()});
  } else if (parser == "state") {
    const auto method = make_method("paco", state_model()).value();
    const auto add = [&](const char* name) { seeds.push_back({name, method->save().value()}); };
    add("empty");
    decide_some(*method);
    add("decided");
    Edit rename;
    rename.to_text = "owl";
    if (method->editor().apply({&rename, 1}, nullptr).ok()) add("renamed");
  }
  return seeds;
}

}  // namespace paco::fuzz
