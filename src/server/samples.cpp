#include "server/samples.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "embed/text/text_rows.hpp"
#include "io/json.hpp"
#include "io/npy.hpp"

namespace paco::server {
namespace {

constexpr const char* kShape =
    R"({"samples": [{"embedding": [0.1, ...], "key": "a1"}]}, or one sample a line)";

// Reads JSON from front to back. After the first error every call fails, and `fault` has the error.
class Reader {
 public:
  explicit Reader(std::string_view text)
      : begin_(text.data()), at_(begin_), end_(at_ + text.size()) {}

  std::optional<Error> fault;

  bool fail(std::string what) {
    if (!fault) {
      fault =
          Error{ErrorCode::bad_format, fmt::format("{} at byte {}", what, at_ - begin_), kShape};
    }
    return false;
  }
  void skip_space() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == end_;
  }
  bool peek(char c) {
    skip_space();
    return at_ < end_ && *at_ == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }
  bool expect(char c) { return take(c) || fail(fmt::format("'{}' is missing", c)); }

  // After an element of a list or object: true if another one follows, false at the end.
  bool more(char close, bool& failed) {
    if (take(',')) return true;
    failed = !expect(close);
    return false;
  }

  bool number(double& value) {
    skip_space();
    const char first = at_ < end_ ? *at_ : ' ';
    // from_chars also accepts inf and nan, which JSON does not have.
    if (first != '-' && (first < '0' || first > '9')) return fail("a number is missing");
    const auto [next, status] = std::from_chars(at_, end_, value);
    if (status == std::errc::result_out_of_range) return fail("a number is too large or too small");
    if (status != std::errc{} || !std::isfinite(value)) return fail("a number is missing");
    at_ = next;
    return true;
  }

  // Returns the text of any value, with a limit on its depth. Its syntax is checked when it is
  // parsed.
  bool raw(std::string_view& text) {
    skip_space();
    const char* const start = at_;
    int depth = 0;
    bool quoted = false;
    for (; at_ < end_; ++at_) {
      const char c = *at_;
      if (quoted) {
        if (c == '\\') ++at_;
        quoted = c != '"';
        continue;
      }
      if (c == '"') quoted = true;
      if (c == '[' || c == '{') ++depth;
      if (depth > 4) return fail("values nest too deep");
      if (depth == 0 && (c == ',' || c == ']' || c == '}')) break;
      if (c == ']' || c == '}') --depth;
      if (depth == 0 && (c == ']' || c == '}' || c == '\n')) {
        at_ += c != '\n';
        break;
      }
    }
    if (at_ > end_) at_ = end_;
    text = {start, static_cast<std::size_t>(at_ - start)};
    return !text.empty() || fail("a value is missing");
  }

