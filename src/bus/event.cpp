#include "bus/event.hpp"

#include <fmt/format.h>

#include <cstring>

#include "bus/bytes.hpp"

namespace paco::bus {
namespace {

constexpr std::string_view kEventMagic = "paco";
constexpr std::uint8_t kEventVersion = 1;
enum Kind : std::uint8_t { sample_kind = 1, operation_kind = 2 };

void begin(ByteWriter& out, Kind kind) {
  out.bytes(kEventMagic.data(), kEventMagic.size());
  out.number(kEventVersion);
  out.number(static_cast<std::uint8_t>(kind));
}

Error damaged(std::string_view what) {
  return {ErrorCode::bad_format, fmt::format("is a damaged message: {}", what),
          "only 'paco bus publish', 'paco bus embed' and 'paco serve --bus' write to this subject"};
}

Result<Event> parse_sample(ByteReader& in) {
  SampleEvent sample;
  sample.key = in.text();
  sample.id = in.text();
  sample.attributes = in.text();
  sample.picture = in.text();
  const auto width = in.number<std::uint8_t>();
  if (!in.ok()) return damaged("its names end too early");
  if (sample.key.empty() || sample.key.size() > kMostKey)
    return damaged(
        fmt::format("a key of {} bytes, 1 to {} are allowed", sample.key.size(), kMostKey));
  if (sample.id.size() > kMostId)
    return damaged(fmt::format("an id of {} bytes, {} are allowed", sample.id.size(), kMostId));
  if ((width != 4 && width != 8) || in.left() % width != 0)
    return damaged(fmt::format("{} bytes of numbers of {} bytes", in.left(), width));
  sample.embedding.resize(in.left() / width);
  const std::string_view raw = in.bytes(in.left());
  if (width == 4) {
    for (std::size_t i = 0; i < sample.embedding.size(); ++i) {
      float value = 0;
      std::memcpy(&value, raw.data() + i * sizeof value, sizeof value);
      sample.embedding[i] = value;
    }
  } else if (!raw.empty()) {
    std::memcpy(sample.embedding.data(), raw.data(), raw.size());
  }
  return Event(std::move(sample));
}

}  // namespace

std::string event_bytes(const SampleEvent& sample, bool narrow) {
  std::string bytes;
  bytes.reserve(64 + sample.key.size() + sample.id.size() + sample.attributes.size() +
                sample.picture.size() + sample.embedding.size() * (narrow ? 4 : 8));
  ByteWriter out(bytes);
  begin(out, sample_kind);
  out.text(sample.key);
  out.text(sample.id);
  out.text(sample.attributes);
  out.text(sample.picture);
  out.number(static_cast<std::uint8_t>(narrow ? 4 : 8));
  if (narrow) {
    std::vector<float> numbers(sample.embedding.begin(), sample.embedding.end());
    out.bytes(numbers.data(), numbers.size() * sizeof(float));
  } else {
    out.bytes(sample.embedding.data(), sample.embedding.size() * sizeof(double));
  }
  return bytes;
}

std::string event_bytes(const OperationEvent& operation) {
  std::string bytes;
  ByteWriter out(bytes);
  begin(out, operation_kind);
  out.text(operation.json);
  return bytes;
}

Result<Event> parse_event(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.bytes(kEventMagic.size()) != kEventMagic || !in.ok()) {
    return Error{ErrorCode::bad_format,
                 fmt::format("is a foreign message of {} bytes", bytes.size()),
                 "only paco writes to this subject; see who else has the right to"};
  }
  const auto version = in.number<std::uint8_t>();
  if (version != kEventVersion) {
    return Error{
        ErrorCode::unsupported,
        fmt::format("is a message of version {}, {} is understood", version, kEventVersion),
        "run the same version of paco everywhere"};
  }
  const auto kind = in.number<std::uint8_t>();
  if (kind == sample_kind) return parse_sample(in);
  if (kind != operation_kind) return damaged(fmt::format("of kind {}", kind));
  OperationEvent operation{std::string(in.text())};
  if (!in.ok() || in.left() > 0) return damaged("an operation of another length than it says");
  return Event(std::move(operation));
}

}  // namespace paco::bus
