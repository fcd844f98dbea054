// Calls about the server itself: the user, health, statistics, the API description and the page.
#include <fmt/format.h>

#include "server/embedding_queue.hpp"
#include "server/gzip.hpp"
#include "server/page.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

namespace paco::server {

namespace {

// The encoder of images or texts as JSON, or null.
Json encoder_json(const ServiceOptions& options) {
  if (options.encoder == nullptr) return nullptr;
  Json json = embedding_json(options.encoder->record());
  json["kind"] = options.encoder->takes_texts() ? "texts" : "images";
  return json;
}

}  // namespace

Response Service::server(Call& call) {
  Json methods = Json::array();
  for (const std::string& name : method_names()) {
    const auto info = method_info(name);
    if (!info.ok()) continue;
    Json options = Json::array();
    for (const MethodOption& option : (*info)->options) {
      options.push_back(
          {{"name", option.name}, {"default", option.preset}, {"meaning", option.meaning}});
    }
    methods.push_back(
        {{"name", name}, {"summary", (*info)->summary}, {"options", std::move(options)}});
  }
  const bool tokens = this->tokens() != nullptr;
  return answer(Json{{"version", options_.version},
                     {"page", !page_text().empty()},
                     {"user",
                      {{"name", call.user != nullptr ? call.user->name() : "local"},
                       {"role", call.user != nullptr ? role_name(call.user->role()) : "operate"}}},
                     {"tokens", tokens},
                     {"streams", streams_of(call).size()},
                     {"limits",
                      {{"body", options_.body_bytes},
                       {"upload", options_.upload_bytes},
                       {"samples", options_.samples.samples},
                       {"picture", options_.samples.picture},
                       {"attributes", options_.samples.attributes},
                       {"image", options_.samples.image},
                       {"image_pixels", options_.samples.image_pixels}}},
                     {"encoder", encoder_json(options_)},
                     {"methods", std::move(methods)}});
}

Response Service::health(Call&) { return answer(Json{{"status", "ok"}}); }

Response Service::readiness(Call&) {
  // A damaged stream stays damaged; it must not take the others out of service.
  Json waiting = Json::object();
  bool is_opening = false;
  for (const auto& stream : streams_.all()) {
    const StreamState state = stream->status().state;
    if (state == StreamState::opening || state == StreamState::failed)
      waiting[stream->name()] = stream_state_name(state);
    is_opening = is_opening || state == StreamState::opening;
  }
  Json json = {{"status", is_opening ? "opening" : "ready"}};
  if (!waiting.empty()) json["streams"] = std::move(waiting);
  return answer(json, is_opening ? 503 : 200);
}

Response Service::description(Call&) {
  Response response;
  response.body = openapi(options_.version);
  return response;
}

Response Service::page(Call& call) {
  Response response;
  if (page_text().empty()) {
    return failure(404, "not_found", "this server was built without its page",
                   "node and npm were not there when it was built; all calls below /v1 work");
  }
  // The page differs between builds; browsers use the ETag to check whether theirs is current.
  response.headers.emplace_back("Cache-Control", "no-cache");
  response.headers.emplace_back("Vary", "Accept-Encoding");
  response.headers.emplace_back("ETag", std::string(page_tag()));
  if (call.request().if_none_match.find(page_tag()) != std::string::npos) {
    response.status = 304;
    return response;
  }
  response.type = "text/html; charset=utf-8";
  response.headers.emplace_back("Content-Security-Policy", std::string(page_policy()));
  if (!call.request().takes_gzip) {
    response.body = page_text();
    return response;
  }
  static const std::string compressed = gzip(page_text(), 9);
  response.body = compressed;
  response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

}  // namespace paco::server