  // Reads a text of at most `limit` bytes. A text without escapes is copied as it is.
  bool text(std::string& out, std::size_t limit, std::string_view what) {
    if (!expect('"')) return false;
    const char* const start = at_;
    bool plain = true;
    while (at_ < end_ && *at_ != '"') {
      const auto c = static_cast<unsigned char>(*at_);
      plain = plain && c != '\\' && c >= 0x20 && c < 0x80;
      at_ += c == '\\' ? 2 : 1;
    }
    if (at_ >= end_) {
      at_ = end_;
      return fail("a text does not end");
    }
    ++at_;
    if (plain) {
      out.assign(start, at_ - 1);
    } else {
      const auto parsed = nlohmann::json::parse(start - 1, at_, nullptr, false);
      if (!parsed.is_string()) return fail("a text is no UTF-8 or badly escaped");
      out = parsed.get<std::string>();
    }
    if (out.size() > limit)
      return fail(fmt::format("a {} of {} bytes, at most {} are taken", what, out.size(), limit));
    if (out.find('\0') != std::string::npos) return fail(fmt::format("a {} with a zero", what));
    return true;
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
};

// Extends a list only when a sample has a value for it.
void put(std::vector<std::string>& list, std::size_t row, std::string value) {
  list.resize(row);
  list.push_back(std::move(value));
}

std::optional<Error> check_attributes(std::string_view raw, const SampleLimits& limits,
                                      std::string& out) {
  auto parsed = io::parse_json<nlohmann::ordered_json>(raw, "'attributes'");
  if (!parsed.ok()) return parsed.error();
  bool flat = parsed->is_object();
  for (const auto& item : *parsed) flat = flat && item.is_primitive();
  if (!flat) {
    return Error{ErrorCode::bad_format, "'attributes' is no flat object",
                 R"(texts, numbers and booleans by name: {"camera": "north"})"};
  }
  out = parsed->dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (out.size() > limits.attributes) {
    return Error{ErrorCode::bad_value,
                 fmt::format("'attributes' of {} bytes, at most {} are taken", out.size(),
                             limits.attributes),
                 "send fewer, and keep the rest where you can find it by the key"};
  }
  if (out == "{}") out.clear();
  return std::nullopt;
}

std::optional<Error> check_picture(const std::string& text, const SampleLimits& limits,
                                   std::string& out) {
  const auto bytes = from_base64(text);
  if (!bytes) {
    return Error{ErrorCode::bad_format, "'picture' is no base64", "standard digits, with padding"};
  }
  const auto pixels = picture_pixels(*bytes);
  if (!pixels) {
    return Error{ErrorCode::bad_format, "'picture' is no JPEG, PNG or WebP file",
                 "send a small picture of one of these kinds"};
  }
  if (bytes->size() > limits.picture || *pixels > limits.pixels) {
    return Error{ErrorCode::bad_value,
                 fmt::format("a picture of {} bytes and {} pixels, at most {} and {} are taken",
                             bytes->size(), *pixels, limits.picture, limits.pixels),
                 "send a thumbnail"};
  }
  out = *bytes;
  return std::nullopt;
}

// Checks what the header of the file says, before anything is decoded.
std::optional<Error> check_image(const std::string& file, const SampleLimits& limits) {
  const auto pixels = picture_pixels(file);
  if (!pixels) {
    return Error{ErrorCode::bad_format, "the image is no JPEG, PNG or WebP file",
                 "send a file of one of these kinds as it is"};
  }
  if (file.size() <= limits.image && *pixels <= limits.image_pixels) return std::nullopt;
  return Error{ErrorCode::bad_value,
               fmt::format("an image of {} bytes and {} pixels, at most {} and {} are taken",
                           file.size(), *pixels, limits.image, limits.image_pixels),
               "send a smaller one"};
}

class SampleReader {
 public:
  SampleReader(Reader& reader, std::size_t dimension, const SampleLimits& limits, Samples& out)
      : reader_(reader), limits_(limits), out_(out) {
    out_.dimension = dimension;
  }

  // Reads one object; false if it has an error.
  bool read() {
    if (out_.rows >= limits_.samples) {
      reader_.fault = Error{ErrorCode::bad_shape,
                            fmt::format("more than {} samples in one request", limits_.samples),
                            "send them in several"};
      return false;
    }
    if (!reader_.expect('{')) return false;
    has_embedding_ = false;
    bool failed = false;
    if (!reader_.take('}')) {
      do {
        if (!member()) return false;
      } while (reader_.more('}', failed));
    }
    if (failed) return false;
    if (!has_embedding_) return fail(ErrorCode::bad_value, "has no 'embedding'", kShape);
    if (limits_.labels && (out_.labels.size() <= out_.rows || out_.labels.back().empty()))
      return fail(ErrorCode::bad_value, "has no 'label'", "give the name of its class");
    ++out_.rows;
    return true;
  }
  // Extends all lists to the number of rows.
  void finish() {
    for (auto* list :
         {&out_.keys, &out_.ids, &out_.attributes, &out_.pictures, &out_.images, &out_.texts}) {
      if (!list->empty()) list->resize(out_.rows);
    }
  }

 private:
  bool fail(ErrorCode code, std::string message, std::string hint) {
    reader_.fault = Error{code, std::move(message), std::move(hint)};
    return false;
  }
  bool fail(std::optional<Error> error) {
    reader_.fault = std::move(error);
    return !reader_.fault;
  }

