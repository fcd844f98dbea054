// The description of the interface, made of the table of calls.
#include <nlohmann/json.hpp>

#include "server/service.hpp"

namespace paco::server {
namespace {

using Json = nlohmann::ordered_json;

const char* verb_name(Verb verb) {
  switch (verb) {
    case Verb::put:
      return "put";
    case Verb::post:
      return "post";
    case Verb::remove:
      return "delete";
    default:
      return "get";
  }
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
                    {"schema", {{"type", "string"}}}});
  }
  return list;
}

Json operation_of(const Route& route) {
  Json out = {{"summary", route.summary}, {"parameters", parameters_of(route)}};
  if (!route.body.empty()) {
    Json content;
    content[std::string(route.body)] = {{"schema", Json::object()}};
    if (route.start != nullptr) {
      for (const char* type :
           {"application/jsonl", "application/x-npy", "image/jpeg", "image/png", "image/webp"})
        content[type] = {{"schema", Json::object()}};
    }
    out["requestBody"] = {{"required", true}, {"content", std::move(content)}};
  }
  out["responses"] = {{std::to_string(route.success), {{"description", "done"}}},
                      {"default", {{"$ref", "#/components/responses/Error"}}}};
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
  for (const Route& route : routes())
    paths[std::string(route.pattern)][verb_name(route.verb)] = operation_of(route);
  const Json text = {{"type", "string"}};
  const Json error = {{"type", "object"},
                      {"required", {"error"}},
                      {"properties",
                       {{"error",
                         {{"type", "object"},
                          {"required", {"code", "message", "hint"}},
                          {"properties",
                           {{"code", text},
                            {"message", text},
                            {"hint", text},
                            {"row", {{"type", "integer"}}}}}}}}}};
  const Json json = {
      {"openapi", "3.0.3"},
      {"info", {{"title", "paco serve"}, {"version", version}}},
      {"security", Json::array({{{"token", Json::array()}}})},
      {"paths", std::move(paths)},
      {"components",
       {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
        {"schemas", {{"Error", error}}},
        {"responses",
         {{"Error",
           {{"description", "what is wrong, and what to do"},
            {"content",
             {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}}}}}}}}}};
  return json.dump();
}

}  // namespace paco::server
