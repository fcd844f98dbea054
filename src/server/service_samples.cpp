// Calls that decide samples and show them.
#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "insight/directions.hpp"
#include "math/matrix.hpp"
#include "methods/common/standardise.hpp"
#include "server/embedding_queue.hpp"
#include "server/service.hpp"
#include "server/views.hpp"
#include "session/journal_rows.hpp"

namespace paco::server {
namespace {

constexpr int kMostImageRequests = 64;  // that may wait at a time
constexpr std::size_t kMostNeighbours = 8;
constexpr std::uint64_t kLookedAt = 2000;  // newest samples searched for neighbours

bool is_image(const std::string& type) {
  return type == "image/jpeg" || type == "image/png" || type == "image/webp";
}

std::optional<BadSample> read_samples(Call& call, const SampleLimits& limits, Samples& out) {
  Request& request = call.exchange->request;
  const std::size_t dimension = call.stream->model().dimension;
  const std::string& type = request.content_type;
  if (is_image(type)) {
    return read_image_sample(std::move(request.body), dimension, call.text("key"), call.text("id"),
                             limits, out);
  }
  if (type == "application/x-npy") {
    const auto first = whole(call, "key_first", 0, std::uint64_t{1} << 62);
    if (!first.ok()) return BadSample{first.error(), std::nullopt};
    return read_npy_samples(request.body, dimension, call.text("key_prefix"), *first, limits, out);
  }
  if (type == "application/jsonl" || type == "application/x-ndjson")
    return read_line_samples(request.body, dimension, limits, out);
  return read_json_samples(request.body, dimension, limits, out);
}

bool takes(const std::string& type) {
  return type.empty() || type == "application/json" || type == "application/x-npy" ||
         type == "application/jsonl" || type == "application/x-ndjson" || is_image(type);
}

// Checks each row as the model will.
std::optional<BadSample> check_rows(const Samples& samples, const Model& model) {
  for (std::size_t i = 0; i < samples.rows; ++i) {
    const auto fault = methods::row_fault(samples.view()[i], model.mean, model.deviation);
    if (!fault) continue;
    return BadSample{{fault->code, fmt::format("sample {} {}", i, fault->message), fault->hint}, i};
  }
  return std::nullopt;
}

Json neighbours(Stream& stream, std::uint64_t sequence, std::span<const float> unit,
                const MemoryView& view) {
  const std::size_t d = stream.model().dimension;
  const std::uint64_t from = view.samples > kLookedAt ? view.samples - kLookedAt : 0;
  const auto count = static_cast<std::size_t>(view.samples - from);
  std::vector<double> raw(count * d);
  const auto kept =
      stream.read([&](journal::JournalReader& journal) { return journal.embeddings(from, raw); });
  Json list = Json::array();
  if (!kept.ok() || !*kept) return list;
  math::Matrix<float> units(count, d);
  if (!stream.space().apply({raw.data(), count, d}, units.view())) return list;
  std::vector<std::pair<double, std::uint64_t>> found;
  for (std::size_t i = 0; i < count; ++i) {
    if (from + i == sequence) continue;
    double cosine = 0;
    for (std::size_t j = 0; j < d; ++j) cosine += static_cast<double>(units[i][j]) * unit[j];
    found.emplace_back(-cosine, from + i);
  }
  const std::size_t best = std::min(kMostNeighbours, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(best), found.end());
  stream.read([&](journal::JournalReader& journal) {
    for (std::size_t i = 0; i < best; ++i) {
      const auto sample = journal.sample(found[i].second);
      if (!sample.ok() || !*sample) continue;
      Json json = face_json(found[i].second, journal);
      json["cosine"] = -found[i].first;
      json["category"] = (*sample)->category;
      json["name"] = view.categories.name((*sample)->category);
      list.push_back(std::move(json));
    }
  });
  return list;
}

Json near_json(const std::vector<insight::NearCategory>& near, const MemoryView& view) {
  Json list = Json::array();
  for (const insight::NearCategory& one : near) {
    list.push_back({{"category", one.category},
                    {"name", view.categories.name(one.category)},
                    {"cosine", one.cosine}});
  }
  return list;
}

}  // namespace

void Service::post_samples(Call call) {
  const auto exchange = call.exchange;
  const auto refuse = [&](Response response) {
    exchange->answer([response = std::move(response)] { return response; });
  };
  if (!takes(call.request().content_type)) {
    return refuse(failure(415, "unsupported",
                          fmt::format("samples as '{}'", call.request().content_type),
                          "application/json, application/jsonl, application/x-npy, or image/jpeg, "
                          "image/png, image/webp"));
  }
  auto samples = std::make_shared<Samples>();
  if (const auto bad = read_samples(call, options_.samples, *samples)) return refuse(failure(*bad));
  exchange->request.body = {};  // free the memory: only the rows are needed
  const bool images = !samples->images.empty(), texts = !samples->texts.empty();
  if (!images && !texts) return decide(std::move(call), std::move(samples));
  if (auto refusal = refuse_kind(call.stream->model(), images, texts))
    return refuse(std::move(*refusal));
  embed_all(std::move(call), std::move(samples), [this](Call embedded, auto with_embeddings) {
    decide(std::move(embedded), std::move(with_embeddings));
  });
}

void Service::embed_all(Call call, std::shared_ptr<Samples> samples, Next next) {
  if (samples->images.empty() && samples->texts.empty())
    return next(std::move(call), std::move(samples));
  if (++images_waiting_ > kMostImageRequests) {
    --images_waiting_;
    return call.exchange->answer([] {
      return failure(503, "unavailable", "too many images or texts wait already",
                     "send them again in a moment");
    });
  }
  samples->images.resize(samples->rows);
  samples->texts.resize(samples->rows);
  samples->pictures.resize(samples->rows);
  embed_from(0, std::move(call), std::move(samples), std::move(next));
}

// The refusal if this server cannot embed such samples.
std::optional<Response> Service::refuse_wrong_kind(bool images, bool texts) const {
  if (!images && !texts) return std::nullopt;
  if (options_.encoder != nullptr && images != texts && options_.encoder->takes_texts() == texts)
    return std::nullopt;
  return failure(415, "unsupported",
                 fmt::format("this server has no encoder of {}", texts ? "texts" : "images"),
                 "start it with 'paco serve --encoder', or send embeddings");
}

// The refusal if this server cannot embed such samples for a stream of this model.
std::optional<Response> Service::refuse_kind(const Model& model, bool images, bool texts) const {
  const char* const kind = texts ? "texts" : "images";
  if (auto refusal = refuse_wrong_kind(images, texts)) return refusal;
  const EmbeddingRecord& record = options_.encoder->record();
  if (record.dimension != model.dimension) {
    return failure(409, "conflict",
                   fmt::format("the encoder makes {} numbers of a sample, the stream expects {}",
                               record.dimension, model.dimension),
                   "serve it with the encoder that its support set was embedded with");
  }
  if (const auto same = check_embedding(model, record, kind); !same.ok()) {
    return failure(409, "conflict", same.error().message,
                   "serve it with the encoder and the options that its support set was embedded "
                   "with");
  }
  return std::nullopt;
}

void Service::decide(Call call, std::shared_ptr<Samples> samples) {
  const auto exchange = call.exchange;
  const auto refuse = [&](Response response) {
    exchange->answer([response = std::move(response)] { return response; });
  };
  if (const auto bad = check_rows(*samples, call.stream->model())) return refuse(failure(*bad));
  const bool brief = call.text("brief") == "1";
  SampleJob job;
  job.samples = samples;
  job.done = [this, stream = call.stream, exchange, brief,
              begun = call.begun](std::variant<SampleAnswer, BadSample> outcome) {
    stream->answered_after(std::chrono::steady_clock::now() - begun);
    if (const auto* bad = std::get_if<BadSample>(&outcome)) {
      return exchange->answer([bad = *bad] { return failure(bad); });
    }
    auto shared = std::make_shared<SampleAnswer>(std::move(std::get<SampleAnswer>(outcome)));
    samples_ += shared->decisions.size();
    exchange->answer([shared, stream, brief] {
      Response response;
      response.body = decisions_text(*shared, stream->method(), brief);
      return response;
    });
  };
  if (!call.stream->worker().submit(std::move(job))) {
    refuse(failure(503, "unavailable", "too many samples wait already",
                   "send them again in a moment"));
  }
}

Response Service::show_sample(Call& call) {
  Stream& stream = *call.stream;
  const auto sequence = number_of(call.places[1], "sequence number");
  if (!sequence.ok()) return failure(sequence.error());
  const auto view = stream.worker().published()->view;
  const auto sample =
      stream.read([&](journal::JournalReader& journal) { return journal.sample(*sequence); });
  if (!sample.ok()) return failure(sample.error());
  if (!*sample) {
    return failure(404, "not_found", fmt::format("there is no sample {}", *sequence),
                   fmt::format("the stream has {}", view->samples));
  }
  Json json = stream.read(
      [&](journal::JournalReader& journal) { return sample_json(**sample, *view, journal); });
  json["evidence"] = evidence_json((*sample)->evidence, stream.method());
  std::string words;
  stream.worker().ask([&](Session& session) { words = session.method().explain(**sample); });
  json["explanation"] = words;
  json["runner_ups"] = json["neighbours"] = Json::array();
  const std::vector<float> unit = stream.unit_of(*sequence);
  if (!unit.empty()) {
    const auto directions = stream.directions();
    json["runner_ups"] =
        near_json(insight::nearest_categories(*directions, unit, kMostNeighbours), *view);
    json["neighbours"] = neighbours(stream, *sequence, unit, *view);
  }
  return answer(json);
}

Response Service::get_picture(Call& call) {
  const auto sequence = number_of(call.places[1], "sequence number");
  if (!sequence.ok()) return failure(sequence.error());
  const auto extras = call.stream->read(
      [&](journal::JournalReader& journal) { return journal.extras(*sequence, true); });
  if (!extras.ok()) return failure(extras.error());
  return picture_answer(extras->picture, fmt::format("sample {} has no picture", *sequence));
}

}  // namespace paco::server