  bool member() {
    if (!reader_.text(name_, 32, "name") || !reader_.expect(':')) return false;
    if (name_ == "embedding") return embedding();
    std::string value;
    if (name_ == "key") {
      if (!reader_.text(value, limits_.key, "key")) return false;
      put(out_.keys, out_.rows, std::move(value));
      return true;
    }
    if (name_ == "id") {
      if (!reader_.text(value, limits_.id, "id")) return false;
      put(out_.ids, out_.rows, std::move(value));
      return true;
    }
    if (name_ == "label" && limits_.labels) {
      if (!reader_.text(value, limits_.key, "label")) return false;
      put(out_.labels, out_.rows, std::move(value));
      return true;
    }
    if (name_ == "attributes") {
      std::string_view raw;
      if (!reader_.raw(raw) || !fail(check_attributes(raw, limits_, value))) return false;
      put(out_.attributes, out_.rows, std::move(value));
      return true;
    }
    if (name_ == "picture") {
      std::string text;
      if (!reader_.text(text, limits_.picture / 3 * 4 + 4, "picture") ||
          !fail(check_picture(text, limits_, value))) {
        return false;
      }
      put(out_.pictures, out_.rows, std::move(value));
      return true;
    }
    if (name_ == "image") return image();
    if (name_ == "text") return text();
    return fail(ErrorCode::bad_argument, fmt::format("has an unknown '{}'", name_),
                "embedding, image or text, key, id, attributes, picture");
  }

  bool image() {
    if (has_embedding_)
      return fail(ErrorCode::bad_format, "has two of embedding, image and text", "");
    has_embedding_ = true;
    std::string text;
    if (!reader_.text(text, limits_.image / 3 * 4 + 4, "image")) return false;
    auto file = from_base64(text);
    if (!file) {
      return fail(ErrorCode::bad_format, "has an 'image' that is no base64",
                  "standard digits, with padding");
    }
    if (!fail(check_image(*file, limits_))) return false;
    put(out_.images, out_.rows, std::move(*file));
    out_.embeddings.resize(out_.embeddings.size() + out_.dimension);
    return true;
  }

  bool text() {
    if (has_embedding_)
      return fail(ErrorCode::bad_format, "has two of embedding, image and text", "");
    has_embedding_ = true;
    std::string text;
    if (!reader_.text(text, limits_.text, "text")) return false;
    if (const std::string fault = embed::text_fault(text); !fault.empty())
      return fail(ErrorCode::bad_value, fmt::format("cannot be embedded: {}", fault),
                  "leave it out");
    put(out_.texts, out_.rows, std::move(text));
    out_.embeddings.resize(out_.embeddings.size() + out_.dimension);
    return true;
  }

  bool embedding() {
    if (has_embedding_)
      return fail(ErrorCode::bad_format, "has two of embedding, image and text", "");
    has_embedding_ = true;
    if (!reader_.expect('[')) return false;
    const std::size_t before = out_.embeddings.size();
    bool failed = false;
    if (!reader_.take(']')) {
      do {
        double value = 0;
        if (!reader_.number(value)) return false;
        if (out_.embeddings.size() - before > out_.dimension) break;
        out_.embeddings.push_back(value);
      } while (reader_.more(']', failed));
    }
    if (failed) return false;
    const std::size_t count = out_.embeddings.size() - before;
    if (count == out_.dimension) return true;
    return fail(
        ErrorCode::bad_shape,
        fmt::format("has {} values, the model expects {}",
                    count > out_.dimension ? "more" : std::to_string(count), out_.dimension),
        "embed support set and stream with the same backbone");
  }

