// Generates the API description from the table of calls and the shapes in schemas.cpp.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/service.hpp"

namespace paco::server {
namespace {

using Json = nlohmann::ordered_json;

Json reference(std::string_view kind, std::string_view name) {
  return {{"$ref", "#/components/" + std::string(kind) + "/" + std::string(name)}};
}

Json parameters_of(const Route& route) {
  Json list = Json::array();
  std::string_view rest = route.pattern;
  for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const std::size_t close = rest.find('}');
    const std::string name(rest.substr(open + 1, close - open - 1));
    const bool is_text = name == "name" || name == "place";
    list.push_back({{"name", name},
                    {"in", "path"},
                    {"required", true},
                    {"schema", {{"type", is_text ? "string" : "integer"}}}});
    rest.remove_prefix(close + 1);
  }
  for (const Parameter& parameter : route.query) {
    list.push_back({{"name", parameter.name},
                    {"in", "query"},
                    {"description", parameter.meaning},
                    {"schema", {{"type", parameter.type}}}});
  }
  return list;
}

Json binary() { return {{"type", "string"}, {"format", "binary"}}; }

Json body_of(const Route& route) {
  Json content;
  content[std::string(route.body)] = {
      {"schema", route.body_schema.empty() ? binary() : reference("schemas", route.body_schema)}};
  if (route.body_schema == "Samples") {
    for (const char* type :
         {"application/jsonl", "application/x-npy", "image/jpeg", "image/png", "image/webp"})
      content[type] = {{"schema", binary()}};
  }
  return {{"required", true}, {"content", std::move(content)}};
}

// JSON bodies by the name of their shape, other bodies by their media type.
Json answer_of(const Route& route) {
  Json out = {{"description", "done"}};
  std::string_view rest = route.answer;
  while (!rest.empty()) {
    const std::string word(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    const bool is_shape = word.find('/') == std::string::npos;
    out["content"][is_shape ? "application/json" : word] = {
        {"schema", is_shape ? reference("schemas", word) : binary()}};
  }
  return out;
}

Json responses_of(const Route& route) {
  Json out = {{std::to_string(route.success), answer_of(route)}};
  if (route.verb == Verb::remove) out["204"] = {{"description", "done, nothing is left to say"}};
  const auto refused = [&](const char* status) { out[status] = reference("responses", "Error"); };
  refused("400");
  if (route.role != Role::none) {
    for (const char* status : {"401", "403", "429"}) refused(status);
  }
  if (route.pattern.find('{') != std::string_view::npos) refused("404");
  if (route.needs != Route::Needs::nothing || route.verb != Verb::get) refused("409");
  if (!route.body.empty()) {
    for (const char* status : {"413", "415"}) refused(status);
  }
  out["default"] = reference("responses", "Error");
  return out;
}

Json operation_of(const Route& route) {
  Json out = {{"operationId", route.operation},
              {"summary", route.summary},
              {"parameters", parameters_of(route)}};
  if (!route.body.empty()) out["requestBody"] = body_of(route);
  out["responses"] = responses_of(route);
  if (route.role == Role::none) {
    out["security"] = Json::array();
  } else {
    out["x-role"] = role_name(route.role);
  }
  return out;
}

}  // namespace

std::string openapi(const std::string& version) {
  Json paths = Json::object();
  for (const Route& route : routes()) {
    std::string verb = lower(verb_text(route.verb));
    paths[std::string(route.pattern)][verb] = operation_of(route);
  }
  const Json json = {
      {"openapi", "3.0.3"},
      {"info", {{"title", "paco serve"}, {"version", version}}},
      {"servers", Json::array({{{"url", "/"}, {"description", "the server that answers this"}}})},
      {"security", Json::array({{{"token", Json::array()}}})},
      {"paths", std::move(paths)},
      {"components",
       {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
        {"schemas", schemas()},
        {"responses",
         {{"Error",
           {{"description", "what is wrong, and what to do"},
            {"content", {{"application/json", {{"schema", reference("schemas", "Error")}}}}}}}}}}}};
  return json.dump();
}

}  // namespace paco::server
