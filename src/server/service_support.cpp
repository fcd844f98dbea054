// Calls about support sets: labelled embeddings, or labelled samples that this server embeds, and
// the calibration that creates a stream from them.
#include <fmt/format.h>

#include "core/try.hpp"
#include "io/embeddings.hpp"
#include "io/json.hpp"
#include "io/labels.hpp"
#include "server/embedding_queue.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

namespace paco::server {
namespace {

struct CalibrationRequest {
  CalibrationOptions options;
  std::optional<Support> support;
};

Result<void> read_support(const Json& json, CalibrationRequest& out) {
  if (!json.is_object() || !json.contains("embeddings") || !json.contains("labels") ||
      json.size() != 2) {
    return Error{ErrorCode::bad_argument, "'support' has not exactly 'embeddings' and 'labels'",
                 R"({"embeddings": [[...], ...], "labels": ["wren", ...]})"};
  }
  // Parse both as files are parsed, for the same error messages.
  std::string lines;
  for (const Json& row : json["embeddings"]) lines += row.dump() + "\n";
  PACO_ASSIGN(const auto source,
              io::open_embeddings(std::as_bytes(std::span(lines)), "'embeddings'"));
  Support& support = out.support.emplace();
  PACO_ASSIGN(support.embeddings, io::read_embeddings(*source));
  const std::string list = json["labels"].dump();
  PACO_ASSIGN(io::Labels labels, io::parse_labels(std::as_bytes(std::span(list)), "'labels'"));
  support.labels = std::move(labels.ids);
  support.names = std::move(labels.names);
  return {};
}

// "method", "embeddings" and "durability" as texts, for new_stream().
using Words = std::map<std::string, std::string>;

Result<CalibrationRequest> calibration_request(const std::string& body, Words& words) {
  CalibrationRequest out;
  PACO_ASSIGN(const Json json, io::parse_json<Json>(body.empty() ? "{}" : body, "the body"));
  if (!json.is_object()) return Error{ErrorCode::bad_format, "the body is no JSON object", ""};
  words = {{"method", "paco"}, {"embeddings", "all"}, {"durability", "full"}};
  for (const auto& [key, value] : json.items()) {
    const std::string text = value.is_string()
                                 ? value.get<std::string>()
                                 : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (words.contains(key)) {
      words[key] = text;
    } else if (key == "false_new") {
      if (!value.is_number() || !(value.get<double>() > 0 && value.get<double>() < 1)) {
        return Error{ErrorCode::bad_argument, fmt::format("false_new {}: not a rate", text),
                     "a fraction between 0 and 1: 0.01"};
      }
      out.options.false_new = value.get<double>();
    } else if (key == "settings" && value.is_object()) {
      for (const auto& [name, setting] : value.items())
        out.options.settings[name] =
            setting.is_string() ? setting.get<std::string>() : setting.dump();
    } else if (key == "support") {
      PACO_TRY(read_support(value, out));
    } else {
      return Error{ErrorCode::bad_argument, fmt::format("an unknown or ill-formed '{}'", key),
                   "method, settings, false_new, embeddings, durability, support"};
    }
  }
  out.options.method = words["method"];
  PACO_TRY(method_info(words["method"]));
  return out;
}

// Refuses a support set for a stream that exists and is ready.
std::optional<Response> refuse_live(const Call& call) {
  if (call.stream == nullptr || !call.stream->ready()) return std::nullopt;
  return failure(409, "conflict", "the stream lives already", "choose another name");
}

}  // namespace

// `embeddings`: "all", "none" or a number; `durability`: "full" or "relaxed".
Result<NewStream> Service::new_stream(const std::string& method, const std::string& embeddings,
                                      const std::string& durability) {
  NewStream out;
  out.method = method;
  if (embeddings == "none") {
    out.journal.embeddings = 0;
  } else if (embeddings != "all") {
    PACO_ASSIGN(const std::uint64_t count, number_of(embeddings, "number of embeddings"));
    out.journal.embeddings = count;
  }
  if (durability != "full" && durability != "relaxed") {
    return Error{ErrorCode::bad_argument, fmt::format("durability '{}'", durability),
                 "full or relaxed"};
  }
  if (durability == "relaxed") out.journal.durability = JournalOptions::Durability::relaxed;
  return out;
}

Response Service::put_support(Call& call) {
  if (auto taken = refuse_live(call)) return std::move(*taken);
  const auto source =
      io::open_embeddings(std::as_bytes(std::span(call.request().body)), "the body");
  if (!source.ok()) return failure(source.error());
  auto rows = io::read_embeddings(**source);
  if (!rows.ok()) return failure(rows.error());
  const Json json{{"rows", rows->rows()}, {"dimension", rows->columns()}};
  const auto done = support_sets_.put_embeddings(call.places[0], std::move(rows).value());
  return done.ok() ? answer(json) : failure(done.error());
}

Response Service::put_labels(Call& call) {
  if (auto taken = refuse_live(call)) return std::move(*taken);
  auto labels = io::parse_labels(std::as_bytes(std::span(call.request().body)), "the body");
  if (!labels.ok()) return failure(labels.error());
  const Json json{{"rows", labels->ids.size()}, {"classes", labels->names.size()}};
  const auto done = support_sets_.put_labels(call.places[0], std::move(labels).value());
  return done.ok() ? answer(json) : failure(done.error());
}

void Service::post_support(Call call) {
  const auto exchange = call.exchange;
  const auto refuse = [&](Response response) {
    exchange->answer([response = std::move(response)] { return response; });
  };
  if (auto taken = refuse_live(call)) return refuse(std::move(*taken));
  if (options_.encoder == nullptr) {
    return refuse(failure(415, "unsupported", "this server has no encoder",
                          "start it with 'paco serve --encoder', or send embeddings and labels"));
  }
  auto samples = std::make_shared<Samples>();
  SampleLimits limits = options_.samples;
  limits.labels = true;
  const std::size_t dimension = options_.encoder->record().dimension;
  if (const auto bad = read_json_samples(call.request().body, dimension, limits, *samples))
    return refuse(failure(*bad));
  exchange->request.body = {};
  if (auto refusal = refuse_wrong_kind(!samples->images.empty(), !samples->texts.empty()))
    return refuse(std::move(*refusal));
  embed_all(std::move(call), std::move(samples), [this](Call done, std::shared_ptr<Samples> all) {
    const auto held = support_sets_.add(done.places[0], *all, options_.encoder->record(),
                                        done.text("anew") == "1");
    done.exchange->answer([held] {
      return held.ok() ? answer(Json{{"rows", held->rows}, {"classes", held->classes}})
                       : failure(held.error());
    });
  });
}

Response Service::calibrate_stream(Call& call) {
  const std::string& name = call.places[0];
  Words words;
  auto request = calibration_request(call.request().body, words);
  if (!request.ok()) return failure(request.error());
  auto settings = new_stream("", words["embeddings"], words["durability"]);
  if (!settings.ok()) return failure(settings.error());
  Result<Support> taken =
      request->support ? std::move(*request->support) : support_sets_.take(name);
  if (!taken.ok()) return failure(taken.error());
  auto support = std::make_shared<Support>(std::move(taken).value());
  if (support->embeddings.rows() != support->labels.size()) {
    return failure(400, "bad_shape",
                   fmt::format("{} embeddings with {} labels", support->embeddings.rows(),
                               support->labels.size()),
                   "give one label for every row");
  }
  settings->journal.support_pictures = std::move(support->pictures);
  const auto begun = streams_.calibrate(name, std::move(support), request->options, *settings);
  if (!begun.ok()) return failure(begun.error());
  return answer(stream_json(**begun), 202);
}

}  // namespace paco::server