  Reader& reader_;
  const SampleLimits& limits_;
  Samples& out_;
  std::string name_;
  bool has_embedding_ = false;
};

BadSample bad_row(const Error& error, std::size_t row) {
  return {{error.code, fmt::format("sample {} {}", row, error.message), error.hint}, row};
}

std::optional<BadSample> none_sent() {
  return BadSample{{ErrorCode::bad_shape, "the request holds no sample", kShape}, std::nullopt};
}

}  // namespace

std::optional<BadSample> read_json_samples(std::string_view text, std::size_t dimension,
                                           const SampleLimits& limits, Samples& out) {
  Reader reader(text);
  SampleReader samples(reader, dimension, limits, out);
  std::string name;
  bool failed = false;
  if (!reader.expect('{') || !reader.text(name, 32, "name") || !reader.expect(':'))
    return BadSample{*reader.fault, std::nullopt};
  if (name != "samples") {
    return BadSample{{ErrorCode::bad_argument, fmt::format("an unknown '{}'", name), kShape},
                     std::nullopt};
  }
  if (!reader.expect('[')) return BadSample{*reader.fault, std::nullopt};
  if (reader.take(']')) return none_sent();
  do {
    if (!samples.read()) return bad_row(*reader.fault, out.rows);
  } while (reader.more(']', failed));
  if (failed || !reader.expect('}') || (!reader.at_end() && !reader.fail("something follows")))
    return BadSample{*reader.fault, std::nullopt};
  samples.finish();
  return std::nullopt;
}

std::optional<BadSample> read_line_samples(std::string_view text, std::size_t dimension,
                                           const SampleLimits& limits, Samples& out) {
  Reader reader(text);
  SampleReader samples(reader, dimension, limits, out);
  while (!reader.at_end()) {
    if (!samples.read()) return bad_row(*reader.fault, out.rows);
  }
  if (out.rows == 0) return none_sent();
  samples.finish();
  return std::nullopt;
}

std::optional<BadSample> read_image_sample(std::string file, std::size_t dimension,
                                           const std::string& key, const std::string& id,
                                           const SampleLimits& limits, Samples& out) {
  if (key.size() > limits.key || id.size() > limits.id) {
    return BadSample{{ErrorCode::bad_argument,
                      fmt::format("a key of {} and an id of {} bytes, at most {} and {} are taken",
                                  key.size(), id.size(), limits.key, limits.id),
                      "choose shorter ones"},
                     std::nullopt};
  }
  if (auto error = check_image(file, limits)) return BadSample{std::move(*error), 0};
  out.rows = 1;
  out.dimension = dimension;
  out.embeddings.resize(dimension);
  if (!key.empty()) out.keys = {key};
  if (!id.empty()) out.ids = {id};
  out.images.push_back(std::move(file));
  return std::nullopt;
}

std::optional<BadSample> read_npy_samples(std::string_view bytes, std::size_t dimension,
                                          const std::string& key_prefix, std::uint64_t key_first,
                                          const SampleLimits& limits, Samples& out) {
  if (key_prefix.size() > limits.key) {
    return BadSample{{ErrorCode::bad_argument,
                      fmt::format("a key prefix of {} bytes, at most {} are taken",
                                  key_prefix.size(), limits.key),
                      "choose a shorter one"},
                     std::nullopt};
  }
  io::ByteStream stream = io::ByteStream::from_bytes(std::as_bytes(std::span(bytes)), "the body");
  auto array = io::read_npy<double>(stream);
  if (!array.ok()) return BadSample{array.error(), std::nullopt};
  const bool is_vector = array->shape.size() == 1;
  if ((!is_vector && array->shape.size() != 2) || array->shape.back() != dimension) {
    return BadSample{{ErrorCode::bad_shape,
                      fmt::format("the array is {}, the model expects rows of {}",
                                  io::shape_text(array->shape), dimension),
                      "embed support set and stream with the same backbone"},
                     std::nullopt};
  }
  out.rows = is_vector ? 1 : static_cast<std::size_t>(array->shape[0]);
  out.dimension = dimension;
  if (out.rows == 0) return none_sent();
  if (out.rows > limits.samples) {
    return BadSample{
        {ErrorCode::bad_shape,
         fmt::format("{} samples, at most {} in one request", out.rows, limits.samples),
         "send them in several"},
        std::nullopt};
  }
  out.embeddings = std::move(array->data);
  if (key_prefix.empty()) return std::nullopt;
  for (std::size_t i = 0; i < out.rows; ++i)
    out.keys.push_back(fmt::format("{}{}", key_prefix, key_first + i));
  return std::nullopt;
}

}  // namespace paco::server
