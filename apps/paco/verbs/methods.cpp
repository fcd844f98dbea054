// `paco methods`: what can decide on a stream, with options and evidence.
#include <fmt/format.h>

#include "cli/verb.hpp"
#include "core/try.hpp"
#include "methods/registry.hpp"

namespace paco {
namespace {

const char* stage_name(MethodOption::Stage stage) {
  return stage == MethodOption::Stage::deciding ? "calibrate, discover" : "calibrate";
}

Json option_json(const MethodOption& option) {
  Json json = {{"name", option.name},
               {"default", option.preset},
               {"given_to", stage_name(option.stage)},
               {"meaning", option.meaning}};
  if (option.kind == MethodOption::Kind::choice) json["choices"] = option.choices;
  if (option.kind == MethodOption::Kind::flag) json["choices"] = {"on", "off"};
  if (option.kind == MethodOption::Kind::number || option.kind == MethodOption::Kind::whole)
    json["range"] = {option.low, option.high};
  return json;
}

Json method_json(const MethodInfo& info) {
  Json json = {{"name", info.name}, {"summary", info.summary}, {"needs", info.needs}};
  json["options"] = Json::array();
  for (const MethodOption& option : info.options) json["options"].push_back(option_json(option));
  json["evidence"] = Json::array();
  for (const EvidenceField& field : info.evidence) {
    Json entry = {{"name", field.name}, {"unit", field.unit}, {"meaning", field.meaning}};
    if (!field.choices.empty()) entry["choices"] = field.choices;
    if (field.after) entry["after_the_sample"] = true;
    json["evidence"].push_back(std::move(entry));
  }
  json["operations"] = Json::array();
  for (const OperationKind kind : info.operations)
    json["operations"].push_back(operation_name(kind));
  return json;
}

std::string method_text(const MethodInfo& info) {
  std::string text = fmt::format("{}: {}\nneeds       {}\n", info.name, info.summary, info.needs);
  if (!info.options.empty()) {
    text +=
        fmt::format("\n{:<16}  {:>9}  {:<19}  {}\n", "option", "default", "given to", "meaning");
    for (const MethodOption& option : info.options) {
      std::string meaning(option.meaning);
      if (!option.choices.empty()) meaning += fmt::format(" ({})", fmt::join(option.choices, ", "));
      text += fmt::format("{:<16}  {:>9}  {:<19}  {}\n", option.name, option.preset,
                          stage_name(option.stage), meaning);
    }
  }
  text += fmt::format("\n{:<18}  {:<10}  {}\n", "evidence", "unit", "meaning");
  for (const EvidenceField& field : info.evidence) {
    text += fmt::format("{:<18}  {:<10}  {}\n", field.name, field.unit.empty() ? "-" : field.unit,
                        field.meaning);
  }
  std::vector<std::string_view> able;
  for (const OperationKind kind : info.operations) able.push_back(operation_name(kind));
  return text + fmt::format("\noperations  {}\n", fmt::join(able, ", "));
}

Result<void> run(Context& context, const std::string& name) {
  if (!name.empty()) {
    PACO_ASSIGN(const MethodInfo* info, method_info(name));
    return print_result(context, method_json(*info), method_text(*info));
  }
  Json json = {{"methods", Json::array()}};
  std::string text;
  for (const methods::Registration& method : methods::registered_methods()) {
    json["methods"].push_back(method_json(method.info));
    text += fmt::format("{:<16} {}\n", method.info.name, method.info.summary);
  }
  return print_result(context, json, text + "'paco methods NAME' shows one with its options\n");
}

}  // namespace

void add_methods(Options& verb, Context& context) {
  verb.about("List the methods, or show one with its options and the evidence it gives.");
  auto name = std::make_shared<std::string>();
  verb.add_text("name", *name, "one of them");
  finish_verb(verb, context, [&context, name] { return run(context, *name); });
}

}  // namespace paco
